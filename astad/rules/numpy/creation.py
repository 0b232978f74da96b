"""Rules of what makes arrays: conversions, which pass entries on, ranges, constant and empty ones.

>>> import numpy
>>> through(numpy.ones(2), numpy.dtype(int))                # rounding down stops a derivative
array([0., 0.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import arange, conj, log, moveaxis, reshape, shape, sum, zeros

from astad.rules.numpy.samples import imaginary, positive, real
from astad.rules.registry import Keywords, linear, rule, zero
from astad.tangents.arrays import sum_to_shape

SAME = "the same numbers"


def through(y_bar: Any, dtype: Any) -> Any:
    """Cotangent of numbers cast to `dtype`; integers and truth values move in steps."""
    if dtype is None or np.dtype(dtype).kind in "fcO":
        return y_bar
    return zeros(shape(y_bar))


def unprefixed(y_bar: Any, of: Any, dtype: Any) -> Any:
    """Cotangent of ``array(object, ndmin=...)`` without the axes put before."""
    if np.ndim(y_bar) == 1 and isinstance(of, (list, tuple)) and any(map(is_nested, of)):
        return [None if is_nested(each) else part for each, part in zip(of, y_bar, strict=True)]
    return through(y_bar if shape(y_bar) == shape(of) else reshape(y_bar, shape(of)), dtype)


def is_nested(each: Any) -> bool:
    """An array or list, which an array of objects of one axis holds as it is."""
    return isinstance(each, (list, tuple)) or (isinstance(each, np.ndarray) and each.ndim > 0)


def conversions() -> list[tuple[Any, ...]]:
    """Arrays, numbers, nested lists."""
    return [
        (real(2, 3),),
        (2.5,),
        ([1.5, 2.5],),
        ([[1.5, np.float64(2.5)], [0.5, 1.0]],),
        ([real(2), real(2)],),
        ((1.5, np.array(2.0)),),
        (imaginary(2),),
    ]


def of_arrays() -> list[tuple[Any, ...]]:
    """Arrays and numbers."""
    return [(real(2, 3),), (2.5,), (imaginary(2),)]


def prefixed() -> list[tuple[Any, ...]]:
    """With axes put before."""
    return [*conversions(), (real(2), Keywords(ndmin=3)), ([1.5, 2.5], Keywords(ndmin=2))]


linear(
    np.array,
    "object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None",
    object="unprefixed(y_bar, object, dtype)",
    short={"; dtype, copy": ("y_bar",)},
    gives="gathered(object, dtype, copy, ndmin)",
    entries="whole",
    source=SAME,
    examples=prefixed,
)
linear(
    np.asarray,
    "a, dtype=None, order=None, *, device=None, copy=None, like=None",
    a="through(y_bar, dtype)",
    gives="moved(a, dtype); order",
    view="a",
    entries="whole",
    source=SAME,
    also=(np.asanyarray, np.asarray_chkfinite),
    examples=conversions,
)
linear(
    np.ascontiguousarray,
    "a, dtype=None, *, like=None",
    a="unprefixed(y_bar, a, dtype)",
    gives="moved(a, dtype)",
    view="a",
    source=SAME,
    also=(np.asfortranarray,),
    examples=conversions,
)
linear(
    np.require,
    "a, dtype=None, requirements=None, *, like=None",
    a="through(y_bar, dtype)",
    gives="moved(a, dtype)",
    view="a",
    source=SAME,
    examples=conversions,
)
linear(
    np.copy,
    "a, order='K', subok=False",
    a="y_bar",
    short={"; order, subok": ("y_bar",)},
    gives="moved(a); order, subok",
    entries="whole",
    finite="a",
    complexes="kept",
    source=SAME,
    examples=conversions,
)
linear(
    np.astype,
    "x, dtype, *, copy=True, device=None",
    x="through(y_bar, dtype)",
    gives="converted(x, dtype, copy)",
    source=SAME,
    examples=lambda: [(real(2, 3), float), (real(2), complex)],
)


# filled with a value


def summed(y_bar: Any, of: Any) -> Any:
    """`y_bar` summed to the shape of the value that was repeated."""
    return sum_to_shape(y_bar, shape(of))


linear(
    np.full,
    "shape, fill_value, dtype=None, order='C', *, device=None, like=None",
    fill_value="through(summed(y_bar, fill_value), dtype)",
    gives="filled(shape, fill_value, dtype); order",
    source="the cotangents of the copies add",
    examples=lambda: [((2, 3), 1.5), (3, real(3)), ((2, 3), real(2, 1)), (2, 1.5 + 2j)],
)
linear(
    np.full_like,
    "a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None",
    fill_value="through(summed(y_bar, fill_value), dtype)",
    gives="filled_like(a, fill_value, dtype, shape); order, subok",
    source="the cotangents of the copies add",
    examples=lambda: [
        (np.zeros((2, 3)), 1.5),
        (np.zeros(3), real(3)),
        (np.zeros(3), 1.5, None, "K", True, (2, 2)),
    ],
)
OF_SHAPES = "the entries depend on shapes alone"
zero(
    np.zeros,
    np.ones,
    np.empty,
    gives="shape, dtype=None, order='C' -> made(shape, dtype); order",
    why=OF_SHAPES,
)
zero(
    np.zeros_like,
    np.ones_like,
    np.empty_like,
    gives="a, dtype=None, order='K', subok=True, shape=None -> like(a, dtype, shape); order, subok",
    why=OF_SHAPES,
)
zero(
    np.eye,
    np.tri,
    gives="N, M=None, k=0, dtype=None, order='C' -> matrix(N, dtype, M); k, order",
    why=OF_SHAPES,
)
zero(np.identity, gives="n, dtype=None -> matrix(n, dtype)", why=OF_SHAPES)
zero(
    np.hanning,
    np.hamming,
    np.blackman,
    np.bartlett,
    gives="M -> counted(M)",
    why="so many points of a fixed function",
)
zero(np.ix_, gives="*args -> open_mesh(args)", why="subscripts")
zero(
    np.indices,
    np.diag_indices,
    np.diag_indices_from,
    np.tril_indices,
    np.triu_indices,
    np.mask_indices,
    np.tril_indices_from,
    np.triu_indices_from,
    np.unravel_index,
    np.ravel_multi_index,
    why=OF_SHAPES,
)


def flag(a: Any, name: str) -> bool:
    """One of the flags of an array, as ``a.flags`` has it."""
    return bool(getattr(a.flags, name))


zero(flag, gives="a, name -> inert(a); name", why=OF_SHAPES)
zero(
    np.shape,
    np.ndim,
    np.size,
    np.result_type,
    np.can_cast,
    np.dtype,
    np.finfo,
    np.iinfo,
    np.may_share_memory,
    np.shares_memory,
    np.broadcast_shapes,
    np.iterable,
    np.isfortran,
    np.min_scalar_type,
    np.promote_types,
    np.issubdtype,
    np.common_type,
    np.array_repr,
    np.array_str,
    np.array2string,
    np.einsum_path,
    np.errstate,
    np.get_printoptions,
    np.set_printoptions,
    np.printoptions,
    np.seterr,
    np.geterr,
    why="the result holds no number of the argument, or none that moves",
)


# ranges


def ranged(y_bar: Any, start: Any, stop: Any, step: Any) -> list[Any]:
    """Cotangents of start and step; the stop moves only the length."""
    if stop is None:
        return [0.0, sum(y_bar * arange(len(y_bar)))]
    return [sum(y_bar), sum(y_bar * arange(len(y_bar)))]


def arange_dot(n: int, start_dot: Any, stop: Any, step_dot: Any) -> Any:
    """Tangent of ``start + step * k``."""
    return (0.0 if stop is None else start_dot) + step_dot * arange(n)


rule(
    np.arange,
    "start, stop=None, step=1, dtype=None, *, device=None, like=None",
    start="ranged(y_bar, start, stop, step)[0]",
    step="ranged(y_bar, start, stop, step)[1]",
    dot="arange_dot(len(y), start_dot, stop, step_dot)",
    gives="bounds(start, stop, step, dtype)",
    source="y[k] = start + k * step; the stop moves only the length",
    examples=lambda: [(0.5, 3.2, 0.75), (0.5, 3.2), (3.5,)],
)


def fractions(num: int, endpoint: bool, rank: int) -> Any:
    """How far each point lies from start to stop, along the first of `rank` axes."""
    steps = num - 1 if endpoint else num
    return reshape(arange(num) / max(steps, 1), (int(num),) + (1,) * (rank - 1))


def ends_back(
    y_bar: Any, start: Any, stop: Any, num: int, endpoint: bool, retstep: bool, axis: int
) -> list[Any]:
    """Cotangents of start and stop, also through the step."""
    g, step_bar = (y_bar[0], y_bar[1]) if retstep else (y_bar, None)
    bars: list[Any] = [zeros(shape(start)), zeros(shape(stop))]
    if g is not None:
        rows = moveaxis(g, axis, 0)
        t = fractions(num, endpoint, np.ndim(rows))
        bars = [sum(rows * (1 - t), axis=0), sum(rows * t, axis=0)]
    steps = num - 1 if endpoint else num
    if step_bar is not None and steps > 0:
        bars = [bars[0] - step_bar / steps, bars[1] + step_bar / steps]
    return [sum_to_shape(bars[0], shape(start)), sum_to_shape(bars[1], shape(stop))]


def flat_dtype(dtype: Any) -> bool:
    """Whether results are rounded to integers."""
    return dtype is not None and np.dtype(dtype).kind not in "fc"


rule(
    np.linspace,
    "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None",
    start="ends_back(y_bar, start, stop, num, endpoint, retstep, axis)[0]",
    stop="ends_back(y_bar, start, stop, num, endpoint, retstep, axis)[1]",
    dot="np.linspace(start_dot, stop_dot, num, endpoint, retstep, None, axis)",
    refuse="flat_dtype(dtype)",
    gives="spaced(start, stop, dtype, retstep, axis); num, endpoint",
    source="y = start * (1 - t) + stop * t",
    examples=lambda: [
        (0.5, 2.0, 5),
        (0.5, 2.0, 4, False),
        (real(2), 3.0, 3),
        (real(2, 1), real(3), 3, Keywords(axis=1)),
        (0.5, 2.0, 1),
        (0.5, 2.0, 0),
        (0.5, 2.0, 3, True, True),
        (1.0 + 2j, 2.0, 3),
    ],
)


def logspace_back(
    y: Any, y_bar: Any, start: Any, stop: Any, num: int, endpoint: bool, base: Any, axis: int
) -> list[Any]:
    """Cotangents of the exponents and of the base."""
    exponents = np.linspace(start, stop, num, endpoint, axis=axis)
    ends = ends_back(y_bar * conj(y * log(base)), start, stop, num, endpoint, False, axis)
    return [*ends, sum(y_bar * conj(y * exponents / base))]


def logspace_dot(
    y: Any, ends: Any, dots: Any, num: int, endpoint: bool, base: Any, base_dot: Any, axis: int
) -> Any:
    """Tangent of ``base**exponents``."""
    exponents = np.linspace(ends[0], ends[1], num, endpoint, axis=axis)
    moved = np.linspace(dots[0], dots[1], num, endpoint, axis=axis)
    return y * (log(base) * moved + exponents * base_dot / base)


rule(
    np.logspace,
    "start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0",
    start="logspace_back(y, y_bar, start, stop, num, endpoint, base, axis)[0]",
    stop="logspace_back(y, y_bar, start, stop, num, endpoint, base, axis)[1]",
    base="logspace_back(y, y_bar, start, stop, num, endpoint, base, axis)[2]",
    dot="logspace_dot(y, (start, stop), (start_dot, stop_dot), num, endpoint, "
    "base, base_dot, axis)",
    refuse="np.ndim(base) > 0 or flat_dtype(dtype)",
    gives="spaced(start, stop, dtype, axis=axis); num, endpoint",
    source="y = base ** linspace(start, stop)",
    examples=lambda: [(0.1, 1.2, 4), (0.1, 1.2, 3, False, 2.0), (real(2), 1.0, 3)],
)


def geomspace_back(
    y: Any, y_bar: Any, start: Any, stop: Any, num: int, endpoint: bool, axis: int
) -> list[Any]:
    """Cotangents of the ends."""
    ends = ends_back(y_bar * conj(y), start, stop, num, endpoint, False, axis)
    return [ends[0] / conj(start), ends[1] / conj(stop)]


rule(
    np.geomspace,
    "start, stop, num=50, endpoint=True, dtype=None, axis=0",
    start="geomspace_back(y, y_bar, start, stop, num, endpoint, axis)[0]",
    stop="geomspace_back(y, y_bar, start, stop, num, endpoint, axis)[1]",
    dot="y * np.linspace(start_dot / start, stop_dot / stop, num, endpoint, axis=axis)",
    refuse="flat_dtype(dtype)",
    gives="spaced(start, stop, dtype, axis=axis); num, endpoint",
    source="y = start ** (1 - t) * stop ** t",
    examples=lambda: [(0.5, 4.0, 4), (0.5, 4.0, 3, False), (positive(2), 5.0, 3)],
)
