"""Rules of scipy.signal: recursive filters, correlations, resampling, medians.

>>> x_bar = correlated_back("in1", np.array([0.0, 1.0, 0.0]), (2,), np.array([3.0, 5.0]), "full")
>>> x_bar.tolist()
[3.0, 5.0]
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndim, shape
from scipy import signal
from scipy.signal import _sigtools

from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, linear, rule
from astad.rules.scipy.ndimage_edges import (
    CONSTANT,
    REFLECT,
    WRAP,
    extend,
    extended,
    folded,
    outside_sum,
    window,
)
from astad.rules.scipy.ndimage_filters import selected, spread
from astad.rules.scipy.recursions import recursion_back

__all__ = ["correlated_back"]

# recursive filters


def filtered() -> list[tuple[Any, ...]]:
    """With and without states, either polynomial the longer, along each axis, complex."""
    b, a = np.array([0.7, -0.4, 0.3]), np.array([1.3, 0.5, -0.2])
    states = 0.3 * real(3, 2)
    return [
        (b, a, real(6), 0),
        (b, a[:2], real(2, 5), -1),
        (b[:1], a, real(2, 5), 1, real(2, 2)),
        (b, a, real(5, 3), 0, states.T),
        (b, a, real(1), 0, real(2)),
        (b, a, real(2, 3), 1, real(2, 2)),
        (b[:2], np.append(a, [0.1, 0.2]), real(3), 0, real(4)),
        (imaginary(2), np.array([1 + 0.2j, 0.3 - 0.1j]), imaginary(4), 0, imaginary(1)),
        (imaginary(2), np.array([1 + 0.2j, 0.3 - 0.1j, 0.2j]), imaginary(4), 0),
    ]


rule(
    _sigtools._linear_filter,
    "b, a, x, axis=-1, zi=None",
    b="recursion_back('b', y_bar, y, b, a, x, axis)",
    a="recursion_back('a', y_bar, y, b, a, x, axis)",
    x="recursion_back('x', y_bar, y, b, a, None, axis)",
    zi="recursion_back('zi', y_bar, y, b, a, None, axis)",
    source="the same recursion run backwards; Oppenheim, Schafer, transposition of flow graphs",
    examples=filtered,
)

# correlations


def full_of(y_bar: Any, n: Sequence[int], m: Sequence[int], mode: str) -> Any:
    """The cotangent of all lags, from that of those that the mode keeps."""
    if mode == "full":
        return y_bar
    whole = np.zeros([i + j - 1 for i, j in zip(n, m, strict=True)], y_bar.dtype)
    starts = [min(i, j) - 1 if mode == "valid" else (j - 1) // 2 for i, j in zip(n, m, strict=True)]
    whole[window(starts, shape(y_bar))] = y_bar
    return whole


def correlated_back(wanted: str, y_bar: Any, n: Sequence[int], other: Any, mode: str) -> Any:
    """Adjoint of correlate in one of its operands, of shape `n`, by the other."""
    if 0 in (*n, *shape(other)):
        return np.zeros(n)
    if wanted == "in1":
        g = full_of(y_bar, n, shape(other), mode)
        whole = signal.convolve(g, other)
        return whole[window([m - 1 for m in shape(other)], n)]
    g = full_of(y_bar, shape(other), n, mode)
    whole = signal.correlate(other, g)
    return whole[window([m - 1 for m in shape(other)], n)]


def correlations() -> list[tuple[Any, ...]]:
    """All modes, either the longer, several axes, complex."""
    pairs = [(real(5), real(3)), (real(3), real(4)), (real(4, 3), real(2, 3)), (real(1), real(1))]
    pairs += [(imaginary(4), imaginary(3)), (real(4), imaginary(2))]
    return [
        (*pair, mode, method)
        for pair in pairs
        for mode in ("full", "same", "valid")
        for method in ("auto", "direct", "fft")
    ]


linear(
    signal.correlate,
    "in1, in2, mode='full', method='auto'",
    in1="correlated_back('in1', y_bar, shape(in1), in2, mode)",
    in2="correlated_back('in2', y_bar, shape(in2), in1, mode)",
    gives="convolved(in1, in2, mode); method",
    source="bilinear; the adjoint of a correlation is a convolution",
    examples=correlations,
)

EDGES = {0: CONSTANT, 4: REFLECT, 8: WRAP}
"""SciPy's codes of the boundaries of convolve2d."""


def plane(n: Sequence[int], m: Sequence[int], flip: Any, mode: int, boundary: int) -> list[Any]:
    """Where the values of an extended plane are found."""
    half = [j // 2 if flip else (j - 1) // 2 for j in m]
    before = [(0, k, j - 1)[mode] for j, k in zip(m, half, strict=True)]
    after = [(0, j - 1 - k, j - 1)[mode] for j, k in zip(m, half, strict=True)]
    return [
        extended(i, first, last, EDGES[boundary])
        for i, first, last in zip(n, before, after, strict=True)
    ]


def seen(y_bar: Any, weights: Any, flip: Any) -> Any:
    """The cotangent of the extended plane."""
    weights = np.conj(weights[::-1, ::-1] if flip else weights)
    sizes = [i + j - 1 for i, j in zip(shape(y_bar), shape(weights), strict=True)]
    g = np.zeros(sizes, np.result_type(y_bar, weights))
    for k in np.ndindex(*shape(weights)):
        g[window(k, shape(y_bar))] += weights[k] * y_bar
    return g


def plane_weights_back(
    y_bar: Any, in1: Any, of: Sequence[int], flip: Any, places: Any, fill: Any
) -> Any:
    """The cotangent of the weights."""
    whole = np.conj(extend(in1, places, fill))
    sums = [np.sum(y_bar * whole[window(k, shape(y_bar))]) for k in np.ndindex(*of)]
    bars = np.reshape(np.array(sums), of)
    return bars[::-1, ::-1] if flip else bars


def planes() -> list[tuple[Any, ...]]:
    """All modes and boundaries, both orientations, complex."""
    found: list[tuple[Any, ...]] = [
        (real(4, 3), real(2, 3), flip, mode, boundary, 0.0)
        for flip in (0, 1)
        for mode in (0, 1, 2)
        for boundary in (0, 4, 8)
    ]
    found += [(real(3, 3), real(3, 2), 1, 1, 0, 0.7), (real(2, 2), real(4, 3), 0, 2, 4, 0.0)]
    return [*found, (imaginary(3, 3), imaginary(2, 2), 0, 2, 0, 0j)]


PLACES = "plane(shape(in1), shape(in2), flip, mode, boundary)"
linear(
    _sigtools._convolve2d,
    "in1, in2, flip, mode, boundary, fill",
    in1=f"folded(seen(y_bar, in2, flip), {PLACES}, shape(in1))",
    in2=f"plane_weights_back(y_bar, in1, shape(in2), flip, {PLACES}, fill)",
    fill=f"outside_sum(seen(y_bar, in2, flip), {PLACES}, EDGES[boundary])",
    dot="_sigtools._convolve2d(in1_dot, in2, flip, mode, boundary, fill_dot)"
    " + _sigtools._convolve2d(in1, in2_dot, flip, mode, boundary, fill)",
    source="bilinear, after the plane is extended",
    examples=planes,
)

# resampling


def resampled_back(y_bar: Any, h: Any, n: int, up: int, down: int, axis: int) -> Any:
    """Adjoint of upfirdn in its signal: the other way round, with the filter reversed."""
    whole = signal.upfirdn(np.conj(h[::-1]), y_bar, down, 1, axis)
    rows = np.moveaxis(whole, axis, 0)[len(h) - 1 :: up][:n]
    short = n - len(rows)
    if short > 0:
        rows = np.concatenate([rows, np.zeros((short, *shape(rows)[1:]), rows.dtype)])
    return np.moveaxis(rows, 0, axis)


def taps_back(y_bar: Any, x: Any, count: int, up: int, down: int, axis: int) -> Any:
    """The cotangent of the filter: what each of its entries has met."""
    rows, g = np.moveaxis(x, axis, 0), np.moveaxis(y_bar, axis, 0)
    spaced = np.zeros((len(rows) * up, *shape(rows)[1:]), rows.dtype)
    spaced[::up] = rows
    bars = np.zeros(count, np.result_type(x, y_bar))
    for k in range(count):
        at = np.arange(len(g)) * down - k
        used = (at >= 0) & (at < len(spaced))
        bars[k] = np.sum(np.conj(spaced[at[used]]) * g[used])
    return bars


def resamplings() -> list[tuple[Any, ...]]:
    """Up, down, both; along either axis; complex."""
    return [
        (real(4), real(5)),
        (real(5), real(6), 3, 2),
        (real(2), real(6), 2, 5),
        (real(3), real(2, 4), 2, 1, 0),
        (real(7), real(2, 4), 2, 3, -1),
        (imaginary(3), imaginary(4), 2, 3),
    ]


linear(
    signal.upfirdn,
    "h, x, up=1, down=1, axis=-1, mode='constant', cval=0",
    h="taps_back(y_bar, np.asarray(x), len(h), up, down, axis)",
    x="resampled_back(y_bar, np.asarray(h), shape(x)[axis], up, down, axis)",
    missing={"cval": "it is a filler"},
    refuse="mode not in (None, 'constant') or not isinstance(cval, (int, float)) or cval != 0",
    source="bilinear; Crochiere 1979",
    examples=resamplings,
)

# medians


def medians() -> list[tuple[Any, ...]]:
    """Square windows and others."""
    return [(real(4, 5), np.array([3, 3])), (real(3, 3), np.array([1, 5]))]


def window_places(n: Sequence[int], sizes: Any) -> list[Any]:
    """Where the values of a plane with zeros around are found."""
    return [
        extended(i, int(size) // 2, int(size) // 2, CONSTANT)
        for i, size in zip(n, sizes, strict=True)
    ]


PLACES = "window_places(shape(image), sizes)"
rule(
    _sigtools._medfilt2d,
    "image, sizes",
    image=f"folded(spread(*selected(y_bar, y, image, np.ones(sizes), None, 0, {PLACES}, 0.0)),"
    f" {PLACES}, shape(image))",
    source="one value is selected; ties share the cotangent",
    examples=medians,
)
