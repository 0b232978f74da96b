"""The cross product by numbers is NumPy's, to the bit."""

import warnings

import numpy as np
import pytest

from astad.rules.crossed import cross_in_space, crossed


def test_as_numpy_computes_it():
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b = rng.normal(size=(2, 3))
        np.testing.assert_array_equal(crossed(a, b), np.cross(a, b))
        np.testing.assert_array_equal(cross_in_space(a, b), np.cross(a, b))


def test_infinities_and_nan_are_quiet():
    a, b = np.array([np.inf, 1.0, 0.0]), np.array([1.0, np.nan, 1e308])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(crossed(a, b), np.cross(a, b))


def test_views():
    a = np.arange(6.0)[::2]
    np.testing.assert_array_equal(crossed(a, a[::-1]), np.cross(a, a[::-1]))


EDGES = [0.0, -0.0, 1.5, np.inf, np.nan, 1e200, 1e-200, 5e-324, -3.0]


@pytest.mark.parametrize("under", ["ignore", "warn"])
@pytest.mark.parametrize("first", EDGES)
def test_values_and_warnings_are_numpy_s(first, under):
    for second in EDGES:
        a, b = np.array([first, 1.0, second]), np.array([second, first, 2.0])
        with warnings.catch_warnings(record=True) as plain, np.errstate(under=under):
            warnings.simplefilter("always")
            expected = np.cross(a, b)
        with warnings.catch_warnings(record=True) as ours, np.errstate(under=under):
            warnings.simplefilter("always")
            found = cross_in_space(a, b)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
        assert [str(each.message) for each in ours] == [str(each.message) for each in plain]
        assert found.dtype == expected.dtype
