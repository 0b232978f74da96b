"""``a.flat``: walked, read and written element by element in C order."""

from __future__ import annotations

import numpy as np

from astad.runtime.full_rules import Cotangents, Record, Value, callbacks, flows, full
from astad.runtime.indexing import READERS, WRITERS, pull_copied, pull_element
from astad.runtime.iterate import FEEDS, Feed, add_index
from astad.runtime.listings import hold
from astad.runtime.placing import pull_placed
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__: list[str] = []


def _flat_steps(versions: Versions, iterator: Value) -> Feed:
    while True:
        place = iterator.coords
        v = next(iterator, _END)
        if v is _END:
            return
        yield v, (add_index, iterator.base, place) if flows(v) else None


_END = object()


def _read(versions: Versions, flat: Value, i: Value) -> tuple[Value, Record]:
    y, a = flat[i], flat.base
    if a.dtype.kind not in "fciu":
        return y, None
    places = np.unravel_index(np.arange(a.size).flat[i], a.shape)
    if isinstance(y, np.ndarray):
        return y, (pull_copied, a, places, y)
    return y, (pull_element, a, tuple(map(int, places)))


def _write(versions: Versions, flat: Value, i: Value, v: Value) -> tuple[None, Record]:
    """Values are taken in turn, again from the first one when there are too few."""
    a = flat.base
    versions.writing(a)
    flat[i] = v
    if a.dtype.kind not in "fciu":
        return None, None
    places = np.unravel_index(np.atleast_1d(np.arange(a.size).flat[i]).ravel(), a.shape)
    order = np.resize(np.arange(np.size(v)), len(places[0]))
    return None, (pull_write, a, places, order, np.shape(v), hold(versions, v, False))


def pull_write(
    shadows: Shadows, y_bar: Value, a: Value, places: Value, order: Value, shape: Value, v: Value
) -> Cotangents:
    named = pull_placed(shadows, None, a, places, order, shape, v, "v")
    return None if named is None else (None, None, named["v"])


@full(np.fromiter, names="iter dtype count")
def fromiter_forward(
    versions: Versions, iterable: Value, dtype: Value, count: Value = -1, **like: Value
) -> tuple[Value, Record]:
    items, record = callbacks.call(versions, list, iterable)
    y = np.fromiter(items, dtype, count, **like)
    return y, None if record is None else (pull_fromiter, y, items, len(y), record)


def pull_fromiter(
    shadows: Shadows, y_bar: Value, y: Value, items: Value, n: int, record: Record
) -> None:
    g = shadows.take(y)
    if g is not None:
        for i in range(n):
            if flows(items[i]):
                shadows.slot_add(items, i, g[i])
    callbacks.pull(shadows, record, None, 1)


FEEDS[np.flatiter] = _flat_steps
READERS[np.flatiter] = _read
WRITERS[np.flatiter] = _write
