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


def test_factorials_where_they_are_1_and_left_of_0():
    euler = -special.psi(1.0)
    (slope,) = gradient(lambda n: np.sum(special.factorial(n)), np.array([0.0, 1.0, -1.5]))
    np.testing.assert_allclose(slope, [-euler, 1 - euler, 0.0], rtol=1e-14)
    for n in (0.0, 1.0):  # SciPy asks for these two before it comes to its gamma function
        assert gradient(lambda n: special.factorial(n), n) == (pytest.approx(n - euler),)
    assert gradient(lambda x, n: x / special.factorial(n, exact=True), 2.0, 3) == (1 / 6, 0.0)
    check_gradient(lambda n: special.factorial(n, extend="complex"), -0.4)


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


def second(fn, i, j, *args):
    """The derivative of that in argument i, in argument j."""

    def slope(*args):
        return gradient(fn, *args)[i]

    return gradient(slope, *args)[j]


def rising(z, m):
    return special.poch(z, m)


def choose(n, k):
    return special.binom(n, k)


def test_rising_factorials_at_the_poles_of_the_gamma_function():
    m = 0.31
    (slope, growth) = gradient(rising, 0.0, m)  # near z = 0: gamma(z + m) (z + euler z**2)
    assert slope == pytest.approx(math.gamma(m)) and growth == 0
    wanted = 2 * math.gamma(m) * (special.psi(m) + np.euler_gamma)
    assert second(rising, 0, 0, 0.0, m) == pytest.approx(wanted)
    wanted = math.gamma(m) * special.psi(m)
    assert second(rising, 0, 1, 0.0, m) == pytest.approx(wanted)
    assert second(rising, 1, 0, 0.0, m) == pytest.approx(wanted)
    for z in (-3.0, -1.0, 0.0, 2.0):  # z (z + 1)
        (slope,) = gradient(lambda z: special.poch(z, 2.0), z)
        assert slope == pytest.approx(2 * z + 1)
        twice = gradient(lambda z: gradient(lambda z: special.poch(z, 2.0), z)[0], z)
        assert twice == (pytest.approx(2.0),)


def test_binomial_coefficients_where_they_are_0_twice():
    # the other side of k = n + 1 and of k = -1 is gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1))
    psi, n = special.psi, 5.0
    assert second(choose, 0, 0, n, -1.0) == 0
    wanted = (psi(n + 1) - psi(n + 2)) / (n + 1)
    assert second(choose, 0, 1, n, -1.0) == pytest.approx(wanted)
    assert second(choose, 1, 0, n, -1.0) == pytest.approx(wanted)
    wanted = 2 * (psi(n + 2) + np.euler_gamma) / (n + 1)
    assert second(choose, 1, 1, n, -1.0) == pytest.approx(wanted)
    # with h = n - k + 1 small: h + euler h**2, times gamma(n + 1) / gamma(k + 1)
    rate = 1 / (n + 1)
    assert second(choose, 0, 0, n, n + 1) == pytest.approx(
        rate * (2 * np.euler_gamma + 2 * psi(n + 1))
    )
    assert second(choose, 1, 1, n, n + 1) == pytest.approx(
        rate * (2 * np.euler_gamma + 2 * psi(n + 2))
    )
    wanted = -rate * (2 * np.euler_gamma + psi(n + 1) + psi(n + 2))
    assert second(choose, 0, 1, n, n + 1) == pytest.approx(wanted)
    assert second(choose, 1, 0, n, n + 1) == pytest.approx(wanted)
