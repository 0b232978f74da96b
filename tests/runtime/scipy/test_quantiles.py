"""Quantiles of scipy.stats in probability, shapes, location and scale."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

stats = pytest.importorskip("scipy.stats")
Q = np.array([0.2, 0.7, 0.45])


@pytest.mark.parametrize("name", ["ppf", "isf"])
def test_in_the_scale_of_a_distribution_with_infinite_ends(name):
    def f(q, loc, scale):
        return np.sum(getattr(stats.norm, name)(q, loc, scale))

    check_gradient(f, Q, 0.3, 1.7)
    check_gradient(lambda q, c: getattr(stats.weibull_min, name)(q, c, scale=2.0), 0.3, 1.5)


def test_of_a_frozen_distribution_and_of_keywords():
    check_gradient(lambda loc, scale: stats.norm(loc, scale).ppf(0.3), 0.5, 2.0)
    check_gradient(lambda q: stats.expon.ppf(q=q, scale=3.0), 0.3)


def test_probabilities_0_and_1_have_the_ends_of_the_support():
    q = np.array([0.0, 0.25, 1.0, 1.5])
    assert stats.uniform.ppf(q, 1.0, 2.0).tolist()[:3] == [1.0, 1.5, 3.0]
    loc, scale = gradient(lambda a, b: np.nansum(stats.uniform.ppf(q, a, b)), 1.0, 2.0)
    assert (loc, scale) == (3.0, 1.25)


def test_what_has_no_formula_is_found_numerically():
    check_gradient(lambda q: stats.argus.ppf(q, 1.0), 0.3)
    check_gradient(lambda q, loc, scale: stats.foldnorm.isf(q, 0.8, loc, scale), 0.3, 0.1, 2.0)


def test_results_are_those_of_the_plain_call():
    for q in (0.3, Q, np.array(0.3), Q.reshape(3, 1), np.empty(0)):
        from astad import pullback

        plain = stats.gamma.ppf(q, 2.0, scale=1.5)
        y, _ = pullback(lambda q: stats.gamma.ppf(q, 2.0, scale=1.5), q)
        assert type(y) is type(plain) and np.array_equal(y, plain)
