"""Rule of ``numpy.gradient``, also in the spacing of the samples.

The interior has ``(h[k + 1] * s[k] + h[k] * s[k + 1]) / (h[k] + h[k + 1])``, of slopes s and
steps h between samples.

>>> import numpy
>>> gradient_back(numpy.array([0.0, 1.0, 0.0]), (3,), (), None, 1)
array([-0.5,  0. ,  0.5])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import concatenate, diff, ndim, reshape, shape, sum, zeros

from astad.rules.numpy.axes import axes_of, move_axis
from astad.rules.numpy.finite_differences import undiffed
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, rule


def steps_along(spacing: Any, n: int) -> Any:
    """The steps between `n` samples, from one step for all or from the coordinates."""
    return np.full(n - 1, 1.0) * spacing if ndim(spacing) == 0 else diff(spacing)


def end_ratio(h: Any) -> tuple[Any, Any]:
    """``h1 / (h1 + h2)`` at either end, of the formulas of second order."""
    return h[0] / (h[0] + h[1]), h[-1] / (h[-1] + h[-2])


def slopes_bar(g: Any, h: Any, edge_order: int) -> Any:
    """Cotangent of the slopes, the last axis the one along which samples lie."""
    total = h[:-1] + h[1:]
    gap = zeros(shape(g)[:-1] + (1,))
    inner = g[..., 1:-1]
    bar = concatenate([inner * (h[1:] / total), gap], axis=-1) + concatenate(
        [gap, inner * (h[:-1] / total)], axis=-1
    )
    first, last = g[..., :1], g[..., -1:]
    if edge_order == 1:
        rest = zeros(shape(g)[:-1] + (len(h) - 1,))
        return bar + concatenate([first, rest], axis=-1) + concatenate([rest, last], axis=-1)
    r, q = end_ratio(h)
    rest = zeros(shape(g)[:-1] + (len(h) - 2,))
    return (
        bar
        + concatenate([first * (1 + r), -first * r, rest], axis=-1)
        + concatenate([rest, -last * q, last * (1 + q)], axis=-1)
    )


def along_last(a: Any, axis: int) -> Any:
    """`a` with that axis last."""
    return move_axis(a, axis, -1)


def sampled_back(g: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    """Cotangent of the samples in their slopes along one axis."""
    h = steps_along(spacing, shape(g)[axis])
    bar = slopes_bar(along_last(g, axis), h, edge_order)
    return move_axis(undiffed(bar / h, 1, -1), -1, axis)


def spacing_back(g: Any, f: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    """Cotangent of the step or of the coordinates."""
    h = steps_along(spacing, shape(g)[axis])
    g, rows = along_last(g, axis), along_last(f, axis)
    s = diff(rows, axis=-1) / h
    h_bar = -np.real(np.conj(s) * slopes_bar(g, h, edge_order)) / h
    total = h[:-1] + h[1:]
    tilt = np.real(np.conj(g[..., 1:-1]) * (s[..., 1:] - s[..., :-1])) / total**2
    gap = zeros(shape(tilt)[:-1] + (1,))
    h_bar = (
        h_bar
        + concatenate([tilt * h[1:], gap], axis=-1)
        - concatenate([gap, tilt * h[:-1]], axis=-1)
    )
    if edge_order == 2:
        h_bar = h_bar + end_tilts(g, s, h)
    h_bar = sum(reshape(h_bar, (-1, len(h))), axis=0)
    return sum(h_bar) if ndim(spacing) == 0 else undiffed(h_bar, 1, -1)


def end_tilts(g: Any, s: Any, h: Any) -> Any:
    """Share of the steps in the ratios at the ends."""
    low = np.real(np.conj(g[..., :1]) * (s[..., :1] - s[..., 1:2])) / (h[0] + h[1]) ** 2
    high = np.real(np.conj(g[..., -1:]) * (s[..., -1:] - s[..., -2:-1])) / (h[-1] + h[-2]) ** 2
    rest = zeros(shape(low)[:-1] + (len(h) - 2,))
    return concatenate([low * h[1], -low * h[0], rest], axis=-1) + concatenate(
        [rest, -high * h[-1], high * h[-2]], axis=-1
    )


def spacings(varargs: Any, count: int) -> list[Any]:
    """One spacing for each of `count` axes."""
    if len(varargs) == 0:
        return [1.0] * count
    return list(varargs) * count if len(varargs) == 1 else list(varargs)


def slopes_of(y_bar: Any, axes: Any) -> list[Any]:
    """Cotangent along each axis; a single one is not in a tuple."""
    return list(y_bar) if len(axes) > 1 else [y_bar]


def gradient_back(y_bar: Any, of: tuple[int, ...], varargs: Any, axis: Any, edge_order: int) -> Any:
    """Cotangent of the samples."""
    axes = axes_of(axis, len(of))
    steps, bars = spacings(varargs, len(axes)), slopes_of(y_bar, axes)
    total = zeros(of)
    for k in range(len(axes)):
        if bars[k] is not None:
            total = total + sampled_back(bars[k], steps[k], axes[k], edge_order)
    return total


def spacings_back(y_bar: Any, f: Any, varargs: Any, axis: Any, edge_order: int) -> tuple[Any, ...]:
    """Cotangents of the spacings; one for all axes gets the sum."""
    if len(varargs) == 0:
        return ()
    axes = axes_of(axis, ndim(f))
    steps, bars = spacings(varargs, len(axes)), slopes_of(y_bar, axes)
    each = []
    for k in range(len(axes)):
        missing = bars[k] is None
        each.append(
            zeros(shape(steps[k]))
            if missing
            else spacing_back(bars[k], f, steps[k], axes[k], edge_order)
        )
    if len(varargs) == 1 and len(axes) > 1:
        return (sum(np.asarray(each)),)
    return tuple(each)


def change_of_steps(f: Any, spacing: Any, spacing_dot: Any, axis: int, edge_order: int) -> Any:
    """Tangent of the slopes along one axis when the spacing moves."""
    n = shape(f)[axis]
    h, h_dot = steps_along(spacing, n), steps_along(spacing_dot, n)
    s = diff(along_last(f, axis), axis=-1) / h
    s_dot = -s * h_dot / h
    total, total_dot = h[:-1] + h[1:], h_dot[:-1] + h_dot[1:]
    y = (h[1:] * s[..., :-1] + h[:-1] * s[..., 1:]) / total
    inner = (
        h_dot[1:] * s[..., :-1]
        + h[1:] * s_dot[..., :-1]
        + h_dot[:-1] * s[..., 1:]
        + h[:-1] * s_dot[..., 1:]
    )
    first, last = s_dot[..., :1], s_dot[..., -1:]
    if edge_order == 2:
        r, q = end_ratio(h)
        r_dot = (h_dot[0] - r * total_dot[0]) / total[0]
        q_dot = (h_dot[-1] - q * total_dot[-1]) / total[-1]
        first = first + (first - s_dot[..., 1:2]) * r + (s[..., :1] - s[..., 1:2]) * r_dot
        last = last + (last - s_dot[..., -2:-1]) * q + (s[..., -1:] - s[..., -2:-1]) * q_dot
    return move_axis(concatenate([first, (inner - y * total_dot) / total, last], axis=-1), -1, axis)


def gradient_dot(f: Any, f_dot: Any, varargs: Any, dots: Any, axis: Any, edge_order: Any) -> Any:
    """Tangent of the slopes."""
    axes = axes_of(axis, ndim(f))
    steps, moved = spacings(varargs, len(axes)), spacings(dots, len(axes))
    each = []
    for k in range(len(axes)):
        change = np.gradient(f_dot, steps[k], axis=axes[k], edge_order=edge_order)
        if len(varargs) > 0:
            change = change + change_of_steps(f, steps[k], moved[k], axes[k], edge_order)
        each.append(change)
    return tuple(each) if len(axes) > 1 else each[0]


def any_complex(varargs: Any) -> bool:
    """Are samples taken at complex places? The formulas here are for real ones."""
    return any(np.iscomplexobj(spacing) for spacing in varargs)


def uneven() -> Any:
    """Coordinates of five samples."""
    return np.array([0.0, 0.4, 1.0, 1.3, 2.1])


rule(
    np.gradient,
    "f, *varargs, axis=None, edge_order=1",
    f="gradient_back(y_bar, shape(f), varargs, axis, edge_order)",
    varargs="spacings_back(y_bar, f, varargs, axis, edge_order)",
    dot="gradient_dot(f, f_dot, varargs, varargs_dot, axis, edge_order)",
    refuse="any_complex(varargs)",
    gives="slopes(f, varargs, axis) or parts(*slopes_by_axis(f, varargs, axis)); edge_order",
    source="means of the slopes between samples, weighted by the steps",
    examples=lambda: [
        (real(5),),
        (real(2),),
        (real(5), 0.5),
        (real(5), uneven()),
        (real(5), uneven(), Keywords(edge_order=2)),
        (real(3), 0.5, Keywords(edge_order=2)),
        (real(3, 5),),
        (real(3, 5), 0.5),
        (real(3, 5), 0.5, uneven()),
        (real(5, 3), uneven(), Keywords(axis=0)),
        (real(2, 3, 5), uneven(), 0.5, Keywords(axis=(2, 1), edge_order=2)),
        (imaginary(5), uneven()),
    ],
)
