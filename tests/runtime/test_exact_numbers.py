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
