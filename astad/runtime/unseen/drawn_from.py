"""Iterators and streams that calls beside those of the plain run may draw from.

What such a call draws is gone for the program: an iterator cannot be put back, a stream in memory
can. So one is either not made, where what it runs names an iterator, or refused behind it, where
one has moved.

>>> numbers = iter([1.0, 2.0])
>>> outside = Outside([numbers])
>>> outside.moved() is None, next(numbers), outside.moved() is numbers
(True, 1.0, True)
>>> lines = io.StringIO("a\\nb\\n")
>>> outside = Outside([lines])
>>> lines.readline(), outside.put_back(), lines.readline(), outside.moved()
('a\\n', None, 'a\\n', None)
"""

from __future__ import annotations

import functools
import gc
import io
import itertools
import operator
import sys
import warnings
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from types import (
    BuiltinFunctionType,
    CellType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
)
from typing import Any

import numpy as np

from astad.code_objects import own_names
from astad.errors import Unsupported
from astad.runtime.core.full_rules import Value
from astad.runtime.cotangents.owners import slots_of, stored_in
from astad.runtime.cotangents.snapshots import is_full
from astad.runtime.unseen.chances import is_source_of_chance
from astad.tangents.unasked import items_of
from astad.tangents.zero import MADE_BY_CLASS, has_identity, home_of

__all__ = ["Outside", "behind_iterators", "is_drawn_from", "names_one", "near", "state_of"]

_IN_MEMORY = (io.StringIO, io.BytesIO)
_BY_VALUE = (int, float, str, bytes, bool, type(None), range)
_OF_HASHED: tuple[type, ...] = (
    type(iter({})), type(iter({}.values())), type(iter({}.items())), type(iter(set[int]())),
)  # fmt: skip
_NAMELESS = (dict, CellType)
_CODE = (type, FunctionType, BuiltinFunctionType, FrameType)
_UNKNOWN = object()
"""How far an iterator has come that shows nothing of it; it differs from itself."""
MOST = 300
FEW = 50
"""Objects that are looked at near a function, and parts of one of them."""
DEEPEST = 20
"""Iterators through iterators that are looked at."""


def state_of(iterator: Value) -> Value:
    """``__reduce__``, without the warning that 3.12 and 3.13 give: 3.14 has it no longer."""
    if sys.version_info < (3, 12):
        return iterator.__reduce__()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return iterator.__reduce__()


def is_drawn_from(value: Value) -> bool:
    """Is it an iterator of Python's own or of a library, or a stream? Of one of the program's own
    classes the attributes tell.
    """
    kind = type(value)
    if kind.__flags__ & MADE_BY_CLASS and not issubclass(kind, io.IOBase):
        return False
    return issubclass(kind, Iterator) and not is_source_of_chance(value)


def names_one(held: Iterable[tuple[Value, Any, dict[Any, Value]]], names: Collection[str]) -> bool:
    """Does one lie in what is held, as `Reach.held` gives it, under one of the names, or in a
    container or a cell, where it has none?
    """
    return any(
        is_drawn_from(value) and (at in names or type(at) is not str or type(holder) in _NAMELESS)
        for holder, _, parts in held
        for at, value in parts.items()
    )


def near(values: Iterable[Value]) -> Iterator[Value]:
    """What some values hold, a few steps on: of functions also the globals that they name."""
    waiting, seen = deque(values), dict[int, Value]()
    while waiting and len(seen) < MOST:
        one = waiting.popleft()
        kind = type(one)
        if kind in _BY_VALUE or id(one) in seen or issubclass(kind, np.ndarray):
            continue
        seen[id(one)] = one
        yield one
        waiting += _held_near(one, kind)


def _held_near(one: Value, kind: type) -> Iterable[Value]:
    if kind is FunctionType:
        named = [one.__globals__.get(name) for name in own_names(one.__code__)]
        return [*(one.__closure__ or ()), *(one.__defaults__ or ()), *named]
    if kind is CellType:
        return [one.cell_contents] if is_full(one) else []
    if kind is MethodType:
        return [one.__func__, one.__self__]
    if kind is functools.partial:
        return [one.func, *one.args, *one.keywords.values()]
    if issubclass(kind, (list, tuple, dict)):
        held = dict.values(one) if issubclass(kind, dict) else items_of(one)
        return itertools.islice(held, FEW)
    if kind.__flags__ & MADE_BY_CLASS and home_of(kind).partition(".")[0] != "astad":
        store = stored_in(one)
        return [*(store.values() if type(store) is dict else ()), *(v for _, v in slots_of(one))]
    return []


def behind_iterators(values: Iterable[Value]) -> list[Value]:
    """The values, and in the place of an iterator what it goes through.

    >>> rates = [1.0, 2.0]
    >>> behind_iterators([3.0, map(abs, iter(rates))])
    [3.0, [1.0, 2.0]]
    """
    found, waiting, seen = list[Value](), list(values), set[int]()
    while waiting:
        each = waiting.pop(0)
        if type(each) is tuple and any(map(is_drawn_from, each)):
            waiting += each
        elif not is_drawn_from(each):
            found.append(each)
        elif id(each) not in seen:
            seen.add(id(each))
            held = gc.get_referents(each)
            waiting += [one for one in held if has_identity(one) and type(one) not in _CODE]
    return found


class Outside:
    """Those among some values, and how far they had come."""

    def __init__(self, values: Iterable[Value]) -> None:
        found = [each for each in values if is_drawn_from(each)]
        self.states = [(each, each.__getstate__()) for each in found if _is_in_memory(each)]
        self.places = [(each, _place(each)) for each in found if not _is_in_memory(each)]

    def put_back(self) -> None:
        """Set the streams in memory to what they held."""
        for each, state in self.states:
            if not each.closed and each.__getstate__() != state:
                each.__setstate__(state)

    def moved(self) -> Value:
        """The first iterator that has come further; None if none has."""
        return next((each for each, place in self.places if not _same(place, _place(each))), None)

    def check(self, name: str) -> None:
        moved = self.moved()
        if moved is not None:
            raise Unsupported(
                name, f"a call that draws from a {type(moved).__name__} made outside",
                why="its derivative needs a call that the plain run does not make, and what that "
                "one draws cannot be put back",
                instead="draw from it before, and hand over what it gave",
            )  # fmt: skip


def _is_in_memory(stream: Value) -> bool:
    return type(stream) in _IN_MEMORY and not stream.closed


def _place(one: Value, depth: int = 0) -> list[Value]:
    """What tells how far it has come: numbers, and objects by identity."""
    if depth > DEEPEST:
        return [_UNKNOWN]
    if issubclass(type(one), io.IOBase):
        return [_place_in(one)]
    if type(one) is GeneratorType:
        frame = one.gi_frame
        if frame is None:
            return []
        inner = [each for each in gc.get_referents(one) if is_drawn_from(each)]
        found = [frame.f_lasti, *frame.f_locals.values()]
        return [*found, *(part for each in inner for part in _place(each, depth + 1))]
    if type(one) in _OF_HASHED:
        return [operator.length_hint(one)]
    try:
        return list(_parts(state_of(one), depth))
    except TypeError:
        return [_UNKNOWN]


def _parts(value: Value, depth: int) -> Iterator[Value]:
    if type(value) is tuple:
        for each in value:
            yield from _parts(each, depth)
    elif is_drawn_from(value):
        yield from _place(value, depth + 1)
    else:
        yield value


def _place_in(stream: Value) -> Value:
    """Of one that is only written, and of one that is closed, nothing is asked."""
    try:
        return stream.tell() if stream.readable() else None
    except (OSError, ValueError):
        return None if stream.closed else _UNKNOWN


def _same(before: list[Value], now: list[Value]) -> bool:
    if len(before) != len(now):
        return False
    return all(
        a is not _UNKNOWN and (a is b or (type(a) in _BY_VALUE and type(a) is type(b) and a == b))
        for a, b in zip(before, now, strict=True)
    )
