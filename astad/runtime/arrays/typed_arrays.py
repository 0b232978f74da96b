"""``array.array``: its cotangent is that of an array of NumPy's over the same memory.

What it is when the reverse sweep begins is what it was at last: the cotangents of places that it
had before, and has no longer, wait under their numbers.

>>> prices, shadows = array("d", [1.5, 2.5]), Shadows()
>>> y, record = _read(Versions(), prices, -1)
>>> record[0](shadows, 3.0, *record[1:])
>>> shadows.read(numbers_in(prices))
array([0., 3.])
"""

from __future__ import annotations

import operator
from array import array

import numpy as np

from astad.errors import Unsupported
from astad.runtime.containers.in_place import DELETERS
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    inert,
    python_method,
    swallowed,
)
from astad.runtime.core.listings import add_at
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import has_numbers, numbers_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.container_iterators import located_steps, protocol_steps
from astad.runtime.iteration.iterate import (
    FEEDS,
    SOURCES,
    Feed,
    deliver,
    element_route,
    gather,
    hand_over,
    take_gathered,
)
from astad.runtime.operations.conversions import check_number
from astad.runtime.operations.indexing import READERS, WRITERS
from astad.runtime.operations.operators import CHANGED, TYPED
from astad.runtime.text.texts import follow
from astad.tangents.add import add
from astad.tangents.refused import Refused
from astad.tangents.unasked import has_in_class

__all__ = ["take_at"]


def _read(versions: Versions, a: Value, i: Value) -> tuple[Value, Record]:
    y = array.__getitem__(a, i)
    if type(i) is slice:
        places = range(*i.indices(array.__len__(a)))
        return y, (pull_slice, y, a, i, places) if has_numbers(a) else None
    return y, (pull_element, a, _position(a, i)) if flows(y) else None


def _position(a: Value, i: Value) -> int:
    at = operator.index(i)
    return at if at >= 0 else at + array.__len__(a)


def pull_element(shadows: Shadows, y_bar: Value, a: Value, i: int) -> Cotangents:
    add_at(shadows, a, i, y_bar)
    return None


def take_at(shadows: Shadows, a: Value, i: int) -> Value:
    beyond = shadows.key_take(a, i)
    return add(shadows.take_slot(numbers_in(a), i), beyond) if i < array.__len__(a) else beyond


def pull_slice(
    shadows: Shadows, y_bar: Value, y: Value, a: Value, i: slice, places: range
) -> Cotangents:
    at_end = max(len(places), array.__len__(y))
    bars = [take_at(shadows, y, k) for k in range(at_end)] if len(places) != len(y) else None
    g = shadows.take(numbers_in(y)) if bars is None and len(y) else None
    if g is not None and range(*i.indices(array.__len__(a))) == places:
        shadows.index_add(numbers_in(a), i, g)
        return None
    for k, place in enumerate(places):
        add_at(shadows, a, place, (None if g is None else g[k]) if bars is None else bars[k])
    return None


def _write(versions: Versions, a: Value, i: Value, v: Value) -> tuple[None, Record]:
    versions.writing(numbers_in(a) if has_numbers(a) else None)
    size = array.__len__(a)
    if type(i) is slice and _moves_others(a, i, v):
        return None, _replace(versions, a, i, v)
    _check_plain("array.array[...] = v", v)
    array.__setitem__(a, i, v)
    if type(i) is not slice:
        counts = flows(v) or _is_number_in_array(v)
        return None, (pull_store, a, _position(a, i)) if counts else None
    if array.__len__(a) != size or a is v or not has_numbers(a):
        return None, swallowed(a, "array.array[...] = v", 3, {2: v})
    return None, (pull_slice_store, a, range(*i.indices(size)), v)


def _moves_others(a: Value, i: slice, v: Value) -> bool:
    """Does it put more or fewer numbers in the place of those there? Python takes no others for a
    slice with a step.
    """
    places = range(*i.indices(array.__len__(a)))
    fits = issubclass(type(v), array) and v.typecode == a.typecode and has_numbers(a)
    return fits and places.step == 1 and array.__len__(v) != len(places)


def _replace(versions: Versions, a: Value, i: slice, v: Value) -> Record:
    """``a[1:2] = v`` of another length: what was there goes, then one number after the other
    comes.
    """
    v, copied = callbacks.call(versions, operator.getitem, v, slice(None)) if v is a else (v, None)
    start, stop, _ = i.indices(array.__len__(a))
    places = slice(start, max(start, stop))
    _, record = callbacks.call(versions, operator.delitem, a, places)
    steps = []
    for k in range(array.__len__(v)):
        item, read = callbacks.call(versions, operator.getitem, v, k)
        _, put = callbacks.call(versions, array.insert, a, start + k, item)
        steps.append((read, put))
    return pull_replaced, copied, record, steps


def pull_replaced(
    shadows: Shadows,
    y_bar: Value,
    copied: Record,
    record: Record,
    steps: list[tuple[Record, Record]],
) -> None:
    for read, put in reversed(steps):
        parts = callbacks.pull(shadows, put, None, 3)
        callbacks.pull(shadows, read, None if parts is None else parts[2], 2)
    callbacks.pull(shadows, record, None, 2)
    callbacks.pull(shadows, copied, None, 2)


def pull_store(shadows: Shadows, y_bar: Value, a: Value, i: int) -> Cotangents:
    return None, None, take_at(shadows, a, i)


def pull_slice_store(
    shadows: Shadows, y_bar: Value, a: Value, places: range, v: Value
) -> Cotangents:
    for k, place in enumerate(places):
        add_at(shadows, v, k, take_at(shadows, a, place))
    return None


def _is_number_in_array(v: Value) -> bool:
    """An array without axes, which is taken for its number."""
    return issubclass(type(v), np.ndarray) and v.dtype.kind in "fiu"


def _gathered(versions: Versions, source: Value) -> tuple[list[Value], list[Record]]:
    """Numbers with their routes; an array without axes has its own."""
    items, routes = gather(versions, source)
    for k, v in enumerate(items):
        if _is_number_in_array(v):
            routes[k] = (_add_number, v, routes[k])
    return items, routes


def _add_number(shadows: Shadows, g: Value, v: Value, route: Record) -> None:
    if g is not None:
        shadows.add(v, g if type(g) is Refused else np.reshape(g, v.shape))
    deliver(shadows, route, None)


# --- growing and shrinking ------------------------------------------------------------------------


def _change(versions: Versions, a: Value, method: Value, *operands: Value) -> Value:
    """The method, which may move the memory: what is kept of it is copied first."""
    size = array.__len__(a)
    if has_numbers(a):
        versions.writing(numbers_in(a))
    for each in operands:
        _check_plain(f"array.array.{method.__name__}", each)
    try:
        y = method(a, *operands)
        if array.__len__(a) != size and a.typecode in "fd":
            if versions.resized is None:
                versions.resized = {}
            versions.resized.setdefault(id(a), (a, size))
        return y
    except BufferError:
        raise Unsupported(
            f"array.array.{method.__name__}",
            "a change of the size of a buffer",
            why="arrays show its memory, and are held until the derivative is there",
            instead="copy what is looked at, as by np.array(buffer), or make a new buffer",
        ) from None


def _check_plain(name: str, operand: Value) -> None:
    """An object would be asked for its number where nothing is recorded."""
    kind = type(operand)
    if kind is list:
        for each in operand:
            _check_plain(name, each)
    elif not issubclass(kind, array):
        check_number(name, operand, "__float__", "__index__", "__eq__")


@full(array.append)
def append(versions: Versions, a: Value, v: Value) -> tuple[None, Record]:
    n = array.__len__(a)
    _change(versions, a, array.append, v)
    return None, (pull_appended, a, n) if flows(v) or _is_number_in_array(v) else None


def pull_appended(shadows: Shadows, y_bar: Value, a: Value, n: int) -> Cotangents:
    return None, take_at(shadows, a, n)


def _extend(versions: Versions, a: Value, method: Value, b: Value) -> Record:
    if type(b) not in (list, tuple) and not issubclass(type(b), array):
        return hand_over(versions, b, lambda v: append(versions, a, v)[1])
    n = array.__len__(a)
    items, routes = _gathered(versions, b)
    _change(versions, a, method, b if issubclass(type(b), array) else items)
    return (pull_extended, a, n, routes) if any(routes) else None


def pull_extended(
    shadows: Shadows, y_bar: Value, a: Value, n: int, routes: list[Record]
) -> Cotangents:
    for k in range(len(routes) - 1, -1, -1):
        deliver(shadows, routes[k], take_at(shadows, a, n + k))
    return None


@full(array.extend)
def extend(versions: Versions, a: Value, b: Value) -> tuple[None, Record]:
    return None, _extend(versions, a, array.extend, b)


@full(array.fromlist)
def fromlist(versions: Versions, a: Value, b: Value) -> tuple[None, Record]:
    if type(b) is not list:
        return array.fromlist(a, b), None  # raises Python's own TypeError, or asks a subclass
    return None, _extend(versions, a, array.fromlist, b)


@full(array.__iadd__)
def extend_in_place(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
    if not issubclass(type(b), array):
        return array.__iadd__(a, b), None  # raises Python's own TypeError
    return a, _extend(versions, a, array.extend, b)


def repeat_in_place(versions: Versions, a: Value, count: Value) -> tuple[Value, Record]:
    n, (_, routes) = array.__len__(a), gather(versions, a)
    y = _change(versions, a, array.__imul__, count)
    more = routes * (array.__len__(a) // n - 1 if n else 0)
    return y, (pull_extended, a, n, more) if any(more) else None


CHANGED[array] = {"add": extend_in_place, "mul": repeat_in_place}


def _concatenated(versions: Versions, a: Value, b: Value) -> tuple[Value, Record] | None:
    if not issubclass(type(b), array):
        return None
    y, routes = a + b, [*gather(versions, a)[1], *gather(versions, b)[1]]
    return y, (pull_made, y, routes) if any(routes) else None


def _repeated(versions: Versions, a: Value, count: Value) -> tuple[Value, Record] | None:
    if issubclass(type(count), np.ndarray) or not has_in_class(type(count), "__index__"):
        return None  # an array of NumPy's is multiplied entry by entry
    y, (_, routes) = a * count, gather(versions, a)
    routes = routes * (len(y) // len(routes) if routes else 0)
    return y, (pull_made, y, routes) if any(routes) else None


TYPED.update(add=_concatenated, mul=_repeated)
inert([array.index, array.count, array.__contains__, array.__len__])


@full(array.insert)
def insert(versions: Versions, a: Value, i: Value, v: Value) -> tuple[None, Record]:
    _check_plain("array.array.insert", i)
    n, i = array.__len__(a), operator.index(i)
    _change(versions, a, array.insert, i, v)
    return None, (pull_inserted, a, max(0, i + n) if i < 0 else min(i, n), n)


def pull_inserted(shadows: Shadows, y_bar: Value, a: Value, i: int, n: int) -> Cotangents:
    g = take_at(shadows, a, i)
    for k in range(i, n):
        add_at(shadows, a, k, take_at(shadows, a, k + 1))
    return None, None, g


@full(array.pop)
def pop(versions: Versions, a: Value, i: Value = -1) -> tuple[Value, Record]:
    method = python_method(type(i), "__index__")
    if method is not None:
        place, asked = callbacks.call(versions, method, i)
        y, record = pop(versions, a, place)
        return y, (pull_asked, record, asked)
    n, i = array.__len__(a), operator.index(i)
    y = _change(versions, a, array.pop, i)
    return y, (pull_popped, a, i if i >= 0 else i + n, n) if has_numbers(a) else None


def pull_asked(shadows: Shadows, y_bar: Value, record: Record, asked: Record) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 2)
    callbacks.pull(shadows, asked, None, 1)
    return parts


def pull_popped(shadows: Shadows, y_bar: Value, a: Value, i: int, n: int) -> Cotangents:
    for k in range(n - 1, i, -1):
        add_at(shadows, a, k, take_at(shadows, a, k - 1))
    add_at(shadows, a, i, y_bar)
    return None


@full(array.remove)
def remove(versions: Versions, a: Value, v: Value) -> tuple[None, Record]:
    _check_plain("array.array.remove", v)
    n = array.__len__(a)
    i = array.index(a, v) if has_numbers(a) and array.__contains__(a, v) else 0
    _change(versions, a, array.remove, v)  # which raises where it is not there
    return None, (pull_popped, a, i, n) if has_numbers(a) else None


def _delete(versions: Versions, a: Value, i: Value) -> tuple[None, Record]:
    n = array.__len__(a)
    _change(versions, a, array.__delitem__, i)
    if not has_numbers(a):
        return None, None
    places = sorted(range(*i.indices(n))) if type(i) is slice else [_within(i, n)]
    return None, (pull_deleted, a, places, n)


def _within(i: Value, n: int) -> int:
    at = operator.index(i)
    return at if at >= 0 else at + n


def pull_deleted(shadows: Shadows, y_bar: Value, a: Value, places: list[int], n: int) -> Cotangents:
    for k, place in enumerate(places):
        pull_popped(shadows, None, a, place, n - len(places) + k + 1)
    return None


DELETERS[array] = _delete
full(array.__delitem__)(_delete)


@full(array.reverse)
def reverse(versions: Versions, a: Value) -> tuple[None, Record]:
    _change(versions, a, array.reverse)
    return None, (pull_reversed, a, array.__len__(a)) if has_numbers(a) else None


def pull_reversed(shadows: Shadows, y_bar: Value, a: Value, n: int) -> Cotangents:
    for k, g in enumerate([take_at(shadows, a, k) for k in range(n)]):
        add_at(shadows, a, n - 1 - k, g)
    return None


@full(array.byteswap)
def byteswap(versions: Versions, a: Value) -> tuple[None, Record]:
    _change(versions, a, array.byteswap)
    return None, (pull_swapped_bytes, a, array.__len__(a)) if has_numbers(a) else None


def pull_swapped_bytes(shadows: Shadows, y_bar: Value, a: Value, n: int) -> Cotangents:
    if any(take_at(shadows, a, k) for k in range(n)):
        raise Unsupported(
            "array.array.byteswap",
            "a derivative through this",
            why="the numbers behind it are others by their bytes",
            instead="keep the numbers in another array",
        )
    return None


def _source(a: Value) -> Feed:
    i = 0
    while i < len(a):  # asked anew each time: it may grow while it is walked
        v = a[i]
        yield v, _route(a, i, v)
        i += 1


def _route(a: Value, i: int, v: Value) -> Record:
    return (pull_element, a, i) if flows(v) else None


def _steps(versions: Versions, iterator: Value) -> Feed:
    return located_steps(iterator, _route)


def _backward_steps(versions: Versions, iterator: Value) -> Feed:
    """``reversed`` of an array, of a view of one, or of a class of the user's."""
    sequence = iterator.__reduce__()[1][0]
    if issubclass(type(sequence), array):
        return _steps(versions, iterator)
    is_view = issubclass(type(sequence), memoryview) and has_numbers(sequence)
    return (_view_steps if is_view else protocol_steps)(versions, iterator)


def _view_steps(versions: Versions, iterator: Value) -> Feed:
    return located_steps(iterator, lambda view, i, v: element_route(numbers_in(view), i, v))


@full(array)
def make(versions: Versions, typecode: Value, *given: Value) -> tuple[Value, Record]:
    """From the numbers that a list or an iterator hands out, or from their bytes."""
    if not given or type(given[0]) in (str, bytes, bytearray) or typecode in ("u", "w"):
        y = array(typecode, *given)
        return y, follow(versions, array, y, None, (typecode, *given), {})
    items, routes = _gathered(versions, *given)
    _check_plain("array.array", items)
    y = array(typecode, items)
    return y, (pull_made, y, routes) if any(routes) else None


def pull_made(shadows: Shadows, y_bar: Value, y: Value, routes: list[Record]) -> Cotangents:
    if len(y) != len(routes):  # it has become longer or shorter
        for at in range(len(routes) - 1, -1, -1):
            deliver(shadows, routes[at], take_at(shadows, y, at))
        return None
    bars = shadows.take(numbers_in(y)) if len(y) else None
    for at in range(len(routes) - 1, -1, -1):
        beyond = shadows.key_take(y, at)
        deliver(shadows, routes[at], beyond if bars is None else add(bars[at], beyond))
    return None


@full(array.tolist)
def tolist(versions: Versions, a: Value) -> tuple[Value, Record]:
    items, routes = gather(versions, a)
    return items, (take_gathered, items, routes)


SOURCES[array] = _source
READERS[array] = full(array.__getitem__)(_read)
WRITERS[array] = full(array.__setitem__)(_write)
FEEDS[type(iter(array("d")))] = _steps
FEEDS[reversed] = _backward_steps
