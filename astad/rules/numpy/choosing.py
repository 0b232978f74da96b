"""Rules of NumPy's functions with kinks and choices, of complex parts, of sinc and i0.

>>> sinc_slope(np.array([1.0, 2.0]))
array([-1. ,  0.5])
>>> kept(np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), 0.0, 1.0)                # clip passes at its bounds
array([False,  True,  True,  True, False])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import (
    conj,
    copysign,
    cos,
    isfinite,
    isneginf,
    isposinf,
    maximum,
    shape,
    sign,
    sin,
    sinh,
    where,
    zeros_like,
)

from astad.rules.formula import fit
from astad.rules.registry import Keywords, linear, rule, scalar
from astad.tangents.arrays import sum_to_shape

__all__ = ["bessel_i1", "sinc_slope"]

PI = math.pi
COMPLEX = [(np.array([1.0 + 2.0j, -0.5j]),), (1.5 - 0.5j,), (np.array([1.5, -2.0]),)]

# signs

scalar(
    np.absolute,
    "conj(sign(x))",
    on_floats=("sign(x)",),
    on_arrays=("sign(x)",),
    domain="x != 0",
    kink="x == 0",
    finite="x",
    complexes="real",
    source="d|x|**2 = 2 Re(conj(x) dx); 0 at the kink",
)
scalar(np.fabs, "sign(x)", domain="x != 0", kink="x == 0", source="0 at the kink")
rule(
    np.sign,
    "x, /",
    x="turned(y_bar, y, x)",
    dot="turned(x_dot, y, x)",
    gives="same(x)",
    complexes="kept",
    source="complex x / abs(x): (dx - y Re(conj(y) dx)) / abs(x); real: constant between its jumps",
    examples=COMPLEX,
)
scalar(
    np.copysign,
    "sign(x1) * copysign(1, x2)",
    None,
    domain="x1 != 0 and x2 != 0",
    kink="x1 == 0",
    source="abs(x1) with the sign of x2; 0 at the kink",
)
scalar(
    np.heaviside,
    None,
    "1.0 * (x1 == 0)",
    domain="x1 != 0",
    source="x2 is the value at x1 = 0; constant elsewhere",
)
scalar(np.nextafter, "1", None, source="x1 itself, but for rounding", domain="x2 > 100")


def turned(g: Any, y: Any, x: Any) -> Any:
    """Part of `g` along the circle of ``y = x / abs(x)``, per radius; 0 of real numbers."""
    if not np.iscomplexobj(x):
        return zeros_like(g)
    radius = np.abs(x)
    return where(radius == 0, 0, (g - y * np.real(conj(y) * g)) / where(radius == 0, 1, radius))


# choices

rule(
    np.where,
    "condition, x1=None, x2=None, /",
    x1="chosen(condition, y_bar, x1)",
    x2="chosen(~as_bool(condition), y_bar, x2)",
    dot="where(condition, x1_dot, x2_dot)",
    on_arrays={"x1": "where(condition, y_bar, 0.0)", "x2": "where(condition, 0.0, y_bar)"},
    gives="chosen(condition, x1, x2) or parts(*places(condition, x1))",
    source="each entry is one of x1, x2",
    examples=[
        (np.array([True, False]), np.array([1.0, 2.0]), np.array([3.0, 4.0])),
        (np.array([[True], [False]]), np.array([1.0, 2.0]), 3.0),
        (np.array([1, 0]), 1.0, np.array([3.0, 4.0])),
        (np.array([True, False]), np.array([1.0, 2.0]), np.array([3.0j, 4.0])),
    ],
)


def as_bool(condition: Any) -> Any:
    """The truth of each entry."""
    return np.asarray(condition, bool)


def chosen(mask: Any, y_bar: Any, like: Any) -> Any:
    """`y_bar` where the mask holds, summed to the shape of the value chosen there."""
    return fit(where(mask, y_bar, 0), like)


CLIP_EXAMPLES: list[tuple[Any, ...]] = [
    (np.array([-1.5, 0.3, 2.0]), 0.0, 1.0),
    (np.array([-1.5, 0.3, 2.0]), None, np.array([1.0, 0.0, 3.0])),
    (np.array([[-1.5], [0.3], [2.0]]), np.array([0.0, 0.1]), None),
    (0.5, 0.0, 1.0),
]
rule(
    np.clip,
    "a, a_min=np._NoValue, a_max=np._NoValue, out=None, *, min=np._NoValue, max=np._NoValue",
    a="chosen(kept(a, bound(a_min, min), bound(a_max, max)), y_bar, a)",
    a_min="chosen(raised(a, bound(a_min, min), bound(a_max, max)), y_bar, a_min)",
    a_max="chosen(lowered(a, bound(a_min, min), bound(a_max, max)), y_bar, a_max)",
    min="chosen(raised(a, bound(a_min, min), bound(a_max, max)), y_bar, min)",
    max="chosen(lowered(a, bound(a_min, min), bound(a_max, max)), y_bar, max)",
    dot="clip_dot(a, bound(a_min, min), bound(a_max, max), a_dot,"
    " a_min_dot + min_dot, a_max_dot + max_dot)",
    refuse="out is not None",
    gives="clipped(a, a_min, a_max)",
    source="each entry is one of the three; passes at the bounds",
    examples=CLIP_EXAMPLES,
)
rule(
    np.ndarray.clip,
    "a, min=None, max=None, out=None",
    a="chosen(kept(a, min, max), y_bar, a)",
    min="chosen(raised(a, min, max), y_bar, min)",
    max="chosen(lowered(a, min, max), y_bar, max)",
    dot="clip_dot(a, min, max, a_dot, min_dot, max_dot)",
    refuse="out is not None",
    gives="clipped(a, min, max)",
    source="each entry is one of the three; passes at the bounds",
    examples=CLIP_EXAMPLES[:3],
)


def bound(first: Any, second: Any) -> Any:
    """A bound given under either of its names, or None."""
    return first if _is_bound(first) else second


def _is_bound(value: Any) -> bool:
    return value is not None and value is not np._NoValue


def raised(a: Any, low: Any, high: Any) -> Any:
    """Where the result is the lower bound."""
    below = np.less(a, low) if _is_bound(low) else np.zeros(shape(a), bool)
    return below & ~np.greater(low, high) if _is_bound(high) and _is_bound(low) else below


def lowered(a: Any, low: Any, high: Any) -> Any:
    """Where the result is the upper bound."""
    if not _is_bound(high):
        return np.zeros(shape(a), bool)
    return np.greater(maximum(a, low) if _is_bound(low) else a, high)


def kept(a: Any, low: Any, high: Any) -> Any:
    """Where the result is the entry itself."""
    return ~(raised(a, low, high) | lowered(a, low, high))


def clip_dot(a: Any, low: Any, high: Any, a_dot: Any, low_dot: Any, high_dot: Any) -> Any:
    """Tangent of the value chosen."""
    return where(lowered(a, low, high), high_dot, where(raised(a, low, high), low_dot, a_dot))


def where_parts(test: Any, x: Any, g: Any, other: Any = 0.0) -> Any:
    """``where(test(x), g, other)``, of a complex array for the real and the imaginary parts."""
    if not np.iscomplexobj(x):
        return where(test(x), g, other)
    reals, imags = (where(test(part(x)), part(g), part(other)) for part in (np.real, np.imag))
    return reals + 1j * imags


def filler_back(test: Any, x: Any, filler: Any, y_bar: Any) -> Any:
    """Cotangent of the number that stands for those entries, or parts of them, that are nan or
    infinite: the sum of theirs.
    """
    bar = where_parts(test, x, y_bar)
    bar = np.real(bar) + np.imag(bar) if np.iscomplexobj(bar) else bar
    return sum_to_shape(bar, shape(filler))


def filled_dot(x: Any, x_dot: Any, nan_dot: Any, posinf_dot: Any, neginf_dot: Any) -> Any:
    """Tangent of an array whose entries that are nan or infinite are replaced."""
    dot = where_parts(isfinite, x, x_dot)
    for test, filler_dot in ((np.isnan, nan_dot), (isposinf, posinf_dot), (isneginf, neginf_dot)):
        both = filler_dot * (1 + 1j) if np.iscomplexobj(x) else filler_dot
        dot = where_parts(test, x, both, dot)
    return dot


rule(
    np.nan_to_num,
    "x, copy=True, nan=0.0, posinf=None, neginf=None",
    x="where_parts(isfinite, x, y_bar)",
    nan="filler_back(np.isnan, x, nan, y_bar)",
    posinf="filler_back(isposinf, x, posinf, y_bar)",
    neginf="filler_back(isneginf, x, neginf, y_bar)",
    dot="filled_dot(x, x_dot, nan_dot, posinf_dot, neginf_dot)",
    refuse="not copy",
    gives="same(x)",
    source="the finite entries pass, the others are the fillers",
    examples=[
        (np.array([1.0, np.nan, np.inf]), Keywords(posinf=0.0)),
        (2.0,),
        (np.array([1.0, np.nan]),),
        (np.array([1.0, np.nan, np.inf, np.nan]), True, 0.7, -1.3, 2.0),
        (np.array([1.0, -np.inf, np.nan]), True, np.array([0.2, 0.4, 0.7]), 1.0, -1.3),
        (np.array([complex(1.0, np.nan), complex(np.inf, 2.0), 3.0 - 1j]), True, 0.7, -1.3, 2.0),
    ],
)

# complex parts

linear(
    np.conjugate,
    "x, /",
    x="conj(y_bar)",
    gives="each(x)",
    complexes="kept",
    source="linear over the reals",
    examples=COMPLEX,
)
linear(
    np.ndarray.conjugate,
    "x, out=None",
    x="conj(y_bar)",
    refuse="out is not None",
    also=(np.ndarray.conj,),
    source="linear over the reals",
    examples=[COMPLEX[0], COMPLEX[2]],
)
scalar(
    np.real,
    "1",
    parameters="val",
    view="val",
    complexes="real",
    source="linear over the reals",
    examples=COMPLEX,
)
scalar(
    np.imag,
    "-1j",
    parameters="val",
    on_floats=("0.0",),
    on_arrays=("0.0",),
    view="val",
    complexes="real",
    source="linear over the reals: Re(-1j dx)",
    examples=COMPLEX,
)
scalar(
    np.angle,
    "angle_slope(z, deg)",
    parameters="z, deg=False",
    complexes="real",
    source="d angle = Re(-1j dz / z); 0 at the origin",
    examples=[*COMPLEX, (np.array([1.0 + 2.0j]), True)],
)
linear(
    np.real_if_close,
    "a, tol=100",
    a="y_bar",
    source="the same numbers",
    examples=[COMPLEX[0], COMPLEX[2]],
)


def angle_slope(z: Any, deg: Any) -> Any:
    """Derivative of the angle; 0 at the origin and on the real line."""
    if not np.iscomplexobj(z):
        return zeros_like(z)
    origin = np.equal(z, 0)
    slope = where(origin, 0, -1j / where(origin, 1, z))
    return slope * (180 / PI) if deg else slope


# sinc and the modified Bessel function

scalar(
    np.sinc,
    "sinc_slope(x)",
    gives="same(x)",
    source="DLMF 10.49.3, derivative 10.51.2; series below pi |x| = 1/2",
)
scalar(np.i0, "bessel_i1(x)", source="DLMF 10.29.3")


def sinc_slope(x: Any) -> Any:
    """Derivative of sinc: minus pi times the spherical Bessel function j1; near 0 its series."""
    u = PI * x
    near = np.abs(u) < 0.5
    t = u * u
    series = -u * (
        1 / 3 - t * (1 / 30 - t * (1 / 840 - t * (1 / 45360 - t * (1 / 3991680 - t / 518918400))))
    )
    far = where(near, 1, u)
    slope = PI * where(near, series, (cos(far) - sin(far) / far) / far)
    return slope


def bessel_i1(x: Any) -> Any:
    """Modified Bessel function of order 1.

    Notes
    -----
    DLMF 10.32.3, ``(1/pi) * integral of exp(x cos t) cos t over 0 to pi``, by the trapezoidal rule
    with 256 points, which is exact to rounding up to the overflow at x = 713 (error ``I_256(x)``);
    all terms have one sign.
    """
    total = zeros_like(x)
    for k in range(1, 64):
        c = math.cos(PI * k / 128)
        total = total + c * sinh(x * c)
    return (2 * total + sinh(x)) / 128
