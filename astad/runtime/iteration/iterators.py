"""The builtin iterators: ``iter``, ``next``, ``zip``, ``enumerate``, ``reversed``.

Making one moves nothing; what it will hand out is still in the containers it walks. Each feed draws
from the inner iterators, which are the user's own, so a loop that is left half-way leaves them
where Python does.

The end of an iterator: what is done to find it has a way back like any step.

A loop records its elements alone; where somebody may catch what is raised, or all elements are
drawn at once, there is a place for what came after the last of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    python_method,
)
from astad.runtime.core.versions import Call, OwnCalls, Versions
from astad.runtime.core.weak_proxies import is_proxy
from astad.runtime.cotangents.owners import object_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration import (  # noqa: F401  (fills the table)
    container_iterators,
)
from astad.runtime.iteration.ends import ended
from astad.runtime.iteration.iterate import (
    FEEDS,
    Feed,
    deliver,
    element_route,
    following,
    iterator_of,
    leave,
    pull_since,
    steps,
    take_gathered,
)
from astad.runtime.unseen.writing_code import STANDS_FOR
from astad.tangents.unasked import has_in_class

__all__ = [
    "POSITIONS", "Ended", "Shown", "as_asked", "before_end", "draw", "drawn_by_c",
    "fresh_tuple", "iterator", "iterators_of", "one_after_another", "pull_iterators",
    "pull_one_after_another", "route_of_last", "shown", "taken", "upcoming",
]  # fmt: skip
# --- making iterators -----------------------------------------------------------------------------


def iterators_of(versions: Versions, iterables: tuple[Value, ...]) -> tuple[list[Value], Record]:
    """What compiled code may ask for an iterator in the place of each, and one record for those
    whose ``__iter__`` the user wrote.
    """
    made = [iterator_of(versions, iterable) for iterable in iterables]
    records = [record for _, record in made]
    iterators = [as_asked(iterator) for iterator, _ in made]
    if all(record is None for record in records):
        return iterators, None
    return iterators, (pull_iterators, records)


class AsAsked:
    """Gives an iterator that was asked for: its own ``__iter__`` has run."""

    __slots__ = ("iterator",)

    def __init__(self, iterator: Value) -> None:
        self.iterator = iterator

    def __iter__(self) -> Value:
        return self.iterator


def as_asked(iterator: Value) -> Value:
    is_own = python_method(type(iterator), "__iter__") is not None
    return AsAsked(iterator) if is_own else iterator


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
            ended(versions, ends[-1].made[0], f"next of {type(iterator).__name__}", iterator)
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


def draw(versions: Versions, feeds: list[Feed]) -> tuple[list[Value], tuple[Record, ...]] | Ended:
    """The next element of each, in order; or that one is at its end."""
    values: list[Value] = []
    routes: list[Record] = []
    try:
        for feed in feeds:
            drawn, end = following(versions, feed)
            if drawn is None:
                before_end(versions, routes, "an iterator drawn from together with others")
                return Ended(len(values), end)
            values.append(drawn[0])
            routes.append(drawn[1])
    except BaseException:
        leave(versions, routes)
        raise
    return values, tuple(routes)


def before_end(
    versions: Versions, routes: Sequence[Record], what: str, asked: Value = None
) -> None:
    """What had been drawn for nothing when the end came, of which is noted what was done."""
    if versions.calls is not None:
        leave(versions, routes)
        return
    for route in routes:
        ended(versions, route, what, asked)


def one_after_another(events: Sequence[Record], at: int = -1) -> Record:
    """The route of an element of which something was done before and behind: its own is that of
    number ``at``.
    """
    own = events[at]
    if all(event is None or event is own for event in events):
        return own
    return (pull_one_after_another, events, at % len(events))


def pull_one_after_another(
    shadows: Shadows, v_bar: Value, events: Sequence[Record], at: int
) -> None:
    for k in range(len(events) - 1, -1, -1):
        deliver(shadows, events[k], v_bar if k == at else None)


def fresh_tuple(values: list[Value], routes: tuple[Record, ...]) -> tuple[Value, Record]:
    """A tuple of drawn elements, and its route."""
    y = tuple(values)
    if all(route is None for route in routes):
        return y, None
    return y, (take_gathered, y, routes)


def _zip_steps(versions: Versions, iterator: Value) -> Feed:
    _, inner, *strict = iterator.__reduce__()
    feeds = [steps(versions, one) for one in inner]
    while feeds:
        drawn = draw(versions, feeds)
        if isinstance(drawn, Ended):
            if strict:
                _same_length(feeds, drawn.at)
            return None if strict else drawn.by
        yield fresh_tuple(*drawn)
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
    """An iterator drawn by a C object. What it does is noted in order: ``events``, which another
    that is drawn by the same object may share.
    """

    __slots__ = ("_feed", "events", "is_over", "iterator", "versions")

    def __init__(
        self, versions: Versions, iterator: Value, events: list[Record] | None = None
    ) -> None:
        self.versions = versions
        self.iterator = iterator
        self._feed = steps(versions, iterator)
        self.events: list[Record] = [] if events is None else events
        self.is_over = False

    def __iter__(self) -> Shown:
        return self

    def __next__(self) -> Value:
        with OwnCalls(self.versions) as calls:
            drawn, end = following(self.versions, self._feed)
        if drawn is None:
            self.is_over = True
            self._feed = steps(self.versions, self.iterator)  # it may be asked once more
            ends = [call for call in calls if call.raised]
            if ends:
                self.events.append((pull_since, None, ends))
            raise StopIteration if end is None else end
        self.put(*drawn)
        return drawn[0]

    def put(self, v: Value, route: Record) -> None:
        """Note an element."""
        self.events.append(route)


def drawn_by_c(
    versions: Versions,
    iterator: Value,
    noted: Shown,
    route_of: Callable[[Value, list[Record]], Record],
) -> Feed:
    """What a C object hands out that draws from ``noted``; ``route_of`` makes a route of an element
    and the events since the one before it.
    """
    while True:
        try:
            v = next(iterator)
        except StopIteration as over:
            before_end(versions, taken(noted), type(iterator).__name__)
            return over if over.args or type(over) is not StopIteration else None
        except BaseException:
            leave(versions, taken(noted))
            raise
        yield v, route_of(v, taken(noted))


def route_of_last(v: Value, events: list[Record]) -> Record:
    """The element is the one that was drawn last."""
    return one_after_another(events)


def taken(noted: Shown) -> list[Record]:
    """The events since this was asked last."""
    events = noted.events[:]
    noted.events.clear()
    return events


STANDS_FOR[Shown] = lambda shown: shown.iterator


def shown(versions: Versions, iterator: Value) -> Value:
    """The iterator itself if it tells where it stands."""
    return iterator if type(iterator) in POSITIONS else Shown(versions, iterator)


def _enumerate_steps(versions: Versions, iterator: Value) -> Feed:
    inner, count = iterator.__reduce__()[1]
    if type(inner) in POSITIONS:
        yield from _enumerate_sequence(iterator, inner)
        return None
    if type(inner) is Shown:
        return (yield from drawn_by_c(versions, iterator, inner, _route_of_counted))
    for v, route in steps(versions, inner):  # made by others
        yield fresh_tuple([count, v], (None, route))
        count += 1
    return None


def _route_of_counted(pair: Value, events: list[Record]) -> Record:
    route = one_after_another(events)
    return None if route is None else (take_gathered, pair, (None, route))


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
