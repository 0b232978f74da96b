"""Rule of ``numpy.average``, with weights of the data's shape or along its axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import broadcast_to, conj, reshape, shape, sum, transpose, zeros

from astad.rules.numpy.axes import axes_of, spread, unreduced
from astad.rules.numpy.samples import imaginary, positive, real
from astad.rules.registry import Keywords, rule
from astad.tangents.arrays import sum_to_shape


def along(weights: Any, of: tuple[int, ...], axis: Any) -> Any:
    """Weights given along `axis` only, with the rank of data of shape `of`."""
    if weights is None:
        return np.ones((1,) * len(of))
    if shape(weights) == of or axis is None:
        return weights
    axes = axes_of(axis, len(of))
    order = sorted(range(len(axes)), key=axes.__getitem__)
    return reshape(transpose(weights, order), [of[k] if k in axes else 1 for k in range(len(of))])


def gathered(w_bar: Any, to: tuple[int, ...], of: tuple[int, ...], axis: Any) -> Any:
    """Adjoint of `along`."""
    if to == of:
        return w_bar
    axes = axes_of(axis, len(of))
    order = sorted(range(len(axes)), key=axes.__getitem__)
    kept = sum_to_shape(w_bar, tuple([of[k] if k in axes else 1 for k in range(len(of))]))
    return transpose(reshape(kept, [to[k] for k in order]), np.argsort(order))


def data_back(y_bar: Any, of: tuple[int, ...], weights: Any, axis: Any, returned: Any) -> Any:
    """Cotangent of the data."""
    mean_bar = y_bar[0] if returned else y_bar
    if mean_bar is None:
        return zeros(of)
    w = broadcast_to(along(weights, of, axis), of)
    return spread(mean_bar, of, axis) * conj(w / sum(w, axis=axis, keepdims=True))


def weights_back(y: Any, y_bar: Any, a: Any, weights: Any, axis: Any, returned: Any) -> Any:
    """Cotangent of the weights, also through their sum where that is returned."""
    of = shape(a)
    mean, mean_bar, total_bar = (y[0], y_bar[0], y_bar[1]) if returned else (y, y_bar, None)
    w_bar = zeros(of)
    if mean_bar is not None:
        total = sum(broadcast_to(along(weights, of, axis), of), axis=axis, keepdims=True)
        w_bar = spread(mean_bar, of, axis) * conj((a - unreduced(mean, of, axis)) / total)
    if total_bar is not None:
        w_bar = w_bar + spread(total_bar, of, axis)
    return gathered(w_bar, shape(weights), of, axis)


def average_dot(
    y: Any, a: Any, a_dot: Any, w: Any, w_dot: Any, axis: Any, returned: Any, keepdims: Any
) -> Any:
    """Tangent of the mean, with that of the summed weights where they are returned."""
    of = shape(a)
    mean = y[0] if returned else y
    whole = broadcast_to(along(w, of, axis), of)
    change = zeros(of) if w is None else broadcast_to(along(w_dot + zeros(shape(w)), of, axis), of)
    moved = a_dot * whole + change * (a - unreduced(mean, of, axis))
    mean_dot = sum(moved / sum(whole, axis=axis, keepdims=True), axis=axis, keepdims=keepdims)
    return (mean_dot, sum(change, axis=axis, keepdims=keepdims)) if returned else mean_dot


rule(
    np.average,
    "a, axis=None, weights=None, returned=False, *, keepdims=False",
    a="data_back(y_bar, shape(a), weights, axis, returned)",
    weights="weights_back(y, y_bar, a, weights, axis, returned)",
    dot="average_dot(y, a, a_dot, weights, weights_dot, axis, returned, keepdims)",
    gives="from_vector(a, weights=weights)",
    source="quotient rule on sum(w * a) / sum(w)",
    examples=lambda: [
        (real(4),),
        (real(2, 3), 1),
        (real(4), None, positive(4)),
        (real(2, 3), 1, positive(3)),
        (real(2, 3), 0, positive(2, 3), True),
        (real(2, 3, 4), (2, 0), positive(4, 2)),
        (real(2, 3), 1, positive(3), True, Keywords(keepdims=True)),
        (real(3), None, None, True),
        (imaginary(3), 0, positive(3)),
    ],
)
