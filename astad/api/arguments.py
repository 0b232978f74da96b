"""Arguments and results at the entry: no object in two places, nothing handed out that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from astad.runtime.owners import owner_of

__all__ = ["Copied", "handed_out", "separated"]


class Copied:
    """A list or dict that stands in for one that is passed twice, and how it looked."""

    def __init__(self, made: Any) -> None:
        self.made = made
        self.before = self._look()

    def _look(self) -> list[Any]:
        return list(self.made.items()) if isinstance(self.made, dict) else list(self.made)

    def changed(self) -> bool:
        """Was it written?"""
        now = self._look()
        return len(now) != len(self.before) or any(a is not b and a != b for a, b in zip(now, self.before, strict=True))


def separated(args: Sequence[Any]) -> tuple[tuple[Any, ...], list[Copied]]:
    """The arguments, each memory in one of them only: what comes again is a read-only copy."""
    if len(args) < 2:
        return tuple(args), []
    seen: set[int] = set()
    copies: list[Copied] = []
    given: list[Any] = []
    for arg in args:
        mine: set[int] = set()
        given.append(_separate(arg, seen, mine, copies))
        seen |= mine
    return tuple(given), copies


def _separate(value: Any, seen: set[int], mine: set[int], copies: list[Copied]) -> Any:
    if isinstance(value, np.ndarray):
        owner = id(owner_of(value))
        mine.add(owner)
        if owner not in seen:
            return value
        copy = value.copy()
        copy.flags.writeable = False
        copies.append(Copied([copy]))
        return copy
    if type(value) not in (list, tuple, dict):
        return value
    again = id(value) in seen
    mine.add(id(value))
    items = list(value.values()) if isinstance(value, dict) else list(value)
    parts = [_separate(item, seen, mine, copies) for item in items]
    if not (again and items) and all(a is b for a, b in zip(parts, items, strict=True)):
        return value
    made: Any = dict(zip(value, parts, strict=True)) if isinstance(value, dict) else type(value)(parts)
    if not isinstance(made, tuple):
        copies.append(Copied(made))
    return made


def handed_out(y: Any, record: Any, args: Sequence[Any]) -> Any:
    """The result for the user: a copy of what the pullback may read, so that it may be written."""
    if record is None:
        return y
    owners = {id(owner_of(arg)) for arg in args if isinstance(arg, np.ndarray)}
    return _copied(y, owners)


def _copied(y: Any, owners: set[int]) -> Any:
    if type(y) is np.ndarray and id(owner_of(y)) not in owners:
        return y.copy(order="K")
    if type(y) is tuple:
        parts = tuple(_copied(part, owners) for part in y)
        return y if all(a is b for a, b in zip(parts, y, strict=True)) else parts
    return y
