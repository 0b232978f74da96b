"""Rules of NumPy's elementwise functions: arithmetic, powers, exp, trigonometric, hyperbolic.

>>> fraction_of(np.array([3.0, 0.0]), np.array([5.0, 0.0]))             # hypot at the origin
array([0.6, 0. ])
>>> share(np.array([-np.inf, np.inf]), np.array([-np.inf, 1.0]))        # logaddexp of infinities
array([0.5, 1. ])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import math
from math import inf, log, nan
from typing import Any

import numpy as np
from numpy import (
    cos,
    cosh,
    equal,
    exp,
    exp2,
    floor_divide,
    greater,
    hypot,
    isinf,
    isnan,
    less,
    sin,
    sinh,
    sqrt,
    where,
)

from astad.rules.formula import fit
from astad.rules.python.operators import (
    float_power_slope,
    power_growth,
    power_slope,
    remainder_growth,
)
from astad.rules.registry import rule, scalar

__all__ = ["fraction_of", "over_square", "share"]

LN2, LN10 = log(2), log(10)
NO_JUMP = "abs(x2) > 0.1 and abs(x1 / x2 % 1 - 0.5) < 0.45"

# arithmetic

scalar(np.add, "1", "1", finite="x1 x2", source="linear")
scalar(np.subtract, "1", "-1", finite="x1 x2", source="linear")
scalar(np.multiply, "x2", "x1", finite="x1 x2", source="product rule")
scalar(
    np.divide,
    "1 / x2",
    "-y / x2",
    on_floats=("(1 / x2 if x2 else inf)", "(-y / x2 if x2 else -y * inf)"),
    zero_safe=True,
    domain="x2 != 0",
    finite="x1",
    regular="y",
    source="from y x2 = x1",
)
scalar(np.negative, "-1", finite="x", source="linear")
scalar(np.positive, "1", source="linear")
scalar(np.square, "2 * x", finite="x", source="DLMF 4.2.26")
scalar(
    np.reciprocal,
    "-y * y",
    on_floats=("-y * y",),
    zero_safe=True,
    domain="x != 0",
    source="DLMF 4.2.26",
)
scalar(
    np.remainder,
    "1",
    "-floor_divide(x1, x2)",
    domain=NO_JUMP,
    source="x1 - x2 floor(x1 / x2)",
)
scalar(np.fmod, "1", "-((x1 - y) / x2)", domain=NO_JUMP, source="x1 - x2 trunc(x1 / x2)")

# powers and roots

scalar(
    np.power,
    "power_slope(x1, x2)",
    "power_growth(x1, x2, y)",
    on_floats=("float_power_slope(x1, x2)", "power_growth(x1, x2, y)"),
    zero_safe=True,
    domain="x1 > 0",
    also=(np.float_power,),
    source="DLMF 4.2.26, 4.7; at base 0 and below: docs/limits.md",
)
scalar(
    np.sqrt,
    "0.5 / y",
    on_floats=("(0.5 / y if y else inf)",),
    zero_safe=True,
    domain="x > 0",
    finite="x",
    source="y**2 = x",
)
scalar(
    np.cbrt,
    "1 / (3 * y * y)",
    on_floats=("(1 / (3 * y * y) if y else inf)",),
    zero_safe=True,
    domain="x != 0",
    source="y**3 = x",
)
scalar(
    np.hypot,
    "fraction_of(x1, y)",
    "fraction_of(x2, y)",
    on_floats=("(x1 / y if y else 0.0)", "(x2 / y if y else 0.0)"),
    domain="x1**2 + x2**2 > 0.01",
    kink="y == 0",
    source="y**2 = x1**2 + x2**2; 0 at the origin",
)


def fraction_of(part: Any, whole: Any) -> Any:
    """``part / whole``, 0 where the whole is 0."""
    return part / where(whole == 0, 1, whole)


# exponentials and logarithms

scalar(np.exp, "y", source="DLMF 4.7.7")
scalar(np.exp2, f"{LN2!r} * y", source="DLMF 4.7.8")
scalar(np.expm1, "y + 1", source="DLMF 4.7.7")
scalar(
    np.log,
    "1 / x",
    on_floats=("(1 / x if x else inf)",),
    zero_safe=True,
    domain="x > 0",
    finite="x",
    regular="y",
    source="DLMF 4.7.1",
)
scalar(
    np.log2,
    f"{1 / LN2!r} / x",
    on_floats=(f"({1 / LN2!r} / x if x else inf)",),
    zero_safe=True,
    domain="x > 0",
    source="DLMF 4.7.1",
)
scalar(
    np.log10,
    f"{1 / LN10!r} / x",
    on_floats=(f"({1 / LN10!r} / x if x else inf)",),
    zero_safe=True,
    domain="x > 0",
    source="DLMF 4.7.1",
)
scalar(
    np.log1p,
    "1 / (1 + x)",
    on_floats=("(1 / (1 + x) if x != -1 else inf)",),
    zero_safe=True,
    domain="x > -1",
    finite="x",
    regular="y",
    source="DLMF 4.7.1",
)
scalar(
    np.logaddexp,
    "share(x1, x2)",
    "share(x2, x1)",
    source="softmax of x1, x2; equal parts of equal infinities",
)
scalar(np.logaddexp2, "share2(x1, x2)", "share2(x2, x1)", source="softmax of x1, x2 in base 2")


def share(x1: Any, x2: Any) -> Any:
    """``exp(x1) / (exp(x1) + exp(x2))``; a half of equal infinities."""
    gap = lead(x1, x2)
    small = exp(where(gap < 0, gap, -gap))  # never overflows; smooth where both are equal
    return where(gap < 0, small, 1) / (1 + small)


def share2(x1: Any, x2: Any) -> Any:
    """`share` in base 2."""
    gap = lead(x1, x2)
    small = exp2(where(gap < 0, gap, -gap))
    return where(gap < 0, small, 1) / (1 + small)


def lead(x1: Any, x2: Any) -> Any:
    """``x1 - x2``, 0 of equal infinities."""
    level = isinf(x1) & (x1 == x2)
    return where(level, 0, x1) - where(level, 0, x2)


# trigonometric

scalar(np.sin, "cos(x)", source="DLMF 4.20.1")
scalar(np.cos, "-sin(x)", source="DLMF 4.20.2")
scalar(np.tan, "1 + y * y", domain="abs(cos(x)) > 0.1", source="DLMF 4.20.3")
scalar(
    np.arcsin,
    "1 / sqrt((1 - x) * (1 + x))",
    on_floats=("(1 / sqrt((1 - x) * (1 + x)) if x * x < 1 else inf if x * x == 1 else nan)",),
    zero_safe=True,
    domain="-1 < x < 1",
    source="DLMF 4.24.7",
)
scalar(
    np.arccos,
    "-1 / sqrt((1 - x) * (1 + x))",
    on_floats=("(-1 / sqrt((1 - x) * (1 + x)) if x * x < 1 else -inf if x * x == 1 else nan)",),
    zero_safe=True,
    domain="-1 < x < 1",
    source="DLMF 4.24.8",
)
scalar(np.arctan, "1 / (1 + x * x)", source="DLMF 4.24.9")
scalar(
    np.arctan2,
    "over_square(x2, x1)",
    "-over_square(x1, x2)",
    on_floats=(
        "(x2 / hypot(x1, x2) / hypot(x1, x2) if hypot(x1, x2) else 0.0)",
        "(-x1 / hypot(x1, x2) / hypot(x1, x2) if hypot(x1, x2) else 0.0)",
    ),
    domain="x1**2 + x2**2 > 0.01 and (x2 > 0 or abs(x1) > 0.1)",
    zero_safe=True,
    source="imaginary part of d log(x2 + i x1); 0 at the origin",
)
scalar(np.deg2rad, f"{math.pi / 180!r}", also=(np.radians,), source="linear")
scalar(np.rad2deg, f"{180 / math.pi!r}", also=(np.degrees,), source="linear")


def over_square(part: Any, other: Any) -> Any:
    """``part / (part**2 + other**2)``, 0 at the origin, without overflow."""
    radius = hypot(part, other)
    radius = where(radius == 0, 1, radius)
    return part / radius / radius


# hyperbolic

scalar(np.sinh, "cosh(x)", source="DLMF 4.34.1")
scalar(np.cosh, "sinh(x)", source="DLMF 4.34.2")
scalar(np.tanh, "1 - y * y", source="DLMF 4.34.3")
scalar(np.arcsinh, "1 / sqrt(1 + x * x)", source="DLMF 4.38.9")
scalar(
    np.arccosh,
    "1 / (sqrt(x - 1) * sqrt(x + 1))",
    on_floats=("(1 / (sqrt(x - 1) * sqrt(x + 1)) if x > 1 else inf if x == 1 else nan)",),
    zero_safe=True,
    domain="x > 1",
    source="DLMF 4.38.10",
)
scalar(
    np.arctanh,
    "1 / ((1 - x) * (1 + x))",
    on_floats=("(1 / ((1 - x) * (1 + x)) if x * x != 1 else inf)",),
    zero_safe=True,
    domain="-1 < x < 1",
    source="DLMF 4.38.11",
)

# the larger and the smaller: ties are shared

LARGER = ("1 - (x1 < x2) - 0.5 * (x1 == x2)", "1 - (x2 < x1) - 0.5 * (x1 == x2)")
SMALLER = ("1 - (x1 > x2) - 0.5 * (x1 == x2)", "1 - (x2 > x1) - 0.5 * (x1 == x2)")
scalar(
    np.maximum,
    "1 - less(x1, x2) - 0.5 * equal(x1, x2)",
    "1 - less(x2, x1) - 0.5 * equal(x1, x2)",
    on_floats=LARGER,
    on_arrays=LARGER,
    selects=True,
    domain="x1 != x2",
    source="minimal-norm subgradient; nan: both",
)
scalar(
    np.minimum,
    "1 - greater(x1, x2) - 0.5 * equal(x1, x2)",
    "1 - greater(x2, x1) - 0.5 * equal(x1, x2)",
    on_floats=SMALLER,
    on_arrays=SMALLER,
    selects=True,
    domain="x1 != x2",
    source="minimal-norm subgradient; nan: both",
)
scalar(
    np.fmax,
    "share_of_larger(x1, x2)",
    "share_of_larger(x2, x1)",
    selects=True,
    domain="x1 != x2",
    entries="",
    source="minimal-norm subgradient; nan: the other",
)
scalar(
    np.fmin,
    "share_of_smaller(x1, x2)",
    "share_of_smaller(x2, x1)",
    selects=True,
    domain="x1 != x2",
    entries="",
    source="minimal-norm subgradient; nan: the other",
)


def share_of_larger(mine: Any, other: Any) -> Any:
    """Share of `mine` in fmax: 1 where it wins or the other is nan, a half in ties."""
    return where(equal(mine, other), 0.5, greater(mine, other) | (isnan(other) & ~isnan(mine)))


def share_of_smaller(mine: Any, other: Any) -> Any:
    """Share of `mine` in fmin: 1 where it wins or the other is nan, a half in ties."""
    return where(equal(mine, other), 0.5, less(mine, other) | (isnan(other) & ~isnan(mine)))


# of several parts

rule(
    np.divmod,
    "x1, x2, /",
    x1="fit(y_bar[1], x1)",
    x2="fit(remainder_growth(y_bar, y, x2), x2)",
    dot="(None, x1_dot - y[0] * x2_dot)",
    domain=NO_JUMP,
    source="x1 = q x2 + r, q constant between its jumps",
    examples=[
        (7.5, 2.0),
        (np.array([7.5, 3.2]), 2.0),
        (np.array([7.5, 3.2]), np.array([[2.0], [0.7]])),
    ],
)
rule(
    np.modf,
    "x, /",
    x="y_bar[0]",
    dot="(x_dot, None)",
    source="the integral part is constant between its jumps",
    examples=[(5.3,), (np.array([-0.3, 2.7]),)],
)
rule(
    np.frexp,
    "x, /",
    x="None if y_bar[0] is None else y_bar[0] * 2.0 ** -y[1]",
    dot="(x_dot * 2.0 ** -y[1], None)",
    source="x = m 2**e, e constant between its jumps",
    examples=[(5.3,), (np.array([-0.3, 2.7]),)],
)
scalar(
    np.ldexp,
    "ldexp_of_one(x2)",
    None,
    source="x1 2**x2",
    examples=[(1.5, 3), (np.array([-0.7, 2.0]), np.array([3, -2]))],
)


def ldexp_of_one(x2: Any) -> Any:
    """2 to the power of an integer."""
    return np.ldexp(1.0, x2)
