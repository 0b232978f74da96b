"""Iterators that hand out an element more than once: ``tee``, ``pairwise``; ``cycle``.

The element is kept under its number; what is handed out again adds to the cotangent that lies
there, and the first time, which comes last in reverse, sends all of it back. A ``cycle`` keeps its
elements in a list of its own.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Record, Value, flows, full, opaque
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    FEEDS,
    Feed,
    add_key,
    deliver,
    element_route,
    following,
    iterator_of,
    steps,
)
from astad.runtime.iteration.iterators import (
    Shown,
    before_end,
    fresh_tuple,
    iterators_of,
    one_after_another,
    pull_iterators,
    taken,
)
from astad.runtime.unseen.drawn_from import state_of
from astad.runtime.unseen.writing_code import STANDS_FOR
from astad.tangents.add import add

__all__ = ["Again"]


class Drawn:
    """What was drawn of an iterator so far."""

    __slots__ = ("end", "feed", "items", "iterator", "versions")

    def __init__(self, versions: Versions, iterator: Value) -> None:
        self.versions = versions
        self.iterator = iterator
        self.feed = steps(versions, iterator)
        self.end: StopIteration | None = None
        self.items: list[Value] = []

    def item(self, number: int) -> tuple[Value, Record] | None:
        """An element and its route; None at the end."""
        if number < len(self.items):
            v = self.items[number]
            return v, (add_key, self, number) if flows(v) else None
        drawn, self.end = following(self.versions, self.feed)
        if drawn is None:
            self.feed = steps(self.versions, self.iterator)  # it may be asked once more
            return None
        v, route = drawn
        self.items.append(v)
        return v, None if route is None else (pull_drawn, self, number, route)


def pull_drawn(shadows: Shadows, v_bar: Value, drawn: Drawn, number: int, route: Record) -> None:
    deliver(shadows, route, add(v_bar, shadows.key_take(drawn, number)))


def _drawn(versions: Versions, iterable: Value) -> tuple[Drawn, Record]:
    iterator, record = iterator_of(versions, iterable)
    kept = None if record is None else (pull_iterators, [record])
    return Drawn(versions, iterator), kept


class Again:
    """An iterator over what was drawn, from a place on."""

    __slots__ = ("drawn", "number")
    was_made = False
    """Whether there is any in this process: else results need not be looked through for them."""

    def __init__(self, drawn: Drawn, number: int = 0) -> None:
        Again.was_made = True
        self.drawn = drawn
        self.number = number

    def of_python(self) -> Iterator[Value]:
        """Python's own iterator over the same elements, for a result."""
        return itertools.tee((v for v in self), 1)[0]  # what has a __copy__ stays itself

    def __iter__(self) -> Again:
        return self

    def __copy__(self) -> Again:
        return type(self)(self.drawn, self.number)

    def __deepcopy__(self, memo: Value) -> Again:
        raise Unsupported(
            "copy.deepcopy",
            "a deep copy of an iterator of itertools.tee",
            why="several of them share what they have drawn",
            instead="draw its elements into a list, and copy that",
        )

    def __next__(self) -> Value:
        for v, _ in self.feed():
            return v
        raise StopIteration

    def feed(self) -> Feed:
        """The elements with their routes."""
        while (found := self.drawn.item(self.number)) is not None:
            self.number += 1
            yield found


STANDS_FOR[Again] = lambda again: again.drawn.iterator


class Pairs(Again):
    """Each element with the one after it."""

    __slots__ = ()

    def __copy__(self) -> Pairs:
        raise TypeError("cannot pickle 'itertools.pairwise' object")  # as Python's own

    def __deepcopy__(self, memo: Value) -> Pairs:
        return self.__copy__()

    def of_python(self) -> Iterator[Value]:
        return itertools.pairwise(v for v in Again(self.drawn, self.number))

    def feed(self) -> Feed:
        while True:
            first = self.drawn.item(self.number)
            second = None if first is None else self.drawn.item(self.number + 1)
            if first is None or second is None:
                before_end(self.drawn.versions, [first and first[1]], "itertools.pairwise")
                return self.drawn.end
            self.number += 1
            yield fresh_tuple([first[0], second[0]], (first[1], second[1]))


STANDS_FOR[Pairs] = STANDS_FOR[Again]


@full(itertools.tee)
def tee(versions: Versions, iterable: Value, n: int = 2) -> tuple[Value, Record]:
    if n < 1:
        return itertools.tee(iterable, n), None
    if type(iterable) is Again:
        return tuple(Again(iterable.drawn, iterable.number) for _ in range(n)), None
    iterators, first = iterators_of(versions, (iterable,))
    iterator, record = iterator_of(versions, iter(iterators[0]))  # Python asks twice
    drawn = Drawn(versions, iterator)
    both = [first, None if record is None else (pull_iterators, [record])]
    return tuple(Again(drawn) for _ in range(n)), (pull_both, both) if any(both) else None


def pull_both(shadows: Shadows, y_bar: Value, records: list[Record]) -> None:
    for record in reversed(records):
        deliver(shadows, record, None)


@full(itertools.pairwise)
def pairwise(versions: Versions, iterable: Value) -> tuple[Value, Record]:
    drawn, record = _drawn(versions, iterable)
    return Pairs(drawn), record


FEEDS.update(dict.fromkeys((Again, Pairs), lambda versions, iterator: iterator.feed()))


# --- cycle ----------------------------------------------------------------------------------------


@full(itertools.cycle)
def cycle(versions: Versions, iterable: Value) -> tuple[Value, Record]:
    iterator, record = iterator_of(versions, iterable)
    y = itertools.cycle(Shown(versions, iterator))
    return y, None if record is None else (pull_iterators, [record])


def _cycle_steps(versions: Versions, iterator: Value) -> Feed:
    """In the first round each element is noted in the list that the cycle shows; a copy of a cycle
    shares it, and notes nothing after its first round.
    """
    source = feed = None
    while True:
        _, (inner,), (noted, is_noted) = state_of(iterator)
        if inner is not source and _is_of_others(inner, noted):
            source, feed = inner, steps(versions, inner)
        drawn = None
        if feed is not None and inner is source:
            drawn, _ = following(versions, feed)
        if drawn is not None and not is_noted:
            noted.append(drawn[0])
        if drawn is not None:
            yield drawn[0], drawn[1] if is_noted else _noted_route(noted, drawn[1])
            continue
        v = next(iterator, _END)
        events = taken(inner) if type(inner) is Shown else []
        if v is _END:
            before_end(versions, events, "itertools.cycle")
            return
        if type(inner) is Shown and not inner.is_over:
            events[-1] = events[-1] if is_noted else _noted_route(noted, events[-1])
            yield v, one_after_another(events)
        elif type(inner) is Shown or feed is not None or _goes_over(inner, noted):
            yield v, one_after_another([*events, element_route(noted, _place_in(inner, noted), v)])
        else:
            yield v, opaque("an element of a cycle made by others", v)


_END = object()


def _goes_over(inner: Value, noted: list[Value]) -> bool:
    return type(inner) is type(iter([])) and inner.__reduce__()[1][0] is noted


def _is_of_others(inner: Value, noted: list[Value]) -> bool:
    """Was the cycle made before the differentiation, over an iterator that can be taken apart?"""
    kind = type(inner)
    return kind is not Shown and kind in FEEDS and not _goes_over(inner, noted)


def _place_in(inner: Value, noted: list[Value]) -> int:
    """Where in the list of its elements a cycle stands; at its start where it has just ended."""
    return int(inner.__reduce__()[2]) if _goes_over(inner, noted) else 0


def _noted_route(noted: list[Value], route: Record) -> Record:
    at = len(noted) - 1
    return (pull_noted, noted, at, route) if flows(noted[at]) else route


def pull_noted(shadows: Shadows, v_bar: Value, noted: list[Value], at: int, route: Record) -> None:
    deliver(shadows, route, add(v_bar, shadows.slot_take(noted, at)))


if sys.version_info < (3, 14):  # later ones cannot be taken apart
    FEEDS[itertools.cycle] = _cycle_steps
