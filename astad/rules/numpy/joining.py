"""Rules of what joins, cuts and copies arrays: concatenate, stack, split, tile, repeat, insert.

The cotangent of a list of arrays is a list; that of a list of results may hold None.

>>> import numpy
>>> pieces(numpy.arange(5.0), [(2,), (3,)], 0)
[array([0., 1.]), array([2., 3., 4.])]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    atleast_1d,
    concatenate,
    insert,
    moveaxis,
    ndim,
    repeat,
    reshape,
    shape,
    sum,
    zeros,
)

from astad.rules.numpy.axes import axes_of, length
from astad.rules.numpy.samples import imaginary, real
from astad.rules.numpy.scatter import numbered, scattered
from astad.rules.registry import Keywords, linear

PLACED = "every entry goes to one place"


def sizes(arrays: Any) -> list[tuple[int, ...]]:
    """The shapes of the arrays in a list."""
    return [shape(each) for each in arrays]


def pieces(y_bar: Any, of: list[tuple[int, ...]], axis: int) -> list[Any]:
    """`y_bar` cut along `axis` at lengths of the shapes `of`."""
    parts = []
    rows = y_bar if axis == 0 else moveaxis(y_bar, axis, 0)
    start = 0
    for each in of:
        stop = start + each[axis]
        parts.append(rows[start:stop] if axis == 0 else moveaxis(rows[start:stop], 0, axis))
        start = stop
    return parts


def concatenated_back(y_bar: Any, arrays: Any, axis: Any = 0) -> list[Any]:
    """Cotangents of the arrays joined; without an axis they were flattened."""
    of = sizes(arrays)
    if axis is not None:
        return pieces(y_bar, of, axis)
    flat = pieces(y_bar, [(int(np.prod(each)),) for each in of], 0)
    return [reshape(flat[k], of[k]) for k in range(len(of))]


def raised_back(y_bar: Any, arrays: Any, least: Any, axis: int) -> list[Any]:
    """Cotangents of arrays brought to a `least` rank, then joined."""
    of = [shape(least(each)) for each in arrays]
    parts = pieces(y_bar, of, axis)
    return [reshape(parts[k], shape(arrays[k])) for k in range(len(of))]


def hstacked_back(y_bar: Any, arrays: Any) -> list[Any]:
    """Along the second axis, along the first for vectors."""
    return raised_back(y_bar, arrays, atleast_1d, 0 if ndim(y_bar) == 1 else 1)


def column(a: Any) -> Any:
    """A vector as a column, a matrix as it is."""
    return a if ndim(a) >= 2 else reshape(a, (-1, 1))


JOIN = "arrays, axis=0, out=None, *, dtype=None, casting='same_kind'"
NO_OUT = "out is not None"
linear(
    np.concatenate,
    JOIN,
    arrays="concatenated_back(y_bar, arrays, axis)",
    refuse=NO_OUT,
    gives="joined(arrays, axis)",
    entries="whole",
    source=PLACED,
    examples=lambda: [
        ([real(2), real(3)],),
        ((real(2, 3), real(2, 1)), 1),
        ([real(2, 3), real(4)], None),
        ([real(2, 3), imaginary(1, 3)], -2),
        (real(2, 3),),
        ([real(0), real(2)],),
    ],
)
linear(
    np.stack,
    JOIN,
    arrays="moveaxis(y_bar, axis, 0)",
    refuse=NO_OUT,
    gives="stacked(arrays, axis)",
    entries="whole",
    source=PLACED,
    examples=lambda: [
        ([real(2), real(2, seed=1)],),
        ([real(2, 3), real(2, 3, seed=1)], 1),
        ((1.5, 2.5),),
        ([real(2), imaginary(2)], -1),
    ],
)
linear(
    np.vstack,
    "tup, *, dtype=None, casting='same_kind'",
    tup="raised_back(y_bar, tup, np.atleast_2d, 0)",
    gives="in_rows(tup)",
    entries="whole",
    source=PLACED,
    examples=lambda: [
        ([real(3), real(2, 3)],),
        ((1.5, 2.5),),
        ([real(1, 3), real(2, 3)],),
    ],
)
linear(
    np.hstack,
    "tup, *, dtype=None, casting='same_kind'",
    tup="hstacked_back(y_bar, tup)",
    gives="in_a_row(tup)",
    entries="whole",
    source=PLACED,
    examples=lambda: [([real(3), real(2)],), ([real(2, 3), real(2, 1)],), ((1.5, real(2)),)],
)
linear(
    np.dstack,
    "tup",
    tup="raised_back(y_bar, tup, np.atleast_3d, 2)",
    gives="in_depth(tup)",
    source=PLACED,
    examples=lambda: [
        ([real(3), real(3, seed=1)],),
        ([real(2, 3), real(2, 3, 2)],),
        ([real(2, 3), real(2, 3, seed=1)],),
    ],
)
linear(
    np.column_stack,
    "tup",
    tup="raised_back(y_bar, tup, column, 1)",
    gives="in_columns(tup)",
    source=PLACED,
    examples=lambda: [([real(3), real(3, 2)],), ((real(2), real(2, seed=1)),)],
)
linear(
    np.append,
    "arr, values, axis=None",
    arr="appended_back(y_bar, arr, values, axis)[0]",
    values="appended_back(y_bar, arr, values, axis)[1]",
    dot="np.append(arr_dot, values_dot, axis)",
    gives="appended(arr, values)",
    source=PLACED,
    examples=lambda: [(real(3), 1.5), (real(2, 3), real(2)), (real(2, 3), real(1, 3), 0)],
)


def appended_back(y_bar: Any, arr: Any, values: Any, axis: Any) -> list[Any]:
    """Cotangents of an array and of what follows it."""
    return concatenated_back(y_bar, [arr, values], axis)


def block_back(y_bar: Any, arrays: Any) -> Any:
    """Cotangents of nested lists of blocks, in the same nesting."""
    rank = max(ndim(y_bar), 1)
    return block_parts(y_bar, arrays, -depth(arrays), rank)


def depth(arrays: Any) -> int:
    """How deep the lists go."""
    return 1 + depth(arrays[0]) if isinstance(arrays, list) else 0


def block_parts(y_bar: Any, arrays: Any, axis: int, rank: int) -> Any:
    """One level of `block_back`, which joined along `axis`."""
    if not isinstance(arrays, list):
        return reshape(y_bar, shape(arrays))
    of = [block_shape(each, axis + 1, rank) for each in arrays]
    parts = pieces(y_bar, of, axis)
    return [block_parts(parts[k], arrays[k], axis + 1, rank) for k in range(len(parts))]


def block_shape(arrays: Any, axis: int, rank: int) -> Any:
    """Shape of a block of blocks."""
    if not isinstance(arrays, list):
        return (1,) * (rank - ndim(arrays)) + shape(arrays)
    inner = [block_shape(each, axis + 1, rank) for each in arrays]
    whole = list(inner[0])
    whole[axis] = 0
    for each in inner:
        whole[axis] += each[axis]
    return tuple(whole)


linear(
    np.block,
    "arrays",
    arrays="block_back(y_bar, arrays)",
    source=PLACED,
    examples=lambda: [
        ([real(2), real(3)],),
        ([[real(2, 2), real(2, 1)], [real(1, 2), real(1, 1)]],),
        ([[1.5, real(2)]],),
        (real(2),),
        ([[[real(2)]], [[real(2, seed=1)]]],),
        ([real(2, 3), [real(2, 3)]][1],),
    ],
)


# cutting


def filled(parts_bar: Any, parts: Any) -> list[Any]:
    """Cotangents of the parts, zeros for those without."""
    each = [
        zeros(shape(parts[k])) if parts_bar[k] is None else parts_bar[k] for k in range(len(parts))
    ]
    return each


def split_back(y_bar: Any, y: Any, axis: int) -> Any:
    """Cotangent of the array that was cut along `axis`."""
    return concatenate(filled(y_bar, y), axis=axis)


linear(
    np.split,
    "ary, indices_or_sections, axis=0",
    ary="split_back(y_bar, y, axis)",
    source=PLACED,
    examples=lambda: [(real(6), 3), (real(5), [1, 3]), (real(2, 4), 2, 1)],
)
linear(
    np.array_split,
    "ary, indices_or_sections, axis=0",
    ary="split_back(y_bar, y, axis)",
    refuse="axis != 0 and isinstance(ary, (list, tuple))",
    source=PLACED,
    examples=lambda: [(real(5), 3), (real(2, 5), 2, 1)],
)
linear(
    np.vsplit,
    "ary, indices_or_sections",
    ary="split_back(y_bar, y, 0)",
    source=PLACED,
    examples=lambda: [(real(4, 2), 2)],
)
linear(
    np.hsplit,
    "ary, indices_or_sections",
    ary="split_back(y_bar, y, min(ndim(ary), 2) - 1)",
    source=PLACED,
    examples=lambda: [(real(4), 2), (real(2, 4), [1])],
)
linear(
    np.dsplit,
    "ary, indices_or_sections",
    ary="split_back(y_bar, y, 2)",
    source=PLACED,
    examples=lambda: [(real(2, 3, 4), 2)],
)
linear(
    np.unstack,
    "x, *, axis=0",
    x="np.stack(filled(y_bar, y), axis=axis)",
    source=PLACED,
    examples=lambda: [(real(2, 3),), (real(2, 3), Keywords(axis=1))],
)


# copies of entries


def tiled_back(y_bar: Any, of: tuple[int, ...], reps: Any) -> Any:
    """Sum over the tiles."""
    counts = tuple(reps) if np.iterable(reps) else (reps,)
    rank = max(len(counts), len(of))
    counts = (1,) * (rank - len(counts)) + counts
    whole = (1,) * (rank - len(of)) + of
    both: list[int] = []
    for k in range(rank):
        both = both + [counts[k], whole[k]]
    return reshape(sum(reshape(y_bar, both), axis=tuple(range(0, 2 * rank, 2))), of)


def repeated_back(y_bar: Any, of: tuple[int, ...], repeats: Any, axis: Any) -> Any:
    """Sum over the copies of each entry."""
    if ndim(repeats) > 0:
        return scattered(y_bar, repeat(numbered(of), repeats, axis), of)
    rows = (length(of, None),) if axis is None or not of else of
    k = axes_of(axis, len(rows))[0]
    return reshape(
        sum(reshape(y_bar, rows[: k + 1] + (int(repeats),) + rows[k + 1 :]), axis=k + 1), of
    )


COPIES = "the cotangents of the copies add"
linear(
    np.repeat,
    "a, repeats, axis=None",
    a="repeated_back(y_bar, shape(a), repeats, axis)",
    method="repeats, /, axis",
    gives="repetition(a, repeats=repeats, axis=axis)",
    source=COPIES,
    examples=lambda: [
        (real(3), 2),
        (real(3), [1, 0, 2]),
        (real(2, 3), 2, 1),
        (real(2, 3), [2, 1], 0),
        (real(2, 3), 2),
        (1.5, 3),
        (real(2), [2]),
    ],
)
linear(
    np.tile,
    "A, reps",
    A="tiled_back(y_bar, shape(A), reps)",
    gives="repetition(A, reps)",
    source=COPIES,
    examples=lambda: [
        (real(3), 2),
        (real(2, 3), (2, 1)),
        (real(3), (2, 2)),
        (real(2, 3), 2),
        (1.5, 3),
        (real(3), 0),
    ],
)
linear(
    np.resize,
    "a, new_shape",
    a="scattered(y_bar, np.resize(numbered(shape(a)), new_shape), shape(a))",
    source=COPIES,
    examples=lambda: [(real(3), (2, 4)), (real(2, 3), 4)],
)


# some entries out, others in


def marks_of(of: tuple[int, ...], where_to: Any, values: Any, axis: Any) -> Any:
    """What ``insert`` does to entries 0 and to values 1, 2, ..."""
    return insert(zeros(of, dtype=int), where_to, numbered(shape(values)) + 1, axis)


def inserted_back(y_bar: Any, values: Any, marks: Any) -> Any:
    """Cotangent of the values inserted, several times where they are broadcast."""
    return scattered(y_bar[marks > 0], marks[marks > 0] - 1, shape(values))


linear(
    np.delete,
    "arr, obj, axis=None",
    arr="scattered(y_bar, np.delete(numbered(shape(arr)), obj, axis), shape(arr))",
    gives="running(arr, axis); obj",
    source=PLACED,
    examples=lambda: [
        (real(5), 1),
        (real(5), [0, 3]),
        (real(2, 3), 1, 1),
        (real(2, 3), 2),
        (real(5), slice(1, 3)),
    ],
)
linear(
    np.insert,
    "arr, obj, values, axis=None",
    arr="reshape(y_bar[marks_of(shape(arr), obj, values, axis) == 0], shape(arr))",
    values="inserted_back(y_bar, values, marks_of(shape(arr), obj, values, axis))",
    dot="np.insert(arr_dot, obj, values_dot, axis)",
    gives="running(arr, axis); obj, values",
    source=PLACED,
    examples=lambda: [
        (real(3), 1, 1.5),
        (real(3), [0, 2], real(2)),
        (real(2, 3), 1, real(2), 1),
        (real(2, 3), [0, 2], real(2, 2), 1),
        (real(3), 1, real(2)),
        (real(2, 3), 1, 1.5, 0),
    ],
)
