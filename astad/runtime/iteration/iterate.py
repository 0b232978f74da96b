"""Iteration: each element comes with its route, the way its cotangent goes back.

>>> from astad.runtime.cotangents.shadows import Shadows
>>> from astad.runtime.core.versions import Call, OwnCalls, Versions
>>> prices, shadows = [1.5, 2.5], Shadows()
>>> for price, route in iterate(Versions(), prices):
...     deliver(shadows, route, 10.0 * price)
>>> [shadows.slot_take(prices, i) for i in range(2)]
[15.0, 25.0]

A route is a record like any other, ``(pull function, *data)``; its pull function hands everything
on and returns None. Iterators are taken apart by ``__reduce__``, so that a half-consumed one goes
on where it stands, and each element is drawn from the user's own iterator, one at a time.

The route of an element goes back through all that was done since the one before it, in reverse
order. What is done to find the end has no element: it is left in `Versions.calls`, where whoever
draws has a list, as `InStep` has. So are elements that were drawn for nothing.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from operator import length_hint
from typing import Any, TypeAlias

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    opaque,
    python_method,
)
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.owners import mapping_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.ends import may_change
from astad.runtime.text.texts import elements, is_read_by_item
from astad.runtime.unseen.foreign_iterators import unknown_steps
from astad.tangents.unasked import callable_name, has_in_class
from astad.tangents.zero import ITEMS

__all__ = [
    "FEEDS", "SOURCES", "Feed", "InStep", "add_index", "add_key", "add_slot", "deliver",
    "element_route", "following", "gather", "hand_over", "in_its_order", "is_iterable",
    "is_read_whole", "items_of", "iterate", "iterate_sized", "iterator_of", "key_route",
    "key_slot", "leave", "pull_after", "pull_folded", "pull_pending", "pull_since", "steps",
    "take_gathered", "until_end", "with_ends",
]  # fmt: skip

Feed: TypeAlias = Generator[tuple[Value, Record], None, Any]  # returned: how it ended, if known


_KEY = object()


def key_slot(key: Value) -> Value:
    """Names the slot of a key of a dict, where ``key`` itself names the slot of the value under
    it."""
    return _KEY, key


def deliver(shadows: Shadows, route: Record, v_bar: Value) -> None:
    """Send the cotangent of an element back by its route."""
    if route is not None:
        route[0](shadows, v_bar, *route[1:])


def iterate(versions: Versions, iterable: Value) -> Feed:
    """Elements of any iterable, in Python's order, each with its route."""
    source = SOURCES.get(type(iterable))
    if source is not None:
        if versions.departed and is_read_by_item(versions, iterable):
            return elements(versions, iterable)
        return source(iterable)
    iterator, record = iterator_of(versions, iterable)
    feed = steps(versions, iterator)
    return feed if record is None else _after(versions, feed, record)


def iterate_sized(versions: Versions, iterable: Value) -> Feed:
    """The same for what becomes a list at once: an object of the program's is asked for its length
    when the iterator is there. Of the answer nothing but errors is seen.
    """
    asked = python_method(type(iterable), "__len__") or python_method(
        type(iterable), "__length_hint__"
    )
    if asked is None or type(iterable) in SOURCES:
        return iterate(versions, iterable)
    iterator, record = iterator_of(versions, iterable)
    feed = steps(versions, iterator)
    hint = _asked_length(versions, iterable)
    feed = feed if hint is None else _after(versions, feed, hint)
    return feed if record is None else _after(versions, feed, record)


def _asked_length(versions: Versions, iterable: Value) -> Record:
    """The record of ``__len__``, or of ``__length_hint__`` where there is none, or none fits."""
    kind = type(iterable)
    if has_in_class(kind, "__len__"):
        try:
            return callbacks.call(versions, len, iterable)[1]
        except TypeError:
            if python_method(kind, "__length_hint__") is None:
                return None
    hint = python_method(kind, "__length_hint__")
    if hint is None:
        return None
    try:
        answer, record = callbacks.call(versions, hint, iterable)
    except TypeError:
        return None
    length_hint(_Answer(answer))  # raises Python's own errors
    return record


class _Answer:
    """Has the length that the program's object has told."""

    def __init__(self, answer: Value) -> None:
        self.answer = answer

    def __length_hint__(self) -> Value:
        return self.answer


def _take_all(items: Iterator[Value]) -> None:
    deque(items, maxlen=0)


def gather(
    versions: Versions,
    iterable: Value,
    take: Callable[[Iterator[Value]], None] = _take_all,
    feed: Callable[[Versions, Value], Feed] = iterate,
    end: list[Call] | None = None,
) -> tuple[list[Value], list[Record]]:
    """All elements, and all routes; or those that ``take`` draws, of what moves as it is drawn.

    What is done to find the end goes back before the last element; where there is none it is put
    into ``end``, for a record made by `behind_end`.
    """
    kind = type(iterable)
    if kind is list or kind is tuple:
        items = list(iterable)
        return items, [(add_slot, iterable, i) if flows(v) else None for i, v in enumerate(items)]
    if kind in SOURCES:
        return _drawn(iterate(versions, iterable))
    outer, items = versions.calls, list[Value]()

    def drawing() -> Iterator[Value]:
        for item in drawn:
            items.append(item)
            yield item

    with InStep(versions, iterable, feed) as drawn:
        take(drawing())
    routes = [route for _, route in drawn.handed]
    if len(routes) == len(items):
        return items, routes
    last = routes.pop()
    assert last is not None
    ends: list[Call] = last[2]
    if items:  # what was done to find the end comes before the last element goes back
        routes[-1] = (pull_ended, routes[-1], ends)
    elif outer is not None:
        outer += ends
    elif end is not None:
        end += ends
    elif any(may_change(call.made[0], iterable) for call in ends):
        raise Unsupported(
            callable_name(iterable),
            "an iterator without elements that changes things",
            why="what it does to find its end is not recorded",
            instead="change them outside of it",
        )
    return items, routes


def behind_end(record: Record, end: list[Call]) -> Record:
    """Of an operation on what had no elements: what was done to find that goes back after it."""
    return (pull_found_empty, record, end) if end else record


def pull_found_empty(shadows: Shadows, y_bar: Value, record: Record, end: list[Call]) -> Cotangents:
    operands: Cotangents = None if record is None else record[0](shadows, y_bar, *record[1:])
    pull_since(shadows, None, None, end)
    return operands


def in_its_order(source: Value, items: list[Value]) -> Value:
    """What a set is filled from: the order of its elements depends on that. Python copies the
    table of a set, and makes room for all keys of a dict at once.
    """
    return source if is_read_whole(source) else items


def is_read_whole(source: Value) -> bool:
    """Does a set take its elements without asking for one after the other?"""
    return issubclass(type(source), (set, frozenset)) or type(source) is dict


def _drawn(feed: Feed) -> tuple[list[Value], list[Record]]:
    items, routes = [], []
    for item, route in feed:
        items.append(item)
        routes.append(route)
    return items, routes


# --- drawing in step ------------------------------------------------------------------------------


class InStep:
    """The elements of an iterable, each drawn when what is done with the one before it is done.

    Whoever draws tells by `note` what that was: the record of an operation on what is there so far
    and the element, as ``total + v`` is. ``handed`` has for each element this record and its route;
    what came after the last element is behind them. An exception leaves all that was done so far
    to those who may catch it.
    """

    __slots__ = ("_calls", "_feed", "_iterable", "_outer", "handed", "versions")

    def __init__(
        self,
        versions: Versions,
        iterable: Value,
        feed: Callable[[Versions, Value], Feed] = iterate,
    ) -> None:
        self.versions = versions
        self.handed: list[tuple[Record, Record]] = []
        self._iterable = iterable
        self._feed = feed

    def __enter__(self) -> InStep:
        self._outer, self._calls = self.versions.calls, list[Call]()
        self.versions.calls = self._calls
        return self

    def __iter__(self) -> Iterator[Value]:
        for item, route in self._feed(self.versions, self._iterable):
            self.handed.append((None, with_ends(self.versions, route)))
            yield item

    def note(self, record: Record) -> None:
        """What was done with the last element, which may have called functions."""
        self.handed[-1] = record, self.handed[-1][1]
        if self._calls:
            self._note_ends()

    def _note_ends(self) -> None:
        ends = with_ends(self.versions, None)
        if ends is not None:
            self.handed.append(((pull_stays,), ends))

    def __exit__(self, kind: type | None, *error: object) -> None:
        if kind is None:
            self._note_ends()
        self.versions.calls = self._outer
        if kind is not None and self._outer is not None:
            left = [Call(((pull_handed_over, self.handed), ()), True)] if self.handed else []
            self._outer += left + self._calls

    def record(self) -> Record:
        """Of all, where nothing has a cotangent but what was written."""
        moves = any(record is not None or route is not None for record, route in self.handed)
        return (pull_handed_over, self.handed) if moves else None


def with_ends(versions: Versions, route: Record) -> Record:
    """The route of an element, and what had been done since the one before it came to its end."""
    calls = versions.calls
    if not calls:
        return route
    ends = [call for call in calls if call.raised]
    calls.clear()
    return (pull_since, route, ends) if ends else route


def pull_stays(shadows: Shadows, y_bar: Value) -> Cotangents:
    """What is there so far stays as it is."""
    return y_bar, None


def hand_over(
    versions: Versions,
    iterable: Value,
    put: Callable[[Value], Record],
    feed: Callable[[Versions, Value], Feed] = iterate,
) -> Record:
    """Hand each element to ``put`` before the next one is drawn, as ``xs.extend(source)`` does.

    The source may read what has been put so far, and where it raises, that has been put. ``put``
    returns the record of an operation whose second operand is the element.
    """
    with InStep(versions, iterable, feed) as drawn:
        for item in drawn:
            drawn.note(put(item))
    return drawn.record()


def pull_handed_over(
    shadows: Shadows, y_bar: Value, handed: list[tuple[Record, Record]]
) -> Cotangents:
    pull_folded(shadows, None, handed)
    return None


def pull_folded(shadows: Shadows, y_bar: Value, handed: list[tuple[Record, Record]]) -> Value:
    """Back through each element and the operation that it was handed to, from the last: the
    cotangent of what was there at first.
    """
    for record, route in reversed(handed):
        operands = callbacks.pull(shadows, record, y_bar, 2)
        y_bar, v_bar = (None, None) if operands is None else operands
        deliver(shadows, route, v_bar)
    return y_bar


def pull_ended(shadows: Shadows, v_bar: Value, route: Record, ended: list[Call]) -> None:
    """Back through what came after an element, then through the element."""
    pull_since(shadows, None, None, ended)
    deliver(shadows, route, v_bar)


def pull_since(shadows: Shadows, v_bar: Value, route: Record, ended: Sequence[Call]) -> None:
    """Back through an element, then through what had been done since the one before it."""
    deliver(shadows, route, v_bar)
    for call in reversed(ended):
        record = call.made[0]
        record[0](shadows, None, *record[1:])


def is_iterable(kind: type) -> bool:
    """Whether Python iterates over objects of this class: numbers of NumPy's have no elements,
    though they take an index.

    >>> is_iterable(list), is_iterable(np.float64), is_iterable(float)
    (True, False, False)
    """
    if has_in_class(kind, "__iter__"):
        return True
    return has_in_class(kind, "__getitem__") and not issubclass(kind, (np.number, np.bool_))


def iterator_of(versions: Versions, iterable: Value) -> tuple[Value, Record]:
    """``iter(iterable)``, and the record of the user's own ``__iter__`` if that is what ran."""
    method = python_method(type(iterable), "__iter__")
    if method is None:
        return iter(iterable), None
    iterator, record = callbacks.call(versions, method, iterable)
    if not isinstance(iterator, Iterator):
        iter(iterable)  # raises Python's own TypeError
    return iterator, record


def steps(versions: Versions, iterator: Value) -> Feed:
    """What is left of an iterator. It advances exactly as far as elements are asked for."""
    feed = FEEDS.get(type(iterator))
    if feed is not None:
        return feed(versions, iterator)
    if python_method(type(iterator), "__next__") is not None:
        return BY_METHOD["__next__"](versions, iterator)
    return unknown_steps(versions, iterator)


def following(
    versions: Versions, feed: Feed
) -> tuple[tuple[Value, Record] | None, StopIteration | None]:
    """The next element with its route; or None, and the StopIteration of the program's own, which
    carries a value.
    """
    try:
        v, route = next(feed)
    except StopIteration as over:
        return None, over.value if isinstance(over.value, StopIteration) else None
    return (v, with_ends(versions, route)), None


def leave(versions: Versions, routes: Sequence[Record]) -> None:
    """Elements were drawn that nobody gets, before what is noted of the last step, which has ended
    or raised: where that may be caught, they go back behind it.
    """
    drawn = [route for route in reversed(routes) if route is not None]
    if drawn and versions.calls is not None:
        versions.calls.insert(0, Call(((pull_pending, None, drawn), ()), True))


def pull_pending(shadows: Shadows, v_bar: Value, route: Record, pending: list[Record]) -> None:
    """Back through an element, then through what came before it, the last first."""
    deliver(shadows, route, v_bar)
    for waiting in pending:
        deliver(shadows, waiting, None)


def until_end(iterator: Value, ends: list[StopIteration]) -> Iterator[Value]:
    """The elements that compiled code hands on, and the StopIteration that it hands on at last,
    where that is the program's own.
    """
    while True:
        try:
            v = next(iterator)
        except StopIteration as over:
            if over.args or type(over) is not StopIteration:
                ends.append(over)
            return
        yield v


# --- routes ---------------------------------------------------------------------------------------


def add_slot(shadows: Shadows, v_bar: Value, container: Value, i: int) -> None:
    if v_bar is not None:
        shadows.slot_add(container, i, v_bar)


def add_key(shadows: Shadows, v_bar: Value, container: Value, key: Value) -> None:
    if v_bar is not None:
        shadows.key_add(container, key, v_bar)


def add_index(shadows: Shadows, v_bar: Value, a: Value, index: Value) -> None:
    if v_bar is not None:
        shadows.index_add(a, index, v_bar)


def pull_call(
    shadows: Shadows, v_bar: Value, record: Record, n: int, routes: tuple[Record, ...] = ()
) -> None:
    """Back through a call of the user's function; its last operands came by these routes."""
    operands = callbacks.pull(shadows, record, v_bar, n)
    for k, route in enumerate(reversed(routes), 1):
        deliver(shadows, route, None if operands is None else operands[-k])


def key_route(mapping: Value, key: Value) -> Record:
    """Route of a key itself."""
    return (add_key, mapping, key_slot(key)) if flows(key) else None


def element_route(sequence: Value, i: int, element: Value) -> Record:
    """Route of the i-th element of a list, tuple, deque or array."""
    if issubclass(type(sequence), np.ndarray):
        return array_route(sequence, i, element)
    return (add_slot, sequence, i) if flows(element) else None


def array_route(a: Value, index: Value, element: Value) -> Record:
    if issubclass(type(element), np.ndarray):
        return None  # a row: a view
    if issubclass(type(element), np.void):
        return opaque("a record of a structured array", element, (a,))
    if a.dtype.hasobject and type(element) not in ITEMS:
        return opaque("an array of objects", element) if flows(element) else None
    return (add_index, a, index)


def pull_after(shadows: Shadows, v_bar: Value, route: Record, record: Record) -> None:
    """Back through the first element, then through the ``__iter__`` that came before it."""
    deliver(shadows, route, v_bar)
    callbacks.pull(shadows, record, None, 1)


def _after(versions: Versions, feed: Feed, record: Record) -> Feed:
    for element, route in feed:
        yield element, (pull_after, route, record)
        break
    else:
        if versions.calls is not None:
            versions.calls.append(Call(((pull_began, record), ()), True))
    yield from feed


def pull_began(shadows: Shadows, y_bar: Value, record: Record) -> None:
    """Back through the ``__iter__`` of what had no element."""
    callbacks.pull(shadows, record, None, 1)


def take_gathered(shadows: Shadows, y_bar: Value, y: Value, routes: list[Record]) -> Cotangents:
    """Back through a fresh list, tuple or deque made of elements that came by these routes."""
    for i in range(len(routes) - 1, -1, -1):
        route = routes[i]
        if route is not None:
            route[0](shadows, shadows.slot_take(y, i), *route[1:])
    return None


# --- containers -----------------------------------------------------------------------------------


def _list_source(items: list[Value]) -> Feed:
    i = 0
    while i < len(items):  # asked anew each time: a list may grow while it is walked
        v = items[i]
        yield v, (add_slot, items, i) if flows(v) else None
        i += 1


def _tuple_source(items: tuple[Value, ...]) -> Feed:
    for i, v in enumerate(items):
        yield v, (add_slot, items, i) if flows(v) else None


def _array_source(a: Value) -> Feed:
    for i, v in enumerate(a):
        yield v, array_route(a, i, v)


def _plain_source(items: Value) -> Feed:
    for v in items:
        yield v, None


def _set_source(items: Value) -> Feed:
    for v in items:
        yield v, (add_key, items, v) if flows(v) else None


def _deque_source(items: deque[Value]) -> Feed:
    for i, v in enumerate(items):
        yield v, element_route(items, i, v)


def _keys_source(mapping: Value) -> Feed:
    for key in mapping:
        yield key, key_route(mapping, key)


def _key_view_source(view: Value) -> Feed:
    mapping = mapping_of(view)
    for key in view:
        yield key, key_route(mapping, key)


def items_of(mapping: Value) -> Value:
    """The keys and values of a dict as compiled code sees them, whatever a subclass defines."""
    if issubclass(type(mapping), OrderedDict):
        return OrderedDict.items(mapping)
    return dict.items(mapping)


def _value_view_source(view: Value) -> Feed:
    mapping = mapping_of(view)
    for key, v in items_of(mapping):
        yield v, (add_key, mapping, key) if flows(v) else None


def _item_view_source(view: Value) -> Feed:
    mapping = mapping_of(view)
    for key, v in items_of(mapping):
        pair = (key, v)
        yield pair, pair_route(pair, mapping)


def pair_route(pair: tuple[Value, Value], mapping: Value) -> Record:
    """Route of a fresh (key, value) pair."""
    key_way = key_route(mapping, pair[0])
    if flows(pair[1]):
        return (take_gathered, pair, [key_way, (add_key, mapping, pair[0])])
    return None if key_way is None else (take_gathered, pair, [key_way, None])


SOURCES: dict[type, Callable[[Value], Feed]] = {
    list: _list_source, tuple: _tuple_source,
    np.ndarray: _array_source, deque: _deque_source,
    str: _plain_source, bytes: _plain_source, range: _plain_source,
    set: _set_source, frozenset: _set_source, dict: _keys_source,
    type({}.keys()): _key_view_source, type({}.values()): _value_view_source,
    type({}.items()): _item_view_source, type(OrderedDict().keys()): _key_view_source,
    type(OrderedDict().values()): _value_view_source,
    type(OrderedDict().items()): _item_view_source,
}  # fmt: skip
"""Exact types of containers, with the generator that walks them."""


# --- iterators ------------------------------------------------------------------------------------


BY_METHOD: dict[str, Callable[[Versions, Value], Feed]] = {}
"""What advances iterators that have the method in Python: filled by `own_iterators`."""
FEEDS: dict[type, Callable[[Versions, Value], Feed]] = {}
"""Exact types of iterators, with the generator that advances them; `container_iterators.py`,
`iterators.py` and others put theirs in."""
