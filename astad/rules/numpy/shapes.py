"""Rules of what moves entries without changing them: reshape, transpose, flip, roll and the like.

Most results are views, whose cotangent is the base's by itself; these rules serve the copies.

>>> import numpy
>>> untransposed(numpy.ones((4, 2, 3)), (2, 0, 1)).shape
(2, 3, 4)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import moveaxis, ndim, reshape, shape, transpose

from astad.rules.numpy.axes import axes_of
from astad.rules.numpy.samples import real
from astad.rules.registry import linear

MOVED = "a permutation's transpose is its inverse"


def shaped(y_bar: Any, a: Any, order: str = "C") -> Any:
    """`y_bar` in the shape of `a`; the order of the entries is that of the flattening."""
    return reshape(y_bar, shape(a), order=flattening(a, order))


def flattening(a: Any, order: str) -> Any:
    """'A' and 'K' as NumPy reads them for this array: Fortran order only where it is stored so."""
    if order in ("A", "K"):
        stored = np.asarray(a).flags
        return "F" if stored.f_contiguous and not stored.c_contiguous else "C"
    return order


def strided(y_bar: Any, a: Any, order: str = "C") -> Any:
    """Adjoint of flattening in `order`, of which 'K' follows the strides."""
    if order != "K":
        return shaped(y_bar, a, order)
    steps = [-abs(step) for step in np.asarray(a).strides]
    axes = sorted(range(len(steps)), key=steps.__getitem__)
    return untransposed(reshape(y_bar, [shape(a)[k] for k in axes]), axes)


def untransposed(y_bar: Any, axes: Any) -> Any:
    """Adjoint of transposing by `axes`."""
    if axes is None:
        return transpose(y_bar)
    rank = len(axes)
    return transpose(y_bar, [list(axes_of(list(axes), rank)).index(k) for k in range(rank)])


def stored_like(a_dot: Any, a: Any) -> Any:
    """`a_dot` with its entries in memory in the order of those of `a`, which 'A' and 'K' follow."""
    steps = [-abs(step) for step in np.asarray(a).strides]
    axes = sorted(range(len(steps)), key=steps.__getitem__)
    return untransposed(np.ascontiguousarray(transpose(a_dot, axes)), axes) if axes else a_dot


linear(
    np.reshape,
    "a, shape, order='C', *, copy=None",
    a="shaped(y_bar, a, order)",
    dot="reshape(stored_like(a_dot, a), shape, order=order)",
    short={"": ("y_bar.reshape(a.shape)",)},
    method="shape, /",
    gives="reshaped(a, shape); order",
    view="a",
    entries="whole",
    finite="a",
    complexes="kept",
    source=MOVED,
    examples=lambda: [
        (real(2, 3), (3, 2)),
        (real(2, 3), -1),
        (real(2, 3), (6,), "F"),
        (1.5, (1, 1)),
        (real(2, 3).T, (3, 2), "A"),
        ([1.5, 2.5], (2, 1)),
    ],
)
linear(
    np.ravel,
    "a, order='C'",
    a="strided(y_bar, a, order)",
    dot="np.ravel(stored_like(a_dot, a), order)",
    short={"": ("y_bar.reshape(a.shape)",)},
    method="",
    gives="flat(a); order",
    view="a",
    entries="whole",
    finite="a",
    complexes="kept",
    source=MOVED,
    examples=lambda: [
        (real(2, 3),),
        (real(2, 3), "F"),
        (real(2, 3).T, "A"),
        (np.swapaxes(real(2, 3, 4), 0, 2), "K"),
        (np.asfortranarray(real(2, 3, 4)), "K"),
        (1.5,),
    ],
)
linear(
    np.transpose,
    "a, axes=None",
    a="untransposed(y_bar, axes)",
    short={"": ("y_bar.T",)},
    method="axes, /",
    gives="transposed(a, axes)",
    view="a",
    entries="whole",
    finite="a",
    complexes="kept",
    source=MOVED,
    examples=lambda: [
        (real(2, 3),),
        (real(2, 3, 4), (2, 0, 1)),
        (real(2, 3, 4), (-1, 0, 1)),
        (real(3),),
    ],
)
linear(
    np.swapaxes,
    "a, axis1, axis2",
    a="np.swapaxes(y_bar, axis1, axis2)",
    short={"": ("y_bar.swapaxes(axis1, axis2)",)},
    method="axis1, axis2, /",
    gives="swapped(a, axis1, axis2)",
    view="a",
    entries="whole",
    finite="a",
    complexes="kept",
    source=MOVED,
    examples=lambda: [(real(2, 3, 4), 0, -1)],
)
linear(
    np.moveaxis,
    "a, source, destination",
    a="moveaxis(y_bar, destination, source)",
    gives="reordered(a); source, destination",
    view="a",
    source=MOVED,
    examples=lambda: [(real(2, 3, 4), 0, -1), (real(2, 3, 4), (0, 1), (2, 0))],
)
linear(
    np.expand_dims,
    "a, axis",
    a="reshape(y_bar, shape(a))",
    short={"": ("y_bar.reshape(a.shape)",)},
    gives="expanded(a, axis)",
    view="a",
    entries="whole",
    complexes="kept",
    source=MOVED,
    examples=lambda: [(real(2, 3), 1), (real(3), (0, -1)), (1.5, 0)],
)
linear(
    np.squeeze,
    "a, axis=None",
    a="reshape(y_bar, shape(a))",
    short={"; axis": ("y_bar.reshape(a.shape)",)},
    method="axis",
    gives="squeezed(a, axis)",
    view="a",
    entries="whole",
    complexes="kept",
    source=MOVED,
    examples=lambda: [(real(1, 3, 1),), (real(1, 3, 1), 0), (real(1, 1),)],
)
linear(
    np.flip,
    "m, axis=None",
    m="np.flip(y_bar, axis)",
    gives="moved(m); axis",
    view="m",
    entries="whole",
    complexes="kept",
    source=MOVED,
    examples=lambda: [(real(2, 3),), (real(2, 3), 1), (real(2, 3, 4), (0, 2))],
)
linear(
    np.fliplr,
    "m",
    m="np.flip(y_bar, 1)",
    gives="matrices(m)",
    view="m",
    source=MOVED,
    examples=lambda: [(real(2, 3),)],
)
linear(
    np.flipud,
    "m",
    m="np.flip(y_bar, 0)",
    gives="moved(m)",
    view="m",
    source=MOVED,
    examples=lambda: [(real(3),), (real(2, 3),)],
)
linear(
    np.roll,
    "a, shift, axis=None",
    a="np.roll(y_bar, negated(shift), axis)",
    gives="moved(a); shift, axis",
    entries="whole",
    complexes="kept",
    source=MOVED,
    examples=lambda: [
        (real(5), 2),
        (real(2, 3), 1),
        (real(2, 3), -1, 1),
        (real(2, 3), (1, 2), (0, 1)),
    ],
)
linear(
    np.rot90,
    "m, k=1, axes=(0, 1)",
    m="np.rot90(y_bar, -k, axes)",
    gives="matrices(m); k",
    view="m",
    source=MOVED,
    examples=lambda: [(real(2, 3),), (real(2, 3), 3), (real(2, 3, 4), 2, (1, 2))],
)


def negated(shift: Any) -> Any:
    """The shift back, of one axis or of several."""
    return tuple([-k for k in shift]) if isinstance(shift, (tuple, list)) else -shift


def rolled_axis(y_bar: Any, axis: int, start: int) -> Any:
    """Adjoint of ``rollaxis``."""
    rank = ndim(y_bar)
    axis, start = axis % rank, start + rank if start < 0 else start
    return moveaxis(y_bar, start - 1 if axis < start else start, axis)


linear(
    np.rollaxis,
    "a, axis, start=0",
    a="rolled_axis(y_bar, axis, start)",
    gives="reordered(a); axis, start",
    view="a",
    source=MOVED,
    examples=lambda: [
        (real(2, 3, 4), 2),
        (real(2, 3, 4), 0, 3),
        (real(2, 3, 4), 1, -1),
        (real(2, 3, 4), 1, 1),
    ],
)
for each in (np.matrix_transpose, np.linalg.matrix_transpose):
    linear(
        each,
        "x",
        x="np.swapaxes(y_bar, -1, -2)",
        gives="matrices(x)",
        view="x",
        source=MOVED,
        examples=lambda: [(real(2, 3),), (real(4, 2, 3),)],
    )
