"""Incomplete gamma and beta functions in their orders, far from the middle as well."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.rules import lookup
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")


def test_order_of_the_incomplete_gamma_function():
    check_gradient(lambda a, x: special.gammainc(a, x), 2.0, 1.0)
    for x in (1e-12, 0.3, 5.0, 40.0):  # of order 1: the integral of exp(-t) log(t), less
        (slope,) = gradient(lambda a, x=x: special.gammaincc(a, x), 1.0)
        exact = math.exp(-x) * math.log(x) + special.exp1(x) + np.euler_gamma * math.exp(-x)
        assert slope == pytest.approx(exact, rel=1e-13, abs=2e-16 * abs(math.log(x)))
    assert gradient(lambda a: special.gammainc(a, 0.0), 2.0) == (0.0,)


def test_orders_of_the_incomplete_beta_function():
    for x in (1e-9, 0.3, 0.999):  # of order b = 1: x**a
        (slope,) = gradient(lambda a, x=x: special.betainc(a, 1.0, x), 2.5)
        assert slope == pytest.approx(x**2.5 * math.log(x), rel=1e-12)
        (slope,) = gradient(lambda b, x=x: special.betaincc(1.0, b, x), 2.5)
        assert slope == pytest.approx((1 - x) ** 2.5 * math.log1p(-x), rel=1e-12)
    check_gradient(
        lambda a, b, x: np.sum(special.betainc(a, b, x)), 300.0, 400.0, np.array([0.41, 0.5])
    )


def test_distribution_of_student_in_its_degrees_of_freedom():
    (slope,) = gradient(lambda df: special.stdtr(df, 0.0), 3.0)
    assert slope == 0.0
    check_gradient(lambda df, t: special.stdtr(df, t), 2.5, -30.0)
    check_gradient(lambda df, p: special.stdtrit(df, p), 4.0, 0.99)


def test_distribution_of_student_in_the_middle():
    rule = lookup(special.stdtr)

    def mixed(df, t):  # the derivative of the density in the degrees of freedom
        def slope(df):
            return rule.pull(("t",))(1.0, special.stdtr(df, t), df, t)[0]

        def growth(t):
            return rule.pull(("df",))(1.0, special.stdtr(df, t), df, t)[0]

        return gradient(slope, df)[0], gradient(growth, t)[0]

    for df in (0.7, 3.0, 200.0):
        root = math.sqrt(df)
        for t in (0.0, 1e-9, 0.3, -0.3, 1.999, -2.001, 0.999 * root, -1.001 * root, 3 * root):
            density = math.exp(math.lgamma(0.5 * df + 0.5) - math.lgamma(0.5 * df))
            square = t * t / df
            density *= (1 + square) ** (-0.5 * df - 0.5) / math.sqrt(math.pi * df)
            rate = special.psi(0.5 * df + 0.5) - special.psi(0.5 * df) - 1 / df
            rate += (df + 1) / df * square / (1 + square) - math.log1p(square)
            assert mixed(df, t) == pytest.approx((0.5 * density * rate,) * 2, rel=1e-8, abs=1e-12)
    (slope,) = gradient(lambda df: special.stdtr(df, 0.5), 2.0)  # 1/2 + t / sqrt(8 + 4 t**2)
    above, below = (special.stdtr(2.0 + h, 0.5) for h in (1e-5, -1e-5))
    assert slope == pytest.approx((above - below) / 2e-5, rel=1e-8)
    check_gradient(lambda df, p: special.stdtrit(df, p), 4.0, 0.5)
