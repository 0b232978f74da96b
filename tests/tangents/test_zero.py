"""What carries a derivative, and ones and zeros of its kind."""

import threading
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from astad.tangents.zero import (
    has_identity,
    is_differentiable,
    is_number,
    kind_of_cotangent,
    seed_of,
    zero_like,
)

Pair = namedtuple("Pair", "x y")
NUMBERS = [
    1,
    1.0,
    1j,
    Fraction(1),
    Decimal(1),
    np.float64(1),
    np.float32(1),
    np.int8(1),
    np.complex64(1),
    np.longdouble(1),
]
TEXT = [
    True,
    "a",
    b"a",
    None,
    ...,
    NotImplemented,
    np.bool_(True),
    np.str_("a"),
    np.timedelta64(1, "s"),
    np.datetime64("2020"),
    int,
    np.sin,
    len,
    np,
    range(3),
    slice(2),
    np.dtype(float),
]
OBJECTS = [
    [],
    (),
    {},
    set(),
    np.ones(1),
    np.array(1.0),
    object(),
    lambda: 0,
    threading.Lock(),
    Pair(1, 2),
    iter([]),
]


class Real(float):
    """A user's own number."""


@pytest.mark.parametrize("v", [*NUMBERS, Real(1)], ids=lambda v: type(v).__name__)
def test_numbers(v):
    assert is_number(v) and is_differentiable(v) and not has_identity(v)
    kind = kind_of_cotangent(type(v))
    assert kind is (float if type(v) is Real else type(v))
    assert seed_of(v) == 1 and type(seed_of(v)) is kind
    assert zero_like(v) == 0 and type(zero_like(v)) is kind


@pytest.mark.parametrize("v", TEXT, ids=repr)
def test_what_carries_no_derivative(v):
    assert (
        not is_number(v)
        and not is_differentiable(v)
        and not has_identity(v)
        and zero_like(v) is None
    )


@pytest.mark.parametrize("v", OBJECTS, ids=lambda v: type(v).__name__)
def test_what_has_identity(v):
    assert has_identity(v) and is_differentiable(v) and not is_number(v)


def test_arrays():
    assert not is_differentiable(np.array([True])) and not is_differentiable(np.array(["a"]))
    assert is_differentiable(np.array([1])) and is_differentiable(np.array([1j]))
    seed = seed_of(np.array(3, np.float32))
    assert isinstance(seed, np.ndarray) and seed.shape == () and seed.dtype == np.float32
    assert (
        zero_like(np.ones(2, np.float32)).dtype == np.float32
        and zero_like(np.ones(2, int)).dtype == float
    )
    assert zero_like(np.array([True])) is None


def test_structures():
    assert zero_like(Pair(1.0, [2, "a"])) == Pair(0.0, [0, None])
    assert zero_like({"a": (1.0, None)}) == {"a": (0.0, None)}
