import sys

import numpy as np
import pytest

from astad.rules.numpy.triangles import SMALL, solved
from astad.testing import check_gradient


@pytest.fixture(autouse=True, params=["alone", "with SciPy"])
def library(request, monkeypatch):
    """Both ways to solve with a triangle."""
    if request.param == "alone":
        monkeypatch.delitem(sys.modules, "scipy.linalg", raising=False)
    else:
        pytest.importorskip("scipy.linalg")


def triangle(*shape, upper=False):
    rng = np.random.default_rng(3)
    low = np.tril(rng.normal(size=shape)) / 10 + 2 * np.eye(shape[-1])
    return np.swapaxes(low, -1, -2) if upper else low


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", [1, 5, SMALL, SMALL + 1, 3 * SMALL + 7])
def test_a_triangle_solves_as_any_matrix(n, upper):
    a, b = triangle(n, n, upper=upper), np.random.default_rng(1).normal(size=(n, 2))
    np.testing.assert_allclose(solved(a, b), np.linalg.solve(a, b), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        solved(1j * a, b), np.linalg.solve(1j * a, b), rtol=1e-12, atol=1e-13
    )


def test_stacks_on_either_side():
    a, b = triangle(3, 1, 60, 60), np.random.default_rng(1).normal(size=(4, 60, 2))
    np.testing.assert_allclose(solved(a, b), np.linalg.solve(a, b), rtol=1e-12)
    np.testing.assert_allclose(solved(a[0, 0], b), np.linalg.solve(a[0, 0], b), rtol=1e-12)


def test_nearly_a_triangle_is_none():
    a, b = triangle(60, 60), np.ones((60, 1))
    a[3, 59] = 0.7
    np.testing.assert_allclose(solved(a, b), np.linalg.solve(a, b), rtol=1e-12)
    a[3, 59] = np.nan
    assert np.isnan(solved(a, b)).any()


def test_single_precision_stays_and_integers_become_floats():
    low, b = triangle(60, 60), np.ones((60, 1))
    assert solved(low.astype(np.float32), b.astype(np.float32)).dtype == np.float32
    assert solved(np.tril(np.ones((60, 60), int)), np.ones((60, 1), int)).dtype == float


def test_a_singular_triangle_raises_as_solve_does():
    low = triangle(60, 60)
    low[50, 50] = 0.0
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        solved(low, np.ones((60, 1)))


def test_the_derivative_reaches_the_zeros_of_a_triangle():
    a, b = triangle(60, 60), np.ones((60, 1))
    at = (np.array([2, 40]), np.array([50, 3]))

    def moved(entries):
        here = a.copy()
        here[at] = here[at] + entries
        return np.sum(solved(here, b) ** 2)

    check_gradient(moved, np.zeros(2))
