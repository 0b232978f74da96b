"""Elliptic integrals where usual formulas are 0 / 0."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")


def test_slopes_where_the_formula_in_legendres_form_is_0_over_0():
    check_gradient(lambda m: special.ellipk(m) - 2.0 * special.ellipe(m), 0.0)
    for m in (0.0, 1e-9, -1e-9):
        (slope,) = gradient(lambda m: special.ellipkinc(0.6, m), m)
        exact = 0.5 * (0.3 - 0.25 * math.sin(1.2))
        assert slope == pytest.approx(exact, rel=1e-8)
    check_gradient(lambda phi, m: special.ellipeinc(phi, m), 5.2, 0.3)
    check_gradient(lambda phi, m: special.ellipkinc(phi, m), -math.pi, 0.3)


def test_complete_integral_near_its_pole():
    (slope,) = gradient(lambda p: special.ellipkm1(p), 1e-12)
    assert slope == pytest.approx(-0.5e12, rel=1e-9)


def test_jacobis_functions_in_both_arguments():
    def energy(u, m):
        sn, cn, dn, amplitude = special.ellipj(u, m)
        return sn * cn + dn * amplitude

    check_gradient(energy, 1.3, 0.4)
    check_gradient(
        lambda u, m: np.sum(energy(u, m)), np.array([[0.3], [4.0]]), np.array([0.1, 0.9])
    )
    check_gradient(lambda u: special.ellipj(u, 0.0)[3] + special.ellipj(u, 1.0)[2], 0.7)


def test_carlsons_integrals_of_equal_arguments():
    (slopes,) = gradient(lambda x: special.elliprf(x[0], x[1], x[2]), np.full(3, 2.0))
    np.testing.assert_allclose(slopes, -(2.0**-1.5) / 6, rtol=1e-13)
    (slopes,) = gradient(lambda x: special.elliprg(x[0], x[1], x[2]), np.full(3, 4.0))
    np.testing.assert_allclose(slopes, 1 / 12, rtol=1e-13)
    for shift in (0.0, 1e-9, 0.1, 0.5, 3.0):
        x = np.array([2.0, 2.0, 2.0 + shift])
        check_gradient(lambda x: special.elliprd(x[0], x[1], x[2]), x)
        x = np.array([2.0, 1.3, 2.0 - 0.5 * shift, 2.0 + shift])
        check_gradient(lambda x: special.elliprj(x[0], x[1], x[2], x[3]), x)
    check_gradient(lambda x, y: special.elliprc(x, y), 0.7, 0.7)


def test_principal_values():
    check_gradient(lambda x, y: special.elliprc(x, y), 0.7, -0.4)
    x = np.array([2.0, 1.3, 0.4, -0.7])
    check_gradient(lambda x: special.elliprj(x[0], x[1], x[2], x[3]), x)


def test_mean_of_gauss():
    assert gradient(lambda a, b: special.agm(a, b), 3.0, 3.0) == pytest.approx((0.5, 0.5))
    check_gradient(lambda a, b: special.agm(a, b), 1e3, 0.2)
    check_gradient(lambda a, b: special.agm(a, b), -1.0, -2.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: special.elliprd(0.0, 2.0, x),
        lambda x: special.elliprj(0.0, 2.0, 1.0, x),
        lambda x: special.elliprj(2.0, 0.0, x, 1.0),
        lambda x: special.elliprg(0.0, 2.0, x),
    ],
)
def test_carlson_functions_with_an_argument_zero(f):
    assert check_gradient(f, 3.0).outcome == "right"
