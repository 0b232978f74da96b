"""What arguments hold before a call of which nothing is recorded, and whether it wrote there.

>>> a, log = np.array([1.0, 2.0]), [0.5]
>>> before = contents((a, log))
>>> log.append("seen")
>>> changed(before)
>>> a[0] = 5.0
>>> changed(before)
'ndarray'
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from astad.errors import RuleError
from astad.runtime.fingerprints import fingerprint
from astad.runtime.snapshots import Node, attributes_of, snapshot
from astad.tangents.zero import has_identity

__all__ = ["Content", "changed", "contents", "parts_of", "refuse_writes"]

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
    if issubclass(type(value), dict):
        return dict(value)
    if issubclass(type(value), list | tuple | deque):
        return dict(enumerate(value))
    if issubclass(type(value), set | frozenset):
        return {each: each for each in value}
    return {name: content for name, (_, _, content) in attributes_of(value).items()}


def changed(before: Sequence[Content]) -> str | None:
    """The type of the first that holds other things than before; more is no harm, nor a count."""
    for value, content in before:
        if issubclass(type(value), np.ndarray):
            if fingerprint(value) != content:
                return type(value).__name__
        else:
            now = parts_of(value)
            if any(key not in now or not _is_same(content[key], now[key]) for key in content):
                return type(value).__name__
    return None


def _is_same(before: Any, now: Any) -> bool:
    if before is now:
        return True
    counts = type(before) in _COUNTS and type(now) in _COUNTS
    return counts or (not has_identity(before) and type(before) is type(now) and before == now)


_COUNTS = (int, bool, str, type(None))


def refuse_writes(fn: Any, before: Sequence[Content]) -> None:
    """An error where a function through which no derivative passes has written to an argument."""
    kind = changed(before)
    if kind is not None:
        raise RuleError(
            getattr(fn, "__qualname__", repr(fn)),
            f"a write to an argument of type {kind} by a function without derivative",
            why="what it held before is still what a derivative is taken by",
            instead="write to a copy and return it, or leave the function to astad",
        )
