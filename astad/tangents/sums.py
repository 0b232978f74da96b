"""Sums over axes. Where NumPy would add short runs one by one, a product with ones does it in a
third of the time or less.

>>> sum_over(np.ones((2, 3)), 0), sum_over(np.ones((2, 3)), 1, keepdims=True).shape
(array([2., 2., 2.]), (2, 1))
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["sum_over"]

SHORT = 32
"""Runs of neighbours in memory up to this length are slow in NumPy's sums."""
FEW = 100
"""So many runs are added as fast either way,"""
MANY = 512
"""so many entries at any rate."""

add: Any = np.add.reduce
_ONES = np.ones(1024)
_ONES.flags.writeable = False


def sum_over(g: Any, axis: int | tuple[int, ...], *, keepdims: bool = False) -> Any:
    """``np.sum`` of an array over one axis or some, counted from 0."""
    if type(g) is not np.ndarray:
        return g.sum(axis, keepdims=keepdims)
    axes = (axis,) if isinstance(axis, int) else axis
    if g.size < MANY or not _is_plain(g) or len(axes) == g.ndim:
        return add(g, axes, keepdims=keepdims)
    shape = g.shape
    for k in sorted(axes, reverse=True):
        g = _over_one(g, k)
    if keepdims:
        return g.reshape([1 if k in axes else n for k, n in enumerate(shape)])
    return g


def _is_plain(g: Any) -> bool:
    """Doubles, in the order in which a product reads them?"""
    return g.dtype is _ONES.dtype and g.flags.c_contiguous


def _over_one(g: Any, axis: int) -> Any:
    """With the axes before it and behind it each taken for one."""
    shape, length = g.shape, g.shape[axis]
    rest = shape[:axis] + shape[axis + 1 :]
    behind = math.prod(shape[axis + 1 :])
    if length == 1:
        return g.reshape(rest)
    run = length if behind == 1 else behind
    if run > SHORT or g.size < FEW * run:
        return add(g, axis)
    ones = _ONES[:length] if length <= len(_ONES) else np.ones(length)
    if behind == 1:
        return (g.reshape(-1, length) @ ones).reshape(rest)
    if axis == 0:
        return (ones @ g.reshape(length, behind)).reshape(rest)
    return (ones @ g.reshape(-1, length, behind)).reshape(rest)
