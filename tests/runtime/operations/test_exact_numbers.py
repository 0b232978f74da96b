"""Numbers taken apart into ints: right, or refused where the ints go through a step function."""

import math
from fractions import Fraction

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.testing import check_gradient


def rooted(x):
    n, d = x.as_integer_ratio()
    return math.isqrt(n * d) / d


def shifted(x):
    n, d = x.as_integer_ratio()
    return ((n * 1024) >> 5) / d


def set_bit(x):
    n, d = x.as_integer_ratio()
    return (n | 1) / d


def halved(n):
    return n >> 1


def by_callee(x):
    n, d = x.as_integer_ratio()
    return halved(n) / d


def reduced(n):
    while n > 10:
        n = n // 2
    return n


def by_loop_of_callee(x):
    n, d = x.as_integer_ratio()
    return reduced(n * 1024) / d


def by_numerator(x):
    return halved(Fraction(x).numerator) / Fraction(x).denominator


def in_parts(x):
    n, d = x.as_integer_ratio()
    return divmod(n, 2)[0] / d


def in_array(x):
    n, d = x.as_integer_ratio()
    return float(np.array([n, 4])[0] // 2) / d


def in_place(x):
    n, d = x.as_integer_ratio()
    a = np.array([n, 4])
    a >>= 1
    return float(a[0]) / d


def from_list(x):
    ns = list(x.as_integer_ratio())
    return (lambda ns: ns[0] // 2)(ns) / ns[1]


STEPS = [
    rooted, shifted, set_bit, by_callee, by_loop_of_callee, by_numerator, in_parts, in_array,
    in_place, from_list,
]  # fmt: skip


@pytest.mark.parametrize("f", STEPS)
def test_steps_of_numerators_are_refused(f):
    with pytest.raises(Unsupported, match="taken apart into ints"):
        astad.gradient(f, 3.5)


def test_arithmetic_of_numerators():
    def f(x, k):
        n, d = x.as_integer_ratio()
        return (n * n + 3 * n * d) / (d * d) * (math.isqrt(k) + (k >> 1)) + math.floor(x)

    check_gradient(lambda x: f(x, 9), 3.5)


def test_steps_beside_numerators():
    def f(x, k):
        n, d = x.as_integer_ratio()
        ks = np.arange(4) // 2
        ks >>= 1
        return n / d * (reduced(k) + halved(k) + divmod(k, 2)[0] + float(ks.sum()))

    check_gradient(lambda x: f(x, 9), 3.5)


def test_closest_fraction_moves_in_steps():
    def f(x):
        return float(Fraction(x).limit_denominator(10)) * x

    assert astad.gradient(f, 2.7) == (2.7,)


class Ratio(Fraction):
    """Nothing of its own: its products are Fractions."""


class Share(Fraction):
    """Made and multiplied by its own methods."""

    def __new__(cls, *parts):
        return super().__new__(cls, *parts)

    def __mul__(self, other):
        return Share(super().__mul__(other))


@pytest.mark.parametrize("kind", [Ratio, Share])
def test_classes_derived_from_fraction(kind):
    """Their gradients were zero."""
    third = Fraction(1, 3)
    assert astad.gradient(lambda a: a * a, kind(1, 3)) == (2 * third,)
    assert astad.gradient(lambda a: a**2 + a / 3 - 1 / a, kind(1, 3)) == (10,)
    assert astad.gradient(lambda a: a.numerator / a.denominator, kind(1, 3)) == (1.0,)
    assert astad.gradient(lambda x: kind(x) * kind(x), third) == (2 * third,)
    assert astad.gradient(lambda x: float(kind(x) * 2 + 1), 0.5) == (2.0,)
    assert astad.gradient(lambda x: float(kind(2 * x, 5)), Fraction(1, 2)) == (0.4,)
