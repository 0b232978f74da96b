"""Ends of slices that are floats carry a derivative; those that are places do not."""

import numpy as np
import pytest

import astad


class Signal:
    def __getitem__(self, span):
        return span.start**2 + 3 * span.stop


SIGNAL = Signal()


def grid(a, b):
    return np.sum(np.mgrid[a:b:3j] ** 2)


def ranged(a, b):
    return np.sum(np.r_[a:b:3j, a] ** 2)


def by_hand(a, b):
    s = slice(a, b)
    return s.start * s.stop


def by_method(a, b):
    return SIGNAL[a:b] * SIGNAL[b:2.0]


def twice(a, b):
    s = slice(a)
    return s.stop * s.stop + b


def looped(a, b):
    total = 0.0
    for k in range(3):
        total = total + np.sum(np.mgrid[a * k : b + k : 2j])
    return total


@pytest.mark.parametrize("f", [grid, ranged, by_hand, by_method, twice, looped])
def test_ends_that_are_floats(f):
    step = 1e-6
    g = astad.gradient(f, 0.7, 1.9)
    for k in (0, 1):
        up, down = [0.7, 1.9], [0.7, 1.9]
        up[k] += step
        down[k] -= step
        assert g[k] == pytest.approx((f(*up) - f(*down)) / (2 * step), rel=1e-6)


def test_a_constant_slice_among_moving_values():
    g = astad.gradient(lambda x: np.sum(np.mgrid[0.0:1.0:3j] * x), 2.0)
    assert g == (1.5,)


def test_places_carry_nothing():
    (g, none) = astad.gradient(lambda x, i: np.sum(x[i:]), np.arange(3.0), 1)
    assert none is None and g.tolist() == [0.0, 1.0, 1.0]


def test_ints_at_the_ends_of_a_number_of_points():
    def f(k, n):
        return np.sum(np.r_[k:n:3j] * np.arange(3.0)) + np.sum(np.mgrid[k:n:3j])

    assert astad.gradient(f, 1, 5) == astad.gradient(f, 1.0, 5.0)
