"""Rules of piecewise linear interpolation and of weights added up in bins.

>>> import numpy
>>> x, xp, fp = numpy.array([0.25]), numpy.array([0.0, 1.0]), numpy.array([2.0, 6.0])
>>> interp_back(numpy.array([1.0]), x, xp, fp, (None, None), None)[:3]
[array([4.]), array([-3., -1.]), array([0.75, 0.25])]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import concatenate, shape, sum, zeros

from astad.rules.numpy.samples import imaginary, real
from astad.rules.numpy.scatter import scattered
from astad.rules.registry import linear, rule

NUMBERS = (float, np.float64, int)


def wrapped(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any, Any]:
    """Points and data as ``interp`` uses them, and the order it puts periodic data in."""
    if period is None:
        return np.asarray(x), np.asarray(xp), np.asarray(fp), None
    period = abs(period)
    x, inside = np.mod(x, period), np.mod(xp, period)
    order = np.argsort(inside)
    order = concatenate([order[-1:], order, order[:1]])
    offsets = zeros(len(order))
    offsets[0], offsets[-1] = -period, period
    return x, inside[order] + offsets, np.asarray(fp)[order], order


def pieces(x: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Index of the piece of each point, how far along it lies, and whether it lies on any."""
    piece = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, max(len(xp) - 2, 0))
    width = xp[np.minimum(piece + 1, len(xp) - 1)] - xp[piece]
    inside = (x >= xp[0]) & (x <= xp[-1]) & (width > 0)
    return piece, np.where(inside, (x - xp[piece]) / np.where(width > 0, width, 1), 0.0), inside


def spread_out(bar: Any, order: Any, of: tuple[int, ...]) -> Any:
    """Cotangents of data that were put in this order, some twice."""
    return bar if order is None else scattered(bar, order, of)


def interp_back(y_bar: Any, x: Any, xp: Any, fp: Any, ends: Any, period: Any) -> list[Any]:
    """Cotangents of points, of places and values of the data, and of the values beyond them."""
    if period is None and type(x) in NUMBERS and type(y_bar) in NUMBERS:
        xp, fp = np.asarray(xp), np.asarray(fp)
        if xp.dtype == fp.dtype == np.float64:
            return back_at_number(y_bar, x, xp, fp, ends)
    of = shape(xp)
    at, xp, fp, order = wrapped(x, xp, fp, period)
    piece, t, inside = pieces(at, xp)
    after = np.minimum(piece + 1, len(xp) - 1)
    rise = np.where(
        inside, (fp[after] - fp[piece]) / np.where(inside, xp[after] - xp[piece], 1), 0.0
    )
    below, above = (at < xp[0]), (at > xp[-1])
    resting = (
        ~above if ends[0] is None else ~(above | below)
    )  # on the first datum, or on a lone one
    onto_first = y_bar * np.where(inside, 1 - t, resting)
    onto_after = y_bar * np.where(inside, t, (above if ends[1] is None else False))
    x_bar = y_bar * np.conj(rise)
    size = (len(xp),)
    fp_bar = scattered(onto_first, piece, size)
    fp_bar = fp_bar + scattered(onto_after, np.where(inside, after, len(xp) - 1), size)
    xp_bar = -scattered(x_bar * (1 - t), piece, size) - scattered(x_bar * t, after, size)
    outer = [sum(np.where(below, y_bar, 0)), sum(np.where(above, y_bar, 0))]
    return [x_bar, spread_out(xp_bar, order, of), spread_out(fp_bar, order, of), *outer]


def back_at_number(y_bar: Any, x: Any, xp: Any, fp: Any, ends: Any) -> list[Any]:
    """The same at one point: the cotangent of each datum by hand, a twentieth of the time."""
    last = len(xp) - 1
    piece = min(max(int(np.searchsorted(xp, x, side="right")) - 1, 0), max(last - 1, 0))
    after = min(piece + 1, last)
    width = xp[after] - xp[piece]
    below, above = x < xp[0], x > xp[last]
    xp_bar, fp_bar = zeros(last + 1), zeros(last + 1)
    if xp[0] <= x <= xp[last] and width > 0:
        t = (x - xp[piece]) / width
        x_bar = y_bar * ((fp[after] - fp[piece]) / width)
        fp_bar[piece] = y_bar * (1 - t)
        fp_bar[after] = y_bar * t
        xp_bar[piece] = -(x_bar * (1 - t))
        xp_bar[after] = -(x_bar * t)
        return [x_bar, xp_bar, fp_bar, 0.0, 0.0]
    if above and ends[1] is None:
        fp_bar[last] = y_bar
    elif not above and (ends[0] is None or not below):  # on a lone datum too
        fp_bar[piece] = y_bar
    return [y_bar * 0.0, xp_bar, fp_bar, y_bar if below else 0.0, y_bar if above else 0.0]


def interp_dot(x: Any, xp: Any, fp: Any, dots: Any, ends: Any, period: Any) -> Any:
    """Tangent of the value."""
    x_dot, xp_dot, fp_dot, left_dot, right_dot = dots
    at, places, values, order = wrapped(x, xp, fp, period)
    if order is not None:
        xp_dot, fp_dot = xp_dot[order], fp_dot[order]
    piece, t, inside = pieces(at, places)
    after = np.minimum(piece + 1, len(places) - 1)
    rise = np.where(
        inside,
        (values[after] - values[piece]) / np.where(inside, places[after] - places[piece], 1),
        0.0,
    )
    change = (
        rise * (x_dot - xp_dot[piece] * (1 - t) - xp_dot[after] * t)
        + fp_dot[piece] * (1 - t)
        + fp_dot[after] * t
    )
    low = fp_dot[0] if ends[0] is None else left_dot
    high = fp_dot[-1] if ends[1] is None else right_dot
    outside = np.where(at < places[0], low, np.where(at > places[-1], high, fp_dot[piece]))
    return np.where(inside, change, outside)


def data() -> tuple[Any, Any]:
    """Places and values."""
    return np.array([0.0, 0.5, 1.2, 2.0]), real(4)


rule(
    np.interp,
    "x, xp, fp, left=None, right=None, period=None",
    x="interp_back(y_bar, x, xp, fp, (left, right), period)[0]",
    xp="interp_back(y_bar, x, xp, fp, (left, right), period)[1]",
    fp="interp_back(y_bar, x, xp, fp, (left, right), period)[2]",
    left="interp_back(y_bar, x, xp, fp, (left, right), period)[3]",
    right="interp_back(y_bar, x, xp, fp, (left, right), period)[4]",
    dot="interp_dot(x, xp, fp, (x_dot, xp_dot, fp_dot, left_dot, right_dot), "
    "(left, right), period)",
    missing={"period": "the number of periods is not kept"},
    gives="interpolated(x, xp, fp)",
    source="y = f[j] + (x - x[j]) * (f[j + 1] - f[j]) / (x[j + 1] - x[j])",
    examples=lambda: [
        (np.array([0.2, 1.0, 1.7]), *data()),
        (0.7, *data()),
        (np.array([[-1.0, 0.2], [1.0, 2.5]]), *data()),
        (np.array([-1.0, 0.2, 2.5]), *data(), 0.3, 0.8),
        (np.array([0.2, 1.0]), data()[0], imaginary(4)),
        (np.array([0.2, 4.4, -0.7]), *data(), None, None, 3),
    ],
)
linear(
    np.bincount,
    "x, weights=None, minlength=0",
    weights="np.reshape(y_bar[np.asarray(x, np.intp)], shape(weights))",
    source="each weight is added to one bin",
    examples=lambda: [(np.array([0, 2, 2, 1]), real(4)), (np.array([0, 2]), real(2), 5)],
)
