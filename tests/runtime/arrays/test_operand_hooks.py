"""Operands that NumPy asks for what it computes with."""

import math

import numpy as np
import pytest

from astad import gradient, jvp, pullback
from astad.errors import Unsupported
from astad.testing import check_gradient


class Scaled(list):
    """NumPy asks such a list for an array before it takes it for a sequence."""

    def __array__(self, dtype=None, copy=None):
        return 2.0 * np.array(list(self))


class ScaledTuple(tuple):
    @property
    def __array_interface__(self):
        return (2.0 * np.array(list(self))).__array_interface__


def stored(kind, x):
    a = np.zeros(2)
    a[:] = kind([x, x * x])
    return a


@pytest.mark.parametrize("kind", [Scaled, ScaledTuple])
@pytest.mark.parametrize(
    "program",
    [
        lambda kind, x: np.array([x, 1.0]) + kind([x, x * x]),
        lambda kind, x: np.concatenate([kind([x, x * x]), kind([1.0, x])]),
        lambda kind, x: np.array([kind([x, x * x]), kind([1.0, x])]),
        lambda kind, x: np.add.reduce(kind([x, x * x])),
        lambda kind, x: np.multiply.outer(kind([x, x * x]), [1.0, 2.0]),
        stored,
    ],
)
def test_lists_that_numpy_asks_for_an_array_in_passing_are_refused(kind, program):
    y, back = pullback(lambda x: np.sum(program(kind, x)), 1.5)
    assert y == np.sum(program(kind, 1.5))
    with pytest.raises(Unsupported, match="convert it to an array"):
        back(1.0)


@pytest.mark.parametrize("program", [math.fsum, lambda v: math.hypot(*v), sum, np.sum, np.sin])
def test_such_lists_where_they_are_asked_or_never(program):
    check_gradient(lambda x: np.sum(program(Scaled([x, x * x]))), 1.5)


class Both:
    """It is taken for a whole number or for a float, as is asked."""

    def __index__(self):
        return 2

    def __float__(self):
        return 2.5


class Whole(int):
    def __index__(self):
        return 7


BY_INDEX = [
    lambda n: math.comb(5, n),
    lambda n: math.perm(5, n),
    lambda n: math.perm(n),
    lambda n: math.factorial(n),
    lambda n: math.gcd(4, n, n),
    lambda n: math.isqrt(n),
    lambda n: math.lcm(n, 3),
]


@pytest.mark.parametrize("n", [Both(), Whole(2)], ids=["object", "int"])
@pytest.mark.parametrize("program", [*BY_INDEX, lambda n: math.sin(n), lambda n: math.hypot(n, 1)])
def test_what_is_asked_for_its_number_is_asked_as_in_c(program, n):
    value = program(n)
    assert [gradient(lambda x: x * program(n), 1.5)[0] for _ in range(4)] == [value] * 4
    y, back = pullback(lambda x: x * program(n), 1.5)
    assert (y, back(1.0)) == (1.5 * value, (value,))
    assert jvp(lambda x: x * program(n), (1.5,), (1.0,)) == (1.5 * value, value)


@pytest.mark.parametrize("program", [*BY_INDEX, math.trunc])
def test_the_error_of_what_has_no_such_number_names_its_class(program):
    class Measured:
        def __float__(self):
            return 2.0

    with pytest.raises(TypeError, match="Measured"):
        gradient(lambda x: x * program(Measured()), 1.5)


def test_ints_have_a_floor_of_their_own():
    assert gradient(lambda x: x * math.floor(Whole(2)), 1.5) == (2.0,)
