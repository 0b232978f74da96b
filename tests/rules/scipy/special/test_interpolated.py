"""Derivatives in orders and parameters, against closed forms where there are some."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")


def test_order_0_of_the_bessel_functions():
    for x in (1e-6, 0.3, 2.0, 25.0, 300.0):
        (slope,) = gradient(lambda v, x=x: special.jv(v, x), 0.0)
        assert slope == pytest.approx(math.pi / 2 * special.y0(x), rel=1e-11, abs=1e-13)
        (slope,) = gradient(lambda v, x=x: special.yv(v, x), 0.0)
        assert slope == pytest.approx(-math.pi / 2 * special.j0(x), rel=1e-10, abs=1e-12)
        (slope,) = gradient(lambda v, x=x: special.ive(v, x), 0.0)
        assert slope == pytest.approx(-special.kve(0.0, x) * math.exp(-2 * x), rel=1e-9, abs=1e-13)
        (slope,) = gradient(lambda v, x=x: special.kve(v, x), 0.0)
        assert slope == pytest.approx(0.0, abs=1e-11 * special.kve(0.0, x))


def test_kernel_of_matern_in_its_smoothness():
    def matern(d, nu):
        z = math.sqrt(2.0) * np.sqrt(nu) * d
        return np.sum(2.0 ** (1 - nu) / special.gamma(nu) * z**nu * special.kv(nu, z))

    check_gradient(matern, np.array([0.01, 0.4, 3.0]), 1.7)
    check_gradient(matern, np.array([0.01, 0.4, 3.0]), 2.5)


def test_orders_at_argument_0():
    assert gradient(lambda v: special.jv(v, 0.0), 1.5) == (0.0,)
    assert math.isnan(gradient(lambda v: special.jv(v, 0.0), 0.0)[0])


def test_parameters_of_hypergeometric_functions():
    (slope,) = gradient(lambda a: special.hyp2f1(a, 1.3, 1.3, 0.4), 0.7)  # (1 - z)**-a
    assert slope == pytest.approx(-math.log(0.6) * 0.6**-0.7, rel=1e-12)
    (slope,) = gradient(lambda a: special.hyperu(a, a + 1.0, 2.5), 0.7)  # z**-a
    assert slope == pytest.approx(-math.log(2.5) * 2.5**-0.7, rel=1e-11)
    check_gradient(lambda a, b, x: special.hyp1f1(a, b, x), 0.7, 2.0, -3.0)
    check_gradient(lambda n, a: special.eval_genlaguerre(n, a, 1.3), 2.5, 0.4)


def test_integer_degrees_keep_their_own_loops():
    check_gradient(lambda a: special.eval_gegenbauer(40, a, 0.3), 0.7)
