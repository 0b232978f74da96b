"""Poles, ties, infinities and nan of NumPy's elementwise functions."""

import numpy as np
import pytest

from astad.rules import lookup

INF, NAN = np.inf, np.nan


def slopes(fn, *args):
    """Derivatives in each argument, entry by entry."""
    found = lookup(fn)
    with np.errstate(all="ignore"):
        y = fn(*args)
    return found.pull(tuple(found.back))(np.ones(np.shape(y)), y, *found.bind(args, {}))


CASES = [
    (np.maximum, (2.0, 2.0), (0.5, 0.5)),
    (np.minimum, (2.0, 2.0), (0.5, 0.5)),
    (np.maximum, (2.0, 5.0), (0, 1)),
    (np.minimum, (2.0, 5.0), (1, 0)),
    (np.fmax, (2.0, 2.0), (0.5, 0.5)),
    (np.fmax, (NAN, 2.0), (0, 1)),
    (np.fmin, (2.0, NAN), (1, 0)),
    (np.hypot, (0.0, 0.0), (0, 0)),
    (np.arctan2, (0.0, 0.0), (0, 0)),
    (np.logaddexp, (-INF, -INF), (0.5, 0.5)),
    (np.logaddexp, (INF, 1.0), (1, 0)),
    (np.logaddexp, (0.0, 1000.0), (0, 1)),
    (np.logaddexp2, (-INF, -INF), (0.5, 0.5)),
    (np.power, (0.0, 0.0), (0, 0)),
    (np.power, (0.0, 1.0), (1, 0)),
    (np.power, (0.0, 2.0), (0, 0)),
    (np.power, (0.0, 0.5), (INF, 0)),
    (np.power, (-2.0, 3.0), (12, NAN)),
    (np.float_power, (-2.0, 3.0), (12, NAN)),
    (np.sqrt, (0.0,), (INF,)),
    (np.cbrt, (0.0,), (INF,)),
]


@pytest.mark.parametrize(("fn", "args", "expected"), CASES)
def test_points_without_a_derivative(fn, args, expected):
    for kind in (np.float64, lambda v: np.array([v]), float):
        found = slopes(fn, *map(kind, args))
        np.testing.assert_array_equal(np.ravel(found), np.array(expected, float))


@pytest.mark.parametrize("fn", [np.sqrt, np.log, np.arcsin, np.arctanh, np.cbrt, np.log2, np.log10])
def test_exact_zero_cotangent_stays_zero_at_and_beyond_the_pole(fn):
    x = np.array([0.0, 1.0, -1.0, 0.5])
    found = lookup(fn)
    with np.errstate(all="ignore"):
        y = fn(x)
    (g,) = found.pull(("x",))(np.array([0.0, 0.0, 0.0, 1.0]), y, x)
    np.testing.assert_array_equal(g[:3], 0)
    assert np.isfinite(g[3])
    assert found.push(("x",))((np.zeros(4),), y, x).tolist() == [0, 0, 0, 0]


def test_overflow_is_not_hidden():
    assert np.isnan(
        lookup(np.exp).pull(("x",))(np.zeros(1), np.array([INF]), np.array([1000.0]))[0]
    ).all()


def test_a_negative_exponent_array_and_its_zero():
    (base, _) = slopes(np.power, np.array([2.0, 2.0, 2.0]), np.array([-1.0, 0.0, 3.0]))
    np.testing.assert_array_equal(base, [-0.25, 0, 12])


def test_integer_arrays_have_slopes():
    assert slopes(np.power, np.array([2, 3]), np.array([0, 3]))[0].tolist() == [0, 27]
    assert slopes(np.multiply, np.array([2, 3]), 4)[0].tolist() == [4, 4]


def test_lists_are_taken_as_the_arrays_they_stand_for():
    x1, x2 = slopes(np.divide, [1.0, 2.0], [4.0, 5.0])
    np.testing.assert_allclose(x1, [0.25, 0.2])
    np.testing.assert_allclose(x2, [-1 / 16, -2 / 25])
