"""Adjoint of picking entries: each cotangent is added where its entry came from.

A rule finds the places by picking from the numbered array in the same way.

>>> import numpy
>>> places = numpy.take(numbered((2, 3)), [0, 0, 2], axis=1)
>>> scattered(numpy.ones((2, 3)), places, (2, 3))
array([[2., 0., 1.],
       [2., 0., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import arange, empty, ravel, reshape, shape, where, zeros

from astad.rules.registry import linear, rule, zero
from astad.tangents.arrays import sum_to_shape  # noqa: F401  for the formulas

__all__ = [
    "added_at",
    "entries",
    "numbered",
    "own_copy",
    "picked",
    "put_at",
    "put_flat",
    "put_once",
    "scattered",
]


def numbered(of: tuple[int, ...]) -> Any:
    """0, 1, 2, ... in the shape `of`."""
    total = 1
    for k in of:
        total = total * k
    return reshape(arange(total), of)


def scattered(g: Any, places: Any, of: tuple[int, ...]) -> Any:
    """Zeros of shape `of` with each entry of `g` added at its place in the flattened array."""
    total = 1
    for k in of:
        total = total * k
    if total == 0:  # what was made of nothing
        return zeros(of)
    into = zeros(total, dtype=np.result_type(np.asarray(g), np.float16))
    np.add.at(into, ravel(places), ravel(g))
    return reshape(into, of)


def picked(a: Any, places: Any) -> Any:
    """Entries at these places of the flattened array."""
    if np.size(a) == 0:
        return zeros(np.shape(places))
    return reshape(a, (-1,))[places]


linear(
    scattered,
    "g, places, of",
    g="picked(y_bar, places)",
    source="transpose of picking",
    examples=lambda: [(np.array([1.5, 2.5, -1.0]), np.array([2, 0, 2]), (2, 2))],
)


def of_three() -> list[tuple[Any, ...]]:
    """An array, places of which one comes twice, and what goes there."""
    return [(np.array([1.5, 2.5, -1.0]), np.array([2, 0, 2]), np.array([0.5, 1.0, 2.0]))]


def added_at(a: Any, indices: Any, b: Any) -> Any:
    """What ``np.add.at`` makes of `a`, in an array of its own."""
    y = np.array(a)
    np.add.at(y, indices, b)
    return y


rule(
    added_at,
    "a, indices, b",
    a="y_bar",
    b="sum_to_shape(y_bar[indices], shape(b))",
    dot="added_at(a_dot, indices, b_dot)",
    gives="beside(a, b); indices",
    source="y[k] = a[k] + sum of b[j] over the j with indices[j] = k",
    examples=of_three,
)


def put_at(a: Any, indices: Any, b: Any) -> Any:
    """What ``a[indices] = b`` makes of `a`, in an array of its own."""
    y = np.array(a)
    y[indices] = b
    return y


def cleared(g: Any, indices: Any) -> Any:
    """`g` with zeros at these places."""
    return put_at(g, indices, 0.0)


def last_put(g: Any, indices: Any) -> Any:
    """The entries of `g` at these places, each for the last that was put there; 0 for others."""
    found = g[indices]
    number = numbered(shape(found))
    last = empty(shape(g), dtype=int)
    last[indices] = number
    return where(last[indices] == number, found, 0.0)


rule(
    put_at,
    "a, indices, b",
    a="cleared(y_bar, indices)",
    b="sum_to_shape(last_put(y_bar, indices), shape(b))",
    dot="put_at(a_dot, indices, b_dot)",
    gives="beside(a, b); indices",
    source="y[k] = b[j] for the last j with indices[j] = k, else a[k]",
    examples=of_three,
)


def put_flat(a: Any, places: Any, b: Any) -> Any:
    """The same for places of the flattened array, which lies in the order of C."""
    if not a.flags.c_contiguous:
        raise ValueError("views of an array in another order are others")
    return reshape(put_at(ravel(a), places, b), shape(a))


rule(
    put_flat,
    "a, places, b",
    a="reshape(cleared(ravel(y_bar), places), shape(y_bar))",
    b="sum_to_shape(last_put(ravel(y_bar), places), shape(b))",
    dot="put_flat(a_dot, places, b_dot)",
    gives="beside(a, b); places",
    source="as `put_at`",
    examples=lambda: [
        (np.array([[1.5, 2.5], [-1.0, 0.3]]), np.array([2, 0]), np.array([0.5, 2.0]))
    ],
)


def put_once(a: Any, places: Any, b: Any) -> Any:
    """The same for places of which none comes twice."""
    if not a.flags.c_contiguous:
        raise ValueError("views of an array in another order are others")
    return with_entries(a, places, b)


def with_entries(g: Any, places: Any, b: Any) -> Any:
    """`g` with other entries at these places of the flattened array."""
    y = np.array(g, order="C")
    y.reshape(-1)[places] = b
    return y


rule(
    put_once,
    "a, places, b",
    a="with_entries(y_bar, places, 0.0)",
    b="sum_to_shape(picked(y_bar, places), shape(b))",
    dot="with_entries(a_dot, places, b_dot)",
    gives="beside(a, b); places",
    source="as `put_at`; each place has one entry",
    examples=lambda: [
        (np.array([[1.5, 2.5], [-1.0, 0.3]]), np.array([2, 0]), np.array([0.5, 2.0])),
        (np.array([[1.5, 2.5], [-1.0, 0.3]]), np.array([[1, 3]]), 2.0),
    ],
)


def entries(a: Any, places: Any, kind: str) -> Any:
    """Those at these places of the flattened array: of the `kind` that ``observed`` names so."""
    return picked(a, places)


def own_copy(a: Any, kind: str) -> Any:
    """Of an array of constants, which is of the `kind` that ``observed`` names so."""
    return a.copy()


zero(own_copy, gives="a, kind -> observed(kind); a", why="a copy of constants")
linear(
    entries,
    "a, places, kind",
    a="scattered(y_bar, places, shape(a))",
    gives="observed(kind); a, places",
    source="transpose of picking",
    examples=lambda: [(np.array([[1.5, 2.5]]), np.array([1, 0, 1]), "ndarray1")],
)
