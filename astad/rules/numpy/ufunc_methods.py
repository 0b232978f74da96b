"""Rules of methods of ufuncs, with the ufunc as first parameter.

>>> import numpy
>>> a = numpy.array([1.0, 3.0, 2.0, 5.0])
>>> running_back(numpy.ones(4), numpy.maximum.accumulate(a), a)
array([1., 2., 0., 1.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import arange, concatenate, cumsum, equal, exp, flip, isnan, reshape, shape

from astad.rules.numpy.axes import move_axis, spread, unreduced
from astad.rules.numpy.cumulative import (
    cumprod_back,
    cumprod_dot,
    cumsum_back,
    later,
    prod_back,
    prod_dot,
)
from astad.rules.numpy.extremes import extreme_back, extreme_dot
from astad.rules.numpy.samples import imaginary, real
from astad.rules.numpy.scatter import numbered, scattered
from astad.rules.registry import Keywords, lookup, rule

EXTREMES = (np.maximum, np.minimum, np.fmax, np.fmin)
SOFT = {np.logaddexp: 1.0, np.logaddexp2: float(np.log(2.0))}
REDUCED = (np.add, np.multiply, np.hypot, *EXTREMES, *SOFT)
ACCUMULATED = (np.add, np.multiply, np.maximum, np.minimum, *SOFT)


# reduce


def given(initial: Any) -> Any:
    """The initial value, None where there is none."""
    return None if initial is np._NoValue else initial


def softmax(ufunc: Any, a: Any, y: Any, axis: Any, mask: Any) -> Any:
    """Derivative of ``log(sum(exp(a)))`` in each entry; 0 where all are minus infinity."""
    whole = unreduced(y, shape(a), axis)
    part = exp(SOFT[ufunc] * np.where(np.isfinite(whole), a - whole, equal(a, whole) - 1.0))
    part = np.where(np.isneginf(whole), 0.0, part)
    return part if mask is True else np.where(mask, part, 0.0)


def slope(ufunc: Any, a: Any, y: Any, axis: Any, mask: Any) -> Any:
    """Derivative of a reduction by hypot or logaddexp in each entry."""
    if ufunc in SOFT:
        return softmax(ufunc, a, y, axis, mask)
    whole = unreduced(y, shape(a), axis)
    part = np.where(equal(whole, 0), 0.0, a / np.where(equal(whole, 0), 1, whole))
    return part if mask is True else np.where(mask, part, 0.0)


def reduce_back(y: Any, y_bar: Any, ufunc: Any, a: Any, axis: Any, start: Any, mask: Any) -> Any:
    """Cotangent of the array."""
    if ufunc is np.add:
        return spread(y_bar, shape(a), axis, mask)
    if ufunc is np.multiply:
        return prod_back(y_bar, a, axis, 1 if start is None else start, mask)
    if ufunc in EXTREMES:
        return extreme_back(y_bar, y, a, axis, start, mask)
    return slope(ufunc, a, y, axis, mask) * unreduced(y_bar, shape(a), axis)


def reduce_dot(
    y: Any, ufunc: Any, a: Any, a_dot: Any, axis: Any, keepdims: Any, start: Any, mask: Any
) -> Any:
    """Tangent of the result; the initial value is constant."""
    if ufunc is np.multiply:
        return prod_dot(a, a_dot, axis, keepdims, 1 if start is None else start, 0.0, mask)
    if ufunc in EXTREMES:
        return extreme_dot(y, a, a_dot, axis, keepdims, start, 0.0, mask)
    change = a_dot if ufunc is np.add else slope(ufunc, a, y, axis, mask) * a_dot
    return np.sum(change, axis=axis, keepdims=keepdims, where=mask)


some = np.array([[True, False, True], [True, True, False]])
rule(
    np.ufunc.reduce,
    "ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=np._NoValue, where=True",
    array="reduce_back(y, y_bar, ufunc, array, axis, given(initial), where)",
    dot="reduce_dot(y, ufunc, array, array_dot, axis, keepdims, given(initial), where)",
    missing={"initial": "start from the plain result and combine the two"},
    refuse="out is not None or ufunc not in REDUCED",
    source="sum, prod, max, min; log-sum-exp; hypot: y**2 = sum(a**2)",
    examples=lambda: [
        *[(each, real(2, 3)) for each in REDUCED],
        *[(each, real(2, 3), None) for each in REDUCED[:4]],
        *[(each, real(2, 3), 1, Keywords(keepdims=True)) for each in REDUCED],
        *[(each, real(2, 3, 2), (0, 2)) for each in (np.add, np.multiply, np.maximum)],
        (np.add, imaginary(3)),
        (np.multiply, imaginary(3)),
        (np.add, real(2, 3), 1, Keywords(where=some)),
        (np.logaddexp, real(2, 3), 1, Keywords(where=some, initial=-3)),
        (np.maximum, real(2, 3), 1, Keywords(where=some, initial=-9)),
    ],
)


# accumulate


def running_back(y_bar: Any, y: Any, a: Any) -> Any:
    """Cotangent in a running maximum or minimum over the last axis, even between ties so far.

    Entries with the same running extreme are a group; in it an entry that attains the extreme has
    one share of each cotangent from its own place on.
    """
    n = shape(a)[-1]
    hits = equal(a, y) | (isnan(a) & isnan(y))
    changed = ~(equal(y[..., 1:], y[..., :-1]) | (isnan(y[..., 1:]) & isnan(y[..., :-1])))
    starts = concatenate([np.ones(shape(y[..., :1]), dtype=bool), changed], axis=-1)
    seen = cumsum(hits, axis=-1)
    first = np.maximum.accumulate(np.where(starts, seen - 1, 0), axis=-1)
    shares = y_bar / np.maximum(seen - first, 1)
    after = flip(cumsum(flip(shares, -1), axis=-1), -1)
    after = concatenate([after, np.zeros(shape(after[..., :1]))], axis=-1)
    heads = np.where(starts, arange(n), n)
    following = concatenate([heads[..., 1:], np.full(shape(heads[..., :1]), n)], axis=-1)
    ends = flip(np.minimum.accumulate(flip(following, -1), axis=-1), -1)
    return hits * (after[..., :-1] - np.take_along_axis(after, ends, -1))


def running_dot(a_dot: Any, y: Any, a: Any) -> Any:
    """Tangent of a running maximum or minimum over the last axis."""
    rows = np.eye(shape(a)[-1])
    parts = [np.sum(running_back(np.zeros(shape(a)) + row, y, a) * a_dot, axis=-1) for row in rows]
    return np.stack(parts, axis=-1)


def soft_factor(ufunc: Any, y: Any) -> Any:
    """Ratio of each running sum of exponentials to the next, at most 1."""
    ratio = exp(SOFT[ufunc] * (y[..., :-1] - y[..., 1:]))
    return concatenate([ratio, np.zeros(shape(y[..., :1]))], axis=-1)


def accumulate_back(y: Any, y_bar: Any, ufunc: Any, a: Any, axis: Any) -> Any:
    """Cotangent of the array; without an axis it has one."""
    axis = 0 if axis is None else axis
    if ufunc is np.add:
        return cumsum_back(y_bar, shape(a), axis)
    if ufunc is np.multiply:
        return cumprod_back(y_bar, a, axis)
    g, y, a = move_axis(y_bar, axis, -1), move_axis(y, axis, -1), move_axis(a, axis, -1)
    if ufunc in EXTREMES:
        return move_axis(running_back(g, y, a), -1, axis)
    return move_axis(exp(SOFT[ufunc] * (a - y)) * later(soft_factor(ufunc, y), g), -1, axis)


def accumulate_dot(y: Any, ufunc: Any, a: Any, a_dot: Any, axis: Any) -> Any:
    """Tangent of the running results."""
    axis = 0 if axis is None else axis
    if ufunc is np.add:
        return cumsum(a_dot, axis=axis)
    if ufunc is np.multiply:
        return cumprod_dot(a, a_dot, axis)
    change, y, a = move_axis(a_dot, axis, -1), move_axis(y, axis, -1), move_axis(a, axis, -1)
    if ufunc in EXTREMES:
        return move_axis(running_dot(change, y, a), -1, axis)
    ratio = soft_factor(ufunc, y)
    before = concatenate([np.zeros(shape(ratio[..., :1])), ratio[..., :-1]], axis=-1)
    moved = later(flip(before, -1), flip(exp(SOFT[ufunc] * (a - y)) * change, -1))
    return move_axis(flip(moved, -1), -1, axis)


rule(
    np.ufunc.accumulate,
    "ufunc, array, axis=0, dtype=None, out=None",
    array="accumulate_back(y, y_bar, ufunc, array, axis)",
    dot="accumulate_dot(y, ufunc, array, array_dot, axis)",
    refuse="out is not None or ufunc not in ACCUMULATED",
    source="of cumsum and cumprod; running extremes and log-sum-exps step by step",
    examples=lambda: [
        *[(each, real(5)) for each in ACCUMULATED],
        *[(each, real(3, 4), 1) for each in ACCUMULATED],
        *[(each, real(5), None) for each in ACCUMULATED],
        *[(each, real(3, 2, 2)) for each in ACCUMULATED],
    ],
)


# outer


def columns(a: Any, b: Any) -> Any:
    """`a` with an axis of length 1 for each one of `b`."""
    return reshape(a, shape(a) + (1,) * np.ndim(b))


def outer_back(y: Any, y_bar: Any, ufunc: Any, a: Any, b: Any, k: int) -> Any:
    """Cotangent of the k-th factor by the rule of the ufunc."""
    of_ufunc = lookup(ufunc)
    assert of_ufunc is not None
    g = of_ufunc.pull((of_ufunc.parameters[k],))(y_bar, y, columns(a, b), b)[0]
    return reshape(g, shape(a) if k == 0 else shape(b))


def outer_dot(y: Any, ufunc: Any, a: Any, a_dot: Any, b: Any, b_dot: Any) -> Any:
    """Tangent by the rule of the ufunc."""
    of_ufunc = lookup(ufunc)
    assert of_ufunc is not None
    dots = (columns(a_dot, b), b_dot)
    return of_ufunc.push(of_ufunc.parameters)(dots, y, columns(a, b), b)


def has_slopes(ufunc: Any) -> bool:
    """Whether there is a rule of the ufunc in both parameters."""
    of_ufunc = lookup(ufunc)
    return of_ufunc is not None and len(of_ufunc.back) == 2


rule(
    np.ufunc.outer,
    "ufunc, A, B",
    A="outer_back(y, y_bar, ufunc, A, B, 0)",
    B="outer_back(y, y_bar, ufunc, A, B, 1)",
    dot="outer_dot(y, ufunc, A, A_dot, B, B_dot)",
    refuse="not has_slopes(ufunc)",
    source="the ufunc of all pairs",
    examples=lambda: [
        (np.multiply, real(2), real(3)),
        (np.subtract, real(2, 2), real(3)),
        (np.hypot, real(3), real(2)),
        (np.multiply, imaginary(2), imaginary(3)),
        (np.add, 1.5, real(3)),
    ],
)


# reduceat


def segments(indices: Any, n: int) -> tuple[Any, Any]:
    """For each entry that is summed, the sum that it is in and its own place."""
    starts = np.asarray(indices)
    stops = concatenate([starts[1:], [n]])
    lengths = np.where(stops > starts, stops - starts, 1)
    part = np.repeat(arange(len(starts)), lengths)
    return part, starts[part] + arange(len(part)) - np.repeat(cumsum(lengths) - lengths, lengths)


def reduceat_back(y_bar: Any, of: tuple[int, ...], indices: Any, axis: int) -> Any:
    """Cotangent of the array of which segments were summed."""
    part, places = segments(indices, of[axis])
    rows = move_axis(y_bar, axis, 0)[part]
    whole = (of[axis], *shape(rows)[1:])
    return move_axis(scattered(rows, numbered(whole)[places], whole), 0, axis)


rule(
    np.ufunc.reduceat,
    "ufunc, array, indices, axis=0, dtype=None, out=None",
    array="reduceat_back(y_bar, shape(array), indices, axis)",
    dot="np.add.reduceat(array_dot, indices, axis)",
    refuse="out is not None or ufunc is not np.add",
    source="sums of segments, of one entry where the next one does not start later",
    examples=lambda: [
        (np.add, real(5), [0, 2, 3]),
        (np.add, real(5), [0, 3, 1, 4]),
        (np.add, real(3, 4), [1, 3], 1),
    ],
)
