"""Arguments of which the inside is not known: has a cotangent come to what they hold?

A frame of pandas, an iterator, an object of compiled code is a constant to astad. Where the result
depends on the numbers in it, None would be wrong: so what it holds is looked up in the table of
cotangents, once the sweep is done.

>>> from astad.runtime.cotangents.shadows import Shadows
>>> from astad.runtime.cotangents.snapshots import snapshot
>>> prices, shadows = [1.5, 2.5], Shadows()
>>> hidden = hidden_in(snapshot({"prices": iter(prices)}))
>>> shadows.slot_add(prices, 0, 3.0)
>>> [has_come(shadows, each) for each in hidden]
[True]
"""

from __future__ import annotations

import functools
import gc
from array import array
from collections.abc import Iterator
from types import MethodType
from typing import Any, NamedTuple

import numpy as np

from astad.runtime.cotangents.owners import has_numbers, owner_of, stored_in
from astad.runtime.cotangents.shadows import OF_THE_PROGRAM, Shadows, may_hold
from astad.runtime.cotangents.snapshots import LEAVES, Node, attributes_of
from astad.tangents.unasked import has_in_class
from astad.tangents.zero import has_identity, home_of

__all__ = ["Hidden", "has_come", "hidden_in"]

_FLAT = LEAVES - {np.ndarray}
MOST = 100_000
"""Objects that are looked at in one argument."""


class Hidden(NamedTuple):
    """A part of an argument that is not looked into.

    ``held`` is what it holds, ``within`` the outermost object of the same library that it belongs
    to.
    """

    held: tuple[Any, ...]  # any objects of the user's
    within: Any

    @property
    def kind(self) -> str:
        """The name of the class, with the library that it is of."""
        library, name = _library(self.within), type(self.within).__name__
        return name if library in ("builtins", "__main__") else f"{library} {name}"


def hidden_in(entry: Any) -> list[Hidden]:
    """The parts of an argument, by its snapshot, of which the inside is not known."""
    if type(entry) in LEAVES:
        return []
    found: list[Hidden] = []
    seen, waiting = set[int](), [(entry, None)]
    while waiting:
        part, outer = waiting.pop()
        value = part.value if type(part) is Node else part
        is_inner = type(value) in _PLAIN or _library(outer) == _library(value)
        within = outer if is_inner and outer is not None else value
        if type(part) is Node and id(part) not in seen:
            seen.add(id(part))
            waiting += [(child, within) for child in _unplain(part.children())]
        held = _beside(part)
        if held:
            found.append(Hidden(tuple(held), within))
    return found


def _library(value: Any) -> str:
    return home_of(type(value)).partition(".")[0]


def _unplain(parts: Iterator[Any]) -> list[Any]:
    held = list(parts)
    return [] if _FLAT.issuperset(map(type, held)) else held


def _beside(part: Any) -> list[Any]:
    """What the value of a snapshot holds besides the parts of its gradient; an iterator lets go of
    that when it comes to its end."""
    if type(part) is Node and part.kind == "object":
        return _compiled_part(part.value)
    if type(part) is Node or issubclass(type(part), np.ndarray):
        value = part.value if type(part) is Node else part
        store = None if type(value) in _PLAIN else stored_in(value)
        return [store] if type(store) is dict and store else []
    return [part, *_drawn_from(part)] if _is_hidden(part) else []


_PLAIN = (list, dict, tuple, set, np.ndarray)


def _compiled_part(value: Any) -> list[Any]:
    """What an object holds besides its attributes."""
    if issubclass(type(value), (*OF_THE_PROGRAM, MethodType, functools.partial)):
        return []
    known = {id(content) for _, _, content in attributes_of(value).values()}
    known.update((id(stored_in(value)), id(type(value))))
    return [each for each in _referents(value) if id(each) not in known]


def _drawn_from(value: Any) -> Iterator[Any]:
    """What an iterator goes over, and those that it draws from."""
    waiting, seen = [value], {id(value)}
    while waiting and len(seen) < MOST:
        part = waiting.pop()
        if type(part) is not tuple and not has_in_class(type(part), "__next__"):
            continue
        for each in _referents(part):
            if id(each) not in seen:
                seen.add(id(each))
                waiting.append(each)
                yield each


def _is_hidden(value: Any) -> bool:
    if issubclass(type(value), (array, memoryview)):
        return not has_numbers(value)
    if type(value) in LEAVES or not has_identity(value) or issubclass(type(value), OF_THE_PROGRAM):
        return False
    return may_hold(type(value)) or issubclass(type(value), tuple(_NAMED))


def _referents(value: Any) -> list[Any]:
    """What it holds, as far as it tells the garbage collector."""
    found = gc.get_referents(value)
    for kind, name in _NAMED.items():
        if issubclass(type(value), kind):
            found += [getattr(value, name)]
    if issubclass(type(value), np.ndarray) and value.dtype == object:
        found += value.ravel().tolist()
    return [] if _FLAT.issuperset(map(type, found)) else found


_NAMED: dict[type, str] = {np.flatiter: "base", np.nditer: "operands"}
"""Types that do not tell the garbage collector, and the attribute that has what they hold."""


def has_come(shadows: Shadows, hidden: Hidden) -> bool:
    """Is there a cotangent of it, or of what can be reached from it?"""
    known = shadows.ids()
    if not known:
        return False
    waiting = list(hidden.held)
    seen: set[int] = set()
    while waiting and len(seen) < MOST:
        part = waiting.pop()
        if id(part) in seen or type(part) in _FLAT or issubclass(type(part), OF_THE_PROGRAM):
            continue
        seen.add(id(part))
        owner = owner_of(part) if issubclass(type(part), np.ndarray) else part
        if id(owner) in known:
            return True
        waiting += _referents(part)
    return False
