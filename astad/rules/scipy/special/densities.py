"""Densities of the gamma and beta distributions without cancellation for large parameters.

>>> float(gamma_density(1.0, 2.0) * np.exp(2.0)), float(beta_density(2.0, 1.0, 0.25, 0.75))
(1.0, 0.5)
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import exp, log1p, sqrt, where
from scipy import special

__all__ = ["beta_density", "free", "gamma_density"]

LARGE = 20.0


@np.errstate(all="ignore")
def gamma_density(a: Any, x: Any) -> Any:
    """``x**(a - 1) exp(-x) / gamma(a)``; for large a as in Loader 2000, Fast and accurate
    computation of binomial probabilities.
    """
    is_large = (a > LARGE) & (x > 0)
    b = where(is_large, 1, a)
    direct = exp(special.xlogy(b - 1, x) - x - special.gammaln(b))
    if not np.any(is_large):
        return direct
    b, t = where(is_large, a, LARGE), where(is_large, x, LARGE)
    far = exp(b * excess(t / b - 1) - remainder(b)) * sqrt(b / (2 * pi)) / t
    return where(is_large, far, direct)[()]


@np.errstate(all="ignore")
def beta_density(a: Any, b: Any, x: Any, c: Any) -> Any:
    """``x**(a - 1) c**(b - 1) / beta(a, b)`` with c = 1 - x; for large a and b as Loader 2000."""
    is_large = (a > LARGE) & (b > LARGE) & (x > 0) & (c > 0)
    p, q = where(is_large, 1, a), where(is_large, 1, b)
    direct = exp(special.xlogy(p - 1, x) + special.xlogy(q - 1, c) - special.betaln(p, q))
    if not np.any(is_large):
        return direct
    p, q = where(is_large, a, LARGE), where(is_large, b, LARGE)
    t, u = where(is_large, x, 0.5), where(is_large, c, 0.5)
    n = p + q
    gap = p * u - q * t  # n times a - n x
    power = p * excess(-gap / p) + q * excess(gap / q)
    power = power + remainder(n) - remainder(p) - remainder(q)
    far = exp(power) * sqrt(p * q / (2 * pi * n)) / (t * u)
    return where(is_large, far, direct)[()]


def excess(d: Any) -> Any:
    """``log1p(d) - d``, by its series where small."""
    is_small = np.abs(d) < 0.01
    h = where(is_small, d, 0)
    series: Any = 0.0
    for k in range(8, 1, -1):
        series = (series + (-1) ** (k + 1) / k) * h
    return where(is_small, series * h, log1p(where(is_small, 0, d)) - d)


def remainder(a: Any) -> Any:
    """What Stirling's formula lacks of ``log(gamma(a))``, DLMF 5.11.1."""
    u = 1 / (a * a)
    return (1 / 12 - u * (1 / 360 - u * (1 / 1260 - u * (1 / 1680 - u / 1188)))) / a


def free(y: Any, slope: Any) -> Any:
    """The slope of an inverse; 0 where SciPy's search has ended at a bound, 0 or 1e100."""
    return where((np.abs(y) < 1e-99) | (np.abs(y) > 1e99), 0, slope)[()]
