"""Rules of scipy.special: Bessel functions, elliptic integrals, sums of exponentials.

>>> float(first_kind_slope(0.0)), float(second_kind_slope(0.0))         # pi / 8, -pi / 8
(0.392699..., -0.392699...)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import cos, exp, expand_dims, log, sign, sin, sqrt, where
from scipy import special

from astad.rules.registry import Keywords, rule, scalar

__all__ = ["first_kind_slope", "second_kind_slope"]

ORDER = "of an order"
POSITIVE = "x > 0.2"

# Bessel functions

scalar(special.j0, "-special.j1(x)", source="DLMF 10.6.3")
scalar(special.j1, "0.5 * (special.j0(x) - special.jv(2, x))", source="DLMF 10.6.1")
scalar(special.y0, "-special.y1(x)", source="DLMF 10.6.3", domain=POSITIVE)
scalar(
    special.y1, "0.5 * (special.y0(x) - special.yn(2, x))", source="DLMF 10.6.1", domain=POSITIVE
)
scalar(special.i0, "special.i1(x)", source="DLMF 10.29.3")
scalar(special.i1, "0.5 * (special.i0(x) + special.iv(2, x))", source="DLMF 10.29.1")
scalar(special.k0, "-special.k1(x)", source="DLMF 10.29.3", domain=POSITIVE)
scalar(
    special.k1, "-0.5 * (special.k0(x) + special.kn(2, x))", source="DLMF 10.29.1", domain=POSITIVE
)
scalar(
    special.i0e, "special.i1e(x) - sign(x) * y", source="exp(-abs(x)) i0(x)", domain="abs(x) > 0.1"
)
scalar(special.k0e, "y - special.k1e(x)", source="exp(x) k0(x)", domain=POSITIVE)
ORDERED = ((1.5, 2.3), (2.0, np.array([0.4, 3.1])), (np.array([0.0, 1.0]), np.array([1.2, 2.2])))
for _fn, _slope in (
    (special.jv, "0.5 * (special.jv(v - 1, z) - special.jv(v + 1, z))"),
    (special.yv, "0.5 * (special.yv(v - 1, z) - special.yv(v + 1, z))"),
    (special.iv, "0.5 * (special.iv(v - 1, z) + special.iv(v + 1, z))"),
    (special.kv, "-0.5 * (special.kv(v - 1, z) + special.kv(v + 1, z))"),
):
    scalar(
        _fn,
        None,
        _slope,
        parameters="v, z",
        missing={"v": ORDER},
        source="DLMF 10.6.1, 10.29.1",
        examples=ORDERED,
    )

# elliptic and exponential integrals, hypergeometric functions

scalar(special.ellipk, "first_kind_slope(x)", source="DLMF 19.4.1, in m", domain="abs(x) < 0.9")
scalar(special.ellipe, "second_kind_slope(x)", source="DLMF 19.4.2, in m", domain="abs(x) < 0.9")
for _fn, _slope in (
    (special.ellipkinc, "1 / sqrt(1 - m * sin(phi) ** 2)"),
    (special.ellipeinc, "sqrt(1 - m * sin(phi) ** 2)"),
):
    scalar(
        _fn,
        _slope,
        None,
        parameters="phi, m",
        missing={"m": "of the parameter"},
        source="DLMF 19.2.4, 19.2.5",
        examples=((0.7, 0.4), (np.array([0.3, -1.2]), 0.8)),
    )
scalar(special.exp1, "-exp(-x) / x", source="DLMF 6.2.1", domain=POSITIVE)
scalar(special.expi, "exp(x) / x", source="DLMF 6.2.5", domain=POSITIVE)
scalar(
    special.expn,
    None,
    "-special.expn(n - 1, x)",
    parameters="n, x",
    source="DLMF 8.19.13",
    examples=((2, 0.7), (3, np.array([0.4, 2.0]))),
)
scalar(
    special.lambertw,
    "exp(-y) / (1 + y)",
    parameters="z, k=0, tol=1e-8",
    source="DLMF 4.13.4",
    domain="z > 0",
)
scalar(special.wrightomega, "y / (1 + y)", source="y + log(y) = x")
scalar(
    special.hyp0f1,
    None,
    "special.hyp0f1(v + 1, z) / v",
    parameters="v, z",
    missing={"v": ORDER},
    source="DLMF 16.3.1",
    examples=((1.5, 0.7), (2.5, np.array([0.4, 2.0]))),
)
scalar(
    special.hyp1f1,
    None,
    None,
    "a / b * special.hyp1f1(a + 1, b + 1, x)",
    parameters="a, b, x",
    missing={"a": ORDER, "b": ORDER},
    source="DLMF 13.3.15",
    examples=((1.5, 2.5, 0.7), (0.5, 1.5, np.array([0.4, -2.0]))),
)
scalar(
    special.hyp2f1,
    None,
    None,
    None,
    "a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z)",
    parameters="a, b, c, z",
    missing={"a": ORDER, "b": ORDER, "c": ORDER},
    source="DLMF 15.5.1",
    examples=((1.5, 2.5, 3.2, 0.3), (0.5, 1.5, 2.2, np.array([0.4, -0.6]))),
)

# elementary functions in SciPy's own form

scalar(special.cbrt, "1 / (3 * y * y)", source="from y**3 = x", zero_safe=True, domain="x > 0.1")
scalar(special.exp2, f"{float(np.log(2))!r} * y", source="DLMF 4.7.8")
scalar(special.exp10, f"{float(np.log(10))!r} * y", source="DLMF 4.7.8")
scalar(special.expm1, "y + 1", source="DLMF 4.7.7")
scalar(special.log1p, "1 / (1 + x)", source="DLMF 4.7.1", zero_safe=True, domain="x > -0.9")
scalar(special.cosm1, "-sin(x)", source="DLMF 4.20.2")
DEGREE = pi / 180
scalar(special.sindg, "DEGREE * cos(DEGREE * x)", source="DLMF 4.20.1")
scalar(special.cosdg, "-DEGREE * sin(DEGREE * x)", source="DLMF 4.20.2")

# sums of exponentials

A = np.array([[0.3, -1.2, 2.0], [0.1, 0.4, -0.7]])
rule(
    special.logsumexp,
    "a, axis=None, b=None, keepdims=False, return_sign=False",
    a="spread(y_bar, axis, keepdims, a) * exp(a - spread(y, axis, keepdims, a))",
    refuse="b is not None or return_sign",
    source="from exp(y) = sum of exp(a)",
    examples=((A,), (A, Keywords(axis=0)), (A, Keywords(axis=-1, keepdims=True)), (A[0],)),
)
rule(
    special.softmax,
    "x, axis=None",
    x="y * (y_bar - np.sum(y_bar * y, axis=axis, keepdims=True))",
    source="quotient rule",
    examples=((A,), (A, Keywords(axis=0)), (A[0],)),
)
rule(
    special.log_softmax,
    "x, axis=None",
    x="y_bar - exp(y) * np.sum(y_bar, axis=axis, keepdims=True)",
    source="x - logsumexp(x)",
    examples=((A,), (A, Keywords(axis=0)), (A[0],)),
)


def spread(g: Any, axis: Any, keepdims: bool, a: Any) -> Any:
    """A number for each run along the axes, in a shape that broadcasts to that of ``a``."""
    if keepdims or axis is None:
        return g
    axes = axis if isinstance(axis, tuple) else (axis,)
    return expand_dims(g, tuple(k % np.ndim(a) for k in axes))


def first_kind_slope(m: Any) -> Any:
    """Derivative of the complete elliptic integral of the first kind in its parameter."""
    divisor = where(m == 0, 1, 2 * m)
    return where(m == 0, pi / 8, (special.ellipe(m) / (1 - m) - special.ellipk(m)) / divisor)[()]


def second_kind_slope(m: Any) -> Any:
    """The same of the second kind."""
    divisor = where(m == 0, 1, 2 * m)
    return where(m == 0, -pi / 8, (special.ellipe(m) - special.ellipk(m)) / divisor)[()]
