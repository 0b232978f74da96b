"""Distribution functions of scipy.stats: sources, and the density where compiled code answers."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import AstadError
from astad.testing import check_gradient

stats = pytest.importorskip("scipy.stats")
X = np.array([0.3, 0.9, 1.7])


def value_of(name, method, *args, **keywords):
    """Of a distribution that the tests do not capture: it is no plain object."""
    return getattr(getattr(stats, name), method)(*args, **keywords)


METHODS = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("name", "shapes"),
    [("norm", ()), ("expon", ()), ("weibull_min", (1.4,)), ("cauchy", ()), ("lognorm", (0.8,))],
)
def test_in_all_parameters_by_source(name, shapes, method):
    def f(x, *s):
        return np.sum(value_of(name, method, x, *s[:-2], loc=s[-2], scale=s[-1]))

    check_gradient(f, X, *shapes, -0.2, 1.3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("name", "shapes"),
    [("gamma", (2.0,)), ("beta", (1.5, 2.5)), ("t", (3.0,)), ("f", (3.0, 5.0)), ("chi2", (3.0,))],
)
def test_in_the_variable_location_and_scale_where_a_kernel_answers(name, shapes, method):
    def f(x, loc, scale):
        return np.sum(value_of(name, method, x, *shapes, loc=loc, scale=scale))

    check_gradient(f, X, -0.1, 2.5)


@pytest.mark.parametrize("name", ["skewnorm", "vonmises", "cosine"])
def test_the_slope_of_a_distribution_function_is_the_density(name):
    shapes = {"skewnorm": (2.0,), "vonmises": (1.3,), "cosine": ()}[name]
    d = getattr(stats, name)
    (bar,) = gradient(lambda x: np.sum(d.cdf(x, *shapes)), X)
    assert np.allclose(bar, d.pdf(X, *shapes), rtol=1e-9)


def test_a_shape_without_a_derivative_is_an_error_when_asked_for():
    (bar,) = gradient(lambda x: stats.vonmises.cdf(x, 1.3), 0.4)
    assert np.isclose(bar, stats.vonmises.pdf(0.4, 1.3))
    with pytest.raises(AstadError):
        gradient(lambda kappa: stats.vonmises.cdf(0.4, kappa), 1.3)


def test_a_shape_of_an_inverse_by_that_of_its_function():
    check_gradient(lambda a: stats.skewnorm.ppf(0.3, a), 2.0)
    check_gradient(lambda q, a: stats.skewnorm.isf(q, a, scale=2.0), 0.3, 2.0)


def test_outside_of_the_support_nothing_flows():
    (bar,) = gradient(lambda x: np.sum(stats.gamma.cdf(x, 2.0)), np.array([-1.0, 2.0]))
    assert bar[0] == 0.0 and bar[1] > 0.1


@pytest.mark.order_matters
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("poisson", (2.3,)), ("binom", (5, 0.3)), ("geom", (0.3,)), ("nbinom", (3.5, 0.4))],
)
def test_discrete_distributions_in_their_probabilities(name, arguments):
    k = np.array([1, 2, 4])
    *counts, last = arguments
    for method in ("pmf", "logpmf"):
        check_gradient(lambda p, m=method: np.sum(value_of(name, m, k, *counts, p)), last)


def test_discrete_distribution_functions():
    k = np.array([1, 2, 4])
    check_gradient(lambda p: np.sum(stats.binom.cdf(k, 5, p)), 0.3)
    check_gradient(lambda p: np.sum(stats.nbinom.sf(k, 3.5, p)), 0.3)
    check_gradient(lambda a: np.sum(stats.betabinom.cdf(k, 6, a, 2.0)), 1.5)
