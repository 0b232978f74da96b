"""Splines in two variables, as SciPy evaluates tables of measured values."""

import numpy as np
import pytest

from astad import gradient, pullback
from astad.testing import check_gradient

interpolate = pytest.importorskip("scipy.interpolate")

U, V = np.linspace(0.0, 1.0, 8), np.linspace(0.0, 2.0, 7)
TABLE = np.sin(3.0 * U[:, None]) * np.cos(V)


def fitted(k, table=TABLE):
    """Knots, coefficients and degrees."""
    spline = interpolate.RectBivariateSpline(U, V, table, kx=k, ky=k)
    return (*spline.tck, k, k)


@pytest.fixture(params=[1, 2, 3])
def tck(request):
    return fitted(request.param)


def test_a_product_of_the_variables_is_reproduced(tck):
    exact = fitted(tck[3], U[:, None] * V)
    a_bar, b_bar = gradient(lambda a, b: float(interpolate.bisplev(a, b, exact)), 0.3, 0.8)
    assert abs(a_bar - 0.8) < 1e-12 and abs(b_bar - 0.3) < 1e-12


def test_one_point(tck):
    assert (
        check_gradient(lambda a, b: interpolate.bisplev(a, b, tck), 0.33, 0.77).outcome == "right"
    )


def test_a_grid_of_points(tck):
    a, b = np.array([0.21, 0.52, 0.9]), np.array([0.11, 1.3])
    assert check_gradient(lambda a, b: interpolate.bisplev(a, b, tck), a, b).outcome == "right"


def test_coefficients(tck):
    tx, ty, c, kx, ky = tck

    def f(a, c):
        return (interpolate.bisplev(a, np.array([0.3, 0.8]), (tx, ty, c, kx, ky)) ** 2).sum()

    assert check_gradient(f, np.array([0.21, 0.52]), c).outcome == "right"


def test_pairs_of_points_by_a_spline_object(tck):
    spline = interpolate.RectBivariateSpline(U, V, TABLE, kx=tck[3], ky=tck[4])
    a, b = np.array([0.21, 0.52, 0.7]), np.array([0.11, 1.52, 1.1])
    assert check_gradient(lambda a, b: spline.ev(a, b), a, b).outcome == "right"
    assert check_gradient(lambda a, b: spline(a, b, grid=False)[::2], a, b).outcome == "right"
    assert check_gradient(lambda a, b: spline(a, b), a, np.sort(b)).outcome == "right"


class Losses:
    """A table of losses by ratio and angle, as libraries of engineering hold it."""

    def __init__(self, table):
        self.tck = interpolate.RectBivariateSpline(U, V, table).tck
        self.seen = []

    def at(self, ratio, angle):
        loss = float(interpolate.bisplev(ratio, angle, (*self.tck, 3, 3)))
        self.seen.append(loss)
        return loss

    def total(self, ratios, angle):
        return sum(self.at(ratio / 2.0, angle) * ratio for ratio in ratios) + self.seen[0]


def test_a_class_that_looks_up_in_a_loop():
    found = check_gradient(
        lambda ratios, angle: Losses(TABLE).total(ratios, angle), [0.5, 1.3], 0.4
    )
    assert found.outcome == "right"


@pytest.mark.parametrize("k", [2, 3])
def test_derivatives(k):
    tck = fitted(k)
    spline = interpolate.RectBivariateSpline(U, V, TABLE, kx=k, ky=k)
    for f in (
        lambda a, b: interpolate.bisplev(a, b, tck, dx=1),
        lambda a, b: interpolate.bisplev(a, b, tck, dx=1, dy=1),
        lambda a, b: spline.ev(a, b, dy=1),
    ):
        assert check_gradient(f, 0.33, 0.77).outcome == "right"


def test_outside_of_the_table_the_value_is_that_of_its_edge(tck):
    _, back = pullback(lambda a, b: interpolate.bisplev(a, b, tck), 1.33, 0.77)
    _, inside = pullback(lambda a, b: interpolate.bisplev(a, b, tck), 1.0, 0.77)
    assert back(1.0)[0] == 0.0
    assert abs(back(1.0)[1] - inside(1.0)[1]) < 1e-12


def test_knots_are_refused():
    tx, ty, c, kx, ky = fitted(3)
    with pytest.raises(NotImplementedError, match="of the knots of a spline"):
        gradient(lambda tx: float(interpolate.bisplev(0.3, 0.8, (tx, ty, c, kx, ky))), tx)
