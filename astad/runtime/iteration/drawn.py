"""Iterators of the program's that compiled code draws from: generators, a map of a function of the
user's, objects with a ``__next__``.

Compiled code is given an object that draws in its place, and notes the way back of each element.

>>> from astad.runtime.core.versions import Versions
>>> drawn, args, _ = drawn_operands(Versions(), sum, ((v for v in (1, 2)), 3.0), {})
>>> args[1], args[0] is drawn[0]
(3.0, True)
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from types import GeneratorType

from astad.runtime.core.full_rules import Cotangents, Record, Value, python_method
from astad.runtime.core.versions import OwnCalls, Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    FEEDS,
    Feed,
    deliver,
    following,
    iterate,
    pull_since,
    take_gathered,
)
from astad.runtime.unseen.writing_code import QUIET, writers_behind
from astad.tangents.unasked import has_in_class

__all__ = ["Drawn", "drawn_operands", "pull_drawn", "what_was_drawn"]


class Drawn:
    """An iterator that compiled code draws from: with what was drawn, and each element's route;
    behind them is what was done to find its end.
    """

    __slots__ = ("_feed", "_versions", "items", "routes")

    def __init__(self, versions: Versions, iterator: Value) -> None:
        self._versions = versions
        self._feed = iterate(versions, iterator)
        self.items: list[Value] = []
        self.routes: list[Record] = []

    def __iter__(self) -> Drawn:
        return self

    def feed(self) -> Feed:
        """The elements, where it is astad that draws them, out of a `chain` for instance."""
        return self._feed

    def __next__(self) -> Value:
        with OwnCalls(self._versions) as calls:
            drawn, _ = following(self._versions, self._feed)
        if drawn is None:
            ends = [call for call in calls if call.raised]
            if ends:
                self.routes.append((pull_since, None, ends))
            raise StopIteration
        self.items.append(drawn[0])
        self.routes.append(drawn[1])
        return drawn[0]


FEEDS[Drawn] = lambda versions, drawn: drawn.feed()


_LOOKING = frozenset(map(id, (
    ascii, dir, format, hash, print, repr, str, vars, object.__format__, object.__hash__,
    object.__repr__, object.__str__, weakref.getweakrefcount, weakref.getweakrefs, weakref.proxy,
    weakref.ref, sys.getrefcount, sys.getsizeof, gc.get_referents, gc.get_referrers,
)))  # fmt: skip
"""What looks at an object as it is, and draws nothing from it."""


def drawn_operands(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[list[Drawn], tuple[Value, ...], dict[str, Value]]:
    """The operands of a function with a `Drawn` in the place of each iterator that runs code of the
    program.
    """
    if (QUIET.issuperset(map(type, args)) and not keywords) or id(fn) in _LOOKING:
        return [], args, keywords
    drawn: list[Drawn] = []

    def in_place_of(value: Value) -> Value:
        if not _is_drawn(value):
            return value
        drawn.append(Drawn(versions, value))
        return drawn[-1]

    return drawn, *_replaced(args, keywords, in_place_of)


def _replaced(
    args: tuple[Value, ...], keywords: dict[str, Value], in_place_of: Callable[[Value], Value]
) -> tuple[tuple[Value, ...], dict[str, Value]]:
    given = tuple(map(in_place_of, args))
    return given, {name: in_place_of(value) for name, value in keywords.items()}


def _is_drawn(value: Value) -> bool:
    kind = type(value)
    if kind is GeneratorType:
        return True
    if kind in QUIET or kind is Drawn:
        return False
    is_file = has_in_class(kind, "read") or has_in_class(kind, "write")
    is_own = python_method(kind, "__next__") is not None and not is_file
    return (is_own or kind in FEEDS) and bool(writers_behind((value,)))


def what_was_drawn(
    args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """The operands with a list of what was drawn in the place of each `Drawn`, which leads to the
    generator that runs, and so to all of the program.
    """
    return _replaced(args, keywords, lambda v: v.items if type(v) is Drawn else v)


def pull_drawn(shadows: Shadows, y_bar: Value, record: Record, drawn: list[Drawn]) -> Cotangents:
    operands = None if record is None else record[0](shadows, y_bar, *record[1:])
    for each in reversed(drawn):
        for route in reversed(each.routes[len(each.items) :]):
            deliver(shadows, route, None)
        take_gathered(shadows, None, each.items, each.routes[: len(each.items)])
    return operands
