"""What values hold where a rule of the user's does not see it.

A rule gives and takes cotangents of the structure of a value: of an iterator, a view, an exception,
a class, or the defaults of a function there is none, so that a derivative would pass by the rule.

>>> def held(value):
...     return [each for _, each in held_out_of_sight(snapshot(value)) if type(each) is float]
>>> held([1.0]), held(iter([1.0])), held({"a": [map(abs, [2.0])]}), held(ValueError(3.0))
([], [1.0], [2.0], [3.0])
"""

from __future__ import annotations

import gc
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, KeysView, MappingView
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
    TracebackType,
)

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Value
from astad.runtime.cotangents.owners import memory_of
from astad.runtime.cotangents.snapshots import LEAVES, Node, snapshot
from astad.tangents.unasked import callable_name, has_in_class, items_of, pairs_of
from astad.tangents.zero import has_identity, is_differentiable, is_number

__all__ = ["held_out_of_sight", "may_pass", "parts_within", "refuse_out_of_sight"]

_FIXED = (type, ModuleType, CodeType, FrameType, TracebackType, BuiltinFunctionType)
_OF_VALUES = (Iterator, MappingView, BaseException, array, memoryview)
"""Kinds that are there to hold values: of others an int is a setting."""


def refuse_out_of_sight(fn: Value, y: Value, given: Iterable[Value], *, passes: bool) -> None:
    """An error where the result of a rule holds what has a derivative, and the rule cannot see it.

    Parameters
    ----------
    fn : callable
        Whose rule it is.
    y : object
        The result.
    given : iterable of snapshots
        The arguments.
    passes : bool
        Whether a derivative passes through ``fn``; if not, only what it was given matters.
    """
    given = list(given)
    theirs: set[int] = set()
    for part in parts_within(given):
        value = part.value if type(part) is Node else part
        if issubclass(type(value), np.ndarray):
            theirs.add(id(memory_of(value)))
        elif has_identity(value) or issubclass(type(value), type):
            theirs.add(id(value))
    if not given:
        return
    for holder, value in held_out_of_sight(snapshot(y), sets=passes):
        if type(holder) is GeneratorType and not passes and id(holder) not in theirs:
            continue  # it runs as it is: what it hands out has no way back
        is_array = issubclass(type(value), np.ndarray)
        is_given = id(memory_of(value) if is_array else value) in theirs
        carries = is_array or is_number(value)
        if (is_given and may_pass(value)) or (carries and (passes or id(holder) in theirs)):
            raise Unsupported(
                callable_name(fn),
                f"a result that is or holds a {type(holder).__name__}",
                why="what has a derivative lies in it where the rule does not see it",
                instead="hand over the numbers and arrays, in a list, tuple or dict",
            )  # fmt: skip


def held_out_of_sight(entry: Value, *, sets: bool = False) -> Iterator[tuple[Value, Value]]:
    """Objects in a snapshot, each with what it holds besides; ``sets``: these too."""
    for part in parts_within([entry]):
        value = part.value if type(part) is Node else part
        kind = type(value)
        is_seen = kind in LEAVES or is_number(value)
        if type(part) is Node:
            hides = issubclass(kind, (FunctionType, BaseException))
            is_seen = not hides and not (sets and part.kind == "set")
        if is_seen and not issubclass(kind, type):
            continue
        if issubclass(kind, type) or has_identity(value):
            yield from ((value, each) for each in _reached(value))


def parts_within(entries: Iterable[Value]) -> Iterator[Value]:
    """The nodes and leaves of snapshots, with the objects of methods."""
    waiting, seen = list(entries), set[int]()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if type(part) is Node:
            waiting += part.children()
            if type(part.value) is MethodType:
                waiting.append(snapshot(part.value.__self__))


def _reached(holder: Value) -> Iterator[Value]:
    """All that an object holds, at any depth."""
    ints = isinstance(holder, _OF_VALUES)
    captured = (holder.__closure__ or ()) if type(holder) is FunctionType else ()  # is seen
    waiting, seen = list(_held(holder)), {id(holder), *map(id, captured)}
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, _FIXED):
            continue
        seen.add(id(each))
        if ints or not isinstance(each, int):
            yield each
        waiting += _held(each)


def _held(value: Value) -> Iterable[Value]:
    kind = type(value)
    if issubclass(kind, type):
        return [each for base in value.__mro__ for each in _of_class(base)]
    if kind is FunctionType:
        cells = value.__closure__ or ()
        return [*cells, value.__defaults__, value.__kwdefaults__, vars(value)]
    if issubclass(kind, KeysView):
        return list(value)
    if issubclass(kind, np.flatiter):
        return [value.base]
    if issubclass(kind, array):
        return [value[0]] if len(value) else []
    return gc.get_referents(value)


def may_pass(value: Value) -> bool:
    """Whether a derivative may pass through what this object itself holds."""
    kind = type(value)
    if issubclass(kind, dict):
        return any(is_differentiable(part) for _, part in pairs_of(value))
    if issubclass(kind, (list, tuple, set, frozenset, deque)):
        return any(map(is_differentiable, items_of(value)))
    return is_differentiable(value)


def _of_class(cls: type) -> Iterable[Value]:
    """What a class holds for its objects, without methods and descriptors."""
    if cls.__module__ == "builtins":
        return []
    return [
        each for name, each in list(vars(cls).items())
        if not (name.startswith("__") or callable(each) or has_in_class(type(each), "__get__"))
    ]  # fmt: skip
