"""Rules of the module math.

>>> digamma(1.0), digamma(-0.5)                 # minus Euler's constant; DLMF 5.4.12
(-0.577215664901532..., 0.036489973978576...)
>>> others([2.0, 0.0, 3.0])
[0.0, 6.0, 0.0]
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import math
from collections.abc import Sequence
from math import cos, cosh, exp, hypot, inf, log, nan, pi, sin, sinh, sqrt, tan
from typing import Any

import numpy as np

from astad.rules.formula import fit
from astad.rules.kinks import along_kink, at_kink
from astad.rules.python.operators import float_power_slope, float_slope, power_growth, sign
from astad.rules.registry import linear, rule, scalar, zero

__all__ = ["digamma", "others"]

# exponentials and logarithms

scalar(math.exp, "y", source="DLMF 4.7.7")
scalar(math.expm1, "y + 1", source="DLMF 4.7.7")
if hasattr(math, "exp2"):
    scalar(math.exp2, f"{math.log(2)!r} * y", source="DLMF 4.7.8")
scalar(
    math.log,
    "log_slope(x, base)",
    "log_base_slope(y, base)",
    parameters="x, base=None, /",
    on_floats=("1 / x", None),
    on_arrays=("1 / x", None),
    zero_safe=True,
    domain="x > 0 and base > 1",
    source="DLMF 4.7.1, log x / log base",
)
scalar(
    math.log2,
    f"{1 / math.log(2)!r} / x",
    on_floats=(f"{1 / math.log(2)!r} / x",),
    zero_safe=True,
    domain="x > 0",
    source="DLMF 4.7.1",
)
scalar(
    math.log10,
    f"{1 / math.log(10)!r} / x",
    on_floats=(f"{1 / math.log(10)!r} / x",),
    zero_safe=True,
    domain="x > 0",
    source="DLMF 4.7.1",
)
scalar(
    math.log1p,
    "1 / (1 + x)",
    on_floats=("1 / (1 + x)",),
    zero_safe=True,
    domain="x > -1",
    source="DLMF 4.7.1",
)


def log_slope(x: Any, base: Any) -> Any:
    """Derivative of the logarithm to `base`, natural if None."""
    return 1 / x if base is None else 1 / (x * log(base))


def log_base_slope(y: Any, base: Any) -> Any:
    """Derivative of ``y = log(x, base)`` in the base."""
    return -y / (base * log(base))


# roots and powers

scalar(
    math.sqrt,
    "0.5 / y",
    on_floats=("(0.5 / y if y else inf)",),
    zero_safe=True,
    domain="x > 0",
    source="y**2 = x",
)
if hasattr(math, "cbrt"):
    scalar(
        math.cbrt,
        "1 / (3 * y * y)",
        on_floats=("(1 / (3 * y * y) if y else inf)",),
        zero_safe=True,
        domain="x != 0",
        source="y**3 = x",
    )
scalar(
    math.pow,
    "float_power_slope(x1, x2)",
    "power_growth(x1, x2, y)",
    zero_safe=True,
    domain="x1 > 0",
    on_floats=(
        "float_slope(x1, x2)",
        "(y * log(x1) if x1 > 0 else nan if x1 < 0 else 0.0)",
    ),
    source="DLMF 4.2.26, 4.7",
)
scalar(
    math.fabs,
    "sign(x)",
    domain="x != 0",
    kink="x == 0",
    on_floats=("((x > 0) - (x < 0))",),
    source="0 at the kink",
)
if hasattr(math, "fma"):
    scalar(math.fma, "x2", "x1", "1", source="product rule")


# trigonometric

scalar(math.sin, "cos(x)", source="DLMF 4.20.1")
scalar(math.cos, "-sin(x)", source="DLMF 4.20.2")
scalar(math.tan, "1 + y * y", domain="abs(cos(x)) > 0.1", source="DLMF 4.20.3")
scalar(
    math.asin,
    "1 / ((1 - x) * (1 + x)) ** 0.5",
    on_floats=("(1 / sqrt((1 - x) * (1 + x)) if x * x != 1 else inf)",),
    zero_safe=True,
    domain="-1 < x < 1",
    source="DLMF 4.24.7",
)
scalar(
    math.acos,
    "-1 / ((1 - x) * (1 + x)) ** 0.5",
    on_floats=("(-1 / sqrt((1 - x) * (1 + x)) if x * x != 1 else -inf)",),
    zero_safe=True,
    domain="-1 < x < 1",
    source="DLMF 4.24.8",
)
scalar(math.atan, "1 / (1 + x * x)", source="DLMF 4.24.9")
scalar(
    math.atan2,
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
scalar(math.degrees, f"{180 / math.pi!r}", source="linear")
scalar(math.radians, f"{math.pi / 180!r}", source="linear")


def over_square(part: Any, other: Any) -> Any:
    """``part / (part**2 + other**2)``, 0 at the origin, without overflow."""
    radius = hypot(part, other)
    return part / radius / radius if radius else 0.0


# hyperbolic

scalar(math.sinh, "cosh(x)", source="DLMF 4.34.1")
scalar(math.cosh, "sinh(x)", source="DLMF 4.34.2")
scalar(math.tanh, "1 - y * y", source="DLMF 4.34.3")
scalar(math.asinh, "1 / hypot(1, x)", source="DLMF 4.38.9")
scalar(
    math.acosh,
    "1 / ((x - 1) * (x + 1)) ** 0.5",
    on_floats=("(1 / sqrt((x - 1) * (x + 1)) if x != 1 else inf)",),
    zero_safe=True,
    domain="x > 1",
    source="DLMF 4.38.10",
)
scalar(
    math.atanh,
    "1 / ((1 - x) * (1 + x))",
    on_floats=("1 / ((1 - x) * (1 + x))",),
    zero_safe=True,
    domain="-1 < x < 1",
    source="DLMF 4.38.11",
)

# special functions

scalar(math.erf, f"{2 / math.sqrt(math.pi)!r} * exp(-x * x)", source="DLMF 7.2.1")
scalar(math.erfc, f"-{2 / math.sqrt(math.pi)!r} * exp(-x * x)", source="DLMF 7.2.2")
scalar(
    math.gamma,
    "y * digamma(x)",
    domain="-0.9 < x < 20 and x != 0 and abs(x) > 0.1",
    source="DLMF 5.2.2",
)
scalar(math.lgamma, "digamma(x)", domain="-0.9 < x < 20 and abs(x) > 0.1", source="DLMF 5.2.2")


def digamma(x: float) -> float:
    """Logarithmic derivative of the gamma function.

    Notes
    -----
    Reflection (DLMF 5.5.4), recurrence (5.5.2) up to 10, then the asymptotic series (5.11.2);
    relative error about 1e-15 away from its zeros. nan at 0 and the negative integers.
    """
    if x <= 0:
        return nan if x == -inf or x == x // 1 else digamma(1 - x) - pi / tan(pi * x)
    shift = 0.0
    while x < 10:
        shift = shift - 1 / x
        x = x + 1
    if x == inf:
        return inf
    z = 1 / (x * x)
    series = 1 / 12 - z * (
        1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * (691 / 32760 - z / 12))))
    )
    return shift + log(x) - 0.5 / x - z * series


# parts of a float

scalar(
    math.copysign,
    "sign(x1) * copysign_of_one(x2)",
    None,
    domain="x1 != 0 and x2 != 0",
    kink="x1 == 0",
    source="abs(x1) with the sign of x2; 0 at the kink",
)
AT_NAN = "(-((x1 - y) / x2) if x2 else nan)"  # fmod(nan, 0) does not raise
scalar(
    math.fmod,
    "1",
    "-((x1 - y) / x2)",
    on_floats=("1", AT_NAN),
    on_arrays=("1", AT_NAN),
    domain="abs(x2) > 0.1 and abs(x1 / x2 % 1 - 0.5) < 0.45",
    source="x1 - x2 trunc(x1 / x2)",
)
scalar(
    math.remainder,
    "1",
    "-((x1 - y) / x2)",
    on_floats=("1", AT_NAN),
    on_arrays=("1", AT_NAN),
    domain="abs(x2) > 0.1 and abs(x1 / x2 % 1 - 0.5) > 0.05",
    source="x1 - x2 round(x1 / x2)",
)
scalar(
    math.ldexp, "2.0 ** i", parameters="x, i, /", source="x 2**i", examples=[(1.5, 3), (-0.7, -2)]
)
rule(
    math.frexp,
    "x, /",
    x="None if y_bar[0] is None else y_bar[0] * 2.0 ** -y[1]",
    dot="(x_dot * 2.0 ** -y[1], None)",
    source="x = m 2**e, e constant between its jumps",
    examples=[(5.3,), (-0.3,)],
)
rule(
    math.modf,
    "x, /",
    x="y_bar[0]",
    dot="(x_dot, None)",
    source="the integral part is constant between its jumps",
    examples=[(5.3,), (-0.3,)],
)
scalar(math.nextafter, "1", None, source="x1 itself, but for rounding", domain="x2 > 100")


def copysign_of_one(x: Any) -> float:
    """1 with the sign of x."""
    return math.copysign(1.0, x)


# sequences: the cotangent of a list is a list

scalar_pairs = [([0.5, 2.0, -1.0], [1.5, -0.3, 2.0]), ((0.5, 2.0), (1.5, -0.3)), ([], [])]


def same_kind(values: Sequence[Any], like: Any) -> Any:
    """A list of cotangents in the kind of the sequence they belong to."""
    return np.array(values, float) if isinstance(like, np.ndarray) else list(values)


def others(seq: Sequence[Any]) -> list[Any]:
    """For each number the product of all others, without dividing."""
    before: list[Any] = [1]
    for value in seq:
        before.append(before[-1] * value)
    after: list[Any] = [1]
    for value in reversed(seq):
        after.append(after[-1] * value)
    count = len(seq)
    return [before[k] * after[count - 1 - k] for k in range(count)]


def prod_back(y_bar: Any, iterable: Any, start: Any) -> Any:
    """Cotangent of each factor."""
    parts = [y_bar * start * other for other in others(iterable)]
    if isinstance(y_bar, np.ndarray):  # of factors that are arrays, not all of one shape
        parts = [fit(part, factor) for part, factor in zip(parts, iterable, strict=True)]
    return same_kind(parts, iterable)


def prod_start_back(y_bar: Any, iterable: Any, start: Any) -> Any:
    """Cotangent of what the product begins with."""
    part = y_bar * math.prod(iterable)
    return fit(part, start) if isinstance(y_bar, np.ndarray) else part


def prod_dot(iterable: Any, iterable_dot: Any, start: Any, start_dot: Any) -> Any:
    """Tangent of a product."""
    inner = sum(dot * other for dot, other in zip(iterable_dot, others(iterable), strict=True))
    return start_dot * math.prod(iterable) + start * inner


def away(x: float, y: float) -> float:
    """``x / y``, 0 at the kink of a norm."""
    return x / y if y else 0.0


def part_of_length(y_bar: Any, x: float, y: float) -> Any:
    """Cotangent of one component."""
    return y_bar * away(x, y) if y else y_bar * 0.0 + at_kink(y_bar, x, at=True)


def part_along_length(x_dot: Any, x: float, y: float) -> Any:
    """Tangent that comes of one component."""
    return x_dot * away(x, y) if y else x_dot * 0.0 + along_kink(x_dot, x, at=True)


def dist_back(y_bar: Any, y: Any, p: Any, q: Any) -> Any:
    """Cotangent of the first point; that of the second is its opposite."""
    return same_kind([part_of_length(y_bar, a - b, y) for a, b in zip(p, q, strict=True)], p)


linear(
    math.fsum,
    "seq, /",
    seq="same_kind([y_bar] * len(seq), seq)",
    source="linear",
    examples=[([1.5, 2.0, -0.5],), ((1.5, 2.0),), (np.array([1.5, 2.0]),), ([],)],
)
rule(
    math.prod,
    "iterable, /, *, start=1",
    iterable="prod_back(y_bar, iterable, start)",
    start="prod_start_back(y_bar, iterable, start)",
    dot="prod_dot(iterable, iterable_dot, start, start_dot)",
    source="product rule, by products from both ends",
    examples=[([1.5, 2.0, -0.5],), ([1.5, 0.0, -0.5],), ([0.0, 0.0, 2.0],), ((1.5,),), ([],)],
)
rule(
    math.hypot,
    "*xs",
    xs="tuple([part_of_length(y_bar, x, y) for x in xs])",
    dot="sum([dot * away(x, y) for x, dot in zip(xs, xs_dot)])",
    source="y**2 = sum of x**2; 0 at the kink",
    examples=[(3.0, 4.0), (0.5,), (1.0, -2.0, 0.3)],
)
rule(
    math.dist,
    "p, q, /",
    p="dist_back(y_bar, y, p, q)",
    q="dist_back(y_bar, y, q, p)",
    dot="sum([(dp - dq) * away(a - b, y) for a, b, dp, dq in zip(p, q, p_dot, q_dot)])",
    source="y**2 = sum of (p - q)**2; 0 at the kink",
    examples=scalar_pairs[:2],
)
if hasattr(math, "sumprod"):
    linear(
        math.sumprod,
        "p, q, /",
        p="same_kind([y_bar * b for b in q], p)",
        q="same_kind([y_bar * a for a in p], q)",
        source="bilinear",
        examples=scalar_pairs,
    )

zero(math.floor, math.ceil, math.trunc, math.ulp, why="constant between its jumps")
zero(
    math.isclose, math.isfinite, math.isinf, math.isnan,
    why="the result is a bool",
)  # fmt: skip
zero(
    math.comb, math.factorial, math.gcd, math.isqrt, math.lcm, math.perm,
    why="works on integers", asks="__index__",
)  # fmt: skip
