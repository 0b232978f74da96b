"""Sets: operators and methods of two sets and more. Each number is the slot of itself as a key.

Of equal elements the one that NumPy or Python keeps is found by identity, and its cotangent goes
back to where it came from.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from astad.runtime.core.full_rules import (
    MISSING,
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    flows,
    full,
    inert,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.bases import items_in
from astad.runtime.cotangents.owners import mapping_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    SOURCES,
    Feed,
    add_index,
    add_key,
    add_slot,
    deliver,
    gather,
    hand_over,
    in_its_order,
    is_read_whole,
    iterate,
    key_route,
)
from astad.runtime.operations.operators import UNITED, VIEWED, VIEWS

__all__ = ["combine_sets", "own_elements", "set_in_place"]

SETS = (set, frozenset)
NEW = ("union", "intersection", "difference", "symmetric_difference")
_INTERSECTIONS = (set.intersection, frozenset.intersection)
CHANGING = ("update", *(f"{name}_update" for name in NEW[1:]))

inert([
    method
    for kind in SETS
    for method in (
        kind.issubset, kind.issuperset, kind.isdisjoint, kind.__len__, kind.__contains__,
        kind.__eq__, kind.__ne__, kind.__le__, kind.__lt__, kind.__ge__, kind.__gt__,
    )
])  # fmt: skip


Ways = list[tuple[Value, Record]]
"""Elements in the order in which they were drawn, with their routes."""


def _routes(versions: Versions, source: Value) -> tuple[Value, Ways]:
    """What stands for an operand in the plain call, and the ways back to its elements."""
    if issubclass(type(source), SETS):
        return source, [(v, (add_key, source, v)) for v in items_in(source) if flows(v)]
    items, ways = gather(versions, source)
    return in_its_order(source, items), [*zip(items, ways, strict=True)]


def _all_routes(versions: Versions, sources: tuple[Value, ...]) -> tuple[list[Value], Ways]:
    given, ways = [], Ways()
    for source in sources:
        items, found = _routes(versions, source)
        given.append(items)
        ways += found
    return given, ways


def _record(s: Value, ways: Ways, before: dict[int, Value]) -> Record:
    """Of what was drawn, that which lies in the set `s` now and did not before has the cotangent of
    its slot; what else was done to draw it is undone as well.
    """
    fresh = {id(v) for v in items_in(s)} - before.keys()
    moved: Ways = []
    for v, way in ways:
        if way is None:
            continue
        if id(v) in fresh:
            moved.append((v, way))
            fresh.remove(id(v))
        elif way[0] not in (add_index, add_key, add_slot):
            moved.append((MISSING, way))
    return (pull_moved, s, moved) if moved else None


class Meeting:
    """The intersection of a set with what comes."""

    def __init__(self, fn: Value, s: Value) -> None:
        self.fn = fn
        self.y = s

    def __call__(self, items: Iterator[Value]) -> None:
        self.y = self.fn(self.y, items)


def _intersect(versions: Versions, s: Value, others: tuple[Value, ...]) -> tuple[Value, Ways]:
    """What lies in `s` and in each of the others, and the ways back. Of what moves as it is drawn
    Python takes no more elements than it needs.
    """
    fn = set.intersection if issubclass(type(s), set) else frozenset.intersection
    y, ways = s, Ways()
    for source in others:
        if issubclass(type(source), SETS) or type(source) in SOURCES:
            given, found = _routes(versions, source)
            y = fn(y, given)
        else:
            made = Meeting(fn, y)
            items, routes = gather(versions, source, made)
            y, found = made.y, [*zip(items, routes, strict=True)]
        ways += found
    return y, ways


def combine_sets(versions: Versions, fn: Value, a: Value, *others: Value) -> tuple[Value, Record]:
    """A fresh set made of `a` and others by `fn`."""
    if fn in _INTERSECTIONS and others:
        _, ways = _routes(versions, a)
        y, found = _intersect(versions, a, others)
        ways += found
    else:
        given, ways = _all_routes(versions, (a, *others))
        y = fn(*given)
    return y, _record(y, ways, {})


def set_in_place(versions: Versions, fn: Value, s: Value, *others: Value) -> tuple[Value, Record]:
    """`fn` changes the set `s`; what was in it before keeps its slot."""
    if fn is set.update:
        return None, _update(versions, s, others)
    before = {id(v): v for v in items_in(s)}
    may_stop = not all(issubclass(type(each), SETS) or type(each) in SOURCES for each in others)
    if fn is set.intersection_update and may_stop:
        kept, ways = _intersect(versions, s, others)
        set.clear(s)
        y = set.update(s, kept)
    else:
        given, ways = _all_routes(versions, others)
        y = fn(s, *given)
    return y, _record(s, ways, before)


def _update(versions: Versions, s: Value, others: tuple[Value, ...]) -> Record:
    """``s.update(*others)``: each element is there before the next one is drawn, but for those of
    another set or a dict.
    """
    if not any(is_read_whole(each) for each in others):
        return hand_over(versions, others, lambda v: _add(s, v), _chained)
    records = [_update_by(versions, s, each) for each in others]
    return (pull_updates, records) if any(records) else None


def _update_by(versions: Versions, s: Value, source: Value) -> Record:
    if not is_read_whole(source):
        return hand_over(versions, (source,), lambda v: _add(s, v), _chained)
    before, (given, ways) = {id(v): v for v in items_in(s)}, _routes(versions, source)
    set.update(s, given)
    return _record(s, ways, before)


def pull_updates(shadows: Shadows, y_bar: Value, records: list[Record]) -> Cotangents:
    for record in reversed(records):
        callbacks.pull(shadows, record, None, 1)
    return None


def _chained(versions: Versions, sources: tuple[Value, ...]) -> Feed:
    for source in sources:
        if issubclass(type(source), SETS):
            yield from own_elements(source)
        else:
            yield from iterate(versions, source)


def own_elements(source: Value) -> Feed:
    """Those of a set as they lie there: no method of its class is asked for them."""
    for v in items_in(source):
        yield v, (add_key, source, v) if flows(v) else None


def _add(s: Value, v: Value) -> Record:
    is_new = not set.__contains__(s, v)
    set.add(s, v)
    return (pull_added, s, v) if is_new and flows(v) else None


def pull_added(shadows: Shadows, y_bar: Value, s: Value, v: Value) -> Cotangents:
    return None, shadows.key_take(s, v)


def pull_moved(shadows: Shadows, y_bar: Value, s: Value, moved: Ways) -> Cotangents:
    for v, way in reversed(moved):
        deliver(shadows, way, None if v is MISSING else shadows.key_take(s, v))
    return None


def _method(fn: Value, combine: Value) -> Forward:
    def forward(versions: Versions, s: Value, /, *others: Value) -> tuple[Value, Record]:
        y, record = combine(versions, fn, s, *others)
        return y, record

    return forward


def _own_operator(fn: Value) -> Forward:
    """What ``super().__or__(t)`` of a subclass calls."""

    def forward(versions: Versions, s: Value, t: Value) -> tuple[Value, Record]:
        if not issubclass(type(t), SETS):
            return NotImplemented, None
        return combine_sets(versions, fn, s, t)

    return forward


for _kind in SETS:
    for _name in NEW:
        full(getattr(_kind, _name))(_method(getattr(_kind, _name), combine_sets))
    for _name in ("__or__", "__and__", "__sub__", "__xor__"):
        full(getattr(_kind, _name))(_own_operator(getattr(operator, _name)))
for _name in CHANGING:
    full(getattr(set, _name))(_method(getattr(set, _name), set_in_place))


UNITED[set] = combine_sets


# --- views of dicts


def combine_views(versions: Versions, fn: Value, a: Value, b: Value) -> tuple[Value, Record] | None:
    """A set made by an operator of the keys or items of a dict, and of what else there is; None
    where that is none of the containers whose elements are known beforehand.
    """
    ways: dict[int, Record] = {}
    items: list[Value] = []
    for source in (a, b):
        if isinstance(source, _ITEMS):
            items.append(mapping_of(source))
        elif isinstance(source, VIEWS):
            mapping = mapping_of(source)
            ways.update((id(key), key_route(mapping, key)) for key in dict.keys(mapping))
        elif issubclass(type(source), SETS):
            ways.update((id(v), route) for v, route in own_elements(source))
        elif type(source) in (list, tuple, dict):
            ways.update(zip(map(id, source), gather(versions, source)[1], strict=True))
        else:
            return None
    y = fn(a, b)
    moved: Ways = [(v, ways.get(id(v))) for v in y if flows(v)]
    pairs = [(v, _mapping_with(items, v)) for v in y if type(v) is tuple and id(v) not in ways]
    return y, (pull_combined, y, moved, pairs) if moved or pairs else None


_ITEMS = tuple(kind for kind in VIEWS if "items" in kind.__name__)


def _mapping_with(mappings: list[Value], pair: Value) -> Value:
    """The dict that a pair of key and value is made of."""
    key, value = pair
    return next(m for m in mappings if dict.get(m, key, MISSING) is value)


def pull_combined(
    shadows: Shadows, y_bar: Value, y: Value, moved: Ways, pairs: list[tuple[Value, Value]]
) -> Cotangents:
    for v, way in reversed(moved):
        deliver(shadows, way, shadows.key_take(y, v))
    for pair, mapping in reversed(pairs):
        key_bar, value_bar = shadows.slots_take(pair, 2)
        deliver(shadows, key_route(mapping, pair[0]), key_bar)
        deliver(shadows, (add_key, mapping, pair[0]), value_bar)
    return None


VIEWED[set] = combine_views
