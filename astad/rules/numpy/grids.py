"""Rules of what brings arrays to one shape: broadcast_to, broadcast_arrays, meshgrid, atleast_1d.

>>> import numpy
>>> meshed((numpy.ones((2, 3)), None), ((3,), (2,)), "xy")
(array([2., 2., 2.]), None)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndim, reshape, shape, sum

from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, linear
from astad.tangents.arrays import full, sum_to_shape

COPIES = "the cotangents of the copies add"


def summed(g: Any, array: Any, /) -> Any:
    """A cotangent summed over the axes along which the array was repeated."""
    return sum_to_shape(g, shape(array))


linear(
    np.broadcast_to,
    "array, shape, subok=False",
    array="summed(y_bar, array)",
    gives="broadcast(array, shape)",
    view="array",
    entries="whole",
    source=COPIES,
    examples=lambda: [(real(3), (2, 3)), (real(2, 1), (2, 3)), (1.5, (2,)), (real(1, 3), (0, 3))],
)


SUMS = "a sum, of which the transpose repeats"
linear(
    sum_to_shape,
    "g, shape",
    g="full(y_bar, np.shape(g))",
    gives="summed_to(g, shape)",
    view="g",
    source=SUMS,
    examples=lambda: [
        (real(2, 3), (3,)),
        (real(2, 3), (2, 1)),
        (real(2, 3), (2, 3)),
        (real(3), ()),
    ],
)
linear(
    full,
    "g, shape",
    g="sum_to_shape(y_bar, np.shape(g))",
    gives="broadcast(g, shape)",
    view="g",
    entries="whole",
    source=COPIES,
    examples=lambda: [(real(3), (2, 3)), (real(2, 1), (2, 3)), (1.5, (2,)), (real(2), (2,))],
)
linear(
    summed,
    "g, array",
    g="full(y_bar, np.shape(g))",
    gives="summed_like(g, array)",
    view="g",
    source=SUMS,
    examples=lambda: [(real(2, 3), real(3)), (real(2, 3), real(2, 1)), (real(2, 3), real(2, 3))],
)


def shapes(arrays: Any) -> tuple[Any, ...]:
    """The shape of each."""
    return tuple([shape(each) for each in arrays])


def each_summed(y_bar: Any, of: Any) -> tuple[Any, ...]:
    """Cotangents of several arrays that were broadcast together."""
    return tuple(
        [None if y_bar[k] is None else sum_to_shape(y_bar[k], of[k]) for k in range(len(of))]
    )


linear(
    np.broadcast_arrays,
    "*args, subok=False",
    args="each_summed(y_bar, shapes(args))",
    source=COPIES,
    examples=lambda: [(real(3), real(2, 1)), (real(2),), (1.5, real(2))],
)


def meshed(y_bar: Any, of: Any, indexing: str) -> tuple[Any, ...]:
    """Cotangents of the coordinates: sums over all axes but the own one."""
    bars = []
    for k in range(len(of)):
        own = 1 - k if indexing == "xy" and k < 2 and len(of) > 1 else k
        g = y_bar[k]
        if g is not None:
            g = reshape(sum(g, axis=tuple([j for j in range(ndim(g)) if j != own])), of[k])
        bars.append(g)
    return tuple(bars)


linear(
    np.meshgrid,
    "*xi, copy=True, sparse=False, indexing='xy'",
    xi="meshed(y_bar, shapes(xi), indexing)",
    source=COPIES,
    examples=lambda: [
        (real(3), real(2)),
        (real(3), real(2), real(4)),
        (real(3), real(2), Keywords(indexing="ij")),
        (real(3), real(2), Keywords(sparse=True)),
        (real(3),),
        (real(3), 1.5),
        (imaginary(2), real(2)),
    ],
)


def lowered(y_bar: Any, of: Any) -> tuple[Any, ...]:
    """Cotangents in the ranks before; of a single array the result was not in a tuple."""
    bars = (y_bar,) if len(of) == 1 else y_bar
    return tuple([None if bars[k] is None else reshape(bars[k], of[k]) for k in range(len(of))])


for each, least in ((np.atleast_1d, 1), (np.atleast_2d, 2), (np.atleast_3d, 3)):
    linear(
        each,
        "*arys",
        arys="lowered(y_bar, shapes(arys))",
        gives=f"at_least(arys, {least})",
        view="arys",
        source="a reshape",
        examples=lambda: [(1.5,), (real(3),), (real(2, 3),), (1.5, real(3))],
    )
