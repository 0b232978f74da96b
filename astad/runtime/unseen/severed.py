"""What a user's rule hands on of its arguments gets an identity of its own for the cotangent.

``hook(fn, x)`` gives ``x`` itself. A cotangent of the result must go through ``fn``, one of another
use of ``x`` must not; so the two may not have one shadow. An array is handed on as a view that
has the same memory and another owner; a container or object as a copy, which is compared with its
original when the sweeps are done.

>>> x = np.array([1.0, 2.0])
>>> y = severed_view(x)
>>> x[0] = 5.0
>>> y, type(y.base).__name__, memory_of(y) is x
(array([5., 2.]), 'Severed', True)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Value
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.contents import copied_with, parts_of
from astad.runtime.cotangents.owners import Array, Severed, memory_of
from astad.runtime.cotangents.snapshots import Node, snapshot
from astad.runtime.unseen.out_of_sight import parts_within, refuse_out_of_sight
from astad.tangents.unasked import callable_name
from astad.tangents.zero import has_identity

__all__ = ["Twin", "check_twins", "held_apart", "is_apart", "sever", "severed_view"]


class Twin:
    """A copy that stands in for a container: were both left as they were?"""

    __slots__ = ("copy", "name", "original", "parts")

    def __init__(self, original: Value, made: Value, name: str) -> None:
        self.original = original
        self.copy = made
        self.name = name
        self.parts = (parts_of(original), parts_of(made))

    def check(self) -> None:
        """Raise if one of them was written since: the other would have had it too."""
        now = (parts_of(self.original), parts_of(self.copy))
        if all(map(_are_same, self.parts, now)):
            return
        raise Unsupported(
            self.name,
            f"a write to a {type(self.original).__name__} of which it handed on the result",
            why="both are one object, and have cotangents of their own",
            instead="write to a copy of it",
        )


def check_twins(twins: Iterable[Twin]) -> None:
    for each in twins:
        each.check()


def sever(
    versions: Versions, fn: Value, y: Value, given: Sequence[Value], *, passes: bool
) -> tuple[Value, tuple[Twin, ...]]:
    """The result with all that belongs to what was given severed, and the copies made for that.

    Parameters
    ----------
    versions : Versions
    fn : callable
        What gave the result.
    y : object
        The result.
    given : sequence of snapshots
        The arguments.
    passes : bool
        Whether a derivative passes through the function: then a later write to the memory is
        refused while the result lives.
    """
    if type(y) is np.ndarray and y.dtype.kind != "O":
        pass
    elif has_identity(y) or issubclass(type(y), type):
        refuse_out_of_sight(fn, y, given, passes=passes)
    if not has_identity(y):
        return y, ()
    made = _Severing(versions, callable_name(fn), passes)
    for each in (*given, snapshot(fn)):
        made.note(each)
    if not made.containers and not made.memory:
        return y, ()
    return made.severed(y), tuple(made.twins)


def is_apart(y: Value, given: Iterable[Value]) -> bool:
    """Has a result nothing in common with what was given, of which these are snapshots?"""
    if not has_identity(y):
        return True
    theirs, mine = (_Severing(Versions(), "", False) for _ in range(2))
    for each in given:
        theirs.note(each)
    mine.note(snapshot(y))
    return not (theirs.containers & mine.containers or theirs.memory & mine.memory)


class _Severing:
    """One result on its way out."""

    def __init__(self, versions: Versions, name: str, passes: bool) -> None:
        self.versions = versions
        self.name = name
        self.passes = passes
        self.containers: set[int] = set()
        self.memory: set[int] = set()
        self.twins: list[Twin] = []
        self._made: dict[int, Value] = {}

    def note(self, entry: Value) -> None:
        """All containers and all memory that an argument holds."""
        for part in parts_within([entry]):
            if type(part) is Node:
                self.containers.add(id(part.value))
            elif issubclass(type(part), np.ndarray):
                self.memory.add(id(memory_of(part)))

    def severed(self, value: Value) -> Value:
        if issubclass(type(value), np.ndarray):
            if id(memory_of(value)) not in self.memory:
                return value
            view = severed_view(value)
            self.versions.sever(view, self.name, self.passes)
            return view
        if not has_identity(value):
            return value
        if id(value) not in self._made:
            self._made[id(value)] = value  # where it holds itself
            self._made[id(value)] = self._container(value)
        return self._made[id(value)]

    def _container(self, value: Value) -> Value:
        entry = snapshot(value)
        if type(entry) is not Node:
            return value
        if type(value) is MethodType:
            return MethodType(value.__func__, self.severed(value.__self__))
        parts = parts_of(value)
        mine = {key: self.severed(part) for key, part in parts.items()}
        is_given = id(value) in self.containers
        if not is_given and all(mine[key] is parts[key] for key in parts):
            return value
        made = copied_with(value, mine, self.name)
        if not issubclass(type(value), (tuple, frozenset, FunctionType)):
            self.twins.append(Twin(value, made, self.name))
        return made


def severed_view(a: Array) -> Array:
    """The same memory, not to be written here, under an owner of its own."""
    if a.dtype.kind not in "biufc":
        made = a.copy()
    else:
        made = np.asarray(Severed(a, memory_of(a)))
        if type(a) is not np.ndarray:
            made = made.view(type(a))
            vars(made).update(getattr(a, "__dict__", {}))
    made.flags.writeable = False
    return made


def held_apart(view: Array) -> Array:
    """For a record, the same array under the same owner: it does not keep a severed view alive."""
    owner: object = view.base
    return np.asarray(owner) if type(owner) is Severed else view


def _are_same(before: dict[Any, Value], now: dict[Any, Value]) -> bool:
    return before.keys() == now.keys() and all(
        now[key] is part or (not has_identity(part) and type(now[key]) is type(part)
                             and bool(now[key] == part))
        for key, part in before.items()
    )  # fmt: skip
