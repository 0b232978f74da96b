"""Rules of sort, partition and unique, which permute entries, and of searches, which are steps.

>>> import numpy
>>> unique_back(numpy.array([1.0, 4.0]), numpy.array([2.0, 2.0, 7.0]), False, None, True)
array([0.5, 0.5, 4. ])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndim, ravel, reshape, shape, take, take_along_axis, zeros

from astad.rules.numpy.samples import imaginary, real
from astad.rules.numpy.scatter import numbered, scattered
from astad.rules.registry import Keywords, rule, zero

PERMUTED = "sorting is a permutation, constant nearby; NumPy's own where entries tie"


def from_order(g: Any, of: tuple[int, ...], order: Any, axis: Any) -> Any:
    """Undo ``take_along_axis(a, order, axis)``."""
    if axis is None:
        return scattered(g, order, of)
    return scattered(g, take_along_axis(numbered(of), order, axis), of)


def ordered(a_dot: Any, order: Any, axis: Any) -> Any:
    """The tangent in the order of the sorted values."""
    return take_along_axis(a_dot, order, axis)


rule(
    np.sort,
    "a, axis=-1, kind=None, order=None, *, stable=None",
    a="from_order(y_bar, shape(a), np.argsort(a, axis=axis, kind='stable'), axis)",
    dot="ordered(a_dot, np.argsort(a, axis=axis, kind='stable'), axis)",
    refuse="order is not None",
    gives="along(a, axis)",
    source=PERMUTED,
    examples=lambda: [
        (real(5),),
        (real(3, 4), 0),
        (real(2, 3), None),
        (real(2, 3), Keywords(stable=True)),
        (imaginary(4),),
    ],
)
rule(
    np.sort_complex,
    "a",
    a="from_order(y_bar, shape(a), np.argsort(a, axis=-1, kind='stable'), -1)",
    dot="ordered(a_dot, np.argsort(a, axis=-1, kind='stable'), -1)",
    source=PERMUTED,
    examples=lambda: [(real(4),), (imaginary(4),)],
)
rule(
    np.partition,
    "a, kth, axis=-1, kind='introselect', order=None",
    a="from_order(y_bar, shape(a), np.argpartition(a, kth, axis=axis), axis)",
    dot="ordered(a_dot, np.argpartition(a, kth, axis=axis), axis)",
    refuse="order is not None",
    gives="along(a, axis); kth, kind",
    source=PERMUTED,
    examples=lambda: [(real(5), 2), (real(3, 4), 1, 0), (real(2, 3), 2, None)],
)


# unique


def unique_back(y_bar: Any, a: Any, several: bool, axis: Any, equal_nan: bool) -> Any:
    """Each value's cotangent, split evenly between the entries that have it."""
    g = y_bar[0] if several else y_bar
    if g is None:
        return zeros(shape(a))
    _, inverse, counts = np.unique(
        a, return_inverse=True, return_counts=True, axis=axis, equal_nan=equal_nan
    )
    inverse = ravel(inverse)
    if axis is None:
        return reshape((g / counts)[inverse], shape(a))
    rows = [1] * ndim(a)
    rows[axis] = len(counts)
    return take(g / reshape(counts, rows), inverse, axis=axis)


def unique_dot(y: Any, a: Any, a_dot: Any, several: bool, axis: Any, equal_nan: bool) -> Any:
    """The tangent of each value: the mean over the entries that have it."""
    _, inverse, counts = np.unique(
        a, return_inverse=True, return_counts=True, axis=axis, equal_nan=equal_nan
    )
    inverse = ravel(inverse)
    if axis is None:
        values_dot = scattered(a_dot, inverse, (len(counts),)) / counts
    else:
        rows = np.moveaxis(a_dot, axis, 0)
        places = numbered((len(counts),) + shape(rows)[1:])[inverse]
        totals = scattered(rows, places, (len(counts),) + shape(rows)[1:])
        values_dot = np.moveaxis(totals, 0, axis) / reshape(
            counts, [-1 if k == axis % ndim(a) else 1 for k in range(ndim(a))]
        )
    return (values_dot,) + (None,) * (len(y) - 1) if several else values_dot


rule(
    np.unique,
    "ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, "
    "equal_nan=True, sorted=True",
    ar="unique_back(y_bar, ar, isinstance(y, tuple), axis, equal_nan)",
    dot="unique_dot(y, ar, ar_dot, isinstance(y, tuple), axis, equal_nan)",
    source="ties of values share evenly",
    examples=lambda: [
        (real(5),),
        (real(2, 3), True),
        (real(4), Keywords(return_counts=True, return_inverse=True)),
        (real(3, 2), Keywords(axis=0)),
    ],
)
for each in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
    rule(
        getattr(np, each),
        "x",
        x=f"unique_back(y_bar, x, {each != 'unique_values'}, None, False)",
        dot=f"unique_dot(y, x, x_dot, {each != 'unique_values'}, None, False)",
        source="ties of values share evenly",
        examples=lambda: [(real(5),)],
    )


# sets


def shared(y_bar: Any, y: Any, entries: Any) -> Any:
    """Each value's cotangent, split evenly between the `entries` that equal it."""
    if len(y) == 0:
        return zeros(shape(entries))
    order = np.argsort(y)
    places = order[np.minimum(np.searchsorted(y, entries, sorter=order), len(y) - 1)]
    hits = np.equal(y[places], entries)
    counts = np.bincount(places, weights=hits, minlength=len(y))
    return np.where(hits, y_bar[places] / np.maximum(counts[places], 1), 0.0)


def values_bar(y: Any, y_bar: Any) -> tuple[Any, Any]:
    """The values and their cotangent, also where indices were returned with them."""
    return (y[0], y_bar[0]) if isinstance(y, tuple) else (y, y_bar)


def set_back(y: Any, y_bar: Any, first: Any, second: Any, k: int) -> Any:
    """Cotangent of one of two arrays of which the values were compared."""
    values, g = values_bar(y, y_bar)
    mine = first if k == 0 else second
    if g is None:
        return zeros(shape(mine))
    whole = shared(g, values, np.concatenate([ravel(first), ravel(second)]))
    part = whole[: np.size(first)] if k == 0 else whole[np.size(first) :]
    return reshape(part, shape(mine))


def set_dot(y: Any, first: Any, first_dot: Any, second: Any, second_dot: Any) -> Any:
    """Tangent of the values: the mean over the entries that equal them."""
    values = y[0] if isinstance(y, tuple) else y
    entries = np.concatenate([ravel(first), ravel(second)])
    dots = np.concatenate([ravel(first_dot), ravel(second_dot)])
    moved = [np.sum(shared(row, values, entries) * dots) for row in np.eye(len(values))]
    values_dot = np.asarray(moved) if len(moved) else zeros(0)
    return (values_dot,) + (None,) * (len(y) - 1) if isinstance(y, tuple) else values_dot


def pairs() -> list[tuple[Any, ...]]:
    """Arrays with no value in common, whose order stays."""
    return [(real(4), real(3, seed=5)), (real(2, 2), real(3, seed=5)), (imaginary(2), real(3))]


SHARED = "values are entries; entries with the same value share evenly"
rule(
    np.union1d,
    "ar1, ar2",
    ar1="set_back(y, y_bar, ar1, ar2, 0)",
    ar2="set_back(y, y_bar, ar1, ar2, 1)",
    dot="set_dot(y, ar1, ar1_dot, ar2, ar2_dot)",
    source=SHARED,
    examples=pairs,
)
rule(
    np.setxor1d,
    "ar1, ar2, assume_unique=False",
    ar1="set_back(y, y_bar, ar1, ar2, 0)",
    ar2="set_back(y, y_bar, ar1, ar2, 1)",
    dot="set_dot(y, ar1, ar1_dot, ar2, ar2_dot)",
    source=SHARED,
    examples=pairs,
)
rule(
    np.intersect1d,
    "ar1, ar2, assume_unique=False, return_indices=False",
    ar1="set_back(y, y_bar, ar1, ar2, 0)",
    ar2="set_back(y, y_bar, ar1, ar2, 1)",
    dot="set_dot(y, ar1, ar1_dot, ar2, ar2_dot)",
    source=SHARED,
    examples=pairs,
)
rule(
    np.setdiff1d,
    "ar1, ar2, assume_unique=False",
    ar1="set_back(y, y_bar, ar1, zeros(0), 0)",
    dot="set_dot(y, ar1, ar1_dot, zeros(0), zeros(0))",
    source=SHARED,
    examples=pairs,
)


# results that move in steps

STEPS = "an index or a truth value moves in steps"
zero(np.all, np.any, gives="a, axis=None -> asked(a, axis)", why=STEPS)
zero(np.argmax, np.argmin, gives="a, axis=None -> place(a, axis)", method="axis", why=STEPS)
zero(np.argsort, gives="a, axis=-1 -> ordered(a, axis)", method="axis", why=STEPS)
zero(np.count_nonzero, gives="a -> counted_up(a)", why=STEPS)
zero(np.nonzero, gives="a -> place_of_all(a) or parts(*places(a))", why=STEPS)
zero(np.searchsorted, gives="a, v, side='left' -> place_among(a, v); side", why=STEPS)
zero(np.flatnonzero, gives="a -> tested(a)", why=STEPS)
for each in ("argpartition argwhere digitize in1d isin lexsort nanargmax nanargmin").split():
    if each in vars(np):  # `in1d` is gone from newer NumPy
        zero(vars(np)[each], why=STEPS)
