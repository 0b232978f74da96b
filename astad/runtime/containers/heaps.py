"""``heapq`` and ``bisect.insort``: what moves lies on one path of the heap, or behind one place.

>>> h = [1.0, 4.0, 2.0]
>>> y, (pull, *data) = heappop_forward(Versions(), h)
>>> y, h, data[1:]
(1.0, [2.0, 4.0], [[0], 2])
"""

from __future__ import annotations

import bisect
import heapq
import operator

from astad.runtime.core.full_rules import (
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    flows,
    full,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.add import add

__all__ = ["heappop_forward"]


@full(heapq.heappush)
def heappush_forward(versions: Versions, h: Value, v: Value) -> tuple[None, Record]:
    path = [len(_items(h))]
    heapq.heappush(h, v)
    after = _items(h)
    while after[path[-1]] is not v:
        path.append((path[-1] - 1) >> 1)
    return None, (pull_pushed, h, path) if any(flows(after[k]) for k in path) else None


def pull_pushed(shadows: Shadows, y_bar: Value, h: Value, path: list[int]) -> Cotangents:
    """The new one stands at the end of the path, the others came from one place further on."""
    bars = [shadows.slot_take(h, k) for k in path]
    for k, g in zip(path[1:], bars, strict=False):
        shadows.slot_add(h, k, g)
    return None, bars[-1]


def _items(h: Value) -> list[Value]:
    """Those that lie in the list: `heapq` calls no method of its class."""
    return [*list.__iter__(h)] if issubclass(type(h), list) else []


def _path_down(before: list[Value], after: list[Value]) -> list[int]:
    """From the root, where each took the place of its parent, to where the new one stands.

    Of two children that are one object the right one goes up, as neither is less.
    """
    path, size = [0], len(after)
    while True:
        left = 2 * path[-1] + 1
        moved = after[path[-1]]
        if left + 1 < size and before[left + 1] is moved:
            path.append(left + 1)
        elif left < size and before[left] is moved:
            path.append(left)
        else:
            return path


def _popping(fn: Value) -> Forward:
    def forward(versions: Versions, h: Value) -> tuple[Value, Record]:
        before = _items(h)
        y = fn(h)
        after = _items(h)
        if not after:
            return y, (pull_popped, h, [], 0) if flows(y) else None
        path = _path_down(before, after)
        moves = flows(y) or any(flows(after[k]) for k in path)
        return y, (pull_popped, h, path, len(after)) if moves else None

    return forward


heappop_forward = _popping(heapq.heappop)


def pull_popped(shadows: Shadows, y_bar: Value, h: Value, path: list[int], last: int) -> Cotangents:
    """What stood at `last` is at the end of the path, the others one place further up."""
    bars = [shadows.slot_take(h, k) for k in path]
    for k, g in zip([*path[1:], last], bars, strict=False):
        shadows.slot_add(h, k, g)
    shadows.slot_add(h, 0, y_bar)
    return None


def _replacing(fn: Value) -> Forward:
    def forward(versions: Versions, h: Value, v: Value) -> tuple[Value, Record]:
        before = _items(h)
        y = fn(h, v)
        return y, (pull_replaced, h, _path_down(before, _items(h)))

    return forward


@full(heapq.heappushpop)
def heappushpop_forward(versions: Versions, h: Value, v: Value) -> tuple[Value, Record]:
    before = _items(h)
    y = heapq.heappushpop(h, v)
    if y is v:
        return y, (pull_given_back,) if flows(y) else None
    return y, (pull_replaced, h, _path_down(before, _items(h)))


def pull_given_back(shadows: Shadows, y_bar: Value) -> Cotangents:
    return None, y_bar


def pull_replaced(shadows: Shadows, y_bar: Value, h: Value, path: list[int]) -> Cotangents:
    bars = [shadows.slot_take(h, k) for k in path]
    for k, g in zip(path[1:], bars, strict=False):
        shadows.slot_add(h, k, g)
    shadows.slot_add(h, 0, y_bar)
    return None, bars[-1]


def _make_insort(fn: Value, search: Value) -> None:
    @full(fn, names="a x lo hi")
    def forward(
        versions: Versions,
        a: Value,
        x: Value,
        lo: Value = 0,
        hi: Value = None,
        *,
        key: Value = None,
    ) -> tuple[None, Record]:
        wanted, record = (x, None) if key is None else callbacks.call(versions, key, x)
        i, asked = _searched(versions, search, a, wanted, lo, hi, key)
        if type(a) is not list:
            _, inserted = callbacks.call(versions, a.insert, i, x)
            return None, (pull_insort_by_method, inserted, record, asked)
        n = len(a)
        a.insert(i, x)
        moves = flows(x) or record is not None
        if not moves and (i == n or not any(map(flows, a))):
            return None, None
        return None, (pull_insort, a, i, record, asked)


def pull_insort(
    shadows: Shadows, y_bar: Value, a: Value, i: int, record: Record, asked: Record
) -> dict[str, Value]:
    return _pull_wanted(shadows, shadows.uninsert(a, i), record, asked)


def pull_insort_by_method(
    shadows: Shadows, y_bar: Value, inserted: Record, record: Record, asked: Record
) -> dict[str, Value]:
    parts = callbacks.pull(shadows, inserted, None, 2)
    return _pull_wanted(shadows, None if parts is None else parts[1], record, asked)


def _pull_wanted(shadows: Shadows, g: Value, record: Record, asked: Record) -> dict[str, Value]:
    """The part of what was inserted, which was also asked for its key."""
    callbacks.pull(shadows, asked, None, 0)
    if record is not None:
        parts = callbacks.pull(shadows, record, None, 1)
        g = g if parts is None else add(g, parts[0])
    return {"x": g}


def _searched(
    versions: Versions, search: Value, a: Value, x: Value, lo: Value, hi: Value, key: Value
) -> tuple[int, Record]:
    """The place, and the way back of the items that were asked for their key."""
    if key is None and python_method(type(a), "__getitem__") is None:
        return search(a, x, lo, hi), None
    asked: list[tuple[Record, Record]] = []

    def key_at(k: int) -> Value:
        found, fetched = callbacks.call(versions, operator.getitem, a, k)
        record = None
        if key is not None:
            found, record = callbacks.call(versions, key, found)
        if record is not None or fetched is not None:
            asked.append((fetched, record))
        return found

    places = range(len(a) if hi is None or hi == -1 else hi)
    i = search(places, x, lo, hi, key=key_at)
    return i, (pull_searched, asked) if asked else None


def pull_searched(shadows: Shadows, y_bar: Value, asked: list[tuple[Record, Record]]) -> Cotangents:
    for fetched, record in reversed(asked):
        parts = callbacks.pull(shadows, record, None, 1)
        callbacks.pull(shadows, fetched, parts[0] if parts else None, 2)
    return None


def _make_bisect(fn: Value) -> None:
    @full(fn, names="a x lo hi")
    def forward(
        versions: Versions,
        a: Value,
        x: Value,
        lo: Value = 0,
        hi: Value = None,
        *,
        key: Value = None,
    ) -> tuple[Value, Record]:
        i, asked = _searched(versions, fn, a, x, lo, hi, key)
        return i, None if asked is None else (pull_bisected, asked)


def pull_bisected(shadows: Shadows, y_bar: Value, asked: Record) -> dict[str, Value]:
    callbacks.pull(shadows, asked, None, 0)
    return {}


_make_bisect(bisect.bisect_left)
_make_bisect(bisect.bisect_right)


def _heapifying(fn: Value) -> Forward:
    def forward(versions: Versions, h: Value) -> tuple[None, Record]:
        before = _items(h)
        fn(h)
        after = _items(h)
        return None, (pull_heapified, h, _order(before, after)) if any(map(flows, after)) else None

    return forward


def _order(before: list[Value], after: list[Value]) -> list[int]:
    """For each element where it was before, by identity."""
    places: dict[int, list[int]] = {}
    for i in range(len(before) - 1, -1, -1):
        places.setdefault(id(before[i]), []).append(i)
    return [places[id(v)].pop() for v in after]


def pull_heapified(shadows: Shadows, y_bar: Value, h: Value, order: list[int]) -> Cotangents:
    shadows.unpermute(h, order)
    return None


_make_insort(bisect.insort_left, bisect.bisect_left)
_make_insort(bisect.insort_right, bisect.bisect_right)
full(heapq.heappop)(heappop_forward)
full(heapq.heapreplace)(_replacing(heapq.heapreplace))
full(heapq.heapify)(_heapifying(heapq.heapify))
for _name, _rule in (
    ("heappop", _popping), ("heapreplace", _replacing), ("heapify", _heapifying),
):  # fmt: skip
    _largest: Value = getattr(heapq, f"_{_name}_max", None)  # with the largest one first
    if _largest is not None:
        full(_largest)(_rule(_largest))
