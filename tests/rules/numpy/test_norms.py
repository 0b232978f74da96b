import numpy as np
import pytest

from astad.rules.numpy.norms import matrix_slope, vector_slope


def test_all_extreme_columns_share():
    x = np.array([[1.0, -2.0], [1.0, 0.0]])
    assert matrix_slope(x, 2.0, 1).tolist() == [[0.5, -0.5], [0.5, 0]]
    assert matrix_slope(x, 2.0, -1).tolist() == [[0.5, -0.5], [0.5, 0]]


def test_equal_singular_values_share():
    np.testing.assert_allclose(matrix_slope(np.eye(3), 1.0, 2), np.eye(3) / 3)


def test_nuclear_norm_leaves_singular_values_of_zero_out():
    x = np.diag([2.0, 0.0])
    np.testing.assert_allclose(matrix_slope(x, 2.0, "nuc"), np.diag([1.0, 0.0]))


@pytest.mark.parametrize("ord", [0.5, 1, 2, 3, np.inf])
def test_a_zero_entry_beside_others_has_slope_zero(ord):
    x = np.array([0.0, 2.0])
    zero, slope = vector_slope(x, np.linalg.norm(x, ord), ord, 0)
    assert zero == 0
    assert slope == pytest.approx(1, rel=1e-15)
