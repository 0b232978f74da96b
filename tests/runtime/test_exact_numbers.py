"""Numbers taken apart into ints: right, or refused where the ints go through a step function."""

import math

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


@pytest.mark.parametrize("f", [rooted, shifted, set_bit])
def test_steps_of_numerators_are_refused(f):
    with pytest.raises(Unsupported, match="taken apart into ints"):
        astad.gradient(f, 3.5)


def test_arithmetic_of_numerators():
    def f(x, k):
        n, d = x.as_integer_ratio()
        return (n * n + 3 * n * d) / (d * d) * (math.isqrt(k) + (k >> 1)) + math.floor(x)

    check_gradient(lambda x: f(x, 9), 3.5)
