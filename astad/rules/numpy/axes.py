"""Axes of a reduction: what it removed, put back.

Values of rules are whatever NumPy takes (numbers, arrays, lists), hence ``Any`` in the rule files.

>>> import numpy
>>> spread(numpy.array([5.0, 7.0]), (2, 3), axis=1)
array([[5., 5., 5.],
       [7., 7., 7.]])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import broadcast_to, expand_dims, maximum, moveaxis, ndim, reshape, shape

from astad.rules.registry import Keywords, linear
from astad.tangents.sums import sum_over

__all__ = [
    "axes_of",
    "counted",
    "from_last",
    "length",
    "move_axis",
    "repeated",
    "spread",
    "to_last",
    "unreduced",
]

Shape = tuple[int, ...]


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes named by `axis` (None: all), counted from the front."""
    if axis is None:
        return tuple(range(rank))
    if isinstance(axis, (tuple, list)):
        return tuple([int(k) % rank for k in axis]) if rank else ()
    return (int(axis) % rank if rank else 0,)


def unreduced(g: Any, to: Shape, axis: Any) -> Any:
    """`g` with the reduced axes back, of length 1; as it is where they were kept."""
    rank = ndim(g)
    if rank == len(to):  # keepdims=True, axis=() or np.matrix
        return g
    if axis is None:
        return reshape(g, (1,) * len(to)) if rank else g
    if rank and isinstance(axis, int):
        return g.reshape(to[:axis] + (1,) + to[axis % len(to) + 1 :])
    return expand_dims(g, axis)


def spread(g: Any, to: Shape, axis: Any = None, mask: Any = True) -> Any:
    """`g`, of a reduction over `axis`, in the shape `to` before it (a view without `mask`)."""
    if axis is None and ndim(g) == 0:
        whole = repeated(g, to)
    else:
        whole = broadcast_to(unreduced(g, to, axis), to)
    return whole if mask is True or mask is np._NoValue else np.where(mask, whole, 0)


def repeated(g: Any, to: Shape) -> Any:
    """A number in the shape `to`, in one cell of memory; ``broadcast_to`` takes twice as long."""
    cell = np.asarray(g)
    view: Any = np.ndarray(to, cell.dtype, cell, 0, (0,) * len(to))
    view.flags.writeable = False
    return view


def example() -> list[tuple[Any, ...]]:
    """Numbers of all kinds."""
    return [(1.5, (2, 3)), (np.float64(1.5), (0, 3)), (np.array(2.5), ()), (1.0 + 2.0j, (2,))]


linear(
    repeated,
    "g, to",
    g="np.sum(y_bar)",
    source="the cotangents of the copies add",
    examples=example,
)


linear(
    sum_over,
    "g, axis, *, keepdims=False",
    g="spread(y_bar, shape(g), axis)",
    source="differentiation under the sum sign",
    examples=lambda: [
        (np.arange(6.0).reshape(2, 3), 1),
        (np.arange(24.0).reshape(2, 3, 4), (0, 2), Keywords(keepdims=True)),
        (np.arange(1500.0).reshape(3, 250, 2), 1),
        (np.arange(1500.0).reshape(3, 250, 2), (0, 2)),
    ],
)


def length(of: Sequence[int], axis: Any) -> int:
    """How many entries a reduction over `axis` makes one of."""
    total = 1
    for k in axes_of(axis, len(of)):
        total = total * of[k]
    return total


def counted(of: Shape, axis: Any, mask: Any = True) -> Any:
    """Like `length`, of the entries in `mask`: an array with the axes kept, at least 1."""
    if mask is True or mask is np._NoValue:
        return length(of, axis)
    return maximum(np.sum(broadcast_to(mask, of), axis=axis_or_tuple(axis), keepdims=True), 1)


def axis_or_tuple(axis: Any) -> Any:
    """Lists of axes as the tuple that NumPy wants."""
    return tuple(axis) if isinstance(axis, list) else axis


def move_axis(a: Any, source: int, to: int) -> Any:
    """One axis of `a` moved; of rows, which have no other, nothing is done."""
    return a if ndim(a) == 1 else moveaxis(a, source, to)


def to_last(a: Any, axis: Any) -> Any:
    """`a` with the axes of a reduction last and made one."""
    of = shape(a)
    axes = axes_of(axis, len(of)) if of else ()
    moved = moveaxis(a, axes, tuple(range(-len(axes), 0))) if axes else a
    return reshape(moved, shape(moved)[: len(of) - len(axes)] + (length(of, axes),))


def from_last(a: Any, of: Shape, axis: Any) -> Any:
    """Back from `to_last`, to the shape `of`."""
    axes = axes_of(axis, len(of)) if of else ()
    rest = tuple([of[k] for k in range(len(of)) if k not in axes])
    parts = reshape(a, rest + tuple([of[k] for k in axes]))
    return moveaxis(parts, tuple(range(-len(axes), 0)), axes) if axes else parts
