"""The way back through a recursive filter, in its signal, its states and its coefficients.

The filter is ``y[n] = v[n] - a[1] y[n-1] - ...`` with ``v[n] = b[0] x[n] + b[1] x[n-1] + ...``,
where the states it starts with are added to the first of v. The states it ends with are what the
next results would be with zeros for input: the sums ``zf[k] = y[N+k] + a[1] y[N+k-1] + ...`` of
those.

>>> g = cotangent_of_sums(np.array([0.0, 0.0, 1.0]), None, np.array([1.0, -0.5]), 0)
>>> g.tolist()
[0.25, 0.5, 1.0, 0.0]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import shape
from scipy.signal import _sigtools

from astad.rules.numpy.axes import move_axis

__all__ = [
    "coefficients_a", "coefficients_b", "cotangent_of_sums", "parts_of", "recursion_back",
    "signal_back", "states_back", "through",
]  # fmt: skip

linear_filter = _sigtools._linear_filter
ONE = np.ones(1)


def parts_of(y: Any) -> tuple[Any, Any]:
    """Result and last states of a filter with or without states."""
    return y if isinstance(y, tuple) else (y, None)


def through(c: Any, x: Any) -> Any:
    """Recursion with coefficients `c` alone, along the last axis."""
    kind = np.result_type(c, x)
    return linear_filter(ONE.astype(kind), c.astype(kind), x.astype(kind), x.ndim - 1)


def scaled(b: Any, a: Any) -> tuple[Any, Any, int]:
    """Both divided by ``a[0]`` and of one length; the number of states."""
    size = max(len(a), len(b))
    wide = [np.concatenate([c / a[0], np.zeros(size - len(c), c.dtype)]) for c in (b, a)]
    return wide[0], wide[1], size - 1


def cotangent_of_sums(y_bar: Any, zf_bar: Any, c: Any, axis: int) -> Any:
    """The cotangent of v, with as many further entries as there are states; time is the last
    axis."""
    g = move_axis(y_bar, axis, -1)
    count = len(c) - 1
    later = np.zeros((*shape(g)[:-1], count), np.result_type(g, c))
    if zf_bar is not None:
        ends = move_axis(zf_bar, axis, -1)
        for k in range(count):
            for j in range(k + 1):
                later[..., k - j] += np.conj(c[j]) * ends[..., k]
    g = np.concatenate([g, later], -1)
    return through(np.conj(c), g[..., ::-1])[..., ::-1]


def signal_back(g: Any, b: Any, n: int, axis: int) -> Any:
    """The cotangent of the signal from that of v."""
    return move_axis(sum(np.conj(b[j]) * g[..., j : j + n] for j in range(len(b))), -1, axis)


def states_back(g: Any, count: int, axis: int) -> Any:
    """The cotangent of the first states."""
    return move_axis(g[..., :count], -1, axis)


def coefficients_b(g: Any, x: Any, count: int, axis: int) -> Any:
    """The cotangent of ``b``, divided by ``a[0]``."""
    x = np.conj(move_axis(x, axis, -1))
    n = shape(x)[-1]
    return np.array([np.sum(x * g[..., j : j + n]) for j in range(count + 1)])


def coefficients_a(g: Any, y: Any, zf: Any, zf_bar: Any, c: Any, axis: int) -> Any:
    """The cotangent of ``a``, divided by ``a[0]``; of the first, 0."""
    rows = move_axis(y, axis, -1)
    count, n = len(c) - 1, shape(rows)[-1]
    if zf is not None:
        rows = np.concatenate([rows, through(c, move_axis(zf, axis, -1))], -1)
    bars = np.zeros(count + 1, np.result_type(g, rows))
    for j in range(1, count + 1):
        seen = np.conj(rows[..., : max(shape(rows)[-1] - j, 0)])
        bars[j] = -np.sum(seen * g[..., j : j + shape(seen)[-1]])
    if zf_bar is not None:
        ends = move_axis(zf_bar, axis, -1)
        for k in range(count):
            for j in range(1, k + 1):
                bars[j] += np.sum(np.conj(rows[..., n + k - j]) * ends[..., k])
    return bars


def recursion_back(wanted: str, y_bar: Any, y: Any, b: Any, a: Any, x: Any, axis: int) -> Any:
    """The cotangent of one of ``b``, ``a``, ``x``, ``zi`` of ``_linear_filter``."""
    (y, zf), (y_bar, zf_bar) = parts_of(y), parts_of(y_bar)
    axis = axis % y.ndim
    y_bar = np.zeros_like(y) if y_bar is None else y_bar
    num, den, count = scaled(b, a)
    g = cotangent_of_sums(y_bar, zf_bar, den, axis)
    if wanted == "x":
        return signal_back(g, num, shape(y)[axis], axis)
    if wanted == "zi":
        return states_back(g, count, axis)
    b_bar = coefficients_b(g, x, count, axis)
    if wanted == "b":
        return (b_bar / np.conj(a[0]))[: len(b)]
    a_bar = coefficients_a(g, y, zf, zf_bar, den, axis)
    total = np.sum(np.conj(num) * b_bar) + np.sum(np.conj(den) * a_bar)
    a_bar = np.concatenate([-np.reshape(total, 1), a_bar[1:]]) / np.conj(a[0])
    return a_bar[: len(a)]
