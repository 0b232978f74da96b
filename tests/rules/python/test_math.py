"""Poles and kinks of the module math, for Python floats."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.rules import lookup
from astad.rules.python.math import digamma


def slope(fn, *args, of="x", y_bar=1.0):
    found = lookup(fn)
    try:
        y = fn(*args)
    except ValueError:
        y = -math.inf
    return found.pull((of,))(y_bar, y, *found.bind(args, {}))[0]


POLES = [
    (math.sqrt, 0.0),
    (math.asin, 1.0),
    (math.acosh, 1.0),
    (math.atanh, 1.0),
    (math.log, 0.0),
    (math.log1p, -1.0),
]


@pytest.mark.parametrize(("fn", "x"), POLES)
def test_infinite_slope_is_no_exception(fn, x):
    assert slope(fn, x) == math.inf
    assert slope(fn, x, y_bar=0.0) == 0


@pytest.mark.parametrize(("fn", "x"), POLES[:3])
def test_text_to_inline_does_not_raise_at_the_pole(fn, x):
    found = lookup(fn)
    text = found.inline("x", "float")
    assert eval(text, found.globals_of(text), {"x": x, "y": fn(x)}) == math.inf


def test_kinks_take_the_minimal_subgradient():
    assert slope(math.fabs, 0.0) == 0
    assert slope(math.atan2, 0.0, 0.0, of="x1") == 0
    assert slope(math.hypot, 0.0, 0.0, of="xs") == (0, 0)
    assert slope(math.dist, [1.0, 2.0], [1.0, 2.0], of="p") == [0, 0]


def test_product_with_zeros():
    assert slope(math.prod, [2.0, 0.0, 3.0], of="iterable") == [0, 6, 0]
    assert slope(math.prod, [0.0, 0.0, 3.0], of="iterable") == [0, 0, 0]


def test_prod_of_ints_stays_exact():
    assert slope(math.prod, [2, 3, 10**20], of="iterable", y_bar=1) == [3 * 10**20, 2 * 10**20, 6]


def test_numpy_numbers_and_huge_arguments():
    assert slope(math.sin, np.float64(0.0)) == 1
    assert slope(math.tan, 1.5707963267948966) > 1e30
    assert slope(math.asinh, 1e200) == pytest.approx(1e-200)
    assert slope(math.atan2, 1e-200, 1e-200, of="x1") == pytest.approx(5e199)


def test_digamma_at_known_points():
    euler = 0.57721566490153286
    assert digamma(1.0) == pytest.approx(-euler, rel=1e-15)
    assert digamma(0.5) == pytest.approx(-euler - 2 * math.log(2), rel=1e-15)
    assert digamma(100.0) == pytest.approx(4.600161852738087, rel=1e-15)
    assert math.isnan(digamma(-2.0))


def test_a_product_of_numbers_and_arrays_of_several_shapes():
    weights = np.array([[1.0, 2.0], [3.0, 4.0]])

    def grown(x):
        return np.sum(math.prod([x, weights * x, x + 1.0]))

    def crossed(v):
        return np.sum(math.prod([v, 2.0, v.reshape(-1, 1)], start=v[0]))

    def by_groups(x):
        groups = {"a": [x, 2.0], "b": [weights * x, x]}
        return np.sum(math.prod(sum(group) for group in groups.values()))

    assert gradient(grown, 1.3) == pytest.approx((10.0 * (3 * 1.3**2 + 2 * 1.3),))
    (bar,) = gradient(crossed, np.array([0.5, 2.0]))
    np.testing.assert_allclose(bar, [2 * 2.5**2 + 4 * 0.5 * 2.5, 4 * 0.5 * 2.5])
    assert gradient(by_groups, 0.7) == pytest.approx((14.0 * (2 * 0.7 + 2.0),))
