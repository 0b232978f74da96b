"""Sets: operators and methods of two sets and more. Each number is the slot of itself as a key.

Of equal elements the one that NumPy or Python keeps is found by identity, and its cotangent goes
back to where it came from.
"""

from __future__ import annotations

import operator

from astad.runtime.bases import items_in
from astad.runtime.full_rules import Cotangents, Forward, Record, Value, flows, full, inert
from astad.runtime.iterate import Feed, add_key, deliver, gather, hand_over, iterate
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__ = ["combine_sets", "own_elements", "set_in_place"]

SETS = (set, frozenset)
NEW = ("union", "intersection", "difference", "symmetric_difference")
CHANGING = ("update", *(f"{name}_update" for name in NEW[1:]))

inert([
    method
    for kind in SETS
    for method in (
        kind.issubset, kind.issuperset, kind.isdisjoint, kind.__len__, kind.__contains__,
        kind.__eq__, kind.__ne__, kind.__le__, kind.__lt__, kind.__ge__, kind.__gt__,
    )
])  # fmt: skip


def _routes(versions: Versions, source: Value) -> tuple[Value, dict[int, Record]]:
    """What stands for an operand in the plain call, and by id of an element the way back to it."""
    if issubclass(type(source), SETS):
        return source, {id(v): (add_key, source, v) for v in items_in(source) if flows(v)}
    items, ways = gather(versions, source)
    found: dict[int, Record] = {}
    for v, way in zip(items, ways, strict=True):
        if way is not None:
            found.setdefault(id(v), way)
    return items, found


def _all_routes(
    versions: Versions, sources: tuple[Value, ...]
) -> tuple[list[Value], dict[int, Record]]:
    given, ways = [], dict[int, Record]()
    for source in sources:
        items, found = _routes(versions, source)
        given.append(items)
        ways = found | ways
    return given, ways


def combine_sets(versions: Versions, fn: Value, a: Value, *others: Value) -> tuple[Value, Record]:
    """A fresh set made of `a` and others by `fn`."""
    given, ways = _all_routes(versions, (a, *others))
    y = fn(*given)
    moved = [(v, ways[id(v)]) for v in items_in(y) if id(v) in ways]
    return y, (pull_moved, y, moved) if moved else None


def set_in_place(versions: Versions, fn: Value, s: Value, *others: Value) -> tuple[Value, Record]:
    """`fn` changes the set `s`; what was in it before keeps its slot."""
    if fn is set.update:
        return None, _update(versions, s, others)
    before = {id(v): v for v in items_in(s)}
    given, ways = _all_routes(versions, others)
    y = fn(s, *given)
    moved = [(v, ways[id(v)]) for v in items_in(s) if id(v) in ways and id(v) not in before]
    return y, (pull_moved, s, moved) if moved else None


def _update(versions: Versions, s: Value, others: tuple[Value, ...]) -> Record:
    """``s.update(*others)``: each element is there before the next one is drawn."""
    return hand_over(versions, others, lambda v: _add(s, v), _chained)


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


def pull_moved(
    shadows: Shadows, y_bar: Value, s: Value, moved: list[tuple[Value, Record]]
) -> Cotangents:
    for v, way in reversed(moved):
        deliver(shadows, way, shadows.key_take(s, v))
    return None


def _method(fn: Value, combine: Value) -> Forward:
    def forward(versions: Versions, s: Value, /, *others: Value) -> tuple[Value, Record]:
        y, record = combine(versions, fn, s, *others)
        return y, record

    return forward


for _kind in SETS:
    for _name in NEW:
        full(getattr(_kind, _name))(_method(getattr(_kind, _name), combine_sets))
    for _name in ("__or__", "__and__", "__sub__", "__xor__"):
        full(getattr(_kind, _name))(_method(getattr(operator, _name), combine_sets))
for _name in CHANGING:
    full(getattr(set, _name))(_method(getattr(set, _name), set_in_place))
