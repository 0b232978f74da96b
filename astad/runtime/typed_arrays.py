"""``array.array``: its cotangent is that of an array of NumPy's over the same memory.

>>> prices, shadows = array("d", [1.5, 2.5]), Shadows()
>>> y, record = _read(Versions(), prices, -1)
>>> record[0](shadows, 3.0, *record[1:])
>>> shadows.read(numbers_in(prices))
array([0., 3.])
"""

from __future__ import annotations

import operator
from array import array

from astad.runtime.full_rules import Cotangents, Record, Value, flows, full, swallowed
from astad.runtime.indexing import READERS, WRITERS
from astad.runtime.iterate import FEEDS, SOURCES, Feed, deliver, gather, take_gathered
from astad.runtime.owners import has_numbers, numbers_in
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__: list[str] = []


def _read(versions: Versions, a: Value, i: Value) -> tuple[Value, Record]:
    y = array.__getitem__(a, i)
    if type(i) is slice:
        return y, (pull_slice, y, a, i) if has_numbers(a) else None
    return y, (pull_element, a, _position(a, i)) if flows(y) else None


def _position(a: Value, i: Value) -> int:
    at = operator.index(i)
    return at if at >= 0 else at + array.__len__(a)


def pull_element(shadows: Shadows, y_bar: Value, a: Value, i: int) -> Cotangents:
    if y_bar is not None:
        shadows.index_add(numbers_in(a), i, y_bar)
    return None


def pull_slice(shadows: Shadows, y_bar: Value, y: Value, a: Value, i: slice) -> Cotangents:
    g = shadows.take(numbers_in(y)) if len(y) else None
    if g is not None:
        shadows.index_add(numbers_in(a), i, g)
    return None


def _write(versions: Versions, a: Value, i: Value, v: Value) -> tuple[None, Record]:
    versions.writing(numbers_in(a) if has_numbers(a) else None)
    size = array.__len__(a)
    array.__setitem__(a, i, v)
    if type(i) is not slice:
        return None, (pull_store, a, _position(a, i)) if flows(v) else None
    if array.__len__(a) != size or a is v or not has_numbers(a):
        return None, swallowed(a, "array.array[...] = v", 3, {2: v})
    return None, (pull_slice_store, a, i, v)


def pull_store(shadows: Shadows, y_bar: Value, a: Value, i: int) -> Cotangents:
    return None, None, shadows.take_slot(numbers_in(a), i)


def pull_slice_store(shadows: Shadows, y_bar: Value, a: Value, i: slice, v: Value) -> Cotangents:
    g = shadows.take_slot(numbers_in(a), i) if len(a) else None
    if g is not None:
        shadows.add(numbers_in(v), g)
    return None


def _source(a: Value) -> Feed:
    i = 0
    while i < len(a):  # asked anew each time: it may grow while it is walked
        v = a[i]
        yield v, (pull_element, a, i) if flows(v) else None
        i += 1


def _steps(versions: Versions, iterator: Value) -> Feed:
    while True:
        state = iterator.__reduce__()
        v = next(iterator, _END)
        if v is _END:
            return
        known = len(state) > 2 and flows(v)
        yield v, (pull_element, state[1][0], state[2]) if known else None


_END = object()


@full(array)
def make(versions: Versions, typecode: Value, *given: Value) -> tuple[Value, Record]:
    """From the numbers that a list or an iterator hands out."""
    if not given or type(given[0]) in (str, bytes, bytearray) or typecode not in ("d", "f"):
        return array(typecode, *given), None
    items, routes = gather(versions, *given)
    y = array(typecode, items)
    return y, (pull_made, y, routes) if any(routes) else None


def pull_made(shadows: Shadows, y_bar: Value, y: Value, routes: list[Record]) -> Cotangents:
    bars = shadows.take(numbers_in(y)) if len(y) else None
    for at in range(len(routes) - 1, -1, -1):
        deliver(shadows, routes[at], None if bars is None else bars[at])
    return None


@full(array.tolist)
def tolist(versions: Versions, a: Value) -> tuple[Value, Record]:
    items, routes = gather(versions, a)
    return items, (take_gathered, items, routes)


SOURCES[array] = _source
READERS[array] = _read
WRITERS[array] = _write
FEEDS[type(iter(array("d")))] = _steps
