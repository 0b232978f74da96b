"""What arguments hold before a call of which nothing is recorded, and whether it wrote there.

>>> a, log = np.array([1.0, 2.0]), [0.5]
>>> before = contents((a, log))
>>> log.append("seen")
>>> changed(before)
>>> a[0] = 5.0
>>> changed(before)
'ndarray'

A number for the content of an array: has it been written since?

>>> a = np.arange(4.0)
>>> before = fingerprint(a)
>>> a[::2] = a[::-2]
>>> fingerprint(a) == before
False
"""

from __future__ import annotations

import copy
import functools
from collections import deque
from collections.abc import Iterable, Sequence
from types import CellType, FunctionType, MappingProxyType, MethodType
from typing import Any

import numpy as np

from astad.errors import RuleError, Unsupported
from astad.runtime.cotangents.owners import Array, stored_in
from astad.runtime.cotangents.snapshots import Node, attributes_of, snapshot
from astad.tangents.unasked import callable_name, items_of, pairs_of
from astad.tangents.zero import has_identity

__all__ = [
    "Content", "changed", "contents", "copied_with", "fill", "fingerprint", "is_same", "parts_of",
    "refuse_writes",
]  # fmt: skip

Content = tuple[Any, Any]
"""An array with its fingerprint, or a container with its parts by place, key or name."""


def contents(values: Iterable[Any]) -> list[Content]:
    """All arrays and containers that the values hold, each with what is in it."""
    found: dict[int, Content] = {}
    waiting: list[Any] = []
    for value in values:
        waiting.append(snapshot(value))
    while waiting:
        part = waiting.pop()
        held = part.value if type(part) is Node else part
        if id(held) in found:
            continue
        if issubclass(type(held), np.ndarray):
            found[id(held)] = (held, fingerprint(held))
        elif type(part) is Node:
            found[id(held)] = (held, parts_of(held))
            waiting += part.children()
    return list(found.values())


def parts_of(value: Any) -> dict[Any, Any]:
    """What a container or object holds, by key, place or name."""
    if issubclass(type(value), (dict, MappingProxyType)):
        return dict(pairs_of(value))
    if issubclass(type(value), (list, tuple, deque)):
        return dict(enumerate(items_of(value)))
    if issubclass(type(value), (set, frozenset)):
        return {each: each for each in items_of(value)}
    return {name: content for name, (_, _, content) in attributes_of(value).items()}


def copied_with(value: Any, parts: dict[Any, Any], name: str) -> Any:
    """A container of the class of ``value`` that holds ``parts``; ``name``: whose error it is where
    there can be none."""
    if type(value) is FunctionType:
        cells = tuple(CellType(parts[each]) for each in value.__code__.co_freevars)
        made: Any = FunctionType(
            value.__code__, value.__globals__, value.__name__, value.__defaults__, cells
        )
        made.__kwdefaults__ = value.__kwdefaults__
        vars(made).update(vars(value))
        return made
    if type(value) is MethodType:
        return value
    if issubclass(type(value), tuple):
        return tuple.__new__(type(value), list(parts.values()))
    if issubclass(type(value), frozenset):
        return frozenset(parts)
    if type(value) is MappingProxyType:
        return MappingProxyType(parts)
    made = copy.copy(value)
    if made is value:
        raise Unsupported(
            name,
            f"a {type(value).__name__} of which a copy is needed",
            why="it does not let itself be copied",
            instead="use the numbers and arrays in it",
        )
    if issubclass(type(value), functools.partial):
        attributes = stored_in(value) or None
        made.__setstate__((parts["func"], parts["args"], parts["keywords"], attributes))
        return made
    fill(made, parts)
    return made


def fill(made: Any, parts: dict[Any, Any]) -> None:
    """A container or an object holds these parts, and nothing else."""
    kind = type(made)
    if issubclass(kind, dict):
        dict.clear(made)
        for key, part in parts.items():
            dict.__setitem__(made, key, part)
    elif issubclass(kind, list):
        list.__setitem__(made, slice(None), parts.values())
    elif issubclass(kind, deque):
        deque.clear(made)
        deque.extend(made, parts.values())
    elif issubclass(kind, set):
        set.clear(made)
        set.update(made, parts)
    else:
        now = parts_of(made)
        for name in now.keys() - parts.keys():
            object.__delattr__(made, name)
        for name, part in parts.items():
            if now.get(name, made) is not part:
                object.__setattr__(made, name, part)


def changed(before: Sequence[Content], *, strict: bool = False) -> str | None:
    """The type of the first that holds other things than before; if not ``strict``, more is no
    harm, nor is a count."""
    for value, content in before:
        if issubclass(type(value), np.ndarray):
            if fingerprint(value) != content:
                return type(value).__name__
        else:
            now = parts_of(value)
            more = strict and len(now) != len(content)
            if more or any(
                key not in now or not is_same(content[key], now[key], strict=strict)
                for key in content
            ):
                return type(value).__name__
    return None


def is_same(before: Any, now: Any, *, strict: bool = True) -> bool:
    """One object, or equal numbers or texts."""
    if before is now:
        return True
    counts = not strict and type(before) in _COUNTS and type(now) in _COUNTS
    return counts or (not has_identity(before) and type(before) is type(now) and before == now)


_COUNTS = (int, bool, str, type(None))


def refuse_writes(fn: Any, before: Sequence[Content]) -> None:
    """An error where a function through which no derivative passes has written to an argument."""
    kind = changed(before)
    if kind is not None:
        raise RuleError(
            callable_name(fn),
            f"a write to an argument of type {kind} by a function without derivative",
            why="what it held before is still what a derivative is taken by",
            instead="write to a copy and return it, or leave the function to astad",
        )


# --- fingerprints ---------------------------------------------------------------------------------


_SMALL = 8192
_ROW = 4096


def _mixed(n: int) -> Array:
    """Odd numbers without a pattern (the steps and the factor of SplitMix64), and without
    `numpy.random`, of which the import takes 10 ms.
    """
    steps = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((steps ^ (steps >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)) | np.uint64(1)


_WEIGHTS = _mixed(_ROW)
_bytes_of = np.ndarray.tobytes
"""Also of a subclass: a masked array's own method sets an attribute, which its constants refuse."""


def fingerprint(a: Array) -> int:
    """A hash of the bytes of an array; of objects, of which they are.

    A large one costs 1.7 times what a product with a number does.
    """
    if a.nbytes <= _SMALL:
        return hash(_bytes_of(a))
    flat = np.ascontiguousarray(a).reshape(-1)
    if flat.dtype.hasobject:
        return hash(flat.tobytes())
    data = flat.view(np.uint8)
    whole = data.size // (8 * _ROW) * 8 * _ROW
    rows = data[:whole].view(np.uint64).reshape(-1, _ROW)
    sums = np.einsum("ij,j->i", rows, _WEIGHTS)  # modulo 2**64
    return hash((sums.tobytes(), data[whole:].tobytes()))
