"""Iterators that hand out an element more than once: ``tee``, ``cycle``, ``pairwise``.

The element is kept under its number; what is handed out again adds to the cotangent that lies
there, and the first time, which comes last in reverse, sends all of it back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from astad.runtime.full_rules import Record, Value, flows, full
from astad.runtime.iterate import FEEDS, Feed, add_key, deliver, iterator_of, steps
from astad.runtime.iterators import fresh_tuple, pull_iterators
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.add import add

__all__ = ["Again"]


class Drawn:
    """What was drawn of an iterator so far."""

    __slots__ = ("feed", "items")

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.items: list[Value] = []

    def item(self, number: int) -> tuple[Value, Record] | None:
        """An element and its route; None at the end."""
        if number < len(self.items):
            v = self.items[number]
            return v, (add_key, self, number) if flows(v) else None
        drawn = next(self.feed, None)
        if drawn is None:
            return None
        v, route = drawn
        self.items.append(v)
        return v, None if route is None else (pull_drawn, self, number, route)


def pull_drawn(shadows: Shadows, v_bar: Value, drawn: Drawn, number: int, route: Record) -> None:
    deliver(shadows, route, add(v_bar, shadows.key_take(drawn, number)))


def _drawn(versions: Versions, iterable: Value) -> tuple[Drawn, Record]:
    iterator, record = iterator_of(versions, iterable)
    kept = None if record is None else (pull_iterators, [record])
    return Drawn(steps(versions, iterator)), kept


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

    def __next__(self) -> Value:
        for v, _ in self.feed():
            return v
        raise StopIteration

    def feed(self) -> Feed:
        """The elements with their routes."""
        while (found := self.drawn.item(self.number)) is not None:
            self.number += 1
            yield found


class Cycle(Again):
    """From the start again where the elements end."""

    __slots__ = ()

    def of_python(self) -> Iterator[Value]:
        return itertools.cycle(v for v in self)

    def feed(self) -> Feed:
        while True:
            found = self.drawn.item(self.number)
            if found is None:
                if not self.drawn.items:
                    return
                self.number = 0
                continue
            self.number += 1
            yield found


class Pairs(Again):
    """Each element with the one after it."""

    __slots__ = ()

    def of_python(self) -> Iterator[Value]:
        return itertools.pairwise(v for v in Again(self.drawn, self.number))

    def feed(self) -> Feed:
        while True:
            first = self.drawn.item(self.number)
            second = None if first is None else self.drawn.item(self.number + 1)
            if first is None or second is None:
                return
            self.number += 1
            yield fresh_tuple([first[0], second[0]], (first[1], second[1]))


@full(itertools.tee)
def tee(versions: Versions, iterable: Value, n: int = 2) -> tuple[Value, Record]:
    if n < 1:
        return itertools.tee(iterable, n), None
    drawn, record = (
        (iterable.drawn, None) if type(iterable) is Again else _drawn(versions, iterable)
    )
    start = iterable.number if type(iterable) is Again else 0
    return tuple(Again(drawn, start) for _ in range(n)), record


@full(itertools.cycle)
def cycle(versions: Versions, iterable: Value) -> tuple[Value, Record]:
    drawn, record = _drawn(versions, iterable)
    return Cycle(drawn), record


@full(itertools.pairwise)
def pairwise(versions: Versions, iterable: Value) -> tuple[Value, Record]:
    drawn, record = _drawn(versions, iterable)
    return Pairs(drawn), record


FEEDS.update(dict.fromkeys((Again, Cycle, Pairs), lambda versions, iterator: iterator.feed()))
