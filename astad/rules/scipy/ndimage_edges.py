"""How filters of images go on beyond an edge, and the way back.

>>> [extended(3, 2, 2, mode).tolist() for mode in (NEAREST, REFLECT, MIRROR, CONSTANT)]
[[0, 0, 0, 1, 2, 2, 2], [1, 0, 0, 1, 2, 2, 1], [2, 1, 0, 1, 2, 1, 0], [-1, -1, 0, 1, 2, -1, -1]]
>>> folded(np.ones(7), [extended(3, 2, 2, NEAREST)], (3,))
array([3., 1., 3.])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = [
    "CONSTANT", "MIRROR", "NEAREST", "REFLECT", "WRAP", "extend", "extended", "folded", "inside",
    "line", "lines", "outside_sum", "padded", "window",
]  # fmt: skip

NEAREST, WRAP, REFLECT, MIRROR, CONSTANT = range(5)
"""SciPy's codes of the modes of filters."""


def inside(i: Any, n: int, mode: int) -> Any:
    """Where the values at the places `i` of a line of n are found; -1 for the constant."""
    if mode == CONSTANT:
        return np.where((i >= 0) & (i < n), i, -1)
    if mode == NEAREST or n == 1:
        return np.clip(i, 0, n - 1)
    if mode == WRAP:
        return i % n
    period = 2 * n if mode == REFLECT else 2 * n - 2
    i = i % period
    return np.where(i < n, i, period - i - (mode == REFLECT))


def extended(n: int, before: int, after: int, mode: int) -> Any:
    """Where the values of an extended line are found; around an empty one there are none."""
    if n == 0:
        return np.full(before + after, -1)
    return inside(np.arange(-before, n + after), n, mode)


def line(of: Sequence[int], axis: int, size: int, origin: int, mode: int) -> list[Any]:
    """The same along each axis, for a window of that size along one."""
    axis = axis % len(of)
    sizes = [size if k == axis else 1 for k in range(len(of))]
    return lines(of, sizes, [origin if k == axis else 0 for k in range(len(of))], mode)


def lines(of: Sequence[int], sizes: Sequence[int], origins: Any, mode: int) -> list[Any]:
    """The same along each axis, for a window of these sizes."""
    befores = [size // 2 + int(origin) for size, origin in zip(sizes, origins, strict=True)]
    return [
        extended(n, before, size - 1 - before, mode)
        for n, size, before in zip(of, sizes, befores, strict=True)
    ]


def extend(x: Any, places: Sequence[Any], cval: Any) -> Any:
    """The image with its surroundings."""
    if np.size(x) == 0:
        return np.zeros([len(place) for place in places], x.dtype)
    whole = x[np.ix_(*places)]
    for axis, place in enumerate(places):
        if np.any(place < 0):
            rows = np.reshape(place < 0, [-1 if k == axis else 1 for k in range(len(places))])
            whole = np.where(rows, cval, whole)
    return whole


def folded(g: Any, places: Sequence[Any], of: Sequence[int]) -> Any:
    """The cotangent of the image from that of the image with its surroundings."""
    for axis, (place, n) in enumerate(zip(places, of, strict=True)):
        if len(place) == n:
            continue
        rows = np.moveaxis(g, axis, 0)
        start = _start(place, n)
        total = rows[start : start + n].copy()
        for k in (*range(start), *range(start + n, len(place))):
            if place[k] >= 0:
                total[place[k]] += rows[k]
        g = np.moveaxis(total, 0, axis)
    return g


def _start(place: Any, n: int) -> int:
    """Where the line itself begins."""
    whole = np.arange(n)
    return next(k for k in range(len(place) - n + 1) if np.array_equal(place[k : k + n], whole))


def outside_sum(g: Any, places: Sequence[Any], mode: int) -> Any:
    """The cotangent of the constant around an image."""
    if mode != CONSTANT:
        return 0.0
    return np.sum(g) - np.sum(g[np.ix_(*[np.flatnonzero(place >= 0) for place in places])])


def padded(g: Any, longer: Sequence[int]) -> Any:
    """With zeros behind, along each axis."""
    for axis, n in enumerate(longer):
        if n:
            shape = [n if k == axis else m for k, m in enumerate(np.shape(g))]
            g = np.concatenate([g, np.zeros(shape)], axis=axis)
    return g


def window(k: Sequence[int], of: Sequence[int]) -> tuple[slice, ...]:
    """The part of an extended image that a place of the window sees."""
    return tuple([slice(start, start + n) for start, n in zip(k, of, strict=True)])
