"""Cotangents of lists of numbers: lists of the same length, added to in place."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from typing import Any

__all__ = [
    "add_items",
    "add_rows",
    "add_shares",
    "add_slice",
    "even_shares",
    "real_items",
    "repeated",
    "ties",
    "zeros",
]

Numbers = list[Any]  # whatever a user's numbers turn into


def add_items(bar: Numbers, part: Numbers) -> None:
    """Add a list item by item.

    >>> bar = [1.0, 2.0]
    >>> add_items(bar, [0.5, 0.5])
    >>> bar
    [1.5, 2.5]
    """
    bar[:] = map(add, bar, part)


def add_rows(bar: Numbers, part: Numbers) -> None:
    """Add a list of lists; the rows stay the objects that they are.

    >>> bar = [[1.0, 2.0], [3.0]]
    >>> add_rows(bar, [[0.5, 0.5], [1.0]])
    >>> bar
    [[1.5, 2.5], [4.0]]
    """
    for row, other in zip(bar, part, strict=True):
        (add_rows if row and type(row[0]) is list else add_items)(row, other)


def zeros(xs: Sequence[Any], zero: float) -> Numbers:
    """As many zeros, in rows of the same lengths.

    >>> zeros([(1.0, 2.0), ()], 0.0)
    [[0.0, 0.0], []]
    """
    if xs and type(xs[0]) in (list, tuple):
        return [zeros(row, zero) for row in xs]
    return [zero] * len(xs)


def real_items(bar: Numbers) -> Numbers:
    """Of complex numbers.

    >>> real_items([1.0 + 2.0j, 3.0])
    [1.0, 3.0]
    """
    return [each.real for each in bar]


def even_shares(bar: Any, count: int) -> Numbers:
    """Of a mean to its items; a mean of none has no derivative to share.

    >>> even_shares(3.0, 2), even_shares(3.0, 0)
    ([1.5, 1.5], [])
    """
    return [bar / count] * count if count else []


def add_slice(bar: Numbers, where: slice, part: Numbers) -> None:
    """Add the cotangent of a slice to that of the whole list.

    >>> bar = [1.0, 2.0, 3.0]
    >>> add_slice(bar, slice(1, None), [0.5, 0.5])
    >>> bar
    [1.0, 2.5, 3.5]
    """
    if part and type(part[0]) is list:
        add_rows(bar[where], part)
    else:
        bar[where] = map(add, bar[where], part)


def repeated(bar: Numbers, count: int) -> Numbers:
    """Cotangent of a list of so many items, from that of its multiple.

    >>> repeated([1.0, 2.0, 3.0, 4.0], 2)
    [4.0, 6.0]
    """
    return [sum(bar[at::count]) for at in range(count)]


def ties(xs: Sequence[Any], y: Any) -> list[int]:
    """Places of the items that ``max`` or ``min`` may have taken; a nan is taken at the head alone.

    >>> ties([3.0, 1.0, 3.0], 3.0)
    [0, 2]
    """
    return [at for at, x in enumerate(xs) if x == y] or [0]


def add_shares(bar: Numbers, places: Sequence[int], part: Any) -> None:
    """Equal items get the same share.

    >>> bar = [1.0, 0.0, 0.0]
    >>> add_shares(bar, [0, 2], 1.0)
    >>> bar
    [1.5, 0.0, 0.5]
    """
    share = part / len(places) if len(places) > 1 else part
    for at in places:
        bar[at] = bar[at] + share
