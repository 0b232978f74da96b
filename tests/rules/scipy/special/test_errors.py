"""Error functions and the normal distribution as users meet them, and where formulas cancel."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.errors import AstadError
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")


def test_normal_distribution_of_floats_and_arrays():
    def crps(x, mu, sigma):
        z = (x - mu) / sigma
        density = np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
        return np.sum(sigma * (z * (2 * special.ndtr(z) - 1) + 2 * density))

    check_gradient(crps, 0.3, 0.1, 1.7)
    check_gradient(crps, np.array([0.3, -2.0]), 0.1, np.array([[1.0], [0.4]]))


def test_a_tail_that_underflows():
    (slope,) = gradient(lambda x: special.log_ndtr(x), -60.0)
    assert slope == pytest.approx(60.0166, rel=1e-5)
    assert gradient(lambda x: special.log_ndtr(x), 60.0) == (0.0,)


def test_singular_ends_take_no_part_where_nothing_comes_in():
    x = np.array([0.0, 0.5, 1.0])
    weights = np.array([0.0, 1.0, 0.0])
    for f in (special.logit, special.ndtri, special.entr, special.erfinv):
        (slope,) = gradient(lambda x, f=f: np.sum(np.where(weights > 0, f(x), 0.0)), x)
        assert np.isfinite(slope).all() and slope[0] == slope[2] == 0


def test_slopes_of_large_arguments_keep_their_digits():
    for f, limit in ((special.erfcx, 1 / math.sqrt(math.pi)), (special.dawsn, 0.5)):
        for x in (11.9, 12.1, 1e3, 1e9):
            (slope,) = gradient(lambda x, f=f: f(x), x)
            series = -limit / x**2 * (1 + (1.5 if f is special.dawsn else -1.5) / x**2)
            assert slope == pytest.approx(series, rel=10 / x**4 + 1e-14)


def test_logistic_function_far_out():
    (slope,) = gradient(lambda x: special.expit(x), 40.0)
    assert slope == pytest.approx(math.exp(-40.0), rel=1e-14)


def test_profile_of_a_line_and_its_two_sharp_limits():
    check_gradient(lambda x, s, g: special.voigt_profile(x, s, g), 0.4, 1.3, 0.2)
    gaussian = gradient(lambda x, s: special.voigt_profile(x, s, 0.0), 0.4, 1.3)
    density = math.exp(-0.5 * (0.4 / 1.3) ** 2) / (1.3 * math.sqrt(2 * math.pi))
    expected = (-0.4 / 1.69 * density, (0.16 / 1.69 - 1) / 1.3 * density)
    np.testing.assert_allclose(gaussian, expected, rtol=1e-13)
    x_bar, s_bar, g_bar = gradient(lambda x, s, g: special.voigt_profile(x, s, g), 0.4, 0.0, 0.2)
    np.testing.assert_allclose(x_bar, -2 * 0.4 * 0.2 / math.pi / 0.2**2, rtol=1e-13)
    np.testing.assert_allclose(g_bar, (0.16 - 0.04) / math.pi / 0.2**2, rtol=1e-13)
    assert s_bar == 0.0
    (narrow,) = gradient(lambda s: special.voigt_profile(0.4, s, 0.2), 1e-4)
    (wider,) = gradient(lambda s: special.voigt_profile(0.4, s, 0.2), 2e-4)
    assert wider == pytest.approx(2 * narrow, rel=1e-6)


def test_fresnel_integrals_of_one_value_or_both():
    check_gradient(lambda x: special.fresnel(x)[0] * 2.0 + special.fresnel(x)[1] ** 2, 0.7)

    def spiral(x):
        s, c = special.fresnel(x)
        return np.sum(np.hypot(s, c))

    check_gradient(spiral, np.array([0.3, -1.1]))
    check_gradient(lambda x: special.modfresnelp(x)[1].real, 0.7)
    with pytest.raises(AstadError, match="modfresnelp"):
        gradient(lambda x: special.modfresnelp(x)[0].real, -0.7)
