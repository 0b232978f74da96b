"""Rules of scipy.special: orthogonal polynomials, Legendre functions.

>>> round(float(degree_slope(2.0, 0.5) / -(pi / 3 * sqrt(0.75))), 12)
1.0
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import arccos, arccosh, cos, maximum, sin, sqrt, where
from scipy import special

from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.interpolated import order_slope, pole_distance

__all__ = ["degree_slope", "degree_slope_second", "gegenbauer"]

DEGREE = "of a degree"
PARAMETER = "of a parameter of the weight"
POINTS = (
    (3, 0.4),
    (np.array([[0], [1], [4]]), np.array([0.3, -0.8, 1.0])),
    (2, np.array([0.3, 1.7])),
)
BROKEN = (*POINTS, (2.5, np.array([0.4, 0.7])))
COMPLEX = (2.5, np.array([0.4 + 0.3j, 0.1 - 0.2j]))

# of Chebyshev: the derivative in the degree is closed as well

for _fn, _slope, _growth in (
    (special.eval_chebyt, "n * special.eval_chebyu(n - 1, x)", "degree_slope(n, x)"),
    (
        special.eval_chebyu,
        "2 * gegenbauer(n - 1, 2, x)",
        "degree_slope_second(n, x)",
    ),
    (special.eval_chebyc, "n * special.eval_chebyu(n - 1, x / 2)", "2 * degree_slope(n, x / 2)"),
    (
        special.eval_chebys,
        "gegenbauer(n - 1, 2, x / 2)",
        "degree_slope_second(n, x / 2)",
    ),
    (
        special.eval_sh_chebyt,
        "2 * n * special.eval_chebyu(n - 1, 2 * x - 1)",
        "degree_slope(n, 2 * x - 1)",
    ),
    (
        special.eval_sh_chebyu,
        "4 * gegenbauer(n - 1, 2, 2 * x - 1)",
        "degree_slope_second(n, 2 * x - 1)",
    ),
):
    scalar(
        _fn,
        _growth,
        _slope,
        parameters="n, x",
        zero_safe=True,
        source="DLMF 18.9.19, 18.9.21; in the degree 18.5.1, 18.5.2",
        examples=(*BROKEN, (np.array([2.5, 0.3]), np.array([[0.4], [0.7]])), COMPLEX),
    )


@np.errstate(all="ignore")
def degree_slope(n: Any, x: Any) -> Any:
    """Derivative of ``cos(n t)`` with ``cos(t) = x``."""
    angle = angle_of(x)
    slope = -angle * sin(n * angle)
    return slope if np.iscomplexobj(x) else slope.real


@np.errstate(all="ignore")
def degree_slope_second(n: Any, x: Any) -> Any:
    """Derivative of ``sin((n + 1) t) / sin(t)`` in n; its limits at 1 and -1."""
    angle = angle_of(x)
    sine = sin(angle)
    slope = angle * cos((n + 1) * angle) / where(sine == 0, 1, sine)
    slope = where(sine == 0, where(np.equal(x, 1), 1, np.nan), slope)[()]
    return slope if np.iscomplexobj(x) else slope.real


def angle_of(x: Any) -> Any:
    """The arc whose cosine is x, complex outside of -1 to 1."""
    return arccos(x + 0j)


# the classical ones

for _fn, _step, _slope in (
    (special.eval_legendre, "0.5", "gegenbauer(n - 1, 1.5, x)"),
    (special.eval_sh_legendre, "0.5", "2 * gegenbauer(n - 1, 1.5, 2 * x - 1)"),
    (special.eval_laguerre, "pole_distance(n + 1)", "-special.eval_genlaguerre(n - 1, 1.0, x)"),
):
    scalar(
        _fn,
        f"order_slope(special.{_fn.__name__}, 0, {_step}, n, x)",
        _slope,
        parameters="n, x",
        zero_safe=True,
        source="DLMF 18.9.19, 18.9.23, 18.7.9; in the degree interpolated",
        examples=(*BROKEN, COMPLEX),
    )
for _fn, _slope in (
    (special.eval_hermite, "2 * n * special.eval_hermite(maximum(n - 1, 0), x)"),
    (special.eval_hermitenorm, "n * special.eval_hermitenorm(maximum(n - 1, 0), x)"),
):
    scalar(
        _fn,
        None,
        _slope,
        parameters="n, x",
        missing={"n": "it is an integer"},
        zero_safe=True,
        source="DLMF 18.9.25, 18.9.27",
        examples=POINTS,
    )
for _fn, _pole, _slope in (
    (
        special.eval_gegenbauer,
        "2 * alpha + n",
        "gegenbauer_slope(n, alpha, x)",
    ),
    (special.eval_genlaguerre, "alpha + n + 1", "-special.eval_genlaguerre(n - 1, alpha + 1, x)"),
):
    scalar(
        _fn,
        f"order_slope(special.{_fn.__name__}, 0, pole_distance({_pole}), n, alpha, x)",
        f"order_slope(special.{_fn.__name__}, 1, 0.5 * pole_distance({_pole}), n, alpha, x)",
        _slope,
        parameters="n, alpha, x",
        zero_safe=True,
        source="DLMF 18.9.19, 18.9.23; in degree and parameter interpolated",
        examples=[(n, 0.7, x) for n, x in (*BROKEN, COMPLEX)],
    )


@np.errstate(all="ignore")
def gegenbauer(n: Any, alpha: Any, x: Any) -> Any:
    """As SciPy's; at the degrees -1, -2, ..., where that is 0 or nan, the limit.

    The limit is 0 but where twice the parameter is whole, as for Legendre and Chebyshev, whose
    polynomials of the degrees -n - 1 and -n - 2 are again those of degree n.
    """
    if not np.any(is_below(n)):
        return special.eval_gegenbauer(n, alpha, x)
    k = where(is_below(n), n, -1)
    scale = special.poch(k + 1.0, 2 * alpha - 1) / special.gamma(2.0 * alpha)
    series = special.hyp2f1(-k, k + 2 * alpha, alpha + 0.5, 0.5 * (1 - x))
    is_end = np.logical_not(np.isfinite(series))  # at -1: the value is 0, its growth infinite
    below = scale * where(is_end, 0, series) + sqrt(where(is_end, scale, 0))
    above = special.eval_gegenbauer(where(is_below(n), 0, n), alpha, x)
    return where(is_below(n), below, above)[()]


def is_below(n: Any) -> Any:
    """Is the degree -1, -2, ...?"""
    return (n < 0) & np.equal(n, np.floor(n))


@np.errstate(all="ignore")
def gegenbauer_slope(n: Any, alpha: Any, x: Any) -> Any:
    """Derivative of SciPy's Gegenbauer polynomials in x; at whole degrees below 0 they are 0."""
    return where(is_below(n), 0, 2 * alpha * gegenbauer(n - 1, alpha + 1, x))[()]


scalar(
    special.eval_jacobi,
    "order_slope(special.eval_jacobi, 0, pole_distance(n + alpha + 1), n, alpha, beta, x)",
    "order_slope(special.eval_jacobi, 1, pole_distance(n + alpha + 1), n, alpha, beta, x)",
    "order_slope(special.eval_jacobi, 2, 0.5, n, alpha, beta, x)",
    "0.5 * (n + alpha + beta + 1) * special.eval_jacobi(n - 1, alpha + 1, beta + 1, x)",
    parameters="n, alpha, beta, x",
    zero_safe=True,
    source="DLMF 18.9.15; in degree and parameters interpolated",
    examples=[(n, 0.7, 1.3, x) for n, x in (*BROKEN, COMPLEX)],
)
scalar(
    special.eval_sh_jacobi,
    None,
    None,
    None,
    "n * special.eval_sh_jacobi(where(np.equal(n, 0), 0, n - 1), p + 2, q + 1, x)",
    parameters="n, p, q, x",
    missing={"n": DEGREE, "p": PARAMETER, "q": PARAMETER},
    zero_safe=True,
    source="DLMF 18.9.15, of leading coefficient 1",
    examples=[(n, 1.7, 1.3, x) for n, x in (*POINTS[:2], (2.5, np.array([0.4, 0.7])))],
)

# Legendre functions

scalar(
    special.lpmv,
    None,
    "order_slope(special.lpmv, 1, 0.5, m, v, x)",
    "associated_slope(m, v, x, y)",
    parameters="m, v, x",
    missing={"m": "it is an integer"},
    zero_safe=True,
    source="DLMF 14.10.5; order 0 at the ends: 14.3.1, 15.5.1",
    examples=(
        (1, 2, 0.4),
        (2, 3.5, np.array([0.3, -0.7])),
        (0, 3, np.array([0.3, 1.0])),
        (0, 0.0, np.array([0.3, -0.2])),
    ),
)


@np.errstate(all="ignore")
def associated_slope(m: Any, v: Any, x: Any, y: Any) -> Any:
    """``(v x P(v) - (v + m) P(v - 1)) / (x**2 - 1)``."""
    at_end = np.equal(x, 1)
    below = special.lpmv(m, v - 1, x)
    slope = (v * x * y - (v + m) * below) / where(at_end, 1, (x - 1) * (x + 1))
    curved = 0.5 * v * (v + 1) * (1 + (x - 1) * (v - 1) * (v + 2) / 4)  # for its own derivative
    return where(at_end, where(np.equal(m, 0), curved, np.nan), slope)[()]
