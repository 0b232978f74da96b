"""What a function reads besides its arguments: globals, of the functions it calls as well, and
sources of chance.

>>> import math
>>> scale = [2.0]
>>> def f(x):
...     return math.sin(x) * scale[0]
>>> f.__module__ = "model"  # those of libraries are taken to stay as they are
>>> around = Surroundings([f])
>>> around.changed(), scale.append(1.0), around.changed()
('', None, 'scale')
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Iterable, Iterator, Mapping
from io import IOBase
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from astad.code_objects import names_in
from astad.runtime.cotangents.contents import Content, changed, contents, is_same, parts_of
from astad.runtime.cotangents.owners import class_dict, stored_in
from astad.runtime.cotangents.snapshots import Node, snapshot
from astad.runtime.unseen.chances import Chance, everywhere, is_source_of_chance
from astad.tangents.zero import has_identity, home_of, is_differentiable

__all__ = ["Surroundings", "held_by", "sources_in", "state_of"]

_LIBRARIES = {*sys.stdlib_module_names, "numpy", "scipy", "astad", "numba"} - {"__main__"}
_MISSING = object()
_NOTES = frozenset(["__slotnames__", "__warningregistry__"])


class Surroundings:
    """The globals that functions read, found by their names, with what they hold.

    Attributes
    ----------
    draws : bool
        Whether an iterator is among what the functions are given or read.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self.draws = False
        self._names: dict[tuple[int, str], tuple[Mapping[str, Any], str, Any]] = {}
        self._own: list[tuple[str, tuple[Any, ...]]] = []  # what functions hold themselves
        self._spaces: dict[int, dict[str, Any]] = {}
        self._constants: list[Any] = []
        self._sources: dict[int, Any] = {}
        self._seen: set[int] = set()
        self._waiting = list(values)
        while self._waiting:
            self._note(self._waiting.pop())
        named = [(name, (value,)) for _, name, value in self._names.values()]
        self._contents: list[tuple[str, list[Content]]] = [
            (name, [each for each in state_of(values) if not is_source_of_chance(each[0])])
            for name, values in (*named, *self._own)
        ]
        self._bound = [(space, _of_the_program(space)) for space in self._spaces.values()]

    def values(self) -> list[Any]:
        """What the names stand for."""
        return [value for _, _, value in self._names.values()]

    def chance(self) -> Chance:
        """The states now of all that random numbers may be drawn from."""
        return Chance([*everywhere(), *self._sources.values()])

    def changed(self) -> str:
        """The first name that stands for something else now, or whose object was written."""
        for space, name, value in self._names.values():
            if not is_same(value, space.get(name, _MISSING)):
                return name
        for name, before in self._contents:
            if changed(before, strict=True):
                return name
        return ""

    def bound_anew(self) -> bool:
        """Whether any name of the modules stands for something else now, read here or not."""
        both = [(_of_the_program(space), before) for space, before in self._bound]
        return any(
            len(space) != len(before) or any(map(operator.is_not, space.values(), before.values()))
            for space, before in both
        )

    def known(self) -> Iterator[Any]:
        """All of which `changed` and `bound_anew` tell whether it was written, and constants."""
        yield from self._constants
        yield from self._spaces.values()
        for _, before in self._contents:
            yield from (value for value, _ in before)

    def _note(self, value: Any) -> None:
        kind = type(value)
        if id(value) in self._seen or kind in (int, float, str, bool, type(None)):
            return
        self._seen.add(id(value))
        if is_source_of_chance(value):
            self._sources[id(value)] = value
        elif kind is FunctionType:
            self._function(value)
        elif kind is MethodType:
            self._waiting += [value.__func__, value.__self__]
        elif issubclass(kind, type):
            self._class(value)
        elif issubclass(kind, Iterator) and not issubclass(kind, IOBase):
            self.draws = True
        elif not issubclass(kind, (np.ndarray, ModuleType)):
            self._class(kind)

    def _class(self, cls: type) -> None:
        """Methods, and what a class holds for its objects."""
        for base in cls.__mro__:
            if home_of(base).partition(".")[0] in _LIBRARIES:
                continue
            held = class_dict(base)
            if id(held) in self._spaces:
                continue
            self._spaces[id(held)] = held
            for name, value in list(held.items()):
                value = getattr(value, "__func__", getattr(value, "fget", value))
                if type(value) is FunctionType:
                    self._waiting.append(value)
                elif not name.startswith("__"):
                    self._name(held, name, value)

    def _function(self, fn: FunctionType) -> None:
        if (fn.__module__ or "").partition(".")[0] in _LIBRARIES:
            return
        for cell in fn.__closure__ or ():
            try:
                self._waiting.append(cell.cell_contents)
            except ValueError:  # not bound yet
                continue
        self._constants += _constants_in(fn.__code__)
        self._spaces[id(fn.__globals__)] = fn.__globals__
        own = (fn.__defaults__, fn.__kwdefaults__, fn.__dict__)
        self._own.append((fn.__qualname__, own))
        self._waiting += itertools.chain.from_iterable(map(_held, own))
        names = set(names_in(fn.__code__))
        for name in names:
            value = fn.__globals__.get(name, _MISSING)
            if value is _MISSING:
                continue
            self._name(fn.__globals__, name, value)
            if type(value) is ModuleType and value.__name__.partition(".")[0] not in _LIBRARIES:
                self._spaces[id(vars(value))] = vars(value)
                for each in names & vars(value).keys():
                    self._name(vars(value), each, vars(value)[each])

    def _name(self, space: Mapping[str, Any], name: str, value: Any) -> None:
        if id(value) in self._seen and type(value) in (FunctionType, type):
            return
        key = (id(space), name)
        if key in self._names:
            return
        self._waiting.append(value)
        if is_differentiable(value) or type(value) in (bool, str, bytes, type(None)):
            self._names[key] = (space, name, value)
            self._waiting += _held(value)


def held_by(values: Iterable[Any]) -> list[Content]:
    """`contents`, with those of the objects of methods; sources of chance, of which `Chance` tells,
    are left out.
    """
    found: dict[int, Content] = {}
    owners: dict[int, Any] = {}
    waiting = list(values)
    while waiting:
        fresh = contents(waiting)
        found.update((id(each[0]), each) for each in fresh if not is_source_of_chance(each[0]))
        held = [*waiting, *(part for _, parts in fresh for part in _values_of(parts))]
        mine = {id(each.__self__): each.__self__ for each in held if type(each) is MethodType}
        waiting = [mine[key] for key in mine if key not in owners]
        owners |= mine
    return list(found.values())


def _values_of(parts: Any) -> Iterable[Any]:
    return parts.values() if type(parts) is dict else ()


def sources_in(values: Iterable[Any]) -> Iterator[Any]:
    """The sources of chance that values hold, at any depth."""
    known: dict[type, bool] = {}
    for each in itertools.chain.from_iterable(map(_held, values)):
        kind = type(each)
        if kind not in known:
            known[kind] = is_source_of_chance(each)
        if known[kind]:
            yield each


def _of_the_program(space: Mapping[str, Any]) -> dict[str, Any]:
    """Names with what they stand for, but those of Python's own notes: of `copy` in a class, of
    `warnings` in a module.
    """
    return {name: value for name, value in space.items() if name not in _NOTES}


def state_of(values: Iterable[Any]) -> list[Content]:
    """`contents`, and objects that have no attributes yet."""
    values = list(values)
    found = contents(values)
    known = {id(value) for value, _ in found}
    for each in itertools.chain.from_iterable(map(_held, values)):
        bare = id(each) not in known and has_identity(each)
        if bare and (type(each) is FunctionType or type(stored_in(each)) is dict):
            known.add(id(each))
            found.append((each, parts_of(each)))
    return found


def _held(value: Any) -> Iterator[Any]:
    """What a container holds, at any depth."""
    waiting, seen = [snapshot(value)], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part.value if type(part) is Node else part
        if type(part) is Node:
            waiting += part.children()


def _constants_in(code: CodeType) -> Iterator[Any]:
    """The tuples and sets that stand in code, and those in them."""
    waiting: list[Any] = [code]
    while waiting:
        each = waiting.pop()
        if type(each) is CodeType:
            waiting += each.co_consts
        elif type(each) in (tuple, frozenset):
            yield each
            waiting += each
