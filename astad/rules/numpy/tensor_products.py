"""Rules of tensordot, kron and cross, of convolution and correlation.

>>> contracted(([0], [-1]), 3, 2)                  # axes summed over, of ranks 3 and 2
([0], [1])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    convolve,
    correlate,
    expand_dims,
    moveaxis,
    ndim,
    reshape,
    shape,
    sum,
    tensordot,
    transpose,
)

from astad.rules.crossed import crossed  # noqa: F401  (formulas name it)
from astad.rules.numpy.axes import axes_of
from astad.rules.numpy.products import BILINEAR, bar
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, linear
from astad.tangents.arrays import sum_to_shape

# tensordot


def contracted(axes: Any, left: int, right: int) -> tuple[list[int], list[int]]:
    """The axes summed over, of each factor of rank `left` and `right`."""
    if np.iterable(axes):
        first, second = axes
        first = [first] if ndim(first) == 0 else list(first)
        second = [second] if ndim(second) == 0 else list(second)
        return list(axes_of(first, left)), list(axes_of(second, right))
    return list(range(left - axes, left)), list(range(axes))


def tensordot_back(
    y_bar: Any, b: Any, mine: list[int], its: list[int], of: tuple[int, ...], first: bool
) -> Any:
    """Cotangent of one factor; `b` is the other; `mine`, `its`: their axes summed over."""
    free = [k for k in range(len(of)) if k not in mine]
    other = [k for k in range(ndim(b)) if k not in its]
    start = len(free) if first else 0
    g = tensordot(y_bar, bar(b), (range(start, start + len(other)), other))
    rest = sorted(its)  # g has the free axes, then those of b in b's order
    places = free + [mine[its.index(k)] for k in rest]
    return transpose(g, [places.index(k) for k in range(len(of))])


def tensordot_first(y_bar: Any, a: tuple[int, ...], b: Any, axes: Any) -> Any:
    """Cotangent of the first factor."""
    mine, its = contracted(axes, len(a), ndim(b))
    return tensordot_back(y_bar, b, mine, its, a, True)


def tensordot_second(y_bar: Any, a: Any, b: tuple[int, ...], axes: Any) -> Any:
    """Cotangent of the second factor."""
    its, mine = contracted(axes, ndim(a), len(b))
    return tensordot_back(y_bar, a, mine, its, b, False)


linear(
    np.tensordot,
    "a, b, axes=2",
    a="tensordot_first(y_bar, shape(a), b, axes)",
    b="tensordot_second(y_bar, a, shape(b), axes)",
    gives="tensordot(a, b, axes)",
    source=BILINEAR,
    examples=lambda: [
        (real(2, 3, 4), real(3, 4, 5)),
        (real(2, 3), real(3, 2), 1),
        (real(2, 3), real(3, 2), ([0, 1], [1, 0])),
        (real(2, 3, 4), real(4, 5, 2), ((0, 2), (2, 0))),
        (real(2), real(3), 0),
        (imaginary(2, 3), imaginary(4, 3), (1, 1)),
        (real(2, 3), real(2, 3), (-1, -1)),
    ],
)
linear(
    np.linalg.tensordot,
    "x1, x2, *, axes=2",
    x1="tensordot_first(y_bar, shape(x1), x2, axes)",
    x2="tensordot_second(y_bar, x1, shape(x2), axes)",
    gives="tensordot(x1, x2, axes)",
    source=BILINEAR,
    examples=lambda: [(real(2, 3), real(3, 2), Keywords(axes=1))],
)


# kron


def kron_back(y_bar: Any, b: Any, of: tuple[int, ...], first: bool) -> Any:
    """Cotangent of one factor, given the other; entries of the first are the blocks."""
    rank = max(len(of), ndim(b))
    mine = (1,) * (rank - len(of)) + of
    its = (1,) * (rank - ndim(b)) + shape(b)
    both: list[int] = []
    other: list[int] = []
    for k in range(rank):
        both = both + ([mine[k], its[k]] if first else [its[k], mine[k]])
        other = other + ([1, its[k]] if first else [its[k], 1])
    summed = tuple(range(1 if first else 0, 2 * rank, 2))
    return reshape(sum(reshape(y_bar, both) * reshape(bar(b), other), axis=summed), of)


linear(
    np.kron,
    "a, b",
    a="kron_back(y_bar, b, shape(a), True)",
    b="kron_back(y_bar, a, shape(b), False)",
    gives="kron(a, b)",
    complexes="kept",
    source=BILINEAR,
    examples=lambda: [
        (real(2), real(3)),
        (real(2, 3), real(2, 2)),
        (real(2, 3), real(2)),
        (imaginary(2), imaginary(2, 2)),
        (1.5, real(2)),
    ],
)


# cross


def three(a: Any, axis: int) -> Any:
    """Vectors along the last axis, those of the plane with a third entry 0."""
    rows = moveaxis(a, axis, -1)
    if shape(rows)[-1] == 3:
        return rows
    return np.concatenate([rows, np.zeros(shape(rows)[:-1] + (1,))], axis=-1)


def crossed_bar(y_bar: Any, flat: bool, axis: int) -> Any:
    """Cotangent of the result along the last axis; of plane vectors it is the third entry."""
    if not flat:
        return moveaxis(y_bar, axis, -1)
    g = expand_dims(y_bar, -1)
    nothing = np.zeros(shape(g))
    return np.concatenate([nothing, nothing, g], axis=-1)


def cross_back(y_bar: Any, a: Any, b: Any, axes: tuple[int, int, int], first: bool) -> Any:
    """From ``g . (da x b) = da . (b x g)``."""
    flat = shape(a)[axes[0]] == 2 and shape(b)[axes[1]] == 2
    g = crossed_bar(y_bar, flat, axes[2])
    mine, axis = (a, axes[0]) if first else (b, axes[1])
    whole = np.cross(three(bar(b), axes[1]), g) if first else np.cross(g, three(bar(a), axes[0]))
    rows = whole[..., : shape(mine)[axis]]
    return moveaxis(sum_to_shape(rows, shape(moveaxis(mine, axis, -1))), -1, axis)


def axes_of_cross(axisa: int, axisb: int, axisc: int, axis: Any) -> tuple[int, int, int]:
    """One axis for all, or three."""
    return (axisa, axisb, axisc) if axis is None else (axis, axis, axis)


linear(
    np.cross,
    "a, b, axisa=-1, axisb=-1, axisc=-1, axis=None",
    a="cross_back(y_bar, a, b, axes_of_cross(axisa, axisb, axisc, axis), True)",
    b="cross_back(y_bar, a, b, axes_of_cross(axisa, axisb, axisc, axis), False)",
    short={"1 1": ("crossed(b, y_bar)", "crossed(y_bar, a)")},
    entries="whole",
    source="g . (da x b) = da . (b x g)",
    examples=lambda: [
        (real(3), real(3, seed=1)),
        (real(2, 3), real(3)),
        (imaginary(3), imaginary(3, seed=2)),
        (real(3, 2), real(3, 2, seed=1), Keywords(axis=0)),
        (real(3, 2), real(2, 3), 0, 1, 0),
    ],
)
linear(
    np.linalg.cross,
    "x1, x2, *, axis=-1",
    x1="cross_back(y_bar, x1, x2, (axis, axis, axis), True)",
    x2="cross_back(y_bar, x1, x2, (axis, axis, axis), False)",
    short={"1 1": ("crossed(x2, y_bar)", "crossed(y_bar, x1)")},
    gives="cross(x1, x2)",
    source="g . (da x b) = da . (b x g)",
    examples=lambda: [
        (real(3), real(2, 3)),
        (real(3), real(3, seed=1)),
        (real(3, 2), real(3, 2, seed=1), Keywords(axis=0)),
    ],
)


# convolve, correlate


def windows() -> list[tuple[Any, ...]]:
    """All modes, of either length the greater."""
    pairs = [
        (real(5), real(3)),
        (real(3), real(5)),
        (real(5), real(4)),
        (real(2), real(5)),
        (imaginary(4), imaginary(3)),
    ]
    return [(a, v, mode) for a, v in pairs for mode in ("full", "same", "valid")]


def in_full(y_bar: Any, mode: Any, m: int, n: int, swapped: bool) -> Any:
    """Cotangent of the ``full`` result; `swapped`: 'same' leans the other way."""
    least = min(m, n)
    before = {"full": 0, "same": least // 2 if swapped else (least - 1) // 2, "valid": least - 1}[
        mode
    ]
    after = m + n - 1 - before - shape(y_bar)[0]
    return np.concatenate([np.zeros(before), y_bar, np.zeros(after)])


def convolve_back(y_bar: Any, of: tuple[int, ...], v: Any, mode: Any) -> Any:
    """Cotangent of a factor of shape `of`."""
    n = of[0] if of else 1
    g = in_full(y_bar, mode, n, np.size(v), False)
    return reshape(correlate(g, np.ravel(v), "valid"), of)


def correlate_first(y_bar: Any, of: tuple[int, ...], v: Any, mode: Any) -> Any:
    """Cotangent of the first factor of ``correlate``."""
    return convolve(in_full(y_bar, mode, of[0], len(v), of[0] < len(v)), v, "valid")


def correlate_second(y_bar: Any, a: Any, of: tuple[int, ...], mode: Any) -> Any:
    """Cotangent of the second factor, which is conjugated."""
    g = in_full(y_bar, mode, len(a), of[0], len(a) < of[0])
    return bar(correlate(g, a, "valid"))[::-1]


linear(
    np.convolve,
    "a, v, mode='full'",
    a="convolve_back(y_bar, shape(a), v, mode)",
    v="convolve_back(y_bar, shape(v), a, mode)",
    refuse="mode not in ('full', 'same', 'valid')",
    gives="vector_of_vector(a, v, mode)",
    source=BILINEAR,
    examples=windows,
)
linear(
    np.correlate,
    "a, v, mode='valid'",
    a="correlate_first(y_bar, shape(a), v, mode)",
    v="correlate_second(y_bar, a, shape(v), mode)",
    refuse="mode not in ('full', 'same', 'valid')",
    gives="vector_of_vector(a, v, mode)",
    source="y[k] = sum(a[n + k] * conj(v[n]))",
    examples=windows,
)
