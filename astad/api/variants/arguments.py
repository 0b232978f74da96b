"""Arguments and results at the entry: no object in two places, nothing handed out that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.runtime.cotangents.owners import may_overlap_itself, owner_of
from astad.tangents.unasked import callable_name, items_of, pairs_of
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
        if issubclass(type(self.copy), tuple):
            return False  # only what is in it can be, and that has a copy of its own
        if issubclass(type(self.copy), np.ndarray):
            return not np.array_equal(
                self.original, self.copy, equal_nan=self.copy.dtype.kind in "fc"
            )
        if issubclass(type(self.copy), dict) and list(self.original) != list(self.copy):
            return True
        first, second = _items(self.original), _items(self.copy)
        if any(
            now is not then and (has_identity(now) or now != then)
            for now, then in zip(second, self.items, strict=False)
        ):
            return True  # an entry is bound anew
        return len(first) != len(second) or any(
            a is not b and not (issubclass(type(a), (np.ndarray, list, tuple, dict))) and a != b
            for a, b in zip(first, second, strict=True)
        )


def separated(args: Sequence[Any]) -> tuple[tuple[Any, ...], list[Copied]]:
    """The arguments, each memory in one of them only: what comes again is a read-only copy.

    Objects are not taken apart, since others may hold them. So what an object holds is left to it,
    and another argument that is a part of that is the copy, whichever comes first.

    A tuple of numbers is a copy, too: Python has one object for equal ones in a source text, and
    that says nothing of what depends on the argument.
    """
    own: dict[int, Any] = {}
    tuples: list[Copied] = []
    firsts = [_own_tuple(arg, own, tuples) if type(arg) is tuple else arg for arg in args]
    given, copies = _each_once(firsts)
    return given, tuples + copies


def _own_tuple(value: Any, own: dict[int, Any], copies: list[Copied]) -> Any:
    """The tuple, or a copy where it has numbers in it, or in tuples in it; ``own`` has those that
    are done. Tuples may be nested as deeply as Python makes them.
    """
    waiting = [value]
    while waiting:
        one = waiting[-1]
        inner = [part for part in one if type(part) is tuple and id(part) not in own]
        if inner and id(one) not in own:
            waiting += inner
            continue
        waiting.pop()
        if id(one) not in own:
            own[id(one)] = _copied_tuple(one, own, copies)
    return own[id(value)]


def _copied_tuple(value: Any, own: dict[int, Any], copies: list[Copied]) -> Any:
    parts = [own[id(part)] if type(part) is tuple else part for part in value]
    has_numbers = any(type(part) in BY_VALUE for part in parts)
    if not has_numbers and all(a is b for a, b in zip(parts, value, strict=True)):
        return value
    made = tuple(parts)
    copies.append(Copied(value, made))
    return made


def _each_once(args: Sequence[Any]) -> tuple[tuple[Any, ...], list[Copied]]:
    if len(args) < 2 and not any(_overlaps_itself(arg, set()) for arg in args):
        return tuple(args), []
    held = [_held_by_objects(arg) for arg in args]
    seen: set[int] = set()
    copies: list[Copied] = []
    given: list[Any] = []
    for at, arg in enumerate(args):
        mine: set[int] = set()
        others = set[int]().union(*held[:at], *held[at + 1 :])
        given.append(_Separating(seen, others - seen, mine, copies).part(arg))
        seen |= mine
    return tuple(given), copies


def _overlaps_itself(value: Any, met: set[int]) -> bool:
    """Is it an array of which several places are one, or a container that holds one?"""
    if issubclass(type(value), np.ndarray):
        return may_overlap_itself(value)
    if type(value) not in _CONTAINERS or id(value) in met:
        return False
    met.add(id(value))
    return any(_overlaps_itself(item, met) for item in _items(value))


_CONTAINERS = (list, tuple, dict)


def _held_by_objects(arg: Any) -> set[int]:
    """All memory and all containers that the objects in an argument hold."""
    found: set[int] = set()
    waiting, met = [arg], set[int]()
    while waiting:
        value = waiting.pop()
        if type(value) in _CONTAINERS:
            if id(value) not in met:
                met.add(id(value))
                waiting += _items(value)
        elif _attributes(value):
            _note(value, found)
    return found


def _frozen(array: Any, copies: list[Copied], *, places: bool = False) -> Any:
    """A read-only copy: each slot, and each place in the array, has a derivative of its own."""
    layout = "K" if type(array) is np.ndarray and all(array.strides) else "C"
    twin = array.copy() if layout == "C" else array.copy(layout)  # repeated rows lie in C order
    twin.flags.writeable = False
    copies.append(Copied(array, twin, places=places))
    return twin


class _Separating:
    """One argument, taken apart.

    Each set is of memory, containers and objects: ``seen`` of the arguments before it, ``held`` of
    what the objects in others hold, ``mine`` of its own. ``done``: what was met in it, and may lie
    in several places of it.
    """

    def __init__(
        self, seen: set[int], held: set[int], mine: set[int], copies: list[Copied]
    ) -> None:
        self.seen = seen
        self.held = held
        self.mine = mine
        self.copies = copies
        self.done: dict[int, Any] = {}

    def part(self, value: Any) -> Any:
        if type(value) in BY_VALUE:
            return value
        if id(value) not in self.done:
            if type(value) in _CONTAINERS:
                self.done[id(value)] = self._container(value)
            elif issubclass(type(value), np.ndarray):
                self.done[id(value)] = self._array(value)
            else:
                self.done[id(value)] = self._object(value)
        return self.done[id(value)]

    def _array(self, value: Any) -> Any:
        owner, overlaps = id(owner_of(value)), may_overlap_itself(value)
        self.mine.add(owner)
        if owner in self.seen or owner in self.held or overlaps:
            return _frozen(value, self.copies, places=overlaps)
        return value

    def _container(self, value: Any) -> Any:
        again = id(value) in self.seen or id(value) in self.held
        self.mine.add(id(value))
        count = len(self.copies)
        items = list(value.values()) if issubclass(type(value), dict) else list(value)
        parts = [self.part(item) for item in items]
        if not (again and items) and all(a is b for a, b in zip(parts, items, strict=True)):
            return value
        made: Any = (
            dict(zip(value, parts, strict=True))
            if issubclass(type(value), dict)
            else type(value)(parts)
        )
        places = not again and all(each.places for each in self.copies[count:])
        self.copies.append(Copied(value, made, places=places))
        return made

    def _object(self, value: Any) -> Any:
        """An object stays itself, since others may hold it; the second time it is a copy, if it is
        nothing but a record of numbers, arrays and containers.
        """
        parts = _attributes(value)
        if not any(map(is_differentiable, parts.values())):
            return value
        if id(value) not in self.seen:
            _note(value, self.mine)
            return value
        from copy import copy  # late: it takes longer than most of these modules

        made = copy(value)
        if made is value:
            return value
        if any(_attributes(part) for part in parts.values()):
            raise Unsupported(
                type(value).__qualname__, "an object that is passed twice",
                why="each place has a derivative of its own, and the objects it holds may hold "
                "it too",
                instead="pass the object once and use it twice inside",
            )  # fmt: skip
        inner = _Separating(self.seen, self.held, self.mine, self.copies)
        for name, part in parts.items():
            object.__setattr__(made, name, inner.part(part))
        self.copies.append(Copied(value, made))
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
    if issubclass(type(value), (list, tuple)):
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
