"""Rules of Python's arithmetic operators, for numbers of any type and for arrays.

The formulas hold no float: ints stay ints, Fractions stay Fractions.

>>> power_slope(5, 2), power_slope(0.0, 0), power_slope(-2.0, 3.0)
(10, 0, 12.0)
>>> power_growth(1.0, 3.0, 1.0), power_growth(0.0, 2.0, 0.0), power_growth(-2.0, 3.0, -8.0)
(0.0, 0.0, nan)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import functools
import operator
from math import copysign, inf, log, nan
from typing import Any

import numpy as np
from numpy import shape

from astad.originals import builtins
from astad.rules.formula import Rule, fit
from astad.rules.kinks import (
    along_kink,
    at_kink,
    bar_along_kink,
    bar_at_kink,
    dot_along_kink,
    dot_at_kink,
)
from astad.rules.numpy.products import matmul_first, matmul_second
from astad.rules.registry import linear, rule, scalar, zero
from astad.rules.safe import (
    along_point,
    bar_along_point,
    dot_along_point,
    safe_product,
    safe_quotient,
    single_point,
    slope_at_zeros,
)

__all__ = ["power_growth", "power_slope", "sign"]

PRODUCT = "product rule"
_NUMPY = (np.ndarray, np.generic)
AT_ZERO = ("float_power_slope(x1, x2)", "growth_at_zero(x1, x2)")
"""At base 0, or below: what the derivative is there and nearby."""
LEAST = 1e-300
"""Of larger numbers the inverse is finite."""
LEAST_ROOT = 1e-150
"""Of larger numbers the inverse of the square is finite."""
FLOAT_POWER = (
    "(x2 * x1 ** (x2 - 1) if x1 else slope_at_zero(x2))",
    "(y * log(x1) if x1 > 0 else nan if x1 < 0 else 0.0)",
)


def sign(x: Any) -> Any:
    """Slope of abs: the sign, 0 at 0; of a complex number the conjugate of ``x / abs(x)``."""
    if isinstance(x, (np.ndarray, np.generic)):
        return np.conj(np.sign(x)) if x.dtype.kind == "c" else np.sign(x)
    if isinstance(x, complex):
        return x.conjugate() / abs(x) if x else 0.0
    return (x > 0) - (x < 0)


def power_slope(x1: Any, x2: Any) -> Any:
    """Derivative of ``x1**x2`` in x1: 0 for exponent 0; infinite at 0 for one between 0 and 1.

    It is differentiated by the exponent as well, so no form of it is for some exponents alone, as
    ``2 * x1`` for 2; but where the base has no power.
    """
    if isinstance(x1, _NUMPY) or isinstance(x2, _NUMPY):
        return _array_slope(x1, x2)
    if x2 == 0 and not LEAST < abs(x1) < inf:
        return x2 * 0
    if not x1 and isinstance(x1, complex):  # Python raises where NumPy gives nan
        return _array_slope(np.complex128(x1), x2)
    return x2 * x1 ** (x2 - 1)


def float_power_slope(x1: Any, x2: Any) -> Any:
    """`power_slope` of the floats that math.pow makes of its arguments."""
    return power_slope(np.float64(x1), np.float64(x2))


def slope_of_slope(x1: Any, x2: Any) -> Any:
    """Derivative of `power_slope` in x1: 0 for exponent 0, as the slope itself."""
    is_usual = (abs(x1) > LEAST_ROOT) & (abs(x1) < inf)
    if isinstance(x2, np.ndarray):
        flat = (x2 == 0) & (np.logical_not(is_usual) | (x2.dtype.kind not in "fc"))
        return np.where(flat, 0, x2 * power_slope(x1, np.where(flat, 1, x2 - 1)))
    flat = x2 == 0 and not np.all(is_usual)
    return x2 * power_slope(x1, x2 if flat else x2 - 1)


def growth_of_slope(x1: Any, x2: Any) -> Any:
    """Derivative of `power_slope` in x2."""
    below = x1 ** (x2 - 1)
    return below + x2 * power_growth(x1, x2 - 1, below)


@np.errstate(all="ignore")
def _array_slope(x1: Any, x2: Any) -> Any:
    """`power_slope` of arrays and NumPy numbers."""
    if isinstance(x2, np.ndarray):
        flat = x2 == 0
        if x2.dtype.kind in "fc":  # of others 0 by itself
            flat = flat & np.logical_not((abs(x1) > LEAST) & (abs(x1) < inf))
        return np.where(flat, 0, x2 * x1 ** np.where(flat, 1, x2 - 1))
    if x2 == 0 and not np.all((abs(x1) > LEAST) & (abs(x1) < inf)):
        return x2 * 0
    return x2 * x1 ** (x2 - 1)


def float_slope(x1: float, x2: float) -> float:
    """`power_slope` of floats whose power is a float: infinite where it overflows."""
    try:
        return x2 * x1 ** (x2 - 1) if x1 and x2 else slope_at_zero(x2)
    except OverflowError:
        return copysign(inf, x2) if x1 > 0 or x2 % 2 == 1 else copysign(inf, -x2)


def slope_at_zero(x2: float) -> float:
    """Derivative of ``x1**x2`` in x1 where x1 or x2 is 0, for floats."""
    return inf if 0 < x2 < 1 else 1.0 if x2 == 1 else 0.0


def growth_at_zero(x1: float, x2: float) -> float:
    """Derivative of ``x1**x2`` in x2 where x1 is not positive: 0 at 0, and nearby to first order
    where the exponent is larger than 1.
    """
    if not x1 < 0 and not x2 > 1:
        single_point()
    return nan if x1 < 0 else 0.0


def power_growth(x1: Any, x2: Any, y: Any) -> Any:
    """Derivative of ``y = x1**x2`` in x2: nan at a negative base, 0 at base 0 if x2 >= 0."""
    if isinstance(x1, _NUMPY) or isinstance(x2, _NUMPY) or isinstance(y, _NUMPY):
        return _array_growth(x1, x2, y)
    if isinstance(y, complex):  # also of a negative float and a fraction
        return y * np.log(complex(x1)) if x1 else 0.0
    if x1 > 0:
        return (
            y * log(x1) if not hasattr(y, "ln") else y * type(y)(log(x1))
        )  # a Decimal takes no float
    return (0.0 if x2 >= 0 else -inf) if x1 == 0 else nan


@np.errstate(all="ignore")
def _array_growth(x1: Any, x2: Any, y: Any) -> Any:
    """`power_growth` of arrays and NumPy numbers."""
    base = np.asarray(x1) + 0j if np.iscomplexobj(y) else np.asarray(x1)
    none = base == 0
    slope = y * np.log(np.where(none, 1, base))
    slope = np.where(none, np.where(np.real(x2) >= 0, 0, -inf), slope)
    return slope if slope.ndim else slope[()]


scalar(operator.add, "1", "1", finite="x1 x2", complexes="kept", source="linear")
scalar(operator.sub, "1", "-1", finite="x1 x2", complexes="kept", source="linear")
scalar(operator.mul, "x2", "x1", finite="x1 x2", complexes="kept", source=PRODUCT)
scalar(
    operator.truediv,
    "1 / x2",
    "-y / x2",
    on_floats=("1 / x2", "-y / x2"),
    zero_safe=True,
    domain="x2 != 0",
    finite="x1",
    regular="y",
    complexes="kept",
    source="from y x2 = x1",
)
scalar(
    safe_product,
    "slope_at_zeros(g, factor)",
    "g",
    parameters="g, factor",
    zero_safe=True,
    domain="g != 0",
    source="a product; 0 where g is 0, whatever the factor is",
    gives="combined(g, factor)",
)
rule(
    slope_at_zeros,
    "g, slope",
    g="0 * g",
    slope="y_bar",
    dot="slope_dot",
    gives="beside(slope, g)",
    view="slope",
    source="the slope as it is; at some points an error",
    examples=[(1.5, 2.0), (np.array([1.5, 0.0]), np.ones(2))],
)
zero(single_point, why="it raises")
rule(
    along_point,
    "u, x, at",
    u="y_bar",
    x="bar_along_point(at)",
    dot="dot_along_point(u_dot, x_dot, at)",
    gives="same(u); x, at",
    source="the tangent itself; how it changes with the point is not known, and refused",
    examples=[(np.ones(2), np.array([1, 2]), False)],
)
rule(
    at_kink,
    "g, x, at",
    g="bar_at_kink(y_bar, g, at)",
    x="at_kink(g, x, at)",
    dot="dot_at_kink(x_dot, g, x, at, g_moves)",
    gives="beside(x, g); at",
    source="zeros; a cotangent of 0 that changes, at a kink, is refused",
    examples=[(1.5, 2.0, False), (np.ones(2), np.array([1.5, 0.0]), np.array([False, True]))],
)
rule(
    along_kink,
    "u, x, at",
    u="0 * u",
    x="bar_along_kink(y_bar, u, x, at)",
    dot="dot_along_kink(x_dot, u, x, at)",
    gives="beside(x, u); at",
    source="zeros; a tangent that meets a kink is refused where nothing tells its use",
    examples=[(1.5, 2.0, False), (np.ones(2), np.array([1.5, 2.0]), np.array([False, False]))],
)
scalar(
    safe_quotient,
    "slope_at_zeros(g, safe_quotient(numerator, 1, denominator))",
    "safe_quotient(g, 1, denominator)",
    "-safe_quotient(safe_quotient(g, numerator, denominator), 1, denominator)",
    parameters="g, numerator, denominator",
    zero_safe=True,
    domain="g != 0 and denominator != 0",
    source="a product and a quotient; 0 where g is 0, whatever they are",
)
scalar(
    operator.mod,
    "1",
    "-(x1 // x2)",
    domain="abs(x2) > 0.1 and abs(x1 / x2 % 1 - 0.5) < 0.45",
    source="x1 % x2 = x1 - x2 floor(x1 / x2)",
)


@functools.lru_cache(maxsize=500, typed=True)
def power_to(exponent: Any, of_arrays: bool) -> Rule | None:
    """The row of a power with this exponent, if that is whole, or of arrays at least 1."""
    whole = type(exponent) is int and exponent >= 0
    if not whole and not (of_arrays and type(exponent) is float and exponent >= 1.0):
        return None
    short = {0: "0", 1: "1", 2: "2 * x1"}
    text = short.get(exponent) or f"{exponent!r} * x1**{exponent - 1!r}"
    return Rule(
        operator.pow, "scalar", "x1", {"x1": text}, namespace=globals(), entries="whole",
        source="DLMF 4.2.26", finite="x1" if whole and exponent else "",
        complexes="kept" if whole else "", regular="" if exponent < 1 else "x1 y" if whole else "y",
    )  # fmt: skip


scalar(
    operator.pow,
    "power_slope(x1, x2)",
    "power_growth(x1, x2, y)",
    zero_safe=True,
    domain="x1 > 0",
    on_floats=FLOAT_POWER,
    at_points=AT_ZERO,
    at_literal=power_to,
    complexes="kept",
    source="DLMF 4.2.26, 4.7; at base 0 and below: docs/limits.md",
)
scalar(
    power_slope,
    "slope_of_slope(x1, x2)",
    "growth_of_slope(x1, x2)",
    zero_safe=True,
    domain="x1 > 0",
    source="DLMF 4.2.26, 4.7, once more",
)
scalar(
    builtins.pow,
    "0 if mod is not None else power_slope(base, exp)",
    "0 if mod is not None else power_growth(base, exp, y)",
    parameters="base, exp, mod=None",
    zero_safe=True,
    domain="base > 0",
    on_floats=[text.replace("x1", "base").replace("x2", "exp") for text in FLOAT_POWER],
    at_points=[text.replace("x1", "base").replace("x2", "exp") for text in AT_ZERO],
    on_arrays=("power_slope(base, exp)", "power_growth(base, exp, y)"),
    source="DLMF 4.2.26, 4.7; with a modulus constant between its jumps",
)
linear(
    operator.matmul,
    "x1, x2, /",
    x1="matmul_first(y_bar, shape(x1), x2)",
    x2="matmul_second(y_bar, x1, shape(x2))",
    short={
        "2 2": ("y_bar @ x2.T", "x1.T @ y_bar"),
        "1 2": ("x2 @ y_bar", "np.multiply.outer(x1, y_bar)"),
        "2 1": ("np.multiply.outer(y_bar, x2)", "y_bar @ x1"),
        "1 1": ("y_bar * x2", "y_bar * x1"),
    },
    gives="product(x1, x2)",
    entries="contracted",
    complexes="kept",
    source="product rule, as np.matmul",
    examples=[
        (np.ones((2, 3)), np.arange(12.0).reshape(3, 4)),
        (np.ones(3), np.ones((3, 2))),
        (np.ones((2, 3)), np.ones(3)),
        (np.ones(3), np.arange(3.0)),
        (np.ones((4, 1, 2, 3)), np.ones((5, 3, 1))),
        (np.array([[1j, 2.0]]), np.array([[1.0], [3.0 - 1j]])),
        (np.ones((0, 3)), np.ones((3, 2))),
    ],
)
scalar(operator.neg, "-1", finite="x", complexes="kept", source="linear")
scalar(operator.pos, "1", finite="x", complexes="kept", source="linear")
scalar(
    operator.abs,
    "sign(x)",
    on_floats=("((x > 0) - (x < 0))",),
    on_arrays=("np.sign(x)",),
    also=(builtins.abs,),
    domain="x != 0",
    kink="x == 0",
    finite="x",
    complexes="real",
    source="d|x|^2 = 2 Re(conj(x) dx); 0 at the kink",
)


def remainder_growth(y_bar: Any, y: Any, x2: Any) -> Any:
    """Cotangent of the divisor in ``divmod``, through the remainder."""
    return None if y_bar[1] is None else -(y_bar[1] * y[0])


rule(
    builtins.divmod,
    "x1, x2, /",
    x1="fit(y_bar[1], x1)",
    x2="fit(remainder_growth(y_bar, y, x2), x2)",
    dot="(None, x1_dot - y[0] * x2_dot)",
    domain="x2 != 0",
    source="x1 = q x2 + r, q constant between its jumps",
    examples=[
        (7.5, 2.0),
        (-7.5, 2.0),
        (np.array([7.5, 3.2]), 2.0),
        (np.array([7.5, 3.2]), np.array([[2.0], [0.7]])),
    ],
)

zero(operator.floordiv, why="constant between its jumps")
zero(
    operator.and_, operator.or_, operator.xor, operator.invert, operator.lshift, operator.rshift,
    why="works on the bits of integers",
)  # fmt: skip
zero(
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.is_,
    operator.is_not,
    operator.not_, operator.truth, operator.contains, operator.countOf, operator.indexOf,
    operator.index,
    why="the result is no differentiable number",
)  # fmt: skip
