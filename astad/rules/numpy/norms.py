"""Rules of norms and of condition numbers; at a kink the subgradient of least norm.

>>> import numpy
>>> vector_slope(numpy.zeros(2), 0.0, None, 0)
array([0., 0.])
>>> vector_slope(numpy.array([2.0, -2.0, 1.0]), 2.0, numpy.inf, 0)
array([ 0.5, -0.5,  0. ])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    conj,
    equal,
    expand_dims,
    inf,
    matmul,
    maximum,
    moveaxis,
    multiply,
    ndim,
    reshape,
    shape,
    sign,
    sum,
    where,
)
from numpy.linalg import inv, svd

from astad.rules.kinks import along_kink, at_kink
from astad.rules.numpy.axes import axes_of, unreduced
from astad.rules.numpy.products import H
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, rule
from astad.rules.safe import safe_product


def divided(a: Any, b: Any) -> Any:
    """``a / b``, and 0 where b is 0."""
    kink = equal(b, 0)
    return where(kink, 0, a / where(kink, 1, b))


def vector_slope(x: Any, y: Any, ord: Any, axis: Any) -> Any:
    """The d with ``y_dot = Re sum(conj(d) * x_dot)`` for a vector norm `y` over `axis`."""
    x = np.asarray(x)
    whole = unreduced(y, shape(x), axis)
    if ord is None or ord == 2:
        return divided(x, whole)
    if ord == 0:
        return np.zeros(shape(x))
    if ord == 1:
        return sign(x)
    if ord in (inf, -inf):
        hits = equal(abs(x), whole)
        return hits * sign(x) / maximum(sum(hits, axis=axis, keepdims=True), 1)
    size = abs(x)
    ratio = divided(size, whole)
    flat = equal(ratio, 0)
    return where(flat, 0, where(flat, 1, ratio) ** np.subtract(ord, 1) * sign(x))


def ties(values: Any, extreme: Any) -> Any:
    """Even shares of the entries of the last axis that equal `extreme`."""
    hits = equal(values, expand_dims(extreme, -1))
    return hits / maximum(sum(hits, axis=-1, keepdims=True), 1)


def spectral_slope(x: Any, ord: Any) -> Any:
    """The same for norms of the singular values."""
    u, s, vh = svd(x, full_matrices=False)
    if np.size(x) == 0:
        return np.zeros(shape(x))
    if ord == "nuc":
        weights = (s > s[..., :1] * max(shape(x)[-2:]) * np.finfo(s.dtype).eps) * 1.0
    else:
        weights = ties(s, s[..., 0] if ord == 2 else s[..., -1])
    weights = where(equal(s, 0), 0, weights)
    return matmul(u * expand_dims(weights, -2), vh)


def matrix_slope(x: Any, y: Any, ord: Any) -> Any:
    """The same for norms of the matrices in the last two axes; `y` of the shape of the stack."""
    if ord is None or ord == "fro":
        return divided(x, expand_dims(y, (-2, -1)))
    if ord in ("nuc", 2, -2):
        return spectral_slope(x, ord)
    if ord in (1, -1):
        return expand_dims(ties(sum(abs(x), axis=-2), y), -2) * sign(x)
    return expand_dims(ties(sum(abs(x), axis=-1), y), -1) * sign(x)


def slope(x: Any, y: Any, ord: Any, axis: Any) -> Any:
    """The same for ``numpy.linalg.norm``."""
    x = np.asarray(x)
    rank = ndim(x)
    if axis is None and (ord is None or (rank == 2 and ord == "fro") or (rank == 1 and ord == 2)):
        return divided(x, unreduced(y, shape(x), None))
    axes = axes_of(axis, rank)
    if len(axes) == 1:
        return vector_slope(x, y, ord, axes[0])
    stack = tuple([shape(x)[k] for k in range(rank) if k not in axes])
    moved = moveaxis(x, axes, (-2, -1))
    return moveaxis(matrix_slope(moved, reshape(y, stack), ord), (-2, -1), axes)


def norm_back(y_bar: Any, x: Any, y: Any, ord: Any, axis: Any) -> Any:
    """Cotangent of the array in ``numpy.linalg.norm``."""
    if axis is None and ord is None and ndim(y) == 0:
        if y:
            return multiply(x, y_bar / y)
        return at_kink(y_bar, np.asarray(x), np.True_)
    return slope_back(y_bar, slope(x, y, ord, axis), x, y, ord, axis)


def slope_back(y_bar: Any, d: Any, x: Any, y: Any, ord: Any, axis: Any) -> Any:
    """Cotangent of the array; 0 along a kink kills even a nan, and has a derivative elsewhere."""
    x, g = np.asarray(x), unreduced(y_bar, shape(d), axis)
    made, at = safe_product(d, g), kinks(x, y, ord, axis)
    return made + at_kink(g, x, at) if np.any(at) else made


def kinks(x: Any, y: Any, ord: Any, axis: Any) -> Any:
    """Where the slopes of a norm are another on all sides: at the zeros of the norm, or of its
    entries.
    """
    if isinstance(ord, (list, tuple)):
        ord = ord[0]  # NumPy takes one number in a list for the number
    is_smooth = ord is None or ord in ("fro", "nuc", 2, -2) or 2 < ord < inf
    return equal(unreduced(y, shape(x), axis) if is_smooth else x, 0)


def norm_dot(x_dot: Any, d: Any, y: Any, axis: Any, x: Any = None, ord: Any = None) -> Any:
    """Tangent of a norm over `axis`; given `x`, one with kinks."""
    change = np.real(safe_product(conj(d), x_dot))
    at = False if x is None else kinks(np.asarray(x), y, ord, axis)
    if np.any(at):
        change = change + np.real(along_kink(x_dot, np.asarray(x), at))
    return reshape(sum(change, axis=axis if axis is None else axes_of(axis, ndim(d))), shape(y))


KINK = "y**p = sum(|x|**p); ties and kinks: subgradient of least norm"
rule(
    np.linalg.norm,
    "x, ord=None, axis=None, keepdims=False",
    x="norm_back(y_bar, x, y, ord, axis)",
    dot="norm_dot(x_dot, slope(x, y, ord, axis), y, axis, x, ord)",
    missing={"ord": "write the norm as a sum of powers"},
    gives="norm(x, ord, axis, keepdims)",
    entries="whole",
    source=KINK,
    examples=lambda: [
        (real(4),),
        (real(2, 3),),
        (real(2, 3, 2),),
        (imaginary(3),),
        *[(real(4), p) for p in (1, 2, 3, 0.5, -1, inf, -inf, 0)],
        *[(imaginary(3), p) for p in (1, 3, inf)],
        *[(real(3, 2), p) for p in (1, -1, 2, -2, inf, -inf, "fro", "nuc")],
        *[(imaginary(2, 2), p) for p in (1, 2, "nuc")],
        (real(3, 2), None, 0),
        (real(3, 2), 1, 1, True),
        (real(2, 3, 2), 2, (0, 2)),
        (real(2, 3, 2), Keywords(axis=(2, 1), ord="nuc", keepdims=True)),
        (real(2, 3, 2), Keywords(axis=(-1, 0), ord=1)),
    ],
)
rule(
    np.linalg.vector_norm,
    "x, *, axis=None, keepdims=False, ord=2",
    x="slope_back(y_bar, vector_slope(x, y, ord, axis), x, y, ord, axis)",
    dot="norm_dot(x_dot, vector_slope(x, y, ord, axis), y, axis, x, ord)",
    missing={"ord": "write the norm as a sum of powers"},
    gives="reduced(x, axis, keepdims)",
    source=KINK,
    examples=lambda: [
        (real(4),),
        (real(2, 3), Keywords(ord=3)),
        (real(2, 3), Keywords(axis=1, keepdims=True, ord=1)),
        (real(2, 3, 2), Keywords(axis=(0, 2))),
        (imaginary(2, 3), Keywords(axis=0)),
    ],
)
rule(
    np.linalg.matrix_norm,
    "x, *, keepdims=False, ord='fro'",
    x="slope_back(y_bar, slope(x, y, ord, (-2, -1)), x, y, ord, (-2, -1))",
    dot="norm_dot(x_dot, slope(x, y, ord, (-2, -1)), y, (-2, -1), x, ord)",
    gives="determinant(x)",
    source=KINK,
    examples=lambda: [
        (real(3, 2),),
        (real(2, 3, 2), Keywords(ord=1)),
        (real(2, 2, 2), Keywords(keepdims=True, ord="nuc")),
        (imaginary(2, 2),),
    ],
)


# condition numbers


def cond_slope(x: Any, y: Any, p: Any) -> Any:
    """The d of the condition number."""
    if p in (None, 2, -2):
        s = svd(x, compute_uv=False)
        top, low = s[..., :1, None], s[..., -1:, None]
        large, small = spectral_slope(x, 2), spectral_slope(x, -2)
        if p == -2:
            return (small - large * low / top) / top
        return (large - small * top / low) / low
    inverse = inv(x)
    mine = np.linalg.norm(x, p, axis=(-2, -1))
    its = np.linalg.norm(inverse, p, axis=(-2, -1))
    first = matrix_slope(x, mine, p) * expand_dims(its, (-2, -1))
    second = matrix_slope(inverse, its, p) * expand_dims(mine, (-2, -1))
    return first - matmul(matmul(H(inverse), second), H(inverse))


rule(
    np.linalg.cond,
    "x, p=None",
    x="cond_slope(x, y, p) * expand_dims(y_bar, (-2, -1))",
    dot="norm_dot(x_dot, cond_slope(x, y, p), y, (-2, -1))",
    source="quotient of extreme singular values, or norm(x) * norm(inv(x))",
    examples=lambda: [
        (real(3, 3),),
        (real(3, 2), 2),
        (real(2, 3, 3),),
        (real(3, 3), -2),
        (real(3, 3), "fro"),
        (real(2, 2, 2), 1),
        (imaginary(2, 2),),
    ],
)
