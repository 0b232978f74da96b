"""The cross product by numbers is NumPy's, to the bit."""

import numpy as np

from astad.rules.crossed import crossed


def test_as_numpy_computes_it():
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b = rng.normal(size=(2, 3))
        np.testing.assert_array_equal(crossed(a, b), np.cross(a, b))


def test_infinities_and_nan_are_quiet():
    a, b = np.array([np.inf, 1.0, 0.0]), np.array([1.0, np.nan, 1e308])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(crossed(a, b), np.cross(a, b))


def test_views():
    a = np.arange(6.0)[::2]
    np.testing.assert_array_equal(crossed(a, a[::-1]), np.cross(a, a[::-1]))
