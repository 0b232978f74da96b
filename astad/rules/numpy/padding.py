"""Rule of ``numpy.pad``: constant, edge, reflect, symmetric, wrap and empty.

>>> import numpy
>>> array_back(numpy.ones(6), (3,), (2, 1), "edge", "even")
array([3., 1., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import moveaxis, pad, shape, sum

from astad.rules.numpy.samples import imaginary, real
from astad.rules.numpy.scatter import numbered, scattered
from astad.rules.numpy.step_by_step import widths_of
from astad.rules.registry import Keywords, linear
from astad.tangents.arrays import sum_to_shape

PICKING = ("edge", "reflect", "symmetric", "wrap")


def offsets(rank: int, pad_width: Any) -> list[int]:
    """How much comes before, along each axis."""
    return [int(before) for before, _ in widths_of(pad_width, rank)]


def centre(y_bar: Any, of: tuple[int, ...], pad_width: Any) -> Any:
    """`y_bar` without what `pad` put before and after."""
    starts = offsets(len(of), pad_width)
    return y_bar[tuple([slice(starts[k], starts[k] + of[k]) for k in range(len(of))])]


def array_back(
    y_bar: Any, of: tuple[int, ...], pad_width: Any, mode: Any, reflect_type: str
) -> Any:
    """Cotangent of the array that was padded."""
    if mode in PICKING:
        return scattered(y_bar, pad(numbered(of), pad_width, mode=mode), of)
    return centre(y_bar, of, pad_width)


def constants_back(y_bar: Any, of: tuple[int, ...], pad_width: Any, values: Any) -> Any:
    """Cotangent of the constants: NumPy fills axis by axis, the last axis owns the corners."""
    if not of:  # there is no axis to pad
        return np.zeros(shape(values))
    starts = offsets(len(of), pad_width)
    inner = y_bar
    rows = []
    for k in range(len(of) - 1, -1, -1):
        lines = moveaxis(inner, k, 0)
        rows.append([sum(lines[: starts[k]]), sum(lines[starts[k] + of[k] :])])
        inner = moveaxis(lines[starts[k] : starts[k] + of[k]], 0, k)
    return sum_to_shape(np.array(rows[::-1]), shape(values))


def is_whole(array: Any) -> bool:
    """Are the entries whole numbers? The ramps between these are rounded, which has no slope."""
    return np.asarray(array).dtype.kind in "iu"


def pad_dot(array_dot: Any, pad_width: Any, mode: Any, values_dot: Any) -> Any:
    """Tangent: the same padding of the tangent."""
    if mode in PICKING:
        return pad(array_dot, pad_width, mode=mode)
    return pad(array_dot, pad_width, constant_values=values_dot)


linear(
    np.pad,
    "array, pad_width, mode='constant', *, constant_values=0, reflect_type='even', "
    "stat_length=None, end_values=0",
    array="array_back(y_bar, shape(array), pad_width, mode, reflect_type)",
    constant_values="constants_back(y_bar, shape(array), pad_width, constant_values)",
    refuse="mode not in ('constant', 'empty', 'linear_ramp', *PICKING) "
    "or (reflect_type != 'even' and mode != 'linear_ramp') "
    "or (mode == 'linear_ramp' and not is_whole(array))",
    dot="pad_dot(array_dot, pad_width, mode, constant_values_dot)",
    gives="padded(array, pad_width, mode)",
    source="padding copies entries, or adds constants",
    examples=lambda: [
        (real(3), 2),
        (real(2, 3), ((1, 0), (2, 1))),
        (real(2, 3), (1, 2), Keywords(constant_values=0.5)),
        (real(2, 3), ((1, 2), (2, 1)), Keywords(constant_values=real(2, 2))),
        (real(3), (1, 2), Keywords(constant_values=(0.5, 1.5))),
        *[
            (real(3, 4), ((1, 2), (2, 1)), mode)
            for mode in ("edge", "reflect", "symmetric", "wrap")
        ],
        (real(2), 5, "reflect"),
        (imaginary(2), {0: (1, 0)}),
        (real(2, 0), 1),
    ],
)
