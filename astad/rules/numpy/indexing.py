"""Rules of what picks entries by place or by condition: take, choose, select, diagonals, triangles.

>>> import numpy
>>> triangle_back(numpy.ones((2, 2)), numpy.tril, 0)
array([[1., 0.],
       [1., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    broadcast_to,
    diagonal,
    reshape,
    shape,
    take_along_axis,
    where,
)

from astad.rules.numpy.samples import imaginary, real
from astad.rules.numpy.scatter import numbered, scattered
from astad.rules.registry import Keywords, linear
from astad.tangents.arrays import sum_to_shape

PICKED = "transpose of picking entries"
NO_OUT = "out is not None"

linear(
    np.take,
    "a, indices, axis=None, out=None, mode='raise'",
    a="scattered(y_bar, np.take(numbered(shape(a)), indices, axis, mode=mode), shape(a))",
    refuse=NO_OUT,
    method="indices, /, axis",
    gives="taken(a, indices, axis)",
    source=PICKED,
    examples=lambda: [
        (real(5), [0, 2, 2]),
        (real(3, 4), np.array([[1, 0], [3, 3]]), 1),
        (real(3, 4), 7),
        (real(4), [5, -1], None, None, "wrap"),
        (imaginary(3), 1),
        ([1.5, 2.5], 0),
    ],
)
linear(
    np.take_along_axis,
    "arr, indices, axis=-1",
    arr="scattered(y_bar, along(shape(arr), indices, axis), shape(arr))",
    gives="along(arr, axis); indices",
    source=PICKED,
    examples=lambda: [
        (real(2, 3), np.array([[0], [2]]), 1),
        (real(2, 3), np.array([[0, 1, 1]]), 0),
        (real(4), np.array([3, 3]), None),
    ],
)
linear(
    np.compress,
    "condition, a, axis=None, out=None",
    a="scattered(y_bar, np.compress(condition, numbered(shape(a)), axis), shape(a))",
    refuse=NO_OUT,
    gives="running(a, axis); condition",
    source=PICKED,
    examples=lambda: [
        ([True, False, True], real(3)),
        ([0, 1], real(2, 3), 0),
        ([True, False, True], real(2, 3), 1),
        ([False, True], real(2, 3)),
    ],
)
linear(
    np.extract,
    "condition, arr",
    arr="scattered(y_bar, np.extract(condition, numbered(shape(arr))), shape(arr))",
    gives="flat(arr); condition",
    source=PICKED,
    examples=lambda: [
        (np.array([True, False, True]), real(3)),
        (np.array([[1, 0], [1, 1]]), real(2, 2)),
    ],
)


def along(of: tuple[int, ...], indices: Any, axis: Any) -> Any:
    """Places that ``take_along_axis`` reads."""
    if axis is None:
        return indices
    return take_along_axis(numbered(of), indices, axis)


# one of several


def chosen_back(y_bar: Any, a: Any, choices: Any, mode: str) -> list[Any]:
    """Cotangents of the choices, each where it was taken."""
    n = len(choices)
    if mode == "wrap":
        a = np.mod(a, n)
    elif mode == "clip":
        a = np.clip(a, 0, n - 1)
    return [sum_to_shape(where(np.equal(a, k), y_bar, 0), shape(choices[k])) for k in range(n)]


def first_true(condlist: Any) -> list[Any]:
    """The conditions, each less the earlier ones."""
    free: Any = True
    only = []
    for each in condlist:
        only.append(np.logical_and(each, free))
        free = np.logical_and(free, np.logical_not(each))
    only.append(free)
    return only


def selected_back(y_bar: Any, condlist: Any, choicelist: Any) -> list[Any]:
    """Cotangents of the choices, each where its condition was the first to hold."""
    hits = first_true(condlist)
    return [
        sum_to_shape(where(hits[k], y_bar, 0), shape(choicelist[k])) for k in range(len(choicelist))
    ]


linear(
    np.choose,
    "a, choices, out=None, mode='raise'",
    choices="chosen_back(y_bar, a, choices, mode)",
    refuse=NO_OUT,
    source=PICKED,
    examples=lambda: [
        (np.array([0, 2, 1]), [real(3), 1.5, real(3, seed=1)]),
        (np.array([[0], [1]]), [real(3), real(2, 3)]),
        (np.array([0, 5]), [real(2), real(2, seed=1)], Keywords(mode="clip")),
        (np.array([-1, 3]), [real(2), real(2, seed=1)], Keywords(mode="wrap")),
    ],
)
linear(
    np.select,
    "condlist, choicelist, default=0",
    choicelist="selected_back(y_bar, condlist, choicelist)",
    default="sum_to_shape(where(first_true(condlist)[-1], y_bar, 0), shape(default))",
    dot="np.select(condlist, choicelist_dot, default_dot)",
    source=PICKED,
    examples=lambda: [
        (
            [np.array([True, False, False]), np.array([True, True, False])],
            [real(3), real(3, seed=1)],
            0.5,
        ),
        ([np.array([[True], [False]])], [real(2, 3)]),
    ],
)


# diagonals and triangles


def diag_back(y_bar: Any, of: tuple[int, ...], k: int) -> Any:
    """A vector became a diagonal, or a diagonal a vector."""
    if len(of) == 1:
        return diagonal(y_bar, k)
    return scattered(y_bar, diagonal(numbered(of), k), of)


def diagonal_back(y_bar: Any, of: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Any:
    """Zeros but on the diagonal."""
    return scattered(y_bar, diagonal(numbered(of), offset, axis1, axis2), of)


def trace_back(y_bar: Any, of: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Any:
    """The cotangent of the sum, on the diagonal."""
    places = diagonal(numbered(of), offset, axis1, axis2)
    g = np.asarray(y_bar)  # of a matrix the sum is a matrix of one number
    g = reshape(g, shape(places)[:-1] + (1,))
    return scattered(broadcast_to(g, shape(places)), places, of)


def triangle_back(y_bar: Any, part: Any, k: int, of: tuple[int, ...] | None = None) -> Any:
    """The same triangle of the cotangent; a vector had been repeated as rows."""
    kept = part(y_bar, k)
    return kept if of is None else sum_to_shape(kept, of)


TRACE = "a, offset=0, axis1=0, axis2=1, dtype=None, out=None"
linear(
    np.diag,
    "v, k=0",
    v="diag_back(y_bar, shape(v), k)",
    gives="diag(v); k",
    view="v",
    complexes="kept",
    source=PICKED,
    examples=lambda: [(real(3),), (real(3, 4),), (real(3), 1), (real(3, 4), -1)],
)
linear(
    np.diagflat,
    "v, k=0",
    v="np.reshape(diagonal(y_bar, k), shape(v))",
    gives="square(v); k",
    source=PICKED,
    examples=lambda: [(real(3),), (real(2, 2), -1)],
)
linear(
    np.diagonal,
    "a, offset=0, axis1=0, axis2=1",
    a="diagonal_back(y_bar, shape(a), offset, axis1, axis2)",
    method="offset, axis1, axis2, /",
    gives="diagonal(a); offset, axis1, axis2",
    view="a",
    source=PICKED,
    examples=lambda: [(real(3, 4),), (real(2, 3, 4), 1, 0, 2), (real(2, 3, 4), -1, -1, 0)],
)
linear(
    np.trace,
    TRACE,
    a="trace_back(y_bar, shape(a), offset, axis1, axis2)",
    refuse=NO_OUT,
    short={"2": ("y_bar * np.eye(a.shape[0], a.shape[1])",)},
    method="offset, axis1, axis2, /",
    gives="trace(a); offset, axis1, axis2",
    complexes="kept",
    source=PICKED,
    examples=lambda: [(real(3, 4),), (real(2, 3, 4), 1, 0, 2), (imaginary(3, 3), -1)],
)
linear(
    np.tril,
    "m, k=0",
    m="triangle_back(y_bar, np.tril, k, shape(m))",
    gives="matrices(m); k",
    source=PICKED,
    examples=lambda: [(real(3, 4),), (real(2, 3, 3), 1), (real(3), -1)],
)
linear(
    np.triu,
    "m, k=0",
    m="triangle_back(y_bar, np.triu, k, shape(m))",
    gives="matrices(m); k",
    source=PICKED,
    examples=lambda: [(real(3, 4),), (real(2, 3, 3), 1), (real(3), -1)],
)
linear(
    np.linalg.diagonal,
    "x, *, offset=0",
    x="diagonal_back(y_bar, shape(x), offset, -2, -1)",
    gives="diagonal(x); offset",
    view="x",
    source=PICKED,
    examples=lambda: [(real(3, 4),), (real(2, 3, 4), Keywords(offset=1))],
)
linear(
    np.linalg.trace,
    "x, *, offset=0, dtype=None",
    x="trace_back(y_bar, shape(x), offset, -2, -1)",
    gives="trace(x)",
    source=PICKED,
    examples=lambda: [(real(3, 4),), (real(2, 3, 4), Keywords(offset=1))],
)
