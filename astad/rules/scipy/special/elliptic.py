"""Rules of scipy.special: elliptic integrals and functions, in Carlson's symmetric form.

None of the formulas is 0 / 0 where the parameter is 0.

>>> float(lookup(special.ellipk).pull(("x",))(1.0, None, 0.0)[0]) * 8 / pi
1.0
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import exp, pi
from typing import Any

import numpy as np
from numpy import abs, cos, round, sin, sqrt, where
from scipy import special

from astad.rules.registry import lookup, rule
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.several import along_to, spread

__all__ = ["first_growth", "second_growth"]

# Legendre's integrals, in the parameter m

scalar(
    special.ellipk,
    "special.elliprd(0, 1, 1 - x) / 6",
    zero_safe=True,
    source="DLMF 19.25.1, 19.18.1",
    domain="abs(x) < 0.9",
)
scalar(
    special.ellipkm1,
    "-special.elliprd(0, 1, x) / 6",
    zero_safe=True,
    source="DLMF 19.25.1, 19.18.1",
    domain="x > 0.1",
)
scalar(
    special.ellipe,
    "-special.elliprd(0, 1 - x, 1) / 6",
    zero_safe=True,
    source="DLMF 19.4.2, 19.25.1",
    domain="abs(x) < 0.9",
)
scalar(
    special.ellipkinc,
    "1 / sqrt(1 - m * sin(phi) ** 2)",
    "first_growth(phi, m)",
    parameters="phi, m",
    zero_safe=True,
    source="DLMF 19.2.4; in m 19.25.5, 19.18.1",
    domain="m < 0.9",
)
scalar(
    special.ellipeinc,
    "sqrt(1 - m * sin(phi) ** 2)",
    "second_growth(phi, m)",
    parameters="phi, m",
    zero_safe=True,
    source="DLMF 19.2.5; in m 19.2.6, 19.25.13",
    domain="m < 0.9",
)


@np.errstate(all="ignore")
def first_growth(phi: Any, m: Any) -> Any:
    """Derivative of the incomplete integral of the first kind in m."""
    half_turns = round(phi / pi)
    s, c = sin(phi - pi * half_turns), cos(phi)
    part = s**3 * special.elliprd(c * c, 1, 1 - m * s * s)
    whole = where(half_turns == 0, 0, m)
    return (part + 2 * half_turns * special.elliprd(0, 1, 1 - whole)) / 6


@np.errstate(all="ignore")
def second_growth(phi: Any, m: Any) -> Any:
    """Derivative of the incomplete integral of the second kind in m."""
    half_turns = round(phi / pi)
    s, c = sin(phi - pi * half_turns), cos(phi)
    part = s**3 * special.elliprd(c * c, 1 - m * s * s, 1)
    whole = where((half_turns == 0) | (m == 1), 0, m)
    at_one = where(m == 1, np.inf, special.elliprd(0, 1 - whole, 1))
    return -(part + where(half_turns == 0, 0, 2 * half_turns * at_one)) / 6


# Jacobi's functions

IN_U = "y[1] * y[2], -y[0] * y[2], -m * y[0] * y[1], y[2]"
rule(
    special.ellipj,
    "u, m",
    u=f"along_to(u, y_bar, {IN_U})",
    m="along_to(m, y_bar, *jacobi_growth(y, m))",
    dot=f"sums(spread(u_dot, y, {IN_U}), spread(m_dot, y, *jacobi_growth(y, m)))",
    gives="parts(each(u, m), each(u, m), each(u, m), each(u, m))",
    source="DLMF 22.13.1-3; in m from F(ph, m) = u",
    examples=(
        (0.7, 0.4),
        (np.array([0.0, -1.3, 5.1]), 0.8),
        (np.array([[0.3], [2.1]]), np.array([0.01, 0.3, 0.99])),
    ),
)


@np.errstate(all="ignore")
def jacobi_growth(y: Any, m: Any) -> Any:
    """Derivatives of sn, cn, dn and the amplitude in m."""
    sn, cn, dn, amplitude = y
    turn = -dn * first_growth(amplitude, m)
    return cn * turn, -sn * turn, -(0.5 * sn + m * cn * turn) * sn / dn, turn


def sums(first: Any, second: Any) -> Any:
    """Element by element."""
    return tuple(a + b for a, b in zip(first, second, strict=True))


# the mean of Gauss

scalar(
    special.agm,
    "mean_slope(x1, x2, y)",
    "mean_slope(x2, x1, y)",
    zero_safe=True,
    source="DLMF 19.8.5, 19.18.1",
    domain="x1 > 0.1 and x2 > 0.1",
)


@np.errstate(all="ignore")
def mean_slope(a: Any, b: Any, y: Any) -> Any:
    """Derivative of ``pi / (2 RF(0, a**2, b**2))`` in a."""
    scale = where(y == 0, 1, y)
    a, b = abs(a / scale), b / scale
    return where(y == 0, np.nan, 2 / (3 * pi) * a * special.elliprd(0, b * b, a * a))[()]


# Carlson's integrals

THREE = "x1 > 0.1 and x2 > 0.1 and x3 > 0.1"
scalar(
    special.elliprf,
    "-special.elliprd(x2, x3, x1) / 6",
    "-special.elliprd(x1, x3, x2) / 6",
    "-special.elliprd(x1, x2, x3) / 6",
    zero_safe=True,
    source="DLMF 19.18.1",
    domain=THREE,
)
scalar(
    special.elliprc,
    "degenerate_slope(x1, x2, y)",
    "degenerate_slope_second(x1, x2, y)",
    zero_safe=True,
    source="RF(x, y, y), DLMF 19.2.17, 19.18.1; 19.16.11 for y < 0",
    domain="x1 > 0.1 and x2 > 0.1",
)
scalar(
    special.elliprg,
    "0.25 * special.elliprf(x1, x2, x3) - weighed(x1, special.elliprd(x2, x3, x1)) / 12",
    "0.25 * special.elliprf(x1, x2, x3) - weighed(x2, special.elliprd(x1, x3, x2)) / 12",
    "0.25 * special.elliprf(x1, x2, x3) - weighed(x3, special.elliprd(x1, x2, x3)) / 12",
    zero_safe=True,
    source="DLMF 19.16.3, under the integral",
    domain=THREE,
)
scalar(
    special.elliprd,
    "double_slope(x1, x2, x3, x3)",
    "double_slope(x2, x1, x3, x3)",
    "-(1.5 * y + weighed(x1, double_slope(x1, x2, x3, x3))"
    " + weighed(x2, double_slope(x2, x1, x3, x3))) / x3",
    zero_safe=True,
    source="DLMF 19.16.5 under the integral; in the third by 19.16.11, homogeneity",
    domain=THREE,
)
scalar(
    special.elliprj,
    "double_slope(x1, x2, x3, x4)",
    "double_slope(x2, x1, x3, x4)",
    "double_slope(x3, x1, x2, x4)",
    "-(1.5 * y + weighed(x1, double_slope(x1, x2, x3, x4))"
    " + weighed(x2, double_slope(x2, x1, x3, x4))"
    " + weighed(x3, double_slope(x3, x1, x2, x4))) / x4",
    zero_safe=True,
    source="DLMF 19.16.2 under the integral; in the fourth by 19.16.11, homogeneity",
    domain="x1 > 0.1 and x2 > 0.1 and x3 > 0.1 and x4 > 0.1",
)


def weighed(x: Any, slope: Any) -> Any:
    """``x * slope``, of which the limit at 0 is 0: the slope grows like ``x ** -0.5``."""
    return where(np.equal(x, 0), 0, x * where(np.equal(x, 0), 0, slope))[()]


@np.errstate(all="ignore")
def double_slope(a: Any, b: Any, c: Any, p: Any) -> Any:
    """Derivative in a of ``RJ(a, b, c, p)``, which is RD where p is c.

    By partial fractions ``(RJ(a, b, c, p) - RD(b, c, a)) / (2 (p - a))``, and the integral itself
    where p is near a.
    """
    gap = p - a
    is_near = abs(gap) < 0.2 * abs(p)
    apart = special.elliprj(a, b, c, p) - special.elliprd(b, c, a)
    closed = apart / (2 * where(is_near, 1, gap))
    if not np.any(is_near):
        return closed
    return where(is_near, integral(a, b, c, p), closed)[()]


def integral(a: Any, b: Any, c: Any, p: Any) -> Any:
    """``-3 / 4`` of the integral of ``(t + a)**-1.5 ((t + b) (t + c))**-0.5 / (t + p)``.

    By the trapezoidal rule in log(t), which converges exponentially.
    """
    size = abs(a)
    total: Any = 0.0
    for k in range(-150, 51):
        t = size * exp(0.5 * k)
        total = total + t / ((t + a) * sqrt(t + a) * sqrt(t + b) * sqrt(t + c) * (t + p))
    return -0.375 * total


@np.errstate(all="ignore")
def degenerate_slope(x: Any, y: Any, value: Any) -> Any:
    """Derivative of RC in x; for negative y by partial fractions."""
    is_cut = np.real(y) < 0
    gap = where(is_cut, x - y, 1)
    regular = special.elliprd(where(is_cut, 1, y), where(is_cut, 1, y), where(is_cut, 1, x))
    return where(is_cut, (1 / sqrt(x) - value) / (2 * gap), -regular / 6)[()]


@np.errstate(all="ignore")
def degenerate_slope_second(x: Any, y: Any, value: Any) -> Any:
    """Derivative of RC in y; for negative y by homogeneity."""
    is_cut = np.real(y) < 0
    regular = special.elliprd(where(is_cut, 1, x), where(is_cut, 1, y), where(is_cut, 1, y))
    divisor = where(is_cut, y, 1)
    cut = -(0.5 * value + x * degenerate_slope(x, y, value)) / divisor
    return where(is_cut, cut, -regular / 3)[()]
