"""Rules of scipy.special: gamma, beta and zeta functions.

>>> float(psi_gap(1e8, 1.0) * 1e8), float(reciprocal_slope(-3.0))
(1.0, -6.0)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import abs, cos, isfinite, log, log1p, sin, where
from scipy import special

from astad.rules.registry import Keywords, zero
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.zetas import trigamma, zeta_slope

__all__ = ["psi_gap", "reciprocal_slope"]

ORDER = "it is an integer, the order of a derivative"
POSITIVE = "x1 > 0.1 and x2 > 0.1"

# gamma functions

scalar(special.gamma, "y * special.psi(x)", zero_safe=True, source="DLMF 5.2.2", domain="x > 0.1")
scalar(special.gammaln, "special.psi(x)", zero_safe=True, source="DLMF 5.2.2", domain="x > 0.1")
scalar(special.loggamma, "special.psi(x)", zero_safe=True, source="DLMF 5.2.2", domain="x > 0.1")
scalar(
    special.rgamma, "reciprocal_slope(x)", zero_safe=True, source="DLMF 5.2.2; 5.5.3 left of 1/2"
)
scalar(
    special.psi, "trigamma(x)", zero_safe=True, source="DLMF 5.15.1; complex: 5.15.8, 5.5.4, 5.15.5"
)
scalar(
    special.polygamma,
    None,
    "special.polygamma(n + 1, x)",
    parameters="n, x",
    missing={"n": ORDER},
    zero_safe=True,
    source="DLMF 5.15.1",
    examples=((1, 0.7), (2, np.array([0.3, 2.5]))),
)

scalar(
    special.factorial,
    "factorial_slope(n, exact, extend, y)",
    parameters="n, exact=False, extend='zero'",
    missing={"exact": "it is an option", "extend": "it is an option"},
    zero_safe=True,
    source="DLMF 5.4.1, 5.2.2; 0 where the factorial is one of ints or a 0 left of 0",
    examples=(
        (2.3,),
        (np.array([0.5, 1.0, 2.5, -1.5]),),
        (np.array([-0.5, 0.3, 3.2]), Keywords(extend="complex")),
    ),
)
zero(special.gammasgn, special.round, why="constant between its jumps")


@np.errstate(all="ignore")
def reciprocal_slope(x: Any) -> Any:
    """Derivative of ``1 / gamma(x)``; left of 1/2 from the reflection, finite at the poles."""
    is_left = np.real(x) < 0.5
    right = where(is_left, 1, x)
    mirrored = 1 - where(is_left, x, 0)
    nearest = np.round(np.real(mirrored))
    angle = pi * (mirrored - nearest)
    turn = cos(pi * nearest)  # 1 or -1
    growth = sin(angle) / pi * special.psi(mirrored) + cos(angle)
    left = -turn * special.gamma(mirrored) * growth
    return where(is_left, left, -special.rgamma(right) * special.psi(right))[()]


def factorial_slope(n: Any, exact: bool, extend: str, y: Any) -> Any:
    """Derivative of ``gamma(n + 1)``."""
    if exact:
        return np.zeros(np.shape(y))[()]
    is_zero = np.less(np.real(n), 0) if extend == "zero" else np.zeros(np.shape(n), bool)
    return where(is_zero, 0.0, y * special.psi(where(is_zero, 0.0, n) + 1))[()]


# beta functions and quotients of gamma functions

scalar(
    special.beta,
    "-y * psi_gap(x1, x2)",
    "-y * psi_gap(x2, x1)",
    zero_safe=True,
    source="DLMF 5.12.1",
    domain=POSITIVE,
)
scalar(
    special.betaln,
    "-psi_gap(x1, x2)",
    "-psi_gap(x2, x1)",
    zero_safe=True,
    source="DLMF 5.12.1",
    domain=POSITIVE,
)
scalar(
    special.poch,
    "rising_slope(z, m, y)",
    "y * special.psi(z + m)",
    parameters="z, m",
    zero_safe=True,
    source="DLMF 5.2.5; where that has poles by 5.5.4",
    domain="z > 0.1 and m > -0.05",
)
scalar(
    special.binom,
    "binomial_growth(n, k, y)",
    "binomial_slope(n, k, y)",
    parameters="n, k",
    zero_safe=True,
    source="DLMF 1.2.6 with gamma functions",
    domain="n > 0.1",
)


@np.errstate(all="ignore")
def psi_gap(x: Any, d: Any) -> Any:
    """``psi(x + d) - psi(x)`` without cancellation, for small steps and for large x."""
    is_large = np.greater(x, 20) & np.greater(x + d, 20)  # ``~`` is not for Python's bool
    is_small = ~is_large & (x > 0) & (abs(d) < 1e-3 * np.minimum(x, 1))
    if not np.any(is_large | is_small):
        return special.psi(x + d) - special.psi(x)
    a, b = where(is_large, x, 20), where(is_large, x + d, 20)
    far = log1p(where(is_large, d, 0) / a) + (b - a) / (2 * a * b)
    u, v = 1 / (a * a), 1 / (b * b)
    far = far + (b - a) * (a + b) * u * v * (1 / 12 - (u + v) / 120)
    for k, c in ((3, 1 / 252), (4, -1 / 240), (5, 1 / 132)):
        far = far + c * (u**k - v**k)
    s, h = where(is_small, x, 1), where(is_small, d, 0)
    near = h * special.polygamma(4, s) / 24 + special.polygamma(3, s) / 6
    near = h * (special.polygamma(1, s) + h * (special.polygamma(2, s) / 2 + h * near))
    direct = special.psi(x + d) - special.psi(x)
    return where(is_large, far, where(is_small, near, direct))[()]


@np.errstate(all="ignore")
def rising_slope(z: Any, m: Any, y: Any) -> Any:
    """Derivative of ``gamma(z + m) / gamma(z)`` in z, also at the poles of one or of both."""
    is_zero = at_pole(z) & np.logical_not(at_pole(z + m))
    is_product = at_pole(z) & at_pole(z + m)  # of the whole numbers from z to z + m
    end = where(is_zero, z + m, 1)
    at_zero = special.gamma(end) * reciprocal_slope(where(is_zero, z, 1)) + y * special.psi(end)
    start = where(is_zero, 1, where(is_product, 1 - z - m, z))
    gap = where(is_product, -1, 1) * psi_gap(start, m)
    return where(is_zero, at_zero, y * gap)[()]


def at_pole(x: Any) -> Any:
    """Is it 0, -1, -2, ...?"""
    return (np.real(x) <= 0) & np.equal(x, special.round(np.real(x)))


@np.errstate(all="ignore")
def binomial_growth(n: Any, k: Any, y: Any) -> Any:
    """Derivative of a binomial coefficient in n, also where it is 0."""
    is_zero = ~isfinite(y * psi_gap(n - k + 1, k))
    direct = y * psi_gap(where(is_zero, 1, n - k + 1), where(is_zero, 0, k))
    at_zero = special.gamma(n + 1) * special.rgamma(k + 1)
    at_zero = at_zero * reciprocal_slope(where(is_zero, n - k + 1, 1)) + y * special.psi(n + 1)
    return where(is_zero, at_zero, direct)[()]


@np.errstate(all="ignore")
def binomial_slope(n: Any, k: Any, y: Any) -> Any:
    """Derivative of a binomial coefficient in k, also where it is 0."""
    is_zero = ~isfinite(y * psi_gap(n - k + 1, 2 * k - n))
    direct = -y * psi_gap(where(is_zero, 1, n - k + 1), where(is_zero, 0, 2 * k - n))
    lower = reciprocal_slope(where(is_zero, k + 1, 1)) * special.rgamma(n - k + 1)
    upper = reciprocal_slope(where(is_zero, n - k + 1, 1)) * special.rgamma(k + 1)
    return where(is_zero, special.gamma(n + 1) * (lower - upper), direct)[()]


# zeta functions

scalar(
    special.zeta,
    "zeta_slope(x, q)",
    "-x * special.zeta(x + 1, q)",
    parameters="x, q=None",
    zero_safe=True,
    source="DLMF 25.11.17; in x by 2.10.1 of each term, 25.4.1 left of 0",
    examples=(
        (2.5, 1.3),
        (3.0, np.array([0.4, 2.0])),
        (1.7,),
        (np.array([0.5, 3.2, 30.0]),),
        (-1.5,),
        (np.array([-0.3, -4.2, -2.0]),),
    ),
)
scalar(
    special.zetac,
    "zeta_slope(x, None)",
    zero_safe=True,
    source="DLMF 25.2.1, 2.10.1 of each term; 25.4.1 left of 0",
    examples=((2.5,), (np.array([0.4, 3.0, -2.0, -1.3]),)),
)
scalar(
    special.spence,
    "dilogarithm_slope(x)",
    zero_safe=True,
    source="DLMF 25.12.2, z = 1 - x",
    domain="x > 0.1 and x != 1",
    examples=((0.7,), (np.array([1.0, 0.3, 2.5, 1 + 1e-9]),), (np.array([0.4 + 0.3j]),)),
)


@np.errstate(all="ignore")
def dilogarithm_slope(x: Any) -> Any:
    """``log(x) / (1 - x)``, -1 at 1."""
    gap = x - 1
    is_near = abs(gap) < 1e-3
    h = where(is_near, gap, 0)
    near = -1 + h * (1 / 2 + h * (-1 / 3 + h * (1 / 4 + h * (-1 / 5 + h / 6))))
    return where(is_near, near, log(x) / -where(is_near, 1, gap))[()]
