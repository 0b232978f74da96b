"""Splines through points, and objects of compiled classes."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

interpolate = pytest.importorskip("scipy.interpolate")
T = np.array([0.0, 0.3, 0.45, 0.7, 1.1, 1.2, 1.6])
V = np.cos(3 * T)


def test_spline_in_values_and_points():
    check_gradient(lambda v, x: interpolate.CubicSpline(T, v)(x) ** 2, V, 0.52)
    check_gradient(lambda v, x: interpolate.make_interp_spline(T, v)(x) ** 2, V, 0.52)
    check_gradient(lambda v, x: interpolate.PchipInterpolator(T, v)(x) ** 2, V, 0.52)


@pytest.mark.slow
def test_points_of_a_cubic_spline():
    check_gradient(lambda t: interpolate.CubicSpline(t, V)(0.52) ** 2, T)


def test_points_of_a_b_spline_are_refused():
    with pytest.raises(Unsupported, match="make_interp_spline"):
        gradient(lambda t: interpolate.make_interp_spline(t, V)(0.52), T)


def test_derivatives_given_at_the_ends_are_refused():
    ends = ([(1, 0.0)], [(1, 0.0)])
    with pytest.raises(Unsupported, match="make_interp_spline"):
        gradient(lambda v: interpolate.make_interp_spline(T, v, bc_type=ends)(0.52), V)


def test_object_of_a_compiled_class_is_refused():
    points = np.array([[0.0, 0.0], [1.0, 0.1], [0.2, 1.0], [1.0, 1.0]])

    def f(v):
        return interpolate.LinearNDInterpolator(points, v)(0.4, 0.5)

    with pytest.raises(Unsupported):
        gradient(lambda v: np.sum(f(v)), V[:4])


def test_grid_in_values_and_points():
    grid = (T, T[:4])
    table = np.outer(V, V[:4])
    check_gradient(
        lambda v, x: np.sum(interpolate.interpn(grid, v, x) ** 2), table, np.array([[0.5, 0.2]])
    )
