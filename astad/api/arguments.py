"""Arguments and results at the entry: no object in two places, nothing handed out that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType
from typing import Any

import numpy as np

from astad.runtime.owners import may_overlap_itself, owner_of

__all__ = ["Copied", "contents_of", "handed_out", "separated"]


class Copied:
    """A copy that stands in for an object passed twice; a difference between the two betrays a
    write.
    """

    def __init__(self, original: Any, copy: Any) -> None:
        self.original = original
        self.copy = copy

    def changed(self) -> bool:
        """Was one of the two written?"""
        if isinstance(self.copy, np.ndarray):
            return not np.array_equal(
                self.original, self.copy, equal_nan=self.copy.dtype.kind in "fc"
            )
        if isinstance(self.copy, dict) and list(self.original) != list(self.copy):
            return True
        first, second = (
            list(x.values()) if isinstance(x, dict) else list(x) for x in (self.original, self.copy)
        )
        return len(first) != len(second) or any(
            a is not b and not (isinstance(a, np.ndarray | list | tuple | dict)) and a != b
            for a, b in zip(first, second, strict=True)
        )


def separated(args: Sequence[Any]) -> tuple[tuple[Any, ...], list[Copied]]:
    """The arguments, each memory in one of them only: what comes again is a read-only copy."""
    if len(args) < 2 and not any(
        isinstance(arg, np.ndarray) and may_overlap_itself(arg) for arg in args
    ):
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
        if may_overlap_itself(value):
            return value.copy()  # each place has a derivative of its own
        owner = id(owner_of(value))
        mine.add(owner)
        if owner not in seen:
            return value
        copy = value.copy()
        copy.flags.writeable = False
        copies.append(Copied(value, copy))
        return copy
    if type(value) not in (list, tuple, dict):
        return value
    again = id(value) in seen
    mine.add(id(value))
    items = list(value.values()) if isinstance(value, dict) else list(value)
    parts = [_separate(item, seen, mine, copies) for item in items]
    if not (again and items) and all(a is b for a, b in zip(parts, items, strict=True)):
        return value
    made: Any = (
        dict(zip(value, parts, strict=True)) if isinstance(value, dict) else type(value)(parts)
    )
    if not isinstance(made, tuple):
        copies.append(Copied(value, made))
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


def contents_of(cells: tuple[CellType, ...]) -> tuple[Any, ...] | None:
    """What a closure has captured; None while one of the variables is not bound yet."""
    try:
        return tuple([cell.cell_contents for cell in cells])
    except ValueError:
        return None
