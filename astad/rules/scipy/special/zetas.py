"""Derivatives of zeta functions and of the complex digamma function that SciPy has no function for.

>>> float(zeta_slope(2.0, None)), float(zeta_slope(-2.0, None))
(-0.937548..., -0.030448...)
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import cos, log, sin, where
from scipy import special

__all__ = ["trigamma", "zeta_slope"]

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
TERMS = 14
LOG_TWO_PI = float(np.log(2 * pi))


@np.errstate(all="ignore")
def trigamma(x: Any) -> Any:
    """Derivative of the digamma function, also of complex numbers."""
    if not np.iscomplexobj(x):
        return special.polygamma(1, x)
    is_left = np.real(x) < 0.5
    z = where(is_left, 1 - x, x)
    total: Any = 0.0
    for _ in range(TERMS):
        total = total + 1 / (z * z)
        z = z + 1
    total = total + 1 / z + 0.5 / (z * z)
    for k, b in enumerate(BERNOULLI):
        total = total + b / z ** (2 * k + 3)
    sine = sin(pi * where(is_left, x, 0.5))
    return where(is_left, (pi / sine) ** 2 - total, total)[()]


@np.errstate(all="ignore")
def zeta_slope(s: Any, q: Any) -> Any:
    """Derivative of the zeta function of Riemann, or of Hurwitz, in s."""
    if q is not None:
        return summed_slope(s, q)
    is_left = np.real(s) < 0
    direct = summed_slope(where(is_left, 2, s), 1.0)
    return where(is_left, reflected_slope(where(is_left, s, -1.5)), direct)[()]


def summed_slope(s: Any, q: Any) -> Any:
    """Sum of ``-log(k + q) / (k + q)**s`` by the Euler-Maclaurin formula."""
    total: Any = 0.0
    for k in range(TERMS):
        n = q + k
        total = total - where(n == 1, 0, log(n) * n**-s)
    n = q + TERMS
    u, power = log(n), n**-s
    total = total - power * (n * (u / (s - 1) + 1 / (s - 1) ** 2) + 0.5 * u)
    rising, growth, factor = s, 1.0, 2.0  # s (s + 1) ..., its derivative, (2k)!
    for k, b in enumerate(BERNOULLI):
        total = total + b / factor * power * n ** (-2 * k - 1) * (growth - rising * u)
        for j in (2 * k + 1, 2 * k + 2):
            rising, growth = rising * (s + j), growth * (s + j) + rising
        factor = factor * (2 * k + 3) * (2 * k + 4)
    return total


def reflected_slope(s: Any) -> Any:
    """Left of 0, from the functional equation."""
    t = 1 - s
    nearest = 4 * np.round(np.real(s) / 4)
    angle = 0.5 * pi * (s - nearest)
    scale = 2 * (2 * pi) ** (s - 1) * special.gamma(t)
    z = special.zeta(t)
    growth = LOG_TWO_PI * z - special.psi(t) * z - summed_slope(t, 1.0)
    return scale * (sin(angle) * growth + 0.5 * pi * cos(angle) * z)
