"""Gamma, beta and zeta functions where formulas cancel, and at their poles."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")


def test_reciprocal_at_the_poles_of_the_gamma_function():
    x = -np.arange(6.0)
    (slope,) = gradient(lambda x: np.sum(special.rgamma(x)), x)
    np.testing.assert_allclose(slope, [1, -1, 2, -6, 24, -120], rtol=1e-14)
    check_gradient(lambda x: special.rgamma(x), -7.3)


def test_quotients_of_gamma_functions_that_nearly_cancel():
    (slope,) = gradient(lambda x: special.betaln(x, 1.0), 1e8)
    assert slope == pytest.approx(-1e-8, rel=1e-14)
    (slope,) = gradient(lambda x: special.poch(x, 1e-9), 2.0)
    assert slope == pytest.approx(1e-9 * special.polygamma(1, 2.0), rel=1e-8)
    (slope,) = gradient(lambda x: special.poch(x, 2.0), 1e9)
    assert slope == pytest.approx(2e9 + 1, rel=1e-15)


def test_binomial_coefficients_where_they_are_0():
    (slope,) = gradient(lambda k: special.binom(5.0, k), -1.0)
    assert slope == pytest.approx(1 / 6)
    (slope,) = gradient(lambda k: special.binom(5.0, k), 6.0)
    assert slope == pytest.approx(-1 / 6)
    check_gradient(lambda n, k: special.binom(n, k), 4.0, 2.0)


def test_digamma_of_complex_numbers():
    for z in (0.3 + 0.2j, -2.4 + 0.1j, 15.0 - 3j):
        check_gradient(lambda z: abs(special.psi(z)) ** 2, z)


def test_zeta_in_both_arguments():
    check_gradient(lambda s, q: special.zeta(s, q), 2.5, 1.3)
    (slope,) = gradient(lambda s: special.zeta(s), 0.0)
    assert slope == pytest.approx(-0.5 * math.log(2 * math.pi), rel=1e-13)
    (slope,) = gradient(lambda s: special.zetac(s), 60.0)
    assert slope == pytest.approx(-math.log(2) * 2.0**-60, rel=1e-9)


def test_dilogarithm_at_1():
    for x in (1.0, 1.0 + 1e-12, 0.9999):
        (slope,) = gradient(lambda x: special.spence(x), x)
        assert slope == pytest.approx(-1 + (x - 1) / 2, rel=1e-8)
