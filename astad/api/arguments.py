"""Arguments and results at the entry: no object in two places, nothing handed out that is kept."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from types import CellType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.runtime.owners import may_overlap_itself, owner_of
from astad.tangents.held import items_of, pairs_of
from astad.tangents.unasked import callable_name
from astad.tangents.zero import BY_VALUE, MADE_BY_CLASS, has_identity, is_differentiable

__all__ = ["Copied", "contents_of", "separated", "written_twice"]


class Copied:
    """A copy that stands in for an object passed twice, or for an array of which ``places`` share
    memory; a difference between the two betrays a write.
    """

    def __init__(self, original: Any, copy: Any, *, places: bool = False) -> None:
        self.original = original
        self.copy = copy
        self.places = places
        is_array = issubclass(type(copy), np.ndarray)
        self.items: list[Any] = [] if is_array else _items(copy)

    def takes_writes(self) -> bool:
        """Would a plain run write into the array?"""
        is_array = issubclass(type(self.copy), np.ndarray)
        return is_array and bool(self.original.flags.writeable)

    def changed(self) -> bool:
        """Was one of the two written?"""
        if issubclass(type(self.copy), np.ndarray):
            return not np.array_equal(
                self.original, self.copy, equal_nan=self.copy.dtype.kind in "fc"
            )
        if issubclass(type(self.copy), dict) and list(self.original) != list(self.copy):
            return True
        first, second = _items(self.original), _items(self.copy)
        if any(
            now is not then and has_identity(now)
            for now, then in zip(second, self.items, strict=False)
        ):
            return True  # an entry is bound anew
        return len(first) != len(second) or any(
            a is not b and not (issubclass(type(a), np.ndarray | list | tuple | dict)) and a != b
            for a, b in zip(first, second, strict=True)
        )


def separated(args: Sequence[Any]) -> tuple[tuple[Any, ...], list[Copied]]:
    """The arguments, each memory in one of them only: what comes again is a read-only copy."""
    if len(args) < 2 and not any(
        issubclass(type(arg), np.ndarray) and may_overlap_itself(arg) for arg in args
    ):
        return tuple(args), []
    seen: set[int] = set()
    copies: list[Copied] = []
    given: list[Any] = []
    for arg in args:
        mine: set[int] = set()
        given.append(_separate(arg, seen, mine, copies, {}))
        seen |= mine
    return tuple(given), copies


def _frozen(array: Any, copies: list[Copied], *, places: bool = False) -> Any:
    """A read-only copy: each slot, and each place in the array, has a derivative of its own."""
    twin = array.copy()
    twin.flags.writeable = False
    copies.append(Copied(array, twin, places=places))
    return twin


def _separate(
    value: Any, seen: set[int], mine: set[int], copies: list[Copied], done: dict[int, Any]
) -> Any:
    """``done``: what was met in this argument, and may lie in several places of it."""
    if type(value) in BY_VALUE:
        return value
    if id(value) not in done:
        is_container = type(value) in (list, tuple, dict)
        done[id(value)] = (
            _separate_items(value, seen, mine, copies, done)
            if is_container
            else _separate_leaf(value, seen, mine, copies)
        )
    return done[id(value)]


def _separate_leaf(value: Any, seen: set[int], mine: set[int], copies: list[Copied]) -> Any:
    if issubclass(type(value), np.ndarray):
        owner, overlaps = id(owner_of(value)), may_overlap_itself(value)
        mine.add(owner)
        is_own = owner not in seen and not overlaps
        return value if is_own else _frozen(value, copies, places=overlaps)
    return _separate_object(value, seen, mine, copies)


def _separate_items(
    value: Any, seen: set[int], mine: set[int], copies: list[Copied], done: dict[int, Any]
) -> Any:
    again = id(value) in seen
    mine.add(id(value))
    items = list(value.values()) if issubclass(type(value), dict) else list(value)
    parts = [_separate(item, seen, mine, copies, done) for item in items]
    if not (again and items) and all(a is b for a, b in zip(parts, items, strict=True)):
        return value
    made: Any = (
        dict(zip(value, parts, strict=True))
        if issubclass(type(value), dict)
        else type(value)(parts)
    )
    if not issubclass(type(made), tuple):
        copies.append(Copied(value, made))
    return made


def _separate_object(value: Any, seen: set[int], mine: set[int], copies: list[Copied]) -> Any:
    """An object stays itself, since others may hold it; the second time it is a copy, if it is
    nothing but a record of numbers, arrays and containers.
    """
    parts = _attributes(value)
    if not any(map(is_differentiable, parts.values())):
        return value
    if id(value) not in seen:
        _note(value, mine)
        return value
    made = copy.copy(value)
    if made is value:
        return value
    if any(_attributes(part) for part in parts.values()):
        raise Unsupported(
            type(value).__qualname__, "an object that is passed twice",
            why="each place has a derivative of its own, and the objects it holds may hold it too",
            instead="pass the object once and use it twice inside",
        )  # fmt: skip
    for name, part in parts.items():
        object.__setattr__(made, name, _separate(part, seen, mine, copies, {}))
    copies.append(Copied(value, made))
    return made


def _attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object of a class of the user's, or none."""
    kind = type(value)
    if kind in BY_VALUE or kind.__flags__ & MADE_BY_CLASS == 0 or not has_identity(value):
        return {}
    if isinstance(value, NO_RECORDS):
        return {}
    held = dict(getattr(value, "__dict__", ()))
    for base in kind.__mro__:
        for name in names_of_slots(base):
            if hasattr(value, name):
                held[name] = getattr(value, name)
    return held


NO_RECORDS = (type, FunctionType, ModuleType, np.ndarray, list, tuple, dict, BaseException)


def names_of_slots(cls: type) -> list[str]:
    return [name for name, v in vars(cls).items() if type(v) is MemberDescriptorType]


def _items(value: Any) -> list[Any]:
    if issubclass(type(value), dict):
        return [item for _, item in pairs_of(value)]
    if issubclass(type(value), list | tuple):
        return list(items_of(value))
    return list(_attributes(value).values())


def _note(value: Any, mine: set[int]) -> None:
    """All memory and all objects that can be reached from an object."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if issubclass(type(part), np.ndarray):
            mine.add(id(owner_of(part)))
        elif id(part) not in mine and is_differentiable(part) and has_identity(part):
            mine.add(id(part))
            waiting += _items(part)


def contents_of(cells: tuple[CellType, ...]) -> tuple[Any, ...] | None:
    """What a closure has captured; None while one of the variables is not bound yet."""
    try:
        return tuple([cell.cell_contents for cell in cells])
    except ValueError:
        return None


def written_twice(f: Any, copies: Sequence[Copied]) -> Unsupported:
    """The error of a write that was found."""
    if all(each.places for each in copies):
        return Unsupported(
            callable_name(f), "a write to an argument of which several places share memory",
            why="each place has a derivative of its own, and a write would reach more than one",
            instead="pass the array that it is a view of, and make the view inside",
        )  # fmt: skip
    return Unsupported(
        callable_name(f), "a write to an argument that is passed twice",
        why="each place has a derivative of its own, and a write would reach both",
        instead="pass a copy, or pass the object once and use it twice inside",
    )  # fmt: skip
