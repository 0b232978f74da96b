"""Derivatives of the incomplete gamma and beta functions in their orders, by quadrature.

With t the variable of the distribution, the derivative is the mean of ``log(t)`` less its mean
over all, up to the bound; of the two sides of the bound that one is taken where the integrand has
one sign, so that nothing cancels. The integrand is log-concave in log(t), or in logit(t).

>>> x = 1e-8                                               # x**a / gamma(a + 1) for small x
>>> round(float(gamma_growth(1.0, x) / (x * (log(x) - special.psi(2.0)))), 7)
1.0
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import clip, exp, expm1, log, log1p, where
from scipy import special

from astad.rules.scipy.special.densities import beta_density, gamma_density
from astad.rules.scipy.special.gammas import psi_gap

__all__ = ["beta_growth", "gamma_growth"]

DROP = 42.0
"""Where the logarithm of the integrand has fallen by so much it has ended."""
BEND = 30.0
"""The logarithm of the integrand is straight beyond this distance from 0."""
Array = Any


@functools.cache
def unit_rule() -> tuple[Array, Array]:
    """Nodes and weights of the Gauss rule of 16 points from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    return 0.5 * (nodes + 1), 0.5 * weights


def integrate(f: Callable[[Array], Array], first: Array, last: Array, length: Array) -> Array:
    """Integral of `f` from 0 to `length` by 16 panels, 8 of them where it bends."""
    first, last = clip(first, 0, length), clip(last, 0, length)
    bounds = (0 * length, first, last, length)
    nodes, weights = unit_rule()
    nodes = nodes.reshape(nodes.shape + (1,) * np.ndim(length))
    total: Any = 0.0
    for k, panels in enumerate((4, 8, 4)):
        width = (bounds[k + 1] - bounds[k]) / panels
        for panel in range(panels):
            values = f(bounds[k] + width * (panel + nodes))
            total = total + width * np.tensordot(weights, values, 1)
    return total


@np.errstate(all="ignore")
def gamma_growth(a: Any, x: Any) -> Any:
    """Derivative of ``gammainc(a, x)`` in a."""
    is_inside = (x > 0) & (x < np.inf) & (a > 0)
    a, x = where(is_inside, a, 1.0), where(is_inside, x, 1.0)
    start, centre = log(x), special.psi(a)
    side = where(start < centre, -1, 1)
    length = where(side < 0, (DROP + x) / a, log1p((60 + 2 * a) / x))
    for _ in range(14):  # of Newton, from above, on a convex function
        value = x * expm1(side * length) - a * side * length - DROP
        slope = side * (x * exp(side * length) - a)
        length = length - value / where(slope > 0, slope, np.inf)

    def integrand(w: Array) -> Array:
        return exp(side * a * w - x * expm1(side * w)) * (start + side * w - centre)

    bend = -side * start
    total = integrate(integrand, bend - BEND, bend + BEND, length)
    return where(is_inside, -side * x * gamma_density(a, x) * total, 0)[()]


@np.errstate(all="ignore")
def beta_growth(a: Any, b: Any, x: Any, c: Any) -> Any:
    """Derivative of ``betainc(a, b, x)`` in a; c is ``1 - x``."""
    is_inside = (x > 0) & (c > 0) & (a > 0) & (b > 0)
    a, b = where(is_inside, a, 1), where(is_inside, b, 1)
    x, c = where(is_inside, x, 0.5), where(is_inside, c, 0.5)
    below = where(x < 0.5, log(x), log1p(-np.minimum(c, 0.5)))
    above = where(c < 0.5, log(c), log1p(-np.minimum(x, 0.5)))
    start, centre = below - above, -psi_gap(a, b)
    side = where(below < centre, -1, 1)
    length = where(side < 0, (DROP - (a + b) * above) / a, (DROP - (a + b) * below) / b)

    def logarithm(w: Array) -> Array:
        s = start + side * w
        return a * (special.log_expit(s) - below) + b * (special.log_expit(-s) - above)

    for _ in range(16):  # of Newton, from above, on a convex function
        s = start + side * length
        slope = -side * (a * special.expit(-s) - b * special.expit(s))
        length = length + (logarithm(length) + DROP) / where(slope > 0, slope, np.inf)

    def integrand(w: Array) -> Array:
        return exp(logarithm(w)) * (special.log_expit(start + side * w) - centre)

    bend = -side * start
    total = integrate(integrand, bend - BEND, bend + BEND, length)
    return where(is_inside, -side * x * c * beta_density(a, b, x, c) * total, 0)[()]
