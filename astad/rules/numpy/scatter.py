"""Adjoint of picking entries: each cotangent is added where its entry came from.

A rule finds the places by picking from the numbered array in the same way.

>>> import numpy
>>> places = numpy.take(numbered((2, 3)), [0, 0, 2], axis=1)
>>> scattered(numpy.ones((2, 3)), places, (2, 3))
array([[2., 0., 1.],
       [2., 0., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import arange, ravel, reshape, zeros

from astad.rules.registry import linear

__all__ = ["numbered", "picked", "scattered"]


def numbered(of: tuple[int, ...]) -> Any:
    """0, 1, 2, ... in the shape `of`."""
    total = 1
    for k in of:
        total = total * k
    return reshape(arange(total), of)


def scattered(g: Any, places: Any, of: tuple[int, ...]) -> Any:
    """Zeros of shape `of` with each entry of `g` added at its place in the flattened array."""
    total = 1
    for k in of:
        total = total * k
    if total == 0:  # what was made of nothing
        return zeros(of)
    into = zeros(total, dtype=np.result_type(np.asarray(g), np.float16))
    np.add.at(into, ravel(places), ravel(g))
    return reshape(into, of)


def picked(a: Any, places: Any) -> Any:
    """Entries at these places of the flattened array."""
    if np.size(a) == 0:
        return zeros(np.shape(places))
    return reshape(a, (-1,))[places]


linear(
    scattered,
    "g, places, of",
    g="picked(y_bar, places)",
    source="transpose of picking",
    examples=lambda: [(np.array([1.5, 2.5, -1.0]), np.array([2, 0, 2]), (2, 2))],
)
