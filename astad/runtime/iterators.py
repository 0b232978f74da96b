"""The builtin iterators: ``iter``, ``next``, ``zip``, ``enumerate``, ``reversed``.

Making one moves nothing; what it will hand out is still in the containers it walks. Each feed draws
from the inner iterators, which are the user's own, so a loop that is left half-way leaves them
where Python does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from astad.runtime import container_iterators  # noqa: F401  (fills the table)
from astad.runtime.endings import ended
from astad.runtime.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    python_method,
)
from astad.runtime.harmless import writes_nothing
from astad.runtime.iterate import (
    FEEDS,
    Feed,
    add_index,
    add_key,
    add_slot,
    deliver,
    element_route,
    following,
    iterator_of,
    pull_since,
    steps,
    take_gathered,
    until_end,
)
from astad.runtime.owners import object_of
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Call, Versions
from astad.runtime.weak_proxies import is_proxy
from astad.runtime.writing_code import STANDS_FOR
from astad.tangents.unasked import has_in_class

__all__ = [
    "POSITIONS", "Ended", "Shown", "draw", "fresh_tuple", "iterator", "iterators_of",
    "pull_iterators", "pull_pending", "put_behind", "shown", "taking_along", "upcoming",
]  # fmt: skip
PLAIN = (add_index, add_key, add_slot)
"""Routes of elements that are there without being asked for."""


# --- making iterators -----------------------------------------------------------------------------


def iterators_of(versions: Versions, iterables: tuple[Value, ...]) -> tuple[list[Value], Record]:
    """``iter`` of each, and one record for those whose ``__iter__`` the user wrote."""
    made = [iterator_of(versions, iterable) for iterable in iterables]
    records = [record for _, record in made]
    if all(record is None for record in records):
        return [iterator for iterator, _ in made], None
    return [iterator for iterator, _ in made], (pull_iterators, records)


def pull_iterators(shadows: Shadows, y_bar: Value, records: list[Record]) -> Cotangents:
    for record in reversed(records):
        if record is not None:
            callbacks.pull(shadows, record, None, 1)
    return None


@full(iter)
def iter_forward(versions: Versions, iterable: Value, *sentinel: Value) -> tuple[Value, Record]:
    if sentinel:
        return iter(iterable, *sentinel), None
    return iterator_of(versions, iterable)


def iterator(iterable: Value) -> Value:
    """What a generator expression goes over."""
    return iter(iterable)


@full(iterator)
def iterator_forward(versions: Versions, iterable: Value) -> tuple[Value, Record]:
    return iterator_of(versions, iterable)


@full(next)
def next_forward(versions: Versions, iterator: Value, *default: Value) -> tuple[Value, Record]:
    if not has_in_class(type(iterator), "__next__"):
        next(iterator)  # raises Python's own TypeError
    if is_proxy(iterator):
        return callbacks.call(versions, next, object_of(iterator), *default)
    outer, versions.calls = versions.calls, list[Call]()
    calls, drawn, end = versions.calls, None, None
    try:
        drawn = next(steps(versions, iterator))
    except StopIteration as ended_by:
        end = ended_by.value
    finally:
        versions.calls = outer
        if drawn is None and outer is not None and not default:
            outer += calls
    ends = [call for call in calls if call.raised]
    if drawn is not None:
        return drawn[0], (pull_since, drawn[1], ends) if ends else drawn[1]
    if not default:
        if ends and outer is None:
            ended(versions, ends[-1].made[0], f"next of {type(iterator).__name__}")
        raise end if isinstance(end, StopIteration) else StopIteration
    carries = flows(default[0])
    return default[0], (pull_default, ends) if carries or ends else None


def pull_default(shadows: Shadows, y_bar: Value, ends: Sequence[Call] = ()) -> Cotangents:
    pull_since(shadows, None, None, ends)
    return None, y_bar


@full(zip)
def zip_forward(versions: Versions, *iterables: Value, **strict: Value) -> tuple[Value, Record]:
    iterators, record = iterators_of(versions, iterables)
    return zip(*iterators, **strict), record  # noqa: B905 (strict= is the user's)


@full(enumerate)
def enumerate_forward(
    versions: Versions, iterable: Value, start: Value = 0
) -> tuple[Value, Record]:
    iterator, record = iterator_of(versions, iterable)
    inner = shown(versions, iterator)
    return enumerate(inner, start), None if record is None else (pull_iterators, [record])


@full(reversed)
def reversed_forward(versions: Versions, sequence: Value) -> tuple[Value, Record]:
    method = python_method(type(sequence), "__reversed__")
    if method is not None:
        return callbacks.call(versions, method, sequence)
    return reversed(sequence), None


# --- zip and enumerate ----------------------------------------------------------------------------


class Ended(NamedTuple):
    """The number of the first iterator that is at its end, and the StopIteration that it raised."""

    at: int
    by: StopIteration | None


def draw(
    versions: Versions, feeds: list[Feed], behind: list[Record] | None
) -> tuple[list[Value], tuple[Record, ...]] | Ended:
    """The next element of each, in order; or that one is at its end.

    What had been drawn for nothing until then is undone where there is a place for it, else
    ``behind`` the last elements, which take it along.
    """
    values: list[Value] = []
    routes: list[Record] = []
    for feed in feeds:
        drawn, end = following(feed)
        if drawn is None:
            for route in routes:
                put_behind(versions, behind, route, "an iterator drawn from together with others")
            return Ended(len(values), end)
        values.append(drawn[0])
        routes.append(drawn[1])
    return values, tuple(routes)


def pull_pending(shadows: Shadows, v_bar: Value, route: Record, pending: list[Record]) -> None:
    """Back through an element, then through what came before it, the last first."""
    deliver(shadows, route, v_bar)
    for waiting in pending:
        deliver(shadows, waiting, None)


def put_behind(versions: Versions, behind: list[Record] | None, route: Record, what: str) -> None:
    """Keep the way back of what was done after the last element."""
    if behind is None or versions.calls is not None:
        ended(versions, route, what)
    elif not writes_nothing(route):
        behind.insert(0, route)


def taking_along(route: Record, parts: tuple[Record, ...]) -> tuple[Record, list[Record] | None]:
    """A route that goes back through what is put behind it first, and the place to put that."""
    if all(part is None or part[0] in PLAIN for part in parts):
        return route, None
    behind: list[Record] = []
    return (pull_with_behind, route, behind), behind


def pull_with_behind(
    shadows: Shadows, v_bar: Value, route: Record, behind: list[Record]
) -> Cotangents:
    for each in behind:
        deliver(shadows, each, None)
    deliver(shadows, route, v_bar)
    return None


def fresh_tuple(values: list[Value], routes: tuple[Record, ...]) -> tuple[Value, Record]:
    """A tuple of drawn elements, and its route."""
    y = tuple(values)
    if all(route is None for route in routes):
        return y, None
    return y, (take_gathered, y, routes)


def _zip_steps(versions: Versions, iterator: Value) -> Feed:
    _, inner, *strict = iterator.__reduce__()
    feeds = [steps(versions, one) for one in inner]
    behind: list[Record] | None = None
    while feeds:
        drawn = draw(versions, feeds, behind)
        if isinstance(drawn, Ended):
            if strict:
                _same_length(feeds, drawn.at)
            return None if strict else drawn.by
        y, route = fresh_tuple(*drawn)
        route, behind = taking_along(route, drawn[1])
        yield y, route
    return None


def _same_length(feeds: list[Feed], ended: int) -> None:
    """What ``zip(strict=True)`` raises when the iterator of number `ended` is the first at its
    end."""
    if ended:
        others = "" if ended == 1 else "s 1-"
        raise ValueError(
            f"zip() argument {ended + 1} is shorter than argument{others or ' '}{ended}"
        )
    for k in range(1, len(feeds)):
        if next(feeds[k], None) is not None:
            others = " " if k == 1 else "s 1-"
            raise ValueError(f"zip() argument {k + 1} is longer than argument{others}{k}")


POSITIONS: frozenset[type] = frozenset(
    [type(iter([])), type(iter(())), type(reversed([])), type(iter(deque()))]
)


class Shown:
    """An iterator drawn by a C object that counts, with the routes of what it handed out.

    So the count stays right when a loop is left and taken up again.
    """

    __slots__ = ("_feed", "_routes", "iterator", "last")

    def __init__(self, versions: Versions, iterator: Value) -> None:
        self.iterator = iterator
        self._feed = steps(versions, iterator)
        self._routes: list[Record] = []
        self.last: Record = None

    def __iter__(self) -> Shown:
        return self

    def __next__(self) -> Value:
        drawn, end = following(self._feed)
        if drawn is None:
            raise StopIteration if end is None else end
        v, route = drawn
        self._routes.append(route)
        self.last = route
        return v

    def routes(self) -> list[Record]:
        """Those since they were last asked for."""
        routes, self._routes = self._routes, []
        return routes

    def passed(self) -> list[Record]:
        """Those but for the last, which has not been handed out yet."""
        routes, self._routes = self._routes[:-1], self._routes[-1:]
        return routes

    def put_behind(self, versions: Versions, behind: list[Record] | None, what: str) -> None:
        """What was drawn and not handed out, at the end."""
        left = [route for route in reversed(self.routes()) if route is not None]
        if left:
            put_behind(versions, behind, (pull_pending, None, left), what)


STANDS_FOR[Shown] = lambda shown: shown.iterator


def shown(versions: Versions, iterator: Value) -> Value:
    """The iterator itself if it tells where it stands."""
    return iterator if type(iterator) in POSITIONS else Shown(versions, iterator)


def _enumerate_steps(versions: Versions, iterator: Value) -> Feed:
    inner, count = iterator.__reduce__()[1]
    if type(inner) in POSITIONS:
        yield from _enumerate_sequence(iterator, inner)
        return None
    ends: list[StopIteration] = []
    if type(inner) is Shown:
        for pair in until_end(iterator, ends):
            route = inner.routes()[-1]
            yield pair, None if route is None else (take_gathered, pair, (None, route))
        return ends[0] if ends else None
    for v, route in steps(versions, inner):  # made by others
        yield fresh_tuple([count, v], (None, route))
        count += 1
    return None


def _enumerate_sequence(iterator: Value, inner: Value) -> Feed:
    """Drawn from the enumerate object itself, so that its count stays right when the loop is
    left."""
    while True:
        state = inner.__reduce__()
        pair = next(iterator, None)
        if pair is None:
            return
        route = element_route(*upcoming(state, 0), pair[1])
        yield pair, None if route is None else (take_gathered, pair, (None, route))


def upcoming(state: Value, ahead: int) -> tuple[Value, int]:
    """Sequence and position of the element that an iterator in this state hands out after `ahead`
    others."""
    if state[0] is iter:
        return state[1][0], state[2] + ahead
    if state[0] is reversed:
        return state[1][0], state[2] - ahead
    return state[1][0], state[1][1] + ahead


FEEDS.update({zip: _zip_steps, enumerate: _enumerate_steps})
