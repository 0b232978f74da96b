"""Builtin functions of numbers."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import astad
from astad import gradient
from astad.rules import lookup


def test_int_of_an_int_passes_and_of_a_float_stops():
    pull = lookup(int).pull(("x",))
    assert pull(1, 3, 3) == (1,)
    assert pull(1, 3, 3.5) == (0,)


def test_parts_of_a_complex_number():
    real, imag = lookup(complex).pull(("real", "imag"))(2 + 3j, 1 + 5j, 1.0, 5.0)
    assert real.real == 2 and imag.real == 3


def test_round_is_constant():
    assert lookup(round).form == "zero"


# --- what int() gives moves in steps, whatever it was given


class _Price(float):
    pass


@pytest.mark.parametrize(
    "n",
    [2.5, np.float64(2.5), np.float32(2.5), np.longdouble(2.5), np.array(2.5), Fraction(5, 2)]
    + [_Price(2.5), Decimal("2.5")],
    ids=lambda n: type(n).__name__,
)
@pytest.mark.parametrize(
    "f",
    [
        lambda n: (-1) ** int(n) * n,
        lambda n: (-1) ** math.floor(n) * n,
        lambda n: sum((-1) ** k * v for k, v in zip(map(int, [n]), [n], strict=True)),
        lambda n: (lambda whole: (-1) ** whole(n) * n)(int),
        lambda n: (-1) ** n.__int__() * n,
    ],
)
def test_sign_by_a_whole_part(f, n):
    assert f(n) == n
    (slope,) = gradient(f, n)
    assert slope == 1
    with astad.verified():
        assert gradient(f, n)[0] == 1


def test_root_of_what_a_whole_part_leaves():
    def f(n):
        return math.sqrt(int(n) - 2) + n

    for kind in (float, np.float64, np.float32, _Price):
        assert gradient(f, kind(2.5)) == (1.0,)


def test_power_of_the_whole_part_of_a_decimal():
    assert gradient(lambda d: 2 ** int(d) * d, Decimal("2.5")) == (4,)
    assert gradient(lambda d: int(d) ** int(d) * d, Decimal("2.5")) == (4,)


def test_whole_parts_of_a_mixed_list():
    def f(values):
        return sum((-1) ** int(v) * v for v in values)

    assert gradient(f, [1.0, np.float64(2.0), Fraction(3)]) == ([-1, 1, -1],)


def test_conversion_to_an_integer_of_numpy():
    def f(x):
        return np.sqrt(np.int64(x) - 2.0) + x

    with np.errstate(divide="ignore"):
        assert gradient(f, np.float64(2.5)) == (1.0,)
    assert gradient(lambda n: int(n) * 2.0 * n, 3) == (12.0,)  # an int is itself
