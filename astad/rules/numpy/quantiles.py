"""Rules of median, quantile and percentile, all methods, with their nan-ignoring forms.

A quantile lies between two entries of the sorted data. Where it lies is asked of the function
itself, on the data 0, 1, 2, ... whose quantile is the position.

>>> import numpy
>>> data_back(1.0, numpy.array([4.0, 1.0, 2.0, 3.0]), 0.5, None, "linear", numpy.quantile)
array([0. , 0. , 0.5, 0.5])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import (
    arange,
    asarray,
    broadcast_to,
    equal,
    floor,
    isnan,
    maximum,
    minimum,
    reshape,
    shape,
    sort,
    sum,
    take_along_axis,
    where,
    zeros,
)

from astad.rules.numpy.axes import from_last, to_last
from astad.rules.numpy.samples import real
from astad.rules.registry import Keywords, rule

Quantile = Callable[..., Any]

SLOPES = {
    "linear": -1.0,
    "hazen": 0.0,
    "weibull": 1.0,
    "median_unbiased": 1 / 3,
    "normal_unbiased": 0.25,
    "interpolated_inverted_cdf": 0.0,
}
"""Method to d: the position moves (n + d) times as fast as q. The other methods move in steps."""


def positions(rows: Any, q: Any, method: str, fn: Quantile) -> Any:
    """Position of one quantile in each sorted row, the last axis kept; `fn` decides about nan."""
    n = shape(rows)[-1]
    counts = sum(~isnan(rows), axis=-1, keepdims=True)
    ranks = (
        where(arange(n) < counts, arange(n) * 1.0, np.nan)
        if fn is np.nanquantile
        else arange(n) * 1.0
    )
    return broadcast_to(
        fn(ranks, q, axis=-1, method=method, keepdims=True), shape(rows)[:-1] + (1,)
    )


def neighbours(rows: Any, at: Any) -> tuple[Any, Any, Any]:
    """Entries of sorted rows on either side of `at`, and how far towards the upper one."""
    ordered = sort(rows, axis=-1)
    last = shape(rows)[-1] - 1
    low = floor(where(isnan(at), 0, at)).astype(int)
    high = minimum(low + 1, last)
    return take_along_axis(ordered, low, -1), take_along_axis(ordered, high, -1), at - low


def tied(rows: Any, value: Any) -> Any:
    """Derivative of one order statistic in each entry: even between ties."""
    hits = equal(rows, value)
    return hits / maximum(sum(hits, axis=-1, keepdims=True), 1)


def part(rows: Any, q: Any, method: str, fn: Quantile) -> Any:
    """Derivative of one quantile of each row in the entries; nan on a nan that spoiled it."""
    lost = isnan(rows)
    if fn is np.nanquantile:
        spoiled = zeros(shape(rows), dtype=bool)
    else:
        spoiled = broadcast_to(np.any(lost, axis=-1, keepdims=True), shape(rows))
    low, high, t = neighbours(rows, positions(rows, q, method, fn))
    weights = tied(rows, low) * (1 - t) + tied(rows, high) * t
    return where(spoiled, where(lost, np.nan, 0.0), where(lost, 0.0, weights))


def slope(rows: Any, q: Any, method: str, fn: Quantile) -> Any:
    """Derivative of one quantile of each row in q."""
    if method not in SLOPES:
        return zeros(shape(rows)[:-1] + (1,))
    counts = sum(~isnan(rows), axis=-1, keepdims=True)
    at = positions(rows, q, method, fn)
    low, high, _ = neighbours(rows, at)
    inside = (at > 0) & (at < counts - 1) if method != "linear" else True
    return where(inside, (high - low) * (counts + SLOPES[method]), 0.0)


def by_quantile(y_bar: Any, q: Any, of: tuple[int, ...], axis: Any) -> Any:
    """Cotangent of a result as (quantiles, rows..., 1)."""
    rows = () if axis is None else shape(to_last(np.empty(of), axis))[:-1]
    return reshape(y_bar, (np.size(q),) + rows + (1,))


def data_back(y_bar: Any, a: Any, q: Any, axis: Any, method: str, fn: Quantile) -> Any:
    """Cotangent of the data, one quantile at a time."""
    if np.size(a) == 0:
        return zeros(shape(a))
    rows = to_last(a, axis)
    each_bar = by_quantile(y_bar, q, shape(a), axis)
    each = reshape(q, (-1,))
    total = zeros(shape(rows))
    for k in range(len(each)):
        weights = part(rows, each[k], method, fn)
        total = total + where(weights == 0, 0, weights * each_bar[k])
    return from_last(total, shape(a), axis)


def q_back(y_bar: Any, a: Any, q: Any, axis: Any, method: str, fn: Quantile) -> Any:
    """Cotangent of the levels."""
    if np.size(a) == 0:
        return zeros(shape(q))
    rows = to_last(a, axis)
    each_bar = by_quantile(y_bar, q, shape(a), axis)
    each = reshape(q, (-1,))
    slopes = [sum(slope(rows, each[k], method, fn) * each_bar[k]) for k in range(len(each))]
    return reshape(asarray(slopes), shape(q))


def quantile_dot(
    y: Any, a: Any, a_dot: Any, q: Any, q_dot: Any, axis: Any, method: str, fn: Quantile
) -> Any:
    """Tangent of the quantiles."""
    if np.size(a) == 0:
        return zeros(shape(y))
    rows, rows_dot = to_last(a, axis), to_last(a_dot + zeros(shape(a)), axis)
    each, each_dot = reshape(q, (-1,)), reshape(q_dot + zeros(shape(q)), (-1,))
    moved = []
    for k in range(len(each)):
        weights = part(rows, each[k], method, fn)
        change = sum(where(weights == 0, 0, weights * rows_dot), axis=-1, keepdims=True)
        moved.append(change + slope(rows, each[k], method, fn) * each_dot[k])
    return reshape(asarray(moved), shape(y))


ORDER = (
    "the value is a weighted mean of two order statistics, each the derivative 1 of its own entry"
)
LEVELS = (
    "a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, "
    "weights=None"
)
REFUSED = "out is not None or weights is not None or overwrite_input"

METHODS = (
    *SLOPES,
    "lower",
    "higher",
    "nearest",
    "midpoint",
    "inverted_cdf",
    "averaged_inverted_cdf",
)


def levels() -> list[tuple[Any, ...]]:
    """Calls of quantile."""
    return [
        (real(5), 0.3),
        (real(2, 4), 0.6, 1),
        (real(5, 2), np.array([0.15, 0.7]), 0),
        (real(2, 3), np.array([[0.1, 0.35]]), Keywords(keepdims=True)),
        (real(2, 3, 4), 0.4, (0, 2)),
        *[(real(7), 0.33, Keywords(method=each)) for each in METHODS],
    ]


def percents() -> list[tuple[Any, ...]]:
    """Calls of percentile."""
    return [(real(5), 30.0), (real(5, 2), np.array([15.0, 70.0]), 0), (real(2, 4), [25.0, 60.0], 1)]


for whole, percent, middle, each in (
    (np.quantile, np.percentile, np.median, "quantile"),
    (np.nanquantile, np.nanpercentile, np.nanmedian, "nanquantile"),
):
    rule(
        whole,
        LEVELS,
        a=f"data_back(y_bar, a, q, axis, method, np.{each})",
        q=f"q_back(y_bar, a, q, axis, method, np.{each})",
        dot=f"quantile_dot(y, a, a_dot, q, q_dot, axis, method, np.{each})",
        refuse=REFUSED,
        gives="at_share(a, q, axis, keepdims)",
        source=ORDER,
        examples=levels,
    )
    rule(
        percent,
        LEVELS,
        a=f"data_back(y_bar, a, np.divide(q, 100), axis, method, np.{each})",
        q=f"q_back(y_bar, a, np.divide(q, 100), axis, method, np.{each}) / 100",
        dot=f"quantile_dot(y, a, a_dot, np.divide(q, 100), np.divide(q_dot, 100), "
        f"axis, method, np.{each})",
        refuse=REFUSED,
        gives="at_share(a, q, axis, keepdims)",
        source=ORDER,
        examples=percents,
    )
    rule(
        middle,
        "a, axis=None, out=None, overwrite_input=False, keepdims=False",
        a=f"data_back(y_bar, a, 0.5, axis, 'linear', np.{each})",
        dot=f"quantile_dot(y, a, a_dot, 0.5, 0.0, axis, 'linear', np.{each})",
        refuse="out is not None or overwrite_input",
        gives="reduced(a, axis, keepdims)",
        source=ORDER,
        examples=lambda: [
            (real(4),),
            (real(5),),
            (real(2, 3), 1),
            (real(4, 3), 0),
            (real(2, 4), Keywords(keepdims=True)),
            (real(2, 3, 4), (0, 2)),
        ],
    )
