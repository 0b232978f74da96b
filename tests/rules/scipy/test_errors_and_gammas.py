"""Rules of scipy.special as users meet them; the formulas are compared in test_registry.py."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.errors import MissingRule
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
    for f in (special.logit, special.ndtri, special.entr):
        (slope,) = gradient(lambda x: np.sum(np.where(weights > 0, f(x), 0.0)), x)
        assert np.isfinite(slope).all() and slope[0] == slope[2] == 0


def test_an_order_is_no_argument_to_differentiate():
    assert gradient(lambda x: special.gammainc(2.0, x), 1.0)[0] == pytest.approx(math.exp(-1))
    with pytest.raises(MissingRule, match="gammainc"):
        gradient(lambda a: special.gammainc(a, 1.0), 2.0)


def test_box_cox_at_exponent_zero():
    check_gradient(lambda x: special.boxcox(x, 0.0), 2.0)
    (slope,) = gradient(lambda e: special.boxcox(2.0, e), 0.0)
    assert slope == pytest.approx(math.log(2) ** 2 / 2)
