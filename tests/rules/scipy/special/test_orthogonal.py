"""Orthogonal polynomials twice differentiated, at the lowest degrees and below 0."""

import math

import numpy as np
import pytest

from astad import gradient

special = pytest.importorskip("scipy.special")
X = 0.4
CONSTANT = (
    special.eval_legendre,
    special.eval_sh_legendre,
    special.eval_chebyt,
    special.eval_chebyu,
    special.eval_chebyc,
    special.eval_chebys,
    special.eval_sh_chebyt,
    special.eval_sh_chebyu,
    lambda n, x: special.eval_gegenbauer(n, 0.7, x),
)


def second(fn, n, x):
    """The second derivative in x."""
    return gradient(lambda x: gradient(lambda x: fn(n, x), x)[0], x)[0]


@pytest.mark.parametrize("fn", CONSTANT)
def test_degrees_0_and_1_are_straight(fn):
    for n in (0, 0.0, 1, 1.0):
        for x in (0.0, X):
            assert second(fn, n, x) == 0


def test_degree_2_is_a_parabola():
    for n in (2, 2.0):
        assert second(special.eval_legendre, n, X) == pytest.approx(3)
        assert second(special.eval_sh_legendre, n, X) == pytest.approx(12)
        assert second(special.eval_chebyt, n, X) == pytest.approx(4)
        assert second(special.eval_chebyu, n, X) == pytest.approx(8)
        assert second(special.eval_chebys, n, X) == pytest.approx(2)
        assert second(special.eval_sh_chebyu, n, X) == pytest.approx(32)
        gegenbauer = second(lambda n, x: special.eval_gegenbauer(n, 0.7, x), n, X)
        assert gegenbauer == pytest.approx(4 * 0.7 * 1.7)


def test_slope_at_degree_0_changes_with_the_degree():
    def slope(fn, n):
        return gradient(lambda n: gradient(lambda x: fn(n, x), X)[0], n)[0]

    assert slope(special.eval_legendre, 0.0) == pytest.approx(1 / (1 + X))  # log((1 + x) / 2)
    angle, sine = math.acos(X), math.sqrt(1 - X * X)
    # of t cos((n + 1) t) / sin(t), the derivative of the value in n, that in t is
    growth = X / sine - angle - angle * X * X / sine**2
    assert slope(special.eval_chebyu, 0.0) == pytest.approx(-growth / sine)
    shifted = gradient(lambda n: gradient(lambda x: special.eval_sh_legendre(n, x), 0.0)[0], 0.0)
    assert not math.isfinite(shifted[0])


def test_degrees_below_0_are_those_above():
    for n in (3, 4, 5):
        for degree in (-n, float(-n)):
            for fn, same, sign in (
                (special.eval_chebyu, n - 2, -1),
                (special.eval_legendre, n - 1, 1),
                (special.eval_chebyt, n, 1),
            ):
                (slope,) = gradient(lambda x, fn=fn, n=degree: fn(n, x), X)
                (wanted,) = gradient(lambda x, fn=fn, n=same: fn(n, x), X)
                assert slope == pytest.approx(sign * wanted, rel=1e-13)
                twice = sign * second(fn, same, X)
                assert second(fn, degree, X) == pytest.approx(twice, rel=1e-12)
    assert gradient(lambda x: special.eval_gegenbauer(-3, 1.0, x), X) == (0.0,)  # SciPy's is 0
    (slope,) = gradient(lambda x: np.sum(special.eval_chebyu(np.array([-3, 2]), x)), X)
    assert slope == pytest.approx(-2 + 8 * X)
