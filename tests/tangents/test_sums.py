"""Sums over axes, by whichever way they are made."""

from itertools import combinations

import numpy as np
import pytest

from astad.tangents.sums import sum_over

SHAPES = [(3,), (700,), (1, 700), (700, 1), (40, 30), (1500, 3), (3, 1500), (6, 200, 8), (9, 1, 90)]
SHAPES += [(8, 8, 3, 8), (0, 3), (3, 0), (600, 0, 2)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_are_those_of_numpy(shape, order):
    g = np.asarray(np.random.default_rng(3).standard_normal(shape), order=order)
    for count in range(1, len(shape) + 1):
        for axes in combinations(range(len(shape)), count):
            for keepdims in (False, True):
                expected = np.sum(g, axes, keepdims=keepdims)
                found = sum_over(g, axes, keepdims=keepdims)
                assert np.shape(found) == np.shape(expected)
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_infinities_and_nan_stay_where_they_are():
    g = np.ones((300, 3))
    g[1, 0], g[2, 1] = np.inf, np.nan
    with np.errstate(invalid="ignore"):
        assert sum_over(g, 0).tolist()[0] == np.inf
        assert np.isnan(sum_over(g, 0)[1]) and sum_over(g, 0)[2] == 300.0


@pytest.mark.parametrize("dtype", [np.float32, complex, int, bool, np.longdouble])
def test_other_dtypes_are_summed_as_numpy_does(dtype):
    g = np.ones((300, 3), dtype)
    assert sum_over(g, 1).dtype == g.sum(1).dtype
    assert sum_over(g, 0, keepdims=True).tolist() == g.sum(0, keepdims=True).tolist()


def test_views_with_gaps_are_summed():
    g = np.arange(6000.0).reshape(100, 60)[::2, ::3]
    assert sum_over(g, 0).tolist() == g.sum(0).tolist()
