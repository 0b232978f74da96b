"""Functions that write into places of an array: ``np.put``, ``np.place``, ``np.putmask``,
``np.put_along_axis``, ``np.fill_diagonal``.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from astad.runtime.core.full_rules import Record, Value, callbacks, full
from astad.runtime.core.listings import deliver_array
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.overlapping_writes import gathered, order_of_write
from astad.runtime.formulas.whole_numbers import hold_for
from astad.runtime.operations.array_overrides import differs
from astad.tangents.refused import Refused

__all__ = ["pull_placed"]

Named: TypeAlias = dict[str, Value] | None
"""Cotangents by the names of the parameters."""


@full(np.fill_diagonal, names="a val wrap")
def fill_diagonal_forward(
    versions: Versions, a: Value, val: Value, wrap: bool = False
) -> tuple[None, Record]:
    versions.writing(a)
    np.fill_diagonal(a, val, wrap)
    places = np.zeros(a.shape, bool)
    np.fill_diagonal(places, True, wrap)
    late = order_of_write(a, val, lambda a, val: np.fill_diagonal(a, val, wrap))
    order = np.resize(np.arange(np.size(val)), np.count_nonzero(places))
    order = order if late is None else late[places]
    return None, _placed(versions, a, places, order, val, "val")


@full(np.put, names="a ind v mode")
def put_forward(
    versions: Versions, a: Value, ind: Value, v: Value, mode: Value = "raise"
) -> tuple[None, Record]:
    return _put(versions, a, ind, v, mode, "v")


@full(np.ndarray.put, names="a indices values mode")
def put_method_forward(
    versions: Versions, a: Value, indices: Value, values: Value, mode: Value = "raise"
) -> tuple[None, Record]:
    return _put(versions, a, indices, values, mode, "values")


def _put(
    versions: Versions, a: Value, ind: Value, v: Value, mode: Value, name: str
) -> tuple[None, Record]:
    a = np.atleast_1d(a)  # a view, where the array is 0-d
    versions.writing(a)
    np.put(a, ind, v, mode)
    places = np.ravel(np.array(ind, np.intp))
    places = np.clip(places, 0, a.size - 1) if mode == "clip" else places % max(a.size, 1)
    order = np.resize(np.arange(np.size(v)), places.size if np.size(v) else 0)
    index = np.unravel_index(places[: order.size], a.shape)
    return None, _placed(versions, a, index, order, v, name)


@full(np.put_along_axis, names="arr indices values axis")
def put_along_axis_forward(
    versions: Versions, arr: Value, indices: Value, values: Value, axis: Value = -1
) -> tuple[None, Record]:
    if differs(type(arr)):
        source: Value = np.put_along_axis
        _, record = callbacks.call(versions, source._implementation, arr, indices, values, axis)
        return None, record and (pull_by_source, record)
    versions.writing(arr)
    np.put_along_axis(arr, indices, values, axis)
    order = np.full(arr.shape, -1)
    along = order.reshape(-1) if axis is None else order
    taken = np.take_along_axis(along, indices, axis)
    numbers = np.arange(np.size(values)).reshape(np.shape(values))
    np.put_along_axis(along, indices, np.broadcast_to(numbers, taken.shape), axis)
    return None, _placed(versions, arr, order >= 0, order[order >= 0], values, "values")


def pull_by_source(shadows: Shadows, y_bar: Value, record: Record) -> Named:
    parts = callbacks.pull(shadows, record, y_bar, 4)
    return None if parts is None else {"values": parts[2]}


def _placed(
    versions: Versions, a: Value, places: Value, order: Value, v: Value, name: str
) -> Record:
    return (pull_placed, a, places, order, np.shape(v), hold_for(versions, a, v), name)


@full(np.place, names="arr mask vals")
def place_forward(versions: Versions, arr: Value, mask: Value, vals: Value) -> tuple[None, Record]:
    versions.writing(arr)
    np.place(arr, mask, vals)
    places = np.reshape(np.array(mask, bool), arr.shape)
    late = order_of_write(arr, vals, lambda arr, vals: np.place(arr, places, vals))
    order = np.resize(np.arange(np.size(vals)), np.count_nonzero(places))
    return None, _placed(
        versions, arr, places, order if late is None else late[places], vals, "vals"
    )


@full(np.putmask, names="a mask values")
def putmask_forward(
    versions: Versions, a: Value, mask: Value, values: Value
) -> tuple[None, Record]:
    versions.writing(a)
    np.putmask(a, mask, values)
    places = np.reshape(np.array(mask, bool), a.shape)
    order = np.resize(np.arange(np.size(values)), a.shape)[places]
    return None, _placed(versions, a, places, order, values, "values")


def pull_placed(
    shadows: Shadows, y_bar: Value, a: Value, places: Value, order: Value, shape: tuple[int, ...],
    v: Value, name: str,
) -> Named:  # fmt: skip
    """The elements of `a` at `places` were overwritten, the k-th of them by
    ``v.flat[order[k]]``."""
    g = shadows.take_slot(a, places)
    if g is None or type(g) is Refused:
        return None if g is None else {name: deliver_array(shadows, g, v, shape)}
    return {name: deliver_array(shadows, gathered(g, order, shape), v, shape)}
