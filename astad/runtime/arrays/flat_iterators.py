"""``a.flat``: walked, read and written element by element in C order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from astad.errors import Unsupported
from astad.runtime.arrays.placing import pull_placed
from astad.runtime.calls.library import run_watched
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows, full, opaque
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import address_of, has_numbers, memory_positions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.overlapping_writes import Write, order_of_write
from astad.runtime.formulas.whole_numbers import hold_for, is_whole, whole_part
from astad.runtime.iteration.iterate import FEEDS, SOURCES, Feed, add_index, gather, take_gathered
from astad.runtime.operations.attributes import COMPUTED
from astad.runtime.operations.conversions import check_number
from astad.runtime.operations.indexing import (
    READERS,
    WRITERS,
    pull_copied,
    pull_element,
    write_array,
)
from astad.runtime.text.texts import come_in, leave
from astad.tangents.arrays import project
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity

__all__ = ["write_in_turn"]


def _flat_steps(versions: Versions, iterator: Value) -> Feed:
    while True:
        place = iterator.coords
        v = next(iterator, _END)
        if v is _END:
            return
        yield v, (add_index, iterator.base, place) if flows(v) else None


_END = object()


def _read(versions: Versions, flat: Value, i: Value) -> tuple[Value, Record]:
    y = flat[i]  # which begins anew
    a = np.atleast_1d(flat.base)  # a view, where the array is 0-d
    numbers = np.arange(a.size).flat[i]
    places = np.unravel_index(numbers, a.shape)
    if not isinstance(numbers, np.ndarray):
        return READERS[np.ndarray](versions, a, tuple(map(int, places)))
    return y, (pull_copied, a, places, y) if a.dtype.kind in "fciuO" else None


def _write(versions: Versions, flat: Value, i: Value, v: Value) -> tuple[None, Record]:
    base = flat.base
    if not base.ndim:
        flat[:0]  # which has no place but the first

    def write(a: Value, v: Value) -> None:
        """By the iterator itself, of which NumPy tells where it goes on."""
        (flat if a is base else a.flat)[i] = v

    return write_in_turn(versions, base, i, v, write)


def write_in_turn(
    versions: Versions, a: Value, i: Value, v: Value, write: Write
) -> tuple[None, Record]:
    """``a.flat[i] = v``, or ``a.flat = v``, which are not the same where `v` is a part of `a`.

    Values are taken in turn, again from the first one when there are too few.
    """
    a = np.atleast_1d(a)
    versions.writing(a)
    write(a, v)
    if a.dtype.kind not in "fciuO":
        return None, None
    places = np.unravel_index(np.atleast_1d(np.arange(a.size).flat[i]).ravel(), a.shape)
    late = order_of_write(a, v, write)
    order = np.resize(np.arange(np.size(v)), len(places[0])) if late is None else late[places]
    return None, (pull_write, a, places, order, np.shape(v), hold_for(versions, a, v))


def pull_write(
    shadows: Shadows, y_bar: Value, a: Value, places: Value, order: Value, shape: Value, v: Value
) -> Cotangents:
    named = pull_placed(shadows, None, a, places, order, shape, v, "v")
    return None if named is None else (None, None, named["v"])


@full(np.fromiter, names="iter dtype count")
def fromiter_forward(
    versions: Versions, iter: Value, dtype: Value, count: Value = -1, **like: Value
) -> tuple[Value, Record]:
    made: list[Value] = []

    def take(drawn: Value) -> None:
        made.append(np.fromiter(drawn, dtype, count, **like))

    items, routes = gather(versions, iter, take)
    for v in items:
        check_number("np.fromiter", v, "__float__", "__index__")
    y = made[0] if made else np.fromiter(items, dtype, count, **like)
    held = any(map(has_identity, items)) or any(routes)
    return y, (pull_fromiter, y, items, routes) if held else None


def pull_fromiter(
    shadows: Shadows, y_bar: Value, y: Value, items: Value, routes: list[Record]
) -> Cotangents:
    g = shadows.take(y)
    if g is not None:
        for i in range(len(y)):
            if not (is_whole(y) and whole_part(items[i]) is None):
                _bring(shadows, items, i, g if type(g) is Refused else g[i])
    return take_gathered(shadows, None, items, routes)


def _bring(shadows: Shadows, items: Value, i: int, g: Value) -> None:
    """The part of an item: a number, or numbers in an array, a list or a tuple."""
    item = items[i]
    if isinstance(item, np.ndarray):
        shadows.add(item, g if type(g) is Refused else project(g, item))
    elif isinstance(item, (list, tuple)):
        for k in range(len(item)):
            _bring(shadows, item, k, g if type(g) is Refused else g[k])
    elif flows(item):
        shadows.slot_add(items, i, g)


@full(np.nditer)
def nditer_forward(
    versions: Versions, op: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """Where it walks the arrays themselves, their elements have derivatives."""
    operands = tuple(op) if isinstance(op, (list, tuple)) else (op,)
    given = {**dict(zip(("flags", "op_flags"), args, strict=False)), **keywords}
    known = len(args) <= 2 and given.keys() <= {"flags", "op_flags", "order"}
    in_place = known and _IN_PLACE.issuperset(given.get("flags") or ())
    if not in_place or not all(a is None or type(a) is np.ndarray for a in operands):
        y, record = run_watched(versions, np.nditer, (op, *args), keywords)
        versions.made_of[id(y)] = (y, None)
        return y, record
    y = np.nditer(op, *args, **keywords)
    made = zip(operands, y.operands, strict=True)  # None: allocated by the iterator
    versions.made_of[id(y)] = (y, tuple([own if a is None else a for a, own in made]))
    return y, None


_IN_PLACE = frozenset([
    "multi_index", "c_index", "f_index", "external_loop", "zerosize_ok", "reduce_ok",
])  # fmt: skip
"""Flags of an iterator that walks in the memory of its operands, and not in a buffer."""


def _nditer_steps(versions: Versions, iterator: Value) -> Feed:
    arrays = _walked(versions, iterator)
    places = None if arrays is None else [_places(a) for a in arrays]
    for v in iterator:
        own = _own_views(v, arrays, places)
        yield (
            own,
            None
            if arrays
            else opaque("an element of np.nditer", v, (*iterator.operands, iterator)),
        )


def _walked(versions: Versions, iterator: Value) -> tuple[Value, ...] | None:
    """The arrays in the memory of which an iterator goes; None where nothing tells."""
    arrays: tuple[Value, ...] | None
    _, arrays = versions.made_of.get(id(iterator), (iterator, None))
    return arrays


def _places(a: Value) -> dict[int, int]:
    """Where in the memory each element of an array is."""
    positions = memory_positions(a, address_of(a), 1)
    return {each: k for k, each in enumerate(positions.ravel().tolist())}


def _own_views(v: Value, arrays: Value, places: list[dict[int, int]] | None) -> Value:
    """Views of what an iterator shows, as of the arrays and not of the iterator: of the one that it
    hands out, or of several.
    """
    views = v if isinstance(v, tuple) else (v,)
    if arrays is None or places is None:
        if any(view.flags.writeable for view in views):
            raise _belongs_to_the_iterator()
        return v
    own = tuple(map(_own_view, views, arrays, places))
    return own if isinstance(v, tuple) else own[0]


def _own_view(view: Value, a: Value, places: dict[int, int]) -> Value:
    """The view of one element, or of a run of them, as one of the array."""
    place = places.get(address_of(view) - address_of(a))
    if view.size == 0:
        return view
    if place is None:
        raise _belongs_to_the_iterator()
    first = a[(*np.unravel_index(place, a.shape), ...)]
    if view.ndim:
        first = np.lib.stride_tricks.as_strided(first, view.shape, view.strides)
    if not view.flags.writeable:
        first.flags.writeable = False
    return first


def _belongs_to_the_iterator() -> Unsupported:
    return Unsupported(
        "np.nditer",
        "a loop over elements that may be written",
        why="what is written belongs to the iterator, not to the array",
        instead="loop over np.ndindex(a.shape), or work on the whole array",
    )


def _read_nditer(versions: Versions, iterator: Value, i: Value) -> tuple[Value, Record]:
    """``it[0]``, the element of one array where the iterator stands."""
    y, arrays = iterator[i], _walked(versions, iterator)
    if arrays is None:
        return y, _out_of_sight(versions, iterator, i, y)
    own = arrays[i] if isinstance(i, slice) else (arrays[i],)
    found = _own_views(y, own, [*map(_places, own)])
    return found, None


def _write_nditer(versions: Versions, iterator: Value, i: Value, v: Value) -> tuple[None, Record]:
    arrays = _walked(versions, iterator)
    if arrays is None or isinstance(i, slice):
        raise _belongs_to_the_iterator()
    own = _own_view(iterator[i], arrays[i], _places(arrays[i]))
    return write_array(versions, own, ..., v)


def _place_of(name: str) -> Callable[[Versions, Value], tuple[Value, Record]]:
    """An attribute that tells where an iterator stands."""
    return lambda versions, iterator: (getattr(iterator, name), None)


def _value_of_nditer(versions: Versions, iterator: Value) -> tuple[Value, Record]:
    v, arrays = iterator.value, _walked(versions, iterator)
    if arrays is None:
        return v, _out_of_sight(versions, iterator, "value", v)
    return _own_views(v, arrays, [_places(a) for a in arrays]), None


def _operands_of_nditer(versions: Versions, iterator: Value) -> tuple[Value, Record]:
    y, arrays = iterator.operands, _walked(versions, iterator)
    if arrays is None:
        return y, _out_of_sight(versions, iterator, "operands", y)
    return arrays, None


def _out_of_sight(versions: Versions, iterator: Value, asked: Value, y: Value) -> Record:
    """Of an iterator that goes through a buffer; or of which nothing is known, as of a copy."""
    what = f"nditer.{asked}" if isinstance(asked, str) else "nditer[...]"
    if id(iterator) not in versions.made_of:
        return opaque(what, y)
    operands = (iterator, asked)
    return come_in(versions, y, opaque(what, y, operands), operands)


def _read_memory(versions: Versions, mv: Value, i: Value) -> tuple[Value, Record]:
    y = mv[i]
    if not has_numbers(mv):
        inside = "an element of the memory of a number"
        of_number = flows(y) and issubclass(type(mv.obj), np.inexact)
        return y, come_in(versions, y, opaque(inside, y) if of_number else None, (mv, i))
    return y, (pull_element, np.asarray(mv), i) if flows(y) else None


def _write_memory(versions: Versions, mv: Value, i: Value, v: Value) -> tuple[None, Record]:
    if not has_numbers(mv):
        mv[i] = v
        return None, leave(versions, "memoryview[...] = v", None, (mv, i, v)) if flows(v) else None
    if type(i) is slice or np.asarray(mv).dtype.kind == "V":
        raise Unsupported(
            "memoryview",
            "a write to a slice of a memoryview",
            why="only single elements are followed",
            instead="write to the array",
        )
    return write_array(versions, np.asarray(mv), i, v)


def _memory_steps(mv: Value) -> Feed:
    for i, v in enumerate(mv):
        known = flows(v) and has_numbers(mv)
        yield v, (add_index, np.asarray(mv), i) if known else None


SOURCES[memoryview] = _memory_steps
READERS[memoryview] = _read_memory
WRITERS[memoryview] = _write_memory
FEEDS[np.nditer] = _nditer_steps
READERS[np.nditer] = _read_nditer
WRITERS[np.nditer] = _write_nditer
COMPUTED[np.nditer, "value"] = _value_of_nditer
COMPUTED[np.nditer, "operands"] = _operands_of_nditer
for _name in ("multi_index", "index", "iterindex", "iterrange", "itersize", "finished"):
    COMPUTED[np.nditer, _name] = _place_of(_name)
FEEDS[np.flatiter] = _flat_steps
READERS[np.flatiter] = _read
WRITERS[np.flatiter] = _write
for _kind in (memoryview, np.flatiter, np.nditer):  # called by name, too
    full(_kind.__getitem__)(READERS[_kind])
    full(_kind.__setitem__)(WRITERS[_kind])
