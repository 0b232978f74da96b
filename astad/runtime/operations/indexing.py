"""Subscripts: ``o[i]``, ``o[i] = v``, ``del o[i]`` of arrays, lists, tuples, deques, dicts and
classes of the user's.

Positions in records are counted from the front, indices of arrays are copied where they could
change later. What has identity moves nothing: a row of an array is a view, an array in a list is
found under itself.

Items of NumPy's numbers: ``x[()]``, and the arrays ``x[mask]`` and ``x[None]``.

>>> from astad.runtime.core.versions import Versions
>>> x = np.float64(3.0)
>>> y, record = read_scalar(Versions(), x, np.True_)
>>> y, pull_spread(Shadows(), np.array([2.0]), y)[0]
(array([3.]), np.float64(2.0))
"""

from __future__ import annotations

import operator
import types
from collections import defaultdict, deque
from collections.abc import Iterator

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.compiled_code import arrays_behind
from astad.runtime.core.full_rules import (
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    flows,
    full,
    opaque,
    python_method,
    swallowed,
)
from astad.runtime.core.listings import deliver as deliver_value
from astad.runtime.core.listings import deliver_array, frozen_index, hold, plain_array
from astad.runtime.core.rebound import bind_item_of_namespace
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.bases import base_of, factory_of, plain_index, plain_place
from astad.runtime.cotangents.owners import mapping_of, owner_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.overlapping_writes import gathered, may_read_late, order_of_write
from astad.runtime.formulas.whole_numbers import hold_for
from astad.runtime.iteration.iterate import (
    behind_end,
    deliver,
    gather,
    is_iterable,
    key_route,
    key_slot,
)
from astad.runtime.text.texts import come_in, leave
from astad.runtime.unseen.filled_buffers import arrays_in
from astad.runtime.unseen.memos import noted
from astad.tangents.add import add
from astad.tangents.refused import Refused
from astad.tangents.zero import ITEMS, has_identity, is_differentiable, is_of_structures

__all__ = [
    "READERS", "WRITERS", "get_item", "pull_item", "pull_key_item", "pull_same", "pull_spread",
    "pull_window", "read_scalar", "set_item", "subscript_class", "write_array",
]  # fmt: skip

# --- items of NumPy's numbers ---------------------------------------------------------------------


def read_scalar(versions: Versions, x: Value, i: Value) -> tuple[Value, Record]:
    """``x[i]``: the number, or a fresh array of which it is every element."""
    y = x[i]
    if issubclass(type(x), np.void):
        return y, opaque("a field of a structured array", y, (x, i))
    if flows(y):
        return y, (pull_same,)
    if issubclass(type(y), np.ndarray) and y.dtype.kind in "fc":
        return y, (pull_spread, y)
    return y, opaque(f"{type(x).__name__}[...]", y, (x, i))


def pull_same(shadows: Shadows, y_bar: Value) -> Cotangents:
    return y_bar, None


def pull_spread(shadows: Shadows, y_bar: Value, y: Value) -> Cotangents:
    bar = add(y_bar, shadows.take(y))
    return None if bar is None else np.sum(bar), None


# --- reading --------------------------------------------------------------------------------------


@full(operator.getitem)
def get_item(versions: Versions, o: Value, i: Value) -> tuple[Value, Record]:
    kind = type(o)
    reader = READERS.get(kind)
    if reader is not None:
        return reader(versions, o, i)
    if issubclass(kind, type):
        return subscript_class(versions, o, i)
    method = python_method(kind, "__getitem__")
    if method is not None:
        return callbacks.call(versions, method, o, i)
    for base, reader in READERS.items():
        if issubclass(type(o), base):
            return reader(versions, o, i)
    return (o[i], None) if isinstance(o, _INERT_SEQUENCES) else opaque_item(versions, o, i)


_INERT_SEQUENCES = (str, bytes, range, types.GenericAlias)


def _read_sequence(versions: Versions, o: Value, i: Value) -> tuple[Value, Record]:
    i = plain_place(i)
    # a deque has words of its own for an index that is none
    y = o[i] if type(o) is deque else base_of(o).__getitem__(o, i)
    if type(i) is slice:
        return y, _sliced(o, i, y)
    if not flows(y):
        return y, None
    i = operator.index(i)
    return y, (pull_item, o, i if i >= 0 else i + base_of(o).__len__(o))


def _sliced(o: Value, i: slice, y: Value) -> Record:
    if y is o or not any(map(flows, y)):
        return None
    places = range(*i.indices(base_of(o).__len__(o)))
    return (pull_window, y, o, places)


def pull_item(shadows: Shadows, y_bar: Value, o: Value, i: int) -> Cotangents:
    if y_bar is not None:
        shadows.slot_add(o, i, y_bar)
    return None


def pull_window(shadows: Shadows, y_bar: Value, y: Value, o: Value, places: range) -> Cotangents:
    """The k-th slot of `y` came from the ``places[k]``-th of `o`."""
    for g, i in zip(shadows.slots_take(y, len(places)), places, strict=True):
        if g is not None:
            shadows.slot_add(o, i, g)
    return None


def _read_dict(versions: Versions, o: Value, key: Value) -> tuple[Value, Record]:
    kind = type(o)
    if kind is not dict and not dict.__contains__(o, key):
        return _read_missing(versions, o, key)
    y = o[key] if kind is dict else dict.__getitem__(o, key)
    return y, noted(versions.found, o, key, y, (pull_key_item, o, key) if flows(y) else None)


def pull_key_item(shadows: Shadows, y_bar: Value, o: Value, key: Value) -> Cotangents:
    if y_bar is not None:
        shadows.key_add(o, key, y_bar)
    return None


def _read_missing(versions: Versions, o: Value, key: Value) -> tuple[Value, Record]:
    """A ``defaultdict`` calls its factory, other subclasses their ``__missing__``."""
    method = python_method(type(o), "__missing__")
    if method is not None:
        return callbacks.call(versions, method, o, key)
    if not issubclass(type(o), defaultdict):
        return base_of(o).__getitem__(o, key), None  # raises KeyError
    return make_missing(versions, o, key)


@full(defaultdict.__missing__)
def make_missing(versions: Versions, o: Value, key: Value) -> tuple[Value, Record]:
    factory = factory_of(o)
    if factory is None:
        return defaultdict.__missing__(o, key), None  # raises KeyError
    y, record = callbacks.call(versions, factory)
    _, stored = callbacks.call(versions, operator.setitem, o, key, y)
    moves = record is not None or stored is not None or flows(y)
    return y, (pull_made, record, stored) if moves else None


def pull_made(shadows: Shadows, y_bar: Value, record: Record, stored: Record) -> Cotangents:
    _, key_bar, v_bar = callbacks.pull(shadows, stored, None, 3) or (None, None, None)
    callbacks.pull(shadows, record, add(y_bar, v_bar), 0)
    return None, key_bar


def _read_array(versions: Versions, a: Value, i: Value) -> tuple[Value, Record]:
    i = plain_index(i)
    y = a[i] if type(a) is np.ndarray else np.ndarray.__getitem__(a, i)
    if issubclass(type(y), np.ndarray):
        if y.dtype.kind not in "fciuOV" or owner_of(y) is owner_of(a) or _is_held(a, y):
            return y, None
        return y, (pull_copied, a, frozen_index(i), y)
    if not flows(y):
        is_record = issubclass(type(y), np.void)
        return y, opaque("a field of a structured array", y, (a, None)) if is_record else None
    if a.dtype.hasobject and type(y) not in ITEMS:
        return y, opaque("an array of objects", y, (a, None))
    return y, (pull_element, a, frozen_index(i))


def _is_held(a: Value, y: Value) -> bool:
    """Whether `y` is an object in an array of objects, not a copy of some of these."""
    return a.dtype.hasobject and (y.dtype.kind != "O" or any(y is each for each in a.flat))


def pull_element(shadows: Shadows, y_bar: Value, a: Value, i: Value) -> Cotangents:
    if y_bar is not None:
        shadows.index_add(a, i, y_bar)
    return None


def pull_copied(shadows: Shadows, y_bar: Value, a: Value, i: Value, y: Value) -> Cotangents:
    y_bar = add(y_bar, shadows.take(y))
    if y_bar is not None:
        shadows.index_add(a, i, y_bar)
    return None


def _read_proxy(versions: Versions, o: Value, key: Value) -> tuple[Value, Record]:
    mapping = mapping_of(o)
    return opaque_item(versions, o, key) if mapping is None else _read_dict(versions, mapping, key)


@full(types.MappingProxyType.get)
def get_from_proxy(versions: Versions, o: Value, /, *args: Value) -> tuple[Value, Record]:
    mapping = mapping_of(o)
    if type(mapping) is not dict:
        y = o.get(*args)
        return y, opaque("mappingproxy.get", y, (o, *args))
    return callbacks.call(versions, dict.get, mapping, *args)


def opaque_item(versions: Versions, o: Value, i: Value) -> tuple[Value, Record]:
    """An item of an object whose inside is not known to astad."""
    y = o[i]
    record = opaque(f"{type(o).__qualname__}[...]", y, (o, i), of=type(o))
    return y, come_in(versions, y, record, (o, i))


READERS: dict[type, Forward] = {
    np.ndarray: _read_array, list: _read_sequence, tuple: _read_sequence, dict: _read_dict,
    deque: _read_sequence, types.MappingProxyType: _read_proxy,
    np.generic: read_scalar,
}  # fmt: skip


# --- writing --------------------------------------------------------------------------------------


@full(operator.setitem)
def set_item(versions: Versions, o: Value, i: Value, v: Value) -> tuple[None, Record]:
    kind = type(o)
    writer = WRITERS.get(kind)
    if writer is not None:
        return writer(versions, o, i, v)
    method = python_method(kind, "__setitem__")
    if method is not None:
        _, record = callbacks.call(versions, method, o, i, v)
        return None, record
    for base, writer in WRITERS.items():
        if issubclass(type(o), base):
            return writer(versions, o, i, v)
    shown = [(a, a.copy()) for a in (*arrays_in((o,)), *arrays_behind(versions.made_of, o))]
    o[i] = v
    what = f"{kind.__qualname__}[...] = v"
    if any(not np.array_equal(a, old, equal_nan=True) for a, old in shown):
        raise Unsupported(
            what,
            "a write into the memory of an array",
            why=f"the {kind.__qualname__} shows the memory of an array, which does not know of it",
            instead="write to the array",
        )
    record = swallowed(o, what, 3, {2: v})
    return None, record if record is None else leave(versions, what, record, (o, i, v))


def _write_sequence(versions: Versions, o: Value, i: Value, v: Value) -> tuple[None, Record]:
    i, base = plain_place(i), base_of(o)
    if type(i) is slice and base is not deque:
        return _write_slice(versions, o, i, v)
    if type(o) is deque:
        o[i] = v
    else:
        base.__setitem__(o, i, v)
    if not flows(v):
        return None, None
    i = operator.index(i)
    return None, (pull_store, o, i if i >= 0 else i + base.__len__(o))


def pull_store(shadows: Shadows, y_bar: Value, o: Value, i: int) -> Cotangents:
    return None, None, shadows.slot_take(o, i)


def _write_slice(versions: Versions, o: Value, i: slice, v: Value) -> tuple[None, Record]:
    base = base_of(o)
    if not is_iterable(type(v)):
        base.__setitem__(o, i, v)  # raises Python's own TypeError
    n, end = base.__len__(o), list[Call]()
    items, routes = gather(versions, v, end=end)
    if _DRAWS_FIRST:
        n = base.__len__(o)
    if base.__len__(o) != n:  # drawing them has changed the list; Python has read the ends before
        y, record = _write_changed(base, o, range(*i.indices(n)), items, routes)
        return y, behind_end(record, end)
    base.__setitem__(o, i, items)
    places = range(*i.indices(n))
    if i.step is None or i.step == 1:
        return None, behind_end((pull_splice, o, places.start, len(places), routes), end)
    return None, behind_end((pull_stores, o, places, routes), end)


def _draws_first() -> bool:
    """Does this Python draw the items before it asks how long the list is, as from 3.13 on?"""
    xs = [0]
    xs[1:] = (xs.append(1) for _ in range(1))  # type: ignore[func-returns-value, misc]
    return xs == [0, None]


_DRAWS_FIRST = _draws_first()


def _write_changed(
    base: Value, o: Value, places: range, items: list[Value], routes: list[Record]
) -> tuple[None, Record]:
    if places.step == 1:
        start, stop = (min(end, base.__len__(o)) for end in (places.start, places.stop))
        stop = max(start, stop)
        base.__setitem__(o, slice(start, stop), items)
        return None, (pull_splice, o, start, stop - start, routes)
    if len(items) != len(places):
        raise ValueError(
            f"attempt to assign sequence of size {len(items)} to extended slice of size "
            f"{len(places)}"
        )
    for place, item in zip(places, items, strict=True):
        base.__setitem__(o, place, item)
    return None, (pull_stores, o, places, routes)


def pull_splice(
    shadows: Shadows, y_bar: Value, o: Value, start: int, removed: int, routes: list[Record]
) -> Cotangents:
    slots = shadows.splice(o, start, removed, len(routes))
    for g, route in zip(reversed(slots), reversed(routes), strict=True):
        deliver(shadows, route, g)
    return None


def pull_stores(
    shadows: Shadows, y_bar: Value, o: Value, places: range, routes: list[Record]
) -> Cotangents:
    slots = [shadows.slot_take(o, i) for i in places]
    for g, route in zip(reversed(slots), reversed(routes), strict=True):
        deliver(shadows, route, g)
    return None


def _write_dict(versions: Versions, o: Value, key: Value, v: Value) -> tuple[None, Record]:
    base = base_of(o)
    if type(o) is dict and "__builtins__" in o:
        bind_item_of_namespace(o, key)
    is_plain = isinstance(key, str) or base.__contains__(o, key)
    new_key = None if is_plain else key_route(o, key)
    base.__setitem__(o, key, v)
    if not flows(v) and new_key is None:
        return None, None
    return None, (pull_key_store, o, key, new_key is not None)


def pull_key_store(
    shadows: Shadows, y_bar: Value, o: Value, key: Value, new_key: bool
) -> Cotangents:
    key_bar = shadows.key_take(o, key_slot(key)) if new_key else None
    return None, key_bar, shadows.key_take(o, key)


def write_array(versions: Versions, a: Value, i: Value, v: Value) -> tuple[None, Record]:
    i = plain_index(i)
    if type(a) is not np.ndarray and _is_part(a, i):
        own = python_method(type(a), "__getitem__")
        if own is not None and own is not np.matrix.__getitem__:
            return _write_part(versions, a, i, v, own)
    plain = plain_array(a)
    target = _viewed(plain, i, v)
    if target is not None and _is_same_memory(target, v):
        a[i] = v  # the end of ``a[i] += w``: nothing moves
        return None, None
    versions.writing(a)
    np.ndarray.__setitem__(a, i, v)
    if a.dtype.kind == "O" and not _is_item(plain, i, v):
        held = hold(versions, v, False) if is_differentiable(v) else None
        return None, (pull_object_store, a, frozen_index(i), held)
    if a.dtype.kind not in "fciuO":
        loses = a.dtype.kind == "V" and (is_differentiable(v) or is_of_structures(v))
        return None, (pull_lost_in_array, a, hold(versions, v, False)) if loses else None
    order = _order_read(plain, i, v, target)
    held = hold_for(versions, a, v)
    return None, (pull_array_store, a, frozen_index(i), held, np.shape(v), order)


def _is_part(a: Value, i: Value) -> bool:
    """Is it a place of several elements that a slice, or too few numbers, tell?"""
    parts = i if type(i) is tuple else (i,)
    numbers = sum(issubclass(type(part), (int, np.integer)) for part in parts)
    return _is_viewing(i) and i is not ... and numbers < a.ndim


def _write_part(
    versions: Versions, a: Value, i: Value, v: Value, own: Value
) -> tuple[None, Record]:
    """Of a class with a ``__getitem__`` of its own NumPy writes into what that gives."""
    part, read = callbacks.call(versions, own, a, i)
    if not issubclass(type(part), np.ndarray):
        raise RuntimeError("Getitem not returning array")
    _, written = write_array(versions, plain_array(part), ..., v)
    return None, (pull_written_part, written, read)


def pull_written_part(shadows: Shadows, y_bar: Value, written: Record, read: Record) -> Cotangents:
    parts = callbacks.pull(shadows, written, None, 3)
    callbacks.pull(shadows, read, None, 2)
    return parts


def _order_read(a: Value, i: Value, v: Value, target: Value) -> Value:
    """What `order_of_write` tells of ``a[i] = v``, at ``a[i]``.

    An array is written into `target`, a view, as if it had been copied first, if that has two axes
    or the same strides (NumPy's ``array_assign_array.c``).
    """
    if target is not None and (target.ndim != 1 or target.strides == v.strides[-1:]):
        return None
    if not may_read_late(a, v):
        return None
    if _is_viewing(i):
        place = a[i]
        if not issubclass(type(place), np.ndarray):
            return None
        return order_of_write(place, v, lambda a, v: a.__setitem__(..., v))
    order = order_of_write(a, v, lambda a, v: np.ndarray.__setitem__(a, i, v))
    return None if order is None else order[i]


def _is_item(a: Value, i: Value, v: Value) -> bool:
    """Whether the numbers of `v` are now in these places of an array of objects, not `v` itself."""
    if type(v) in ITEMS:
        return True
    if not issubclass(type(v), (np.ndarray, list, tuple)) or a[i] is v:
        return False
    if issubclass(type(v), np.ndarray):
        return True
    parts = [*_parts_in(v, a[i].ndim)]
    holds_numbers = any(type(each) in ITEMS for each in parts)
    if holds_numbers and any(map(has_identity, parts)):
        raise Unsupported(
            "assignment",
            "numbers beside objects that go into an array of objects one by one",
            why="the cotangents of the numbers lie in the array, those of the others do not",
            instead="write them one after the other, a[0] = x; a[1] = other",
        )
    return holds_numbers


def _parts_in(v: Value, ndim: int) -> Iterator[Value]:
    """What goes into the places of so many axes: what is in a list, or in the lists in it."""
    for each in v:
        if ndim > 1 and issubclass(type(each), (list, tuple)):
            yield from _parts_in(each, ndim - 1)
        else:
            yield each


def pull_object_store(shadows: Shadows, y_bar: Value, a: Value, i: Value, v: Value) -> Cotangents:
    """What was written has its own shadow, or none: the places have no cotangent before."""
    if shadows.refused_of(a) is not None:
        return pull_lost_in_array(shadows, y_bar, a, v)
    shadows.take_slot(a, i)
    return None


def _viewed(a: Value, i: Value, v: Value) -> Value:
    """The view ``a[i]``, where `v` is an array that may be a part of `a`."""
    if not issubclass(type(v), np.ndarray) or v.base is None or not _is_viewing(i):
        return None
    target = a[i]
    return target if issubclass(type(target), np.ndarray) else None


def _is_same_memory(target: Value, v: Value) -> bool:
    """Whether `target` is the very view `v`."""
    return bool(
        target.shape == v.shape
        and target.strides == v.strides
        and target.dtype == v.dtype
        and target.__array_interface__["data"] == v.__array_interface__["data"]
    )


_VIEWING = (int, slice, type(None), type(...))


def _is_viewing(i: Value) -> bool:
    if type(i) is tuple:
        return all(issubclass(type(part), (*_VIEWING, np.integer)) for part in i)
    return type(i) in _VIEWING


def pull_array_store(
    shadows: Shadows, y_bar: Value, a: Value, i: Value, v: Value, shape: tuple[int, ...],
    order: Value,
) -> Cotangents:  # fmt: skip
    g = shadows.take_slot(a, i)
    if issubclass(type(a), np.matrix) and np.ndim(g) == 1 and type(g) is not Refused:
        is_column = type(i) is tuple and np.isscalar(i[-1])
        g = g.reshape((-1, 1) if is_column else (1, -1))  # a place of it has two axes
    if order is not None and g is not None and type(g) is not Refused:
        g = gathered(g, order, shape)
    return None, None, None if g is None else deliver_array(shadows, g, v, shape)


def pull_lost_in_array(shadows: Shadows, y_bar: Value, a: Value, v: Value) -> Cotangents:
    """An array of structures has no cotangent: one that is asked for is refused."""
    refused = shadows.refused_of(a)
    return None if refused is None else (None, None, deliver_value(shadows, v, refused, "item"))


WRITERS: dict[type, Forward] = {
    np.ndarray: write_array, list: _write_sequence, dict: _write_dict, deque: _write_sequence,
}  # fmt: skip


def subscript_class(versions: Versions, cls: Value, i: Value) -> tuple[Value, Record]:
    """``C[i]``: by the ``__getitem__`` of its metaclass, or its own ``__class_getitem__``."""
    method = python_method(type(cls), "__getitem__")
    if method is not None:
        return callbacks.call(versions, method, cls, i)
    own = getattr(cls, "__class_getitem__", None)
    if isinstance(own, types.MethodType) and own.__func__.__module__ != "typing":
        return callbacks.call(versions, own.__func__, cls, i)
    return operator.getitem(cls, i), None
