"""Rules of products of arrays: dot, matmul, inner, outer, vdot, vecdot, matvec, vecmat.

Complex factors enter a cotangent conjugated. Of one array ``H`` is the conjugate transpose.

>>> import numpy
>>> a, b = numpy.ones((2, 3)), numpy.ones(3)
>>> matmul_back(numpy.array([1.0, 2.0]), a, b)[1]
array([3., 3., 3.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    conj,
    expand_dims,
    isrealobj,
    moveaxis,
    ndim,
    ravel,
    reshape,
    shape,
    sum,
    swapaxes,
    tensordot,
)

from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, linear
from astad.tangents.arrays import sum_to_shape

BILINEAR = "product rule; the adjoint of multiplying by b is multiplying by its conjugate"
NO_OUT = "out is not None"


def bar(a: Any) -> Any:
    """The conjugate, without a copy of what is real; of a list an array."""
    return a if isrealobj(a) and not isinstance(a, (list, tuple)) else conj(a)


def H(a: Any) -> Any:
    """Conjugate transpose of each matrix in a stack."""
    return swapaxes(bar(a), -1, -2)


# dot


def dot_first(y_bar: Any, a: tuple[int, ...], b: Any) -> Any:
    """Cotangent of a factor of shape `a` in ``dot(a, b)``."""
    left, rank = len(a), ndim(b)
    if left == 0:
        return sum(y_bar * bar(b))
    if rank == 0:
        return y_bar * bar(b)
    if rank == 1:
        return (y_bar if left == 1 else expand_dims(y_bar, -1)) * bar(b)
    if rank == 2:
        return np.dot(y_bar, H(b))
    return tensordot(
        y_bar,
        bar(b),
        (range(left - 1, ndim(y_bar)), [*range(rank - 2), *range(max(rank - 1, 1), rank)]),
    )


def dot_second(y_bar: Any, a: Any, b: tuple[int, ...]) -> Any:
    """Cotangent of a factor of shape `b` in ``dot(a, b)``."""
    left, rank = ndim(a), len(b)
    if rank == 0:
        return sum(y_bar * bar(a))
    if left == 0:
        return y_bar * bar(a)
    if left == 1 and rank < 3:
        return bar(a) * y_bar if rank == 1 else expand_dims(bar(a), -1) * y_bar
    if left == 2 and rank < 3:
        return np.dot(H(a), y_bar)
    g = tensordot(bar(a), y_bar, (range(left - 1), range(left - 1)))
    return moveaxis(g, 0, -2) if rank > 1 else g


linear(
    np.dot,
    "a, b, out=None",
    a="dot_first(y_bar, shape(a), b)",
    b="dot_second(y_bar, a, shape(b))",
    refuse=NO_OUT,
    short={
        "2 2": ("y_bar @ b.T", "a.T @ y_bar"),
        "1 2": ("b @ y_bar", "np.multiply.outer(a, y_bar)"),
        "2 1": ("np.multiply.outer(y_bar, b)", "y_bar @ a"),
        "1 1": ("y_bar * b", "y_bar * a"),
    },
    gives="dot(a, b)",
    entries="contracted",
    complexes="kept",
    source=BILINEAR,
    examples=lambda: [
        (real(2, 3), real(3, 4)),
        (real(3), real(3)),
        (real(2, 3), real(3)),
        (real(3), real(3, 2)),
        (imaginary(2, 3), imaginary(3, 2)),
        (real(4, 2, 3), real(3, 2)),
        (real(4, 2, 3), real(3)),
        (real(2, 3), real(4, 3, 2)),
        (real(3), real(4, 3, 2)),
        (real(2, 2, 3), real(2, 3, 2)),
        (1.5, real(2, 3)),
        (real(3), 2.5),
        (1.5, 2.5),
        (real(2, 3), imaginary(3)),
    ],
)


# matmul


def matmul_first(y_bar: Any, a: tuple[int, ...], b: Any) -> Any:
    """Cotangent of a factor of shape `a` in ``a @ b``."""
    if ndim(b) == 1:
        return expand_dims(y_bar, -1) * bar(b)
    if len(a) == 1:
        return sum_to_shape(np.matmul(bar(b), expand_dims(y_bar, -1))[..., 0], a)
    return sum_to_shape(np.matmul(y_bar, H(b)), a)


def matmul_second(y_bar: Any, a: Any, b: tuple[int, ...]) -> Any:
    """Cotangent of a factor of shape `b` in ``a @ b``."""
    if ndim(a) == 1:
        column = bar(a) if len(b) == 1 else expand_dims(bar(a), -1)
        return column * (y_bar if len(b) == 1 else expand_dims(y_bar, -2))
    if len(b) == 1:
        return sum_to_shape(np.matmul(H(a), expand_dims(y_bar, -1))[..., 0], b)
    return sum_to_shape(np.matmul(H(a), y_bar), b)


def matmul_back(y_bar: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Both cotangents of ``a @ b``."""
    return matmul_first(y_bar, shape(a), b), matmul_second(y_bar, a, shape(b))


linear(
    np.matmul,
    "x1, x2, out=None",
    x1="matmul_first(y_bar, shape(x1), x2)",
    x2="matmul_second(y_bar, x1, shape(x2))",
    refuse=NO_OUT,
    gives="product(x1, x2)",
    entries="contracted",
    complexes="kept",
    source=BILINEAR,
    also=(np.linalg.matmul,),
    examples=lambda: [
        (real(2, 3), real(3, 4)),
        (real(3), real(3)),
        (real(2, 3), real(3)),
        (real(3), real(3, 2)),
        (imaginary(2, 3), imaginary(3, 2)),
        (real(4, 2, 3), real(3, 2)),
        (real(2, 3), real(4, 3, 1)),
        (real(5, 1, 2, 3), real(4, 3, 2)),
        (real(4, 2, 3), real(3)),
        (real(3), real(4, 3, 2)),
        (real(2, 3), imaginary(3)),
        (real(0, 3), real(3, 2)),
    ],
)


# inner, outer, vdot


def inner_first(y_bar: Any, a: tuple[int, ...], b: Any) -> Any:
    """Cotangent of a factor of shape `a` in ``inner(a, b)``."""
    if not a or ndim(b) == 0:
        return sum_to_shape(y_bar * bar(b), a)
    return tensordot(y_bar, bar(b), (range(len(a) - 1, ndim(y_bar)), range(ndim(b) - 1)))


def inner_second(y_bar: Any, a: Any, b: tuple[int, ...]) -> Any:
    """Cotangent of a factor of shape `b` in ``inner(a, b)``."""
    if not b or ndim(a) == 0:
        return sum_to_shape(y_bar * bar(a), b)
    return tensordot(y_bar, bar(a), (range(ndim(a) - 1), range(ndim(a) - 1)))


def outer_first(y_bar: Any, a: tuple[int, ...], b: Any) -> Any:
    """Cotangent of a factor of shape `a` in ``outer(a, b)``."""
    return reshape(np.dot(y_bar, ravel(bar(b))), a)


def outer_second(y_bar: Any, a: Any, b: tuple[int, ...]) -> Any:
    """Cotangent of a factor of shape `b` in ``outer(a, b)``."""
    return reshape(np.dot(ravel(bar(a)), y_bar), b)


linear(
    np.inner,
    "a, b",
    a="inner_first(y_bar, shape(a), b)",
    b="inner_second(y_bar, a, shape(b))",
    gives="inner(a, b)",
    entries="contracted",
    complexes="kept",
    source=BILINEAR,
    examples=lambda: [
        (real(3), real(3)),
        (real(2, 3), real(3)),
        (real(2, 3), real(4, 3)),
        (imaginary(2, 3), imaginary(3)),
        (real(2, 4, 3), real(5, 3)),
        (1.5, real(3)),
    ],
)
linear(
    np.outer,
    "a, b, out=None",
    a="outer_first(y_bar, shape(a), b)",
    b="outer_second(y_bar, a, shape(b))",
    refuse=NO_OUT,
    short={"1 1": ("y_bar @ b", "a @ y_bar")},
    gives="outer(a, b)",
    entries="whole",
    complexes="kept",
    source=BILINEAR,
    examples=lambda: [
        (real(3), real(2)),
        (real(2, 2), real(3)),
        (imaginary(2), imaginary(3)),
        (1.5, real(2)),
    ],
)
linear(
    np.linalg.outer,
    "x1, x2",
    x1="outer_first(y_bar, shape(x1), x2)",
    x2="outer_second(y_bar, x1, shape(x2))",
    gives="outer(x1, x2)",
    source=BILINEAR,
    examples=lambda: [(real(2), real(3)), (imaginary(2), real(3))],
)
linear(
    np.vdot,
    "a, b",
    a="reshape(conj(y_bar) * ravel(b), shape(a))",
    b="reshape(y_bar * ravel(a), shape(b))",
    gives="vdot(a, b)",
    complexes="kept",
    source="y = sum(conj(a) * b)",
    examples=lambda: [
        (real(3), real(3)),
        (imaginary(3), imaginary(3)),
        (imaginary(2, 2), imaginary(2, 2)),
        (1.5 + 2j, 0.5 - 1j),
    ],
)


# gufuncs of NumPy 2; vecdot and vecmat conjugate their first factor


def matvec_back(y_bar: Any, a: Any, v: tuple[int, ...]) -> Any:
    """Cotangent of a vector of shape `v` that a matrix was applied to."""
    return sum_to_shape(np.matmul(H(a), expand_dims(y_bar, -1))[..., 0], v)


def crossed(left: Any, right: Any, to: tuple[int, ...]) -> Any:
    """Matrix of the products of entries of two vectors, summed to the shape `to`."""
    return sum_to_shape(expand_dims(left, -1) * expand_dims(right, -2), to)


def vecdot_back(
    g: Any, other: Any, of: tuple[int, ...], axis: int = -1, keepdims: bool = False
) -> Any:
    """Cotangent of a factor of that shape; each factor has `axis` where its own shape says."""
    g = moveaxis(g, axis, -1) if keepdims else expand_dims(g, -1)
    last = axis % len(of)
    moved = (*of[:last], *of[last + 1 :], of[last])
    return moveaxis(sum_to_shape(g * moveaxis(other, axis, -1), moved), -1, axis)


linear(
    np.vecdot,
    "x1, x2, out=None, *, axis=-1, keepdims=False",
    x1="vecdot_back(conj(y_bar), x2, shape(x1), axis, keepdims)",
    x2="vecdot_back(y_bar, x1, shape(x2), axis, keepdims)",
    refuse=NO_OUT,
    source="y = sum(conj(x1) * x2)",
    examples=lambda: [
        (real(3), real(3)),
        (imaginary(2, 3), imaginary(3)),
        (real(3, 2), real(3, 2), Keywords(axis=0)),
        (imaginary(3, 2), imaginary(3), Keywords(axis=0)),
    ],
)
linear(
    np.linalg.vecdot,
    "x1, x2, *, axis=-1",
    x1="vecdot_back(conj(y_bar), x2, shape(x1), axis)",
    x2="vecdot_back(y_bar, x1, shape(x2), axis)",
    source="y = sum(conj(x1) * x2)",
    examples=lambda: [
        (real(3), real(3)),
        (imaginary(2, 3), imaginary(3)),
        (real(3, 2), real(3, 2), Keywords(axis=0)),
        (imaginary(3, 2), imaginary(3), Keywords(axis=0)),
    ],
)
if hasattr(np, "matvec"):
    linear(
        np.matvec,
        "x1, x2, out=None",
        x1="crossed(y_bar, bar(x2), shape(x1))",
        x2="matvec_back(y_bar, x1, shape(x2))",
        refuse=NO_OUT,
        source=BILINEAR,
        examples=lambda: [
            (real(2, 3), real(3)),
            (imaginary(4, 2, 3), imaginary(3)),
            (real(2, 3), real(4, 3)),
        ],
    )
    linear(
        np.vecmat,
        "x1, x2, out=None",
        x1="sum_to_shape(np.matmul(x2, expand_dims(conj(y_bar), -1))[..., 0], shape(x1))",
        x2="crossed(x1, y_bar, shape(x2))",
        refuse=NO_OUT,
        source="y = conj(x1) @ x2",
        examples=lambda: [
            (real(3), real(3, 2)),
            (imaginary(4, 3), imaginary(3, 2)),
            (imaginary(3), imaginary(4, 3, 2)),
        ],
    )
