"""Cotangents of lists of numbers: lists of the same length, added to in place."""

from __future__ import annotations

from operator import add
from typing import Any

__all__ = ["add_items", "add_slice", "repeated"]

Numbers = list[Any]  # whatever a user's numbers turn into


def add_items(bar: Numbers, part: Numbers) -> None:
    """Add a list item by item.

    >>> bar = [1.0, 2.0]
    >>> add_items(bar, [0.5, 0.5])
    >>> bar
    [1.5, 2.5]
    """
    bar[:] = map(add, bar, part)


def add_slice(bar: Numbers, where: slice, part: Numbers) -> None:
    """Add the cotangent of a slice to that of the whole list.

    >>> bar = [1.0, 2.0, 3.0]
    >>> add_slice(bar, slice(1, None), [0.5, 0.5])
    >>> bar
    [1.0, 2.5, 3.5]
    """
    bar[where] = map(add, bar[where], part)


def repeated(bar: Numbers, count: int) -> Numbers:
    """Cotangent of a list of so many items, from that of its multiple.

    >>> repeated([1.0, 2.0, 3.0, 4.0], 2)
    [4.0, 6.0]
    """
    return [sum(bar[at::count]) for at in range(count)]
