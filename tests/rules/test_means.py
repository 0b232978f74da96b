"""The mean without questions is NumPy's, to the bit."""

import warnings

import numpy as np
import pytest

from astad.rules.means import mean_of

RNG = np.random.default_rng(5)
ARRAYS = [
    RNG.normal(size=shape) for shape in [(1,), (7,), (1000,), (3, 4), (40, 30), (2, 3, 4), (0, 3)]
]


@pytest.mark.parametrize("a", [*ARRAYS, ARRAYS[4].T, ARRAYS[2][::3]], ids=lambda a: str(a.shape))
def test_as_numpy_computes_it(a):
    axes = [None, *range(-a.ndim, a.ndim), tuple(range(a.ndim))]
    for axis in axes:
        for keepdims in (False, True):
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours = mean_of(a, axis, keepdims=keepdims)
                theirs = np.mean(a, axis, keepdims=keepdims)
            np.testing.assert_array_equal(ours, theirs)
            assert type(ours) is type(theirs)


def test_infinities_and_nan():
    for a in ([np.inf, 1.0], [np.inf, -np.inf], [np.nan, 2.0], [1e308, 1e308]):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(mean_of(np.array(a)), np.mean(a))


@pytest.mark.parametrize("axis", [2, -3, 1.5, "x"])
def test_no_such_axis(axis):
    with pytest.raises(Exception) as theirs:
        np.mean(ARRAYS[3], axis)
    with pytest.raises(type(theirs.value), match="."):
        mean_of(ARRAYS[3], axis)
