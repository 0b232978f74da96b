"""Bessel functions as users meet them, and where neighbours cancel."""

import math

import pytest

from astad import gradient
from astad.errors import AstadError, MissingRule
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")


def test_drum_of_a_bessel_function():
    def height(r, k):
        return special.j0(k * r) * math.cos(k) + special.jv(2, k * r)

    check_gradient(height, 0.7, 2.405)


def test_scaled_functions_of_large_arguments():
    for f, sign in ((special.i0e, 1), (special.i1e, 1), (special.k0e, 1), (special.k1e, 1)):
        for x in (1e4, 1e10):
            (slope,) = gradient(lambda x, f=f: f(x), x)
            assert slope == pytest.approx(-sign * f(x) / (2 * x), rel=1 / x + 1e-14)
    for x in (49.0, 51.0, 60.0):
        check_gradient(lambda x: special.kve(1.0, x) * special.ive(0.5, x), x)


def test_derivatives_of_bessel_functions_by_their_source():
    for f in (special.jvp, special.yvp, special.ivp, special.kvp):
        check_gradient(lambda x, f=f: f(1.5, x, 2), 2.3)
        check_gradient(lambda x, f=f: f(2, x), 2.3)
    for f in (special.h1vp, special.h2vp):
        check_gradient(lambda x, f=f: f(1.5, x, 1).real, 2.3)


def test_spherical_functions_at_0():
    for n, slope in ((0, 0.0), (1, 1 / 3), (2, 0.0)):
        assert gradient(lambda x, n=n: special.spherical_jn(n, x), 0.0) == (slope,)
    (second,) = gradient(lambda x: special.spherical_jn(0, x, derivative=True), 0.0)
    assert second == pytest.approx(-1 / 3)
    check_gradient(lambda x: special.spherical_kn(2, x, derivative=True), 1.3)


def test_what_is_not_known_is_refused():
    with pytest.raises(MissingRule, match="expn"):
        gradient(lambda n: special.expn(n, 1.0), 2.0)
    with pytest.raises(AstadError, match="ive"):
        gradient(lambda z: abs(special.ive(1.0, z)), 2.0 + 1j)
