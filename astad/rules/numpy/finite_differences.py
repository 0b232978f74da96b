"""Rules of differences and areas of samples: diff, ediff1d, trapezoid, unwrap.

>>> import numpy
>>> undiffed(numpy.array([1.0, 10.0]), 1, -1)
array([-1., -9., 10.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import concatenate, diff, ndim, reshape, shape, zeros

from astad.rules.numpy.axes import move_axis
from astad.rules.numpy.renamed import known_as_y
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, rule
from astad.tangents.arrays import sum_to_shape

# diff


def undiffed(y_bar: Any, n: int, axis: int) -> Any:
    """Adjoint of `n` differences: as many, the sign turned, of the cotangent between zeros."""
    rows = move_axis(y_bar, axis, -1)
    edge = zeros(shape(rows)[:-1] + (n,))
    back = diff(concatenate([edge, rows, edge], axis=-1), n, axis=-1)
    return move_axis(-back if n % 2 else back, -1, axis)


def length_along(a: Any, axis: int) -> int:
    """How many entries a ``prepend`` or ``append`` puts along `axis`."""
    if a is None or a is np._NoValue:
        return 0
    return 1 if ndim(a) == 0 else int(shape(a)[axis])


def diff_back(
    y_bar: Any, of: tuple[int, ...], n: int, axis: int, prepend: Any, append: Any
) -> list[Any]:
    """Cotangents of the array, of what was put before and of what was put after."""
    if n == 0:
        return [y_bar, 0.0, 0.0]
    if shape(y_bar)[axis] == 0:  # more differences than there are entries
        return [zeros(of), 0.0, 0.0]
    whole = move_axis(undiffed(y_bar, n, axis), axis, 0)
    first = length_along(prepend, axis)
    last = shape(whole)[0] - length_along(append, axis)
    parts = [whole[first:last], whole[:first], whole[last:]]
    return [move_axis(part, 0, axis) for part in parts]


def diff_dot(a: Any, a_dot: Any, n: int, axis: int, ends: Any, dots: Any) -> Any:
    """Tangent: the differences of the tangents."""
    given = {}
    for name, end, dot in (("prepend", ends[0], dots[0]), ("append", ends[1], dots[1])):
        if end is not None and end is not np._NoValue:
            given[name] = dot
    return diff(a_dot, n, axis, **given)


rule(
    np.diff,
    "a, n=1, axis=-1, prepend=None, append=None",
    a="diff_back(y_bar, shape(a), n, axis, prepend, append)[0]",
    prepend="sum_to_shape(diff_back(y_bar, shape(a), n, axis, prepend, append)[1], shape(prepend))",
    append="sum_to_shape(diff_back(y_bar, shape(a), n, axis, prepend, append)[2], shape(append))",
    dot="diff_dot(a, a_dot, n, axis, (prepend, append), (prepend_dot, append_dot))",
    gives="differences(a, axis, prepend, append); n",
    view="a",
    source="linear; adjoint of a difference",
    examples=lambda: [
        (real(5),),
        (real(3, 4), 2),
        (real(4, 2), 1, 0),
        (real(4), 1, -1, 0.5),
        (real(4), Keywords(prepend=real(2), append=0.5, n=2)),
        (real(2, 3), Keywords(append=real(2, 2))),
        (real(3), 0),
        (imaginary(4),),
    ],
)


def ediff_back(y_bar: Any, ary: Any, to_end: Any, to_begin: Any) -> list[Any]:
    """Cotangents of the array, the end and the beginning."""
    first = 0 if to_begin is None else int(np.size(to_begin))
    last = len(y_bar) - (0 if to_end is None else int(np.size(to_end)))
    inner = (
        reshape(undiffed(y_bar[first:last], 1, -1), shape(ary))
        if np.size(ary)
        else zeros(shape(ary))
    )
    return [inner, y_bar[last:], y_bar[:first]]


def ediff_dot(ary_dot: Any, ends: Any, dots: Any) -> Any:
    """Tangent: the differences of the tangents."""
    return np.ediff1d(
        ary_dot, None if ends[0] is None else dots[0], None if ends[1] is None else dots[1]
    )


rule(
    np.ediff1d,
    "ary, to_end=None, to_begin=None",
    ary="ediff_back(y_bar, ary, to_end, to_begin)[0]",
    to_end="reshape(ediff_back(y_bar, ary, to_end, to_begin)[1], shape(to_end))",
    to_begin="reshape(ediff_back(y_bar, ary, to_end, to_begin)[2], shape(to_begin))",
    dot="ediff_dot(ary_dot, (to_end, to_begin), (to_end_dot, to_begin_dot))",
    gives="flat(ary)",
    source="linear; adjoint of a difference",
    examples=lambda: [
        (real(5),),
        (real(2, 3),),
        (real(3), real(2), 0.5),
        (real(4), Keywords(to_begin=real(2))),
    ],
)


# areas under samples


def trapezoid_back(y_bar: Any, values: Any, x: Any, dx: Any, axis: int) -> list[Any]:
    """Cotangents of the values, of the coordinates and of the step."""
    rows = move_axis(values, axis, -1)
    if shape(rows)[-1] == 0:
        return [zeros(shape(values)), zeros(shape(x)), zeros(shape(dx))]
    if x is None:
        steps, places = dx, -1
    elif ndim(x) == 1:
        steps, places = diff(x), -1
    else:
        steps, places = move_axis(diff(x, axis=axis), axis, -1), axis
    g = np.expand_dims(y_bar, -1)
    whole = np.broadcast_to(
        steps, np.broadcast_shapes(shape(steps), shape(rows)[:-1] + (shape(rows)[-1] - 1,))
    )
    edge = zeros(shape(whole)[:-1] + (1,))
    half = np.conj(whole) / 2
    values_bar = g * (concatenate([half, edge], axis=-1) + concatenate([edge, half], axis=-1))
    steps_bar = g * np.conj(rows[..., 1:] + rows[..., :-1]) / 2
    values_bar = sum_to_shape(move_axis(values_bar, -1, axis), shape(values))
    if x is None:
        return [values_bar, 0.0, sum_to_shape(steps_bar, shape(dx))]
    return [
        values_bar,
        move_axis(undiffed(sum_to_shape(steps_bar, shape(steps)), 1, -1), -1, places),
        zeros(shape(dx)),
    ]


def trapezoid_dot(
    values: Any, v_dot: Any, x: Any, x_dot: Any, dx: Any, dx_dot: Any, axis: int
) -> Any:
    """Tangent of the area: of the heights, and of the widths."""
    if x is None:
        return np.trapezoid(v_dot, None, dx, axis) + np.trapezoid(values, None, dx_dot, axis)
    return np.trapezoid(v_dot, x, axis=axis) + np.trapezoid(values, x_dot, axis=axis)


AREA = rule(
    np.trapezoid,
    "values, x=None, dx=1.0, axis=-1",
    values="trapezoid_back(y_bar, values, x, dx, axis)[0]",
    x="trapezoid_back(y_bar, values, x, dx, axis)[1]",
    dx="trapezoid_back(y_bar, values, x, dx, axis)[2]",
    dot="trapezoid_dot(values, values_dot, x, x_dot, dx, dx_dot, axis)",
    gives="from_vector(values, dx)",
    source="product rule on sum((v[1:] + v[:-1]) * diff(x)) / 2",
    examples=lambda: [
        (real(5),),
        (real(5), real(5)),
        (real(3, 4), None, 0.5, 0),
        (real(3, 4), real(4)),
        (real(3, 4), real(3, 4), 1.0, 0),
        (imaginary(4), real(4)),
    ],
)
known_as_y(AREA, "values")
rule(
    np.unwrap,
    "p, discont=None, axis=-1, *, period=2 * np.pi",
    p="y_bar",
    dot="p_dot",
    missing={"period": "the number of turns is not kept"},
    gives="same(p)",
    source="p + period * k, k constant between its jumps",
    examples=lambda: [(np.array([0.0, 1.0, 5.5, 6.0]),), (real(3, 4), Keywords(axis=0))],
)
