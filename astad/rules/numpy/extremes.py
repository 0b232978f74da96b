"""Rules of max, min and ptp: the cotangent goes to the extreme entries, split evenly between ties.

>>> import numpy
>>> share(numpy.array([2.0, 5.0, 5.0]), 5.0, None)
array([0. , 0.5, 0.5])
>>> share(numpy.array([2.0, numpy.nan]), numpy.nan, None)
array([ 0., nan])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import equal, isnan, maximum, shape, sum, where

from astad.rules.numpy.axes import unreduced
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, add, rule
from astad.slotted import replace


def share(a: Any, y: Any, axis: Any, initial: Any = None, mask: Any = True) -> Any:
    """Derivative of an extreme in each entry: 1 over the number of ties, nan on a nan that won."""
    whole = unreduced(y, shape(a), axis)
    hits = equal(a, whole) | (isnan(a) & isnan(whole))
    if mask is not True:
        hits = hits & mask
    ties = sum(hits, axis=axis, keepdims=True)
    if initial is not None:
        ties = ties + equal(initial, whole)
    return where(hits, where(isnan(whole), np.nan, 1 / maximum(ties, 1)), 0.0)


def share_of_initial(a: Any, y: Any, axis: Any, initial: Any, mask: Any) -> Any:
    """Derivative of an extreme in ``initial``."""
    whole = unreduced(y, shape(a), axis)
    hits = equal(a, whole) if mask is True else equal(a, whole) & mask
    alone = equal(initial, whole)
    return where(alone, 1 / maximum(sum(hits, axis=axis, keepdims=True) + alone, 1), 0.0)


def extreme_back(
    y_bar: Any, y: Any, a: Any, axis: Any, initial: Any = None, mask: Any = True
) -> Any:
    """Cotangent of `a`; a share of 0 kills even a nan."""
    if initial is None and mask is True and isinstance(a, np.ndarray):
        hits = a == unreduced(y, a.shape, axis)
        count = np.size(y)
        if np.count_nonzero(hits) == count == np.count_nonzero(y == y):  # no ties, no nan
            return where(hits, unreduced(y_bar, a.shape, axis), 0.0)
    part = share(a, y, axis, initial, mask)
    return where(part == 0, 0, part * unreduced(y_bar, shape(a), axis))


def initial_back(y_bar: Any, y: Any, a: Any, axis: Any, initial: Any, mask: Any) -> Any:
    """Cotangent of ``initial``, a scalar."""
    return sum(share_of_initial(a, y, axis, initial, mask) * unreduced(y_bar, shape(a), axis))


def extreme_dot(
    y: Any,
    a: Any,
    a_dot: Any,
    axis: Any,
    keepdims: Any,
    initial: Any = None,
    initial_dot: Any = 0.0,
    mask: Any = True,
) -> Any:
    """Tangent of an extreme."""
    part = share(a, y, axis, initial, mask)
    change = sum(where(part == 0, 0, part * a_dot), axis=axis, keepdims=keepdims)
    if initial is None:
        return change
    return change + np.reshape(
        share_of_initial(a, y, axis, initial, mask) * initial_dot, shape(change)
    )


EXTREME = "a, axis=None, out=None, keepdims=False, initial=None, where=True"
MINIMAL = "subgradient of least norm: ties share evenly; nan on the nan that won"

extreme = rule(
    np.max,
    EXTREME,
    a="extreme_back(y_bar, y, a, axis, initial, where)",
    initial="initial_back(y_bar, y, a, axis, initial, where)",
    dot="extreme_dot(y, a, a_dot, axis, keepdims, initial, initial_dot, where)",
    refuse="out is not None",
    method="axis, *, keepdims",
    gives="extreme(a, axis, keepdims)",
    entries="whole",
    source=MINIMAL,
    also=(np.amax, np.min, np.amin),
    examples=lambda: [
        (real(4),),
        (real(2, 3), 1),
        (real(2, 3), 0, Keywords(keepdims=True)),
        (real(2, 3, 4), (0, 2)),
        (imaginary(3),),
        (1.5,),
        (real(2, 3), Keywords(initial=0.1)),
        (real(2, 3), 1, Keywords(initial=0.1, where=np.array([True, False, True]))),
        (real(3), Keywords(axis=())),
    ],
)
add(replace(extreme, fn=np.nanmax, entries="", method=None), also=(np.nanmin,))


def ptp_back(y_bar: Any, a: Any, axis: Any) -> Any:
    """Cotangent of the distance from least to greatest."""
    top = np.max(a, axis=axis, keepdims=True)
    low = np.min(a, axis=axis, keepdims=True)
    return extreme_back(y_bar, top, a, axis) - extreme_back(y_bar, low, a, axis)


def ptp_dot(a: Any, a_dot: Any, axis: Any, keepdims: Any) -> Any:
    """Tangent of the distance from least to greatest."""
    top = np.max(a, axis=axis, keepdims=True)
    low = np.min(a, axis=axis, keepdims=True)
    return extreme_dot(top, a, a_dot, axis, keepdims) - extreme_dot(low, a, a_dot, axis, keepdims)


rule(
    np.ptp,
    "a, axis=None, out=None, keepdims=False",
    a="ptp_back(y_bar, a, axis)",
    dot="ptp_dot(a, a_dot, axis, keepdims)",
    refuse="out is not None",
    gives="reduced(a, axis, keepdims)",
    source="max - min; " + MINIMAL,
    examples=lambda: [
        (real(4),),
        (real(2, 3), 1),
        (real(2, 3), (0, 1)),
        (real(2, 3), 0, Keywords(keepdims=True)),
    ],
)
