"""Rules of the compiled filters of scipy.ndimage: weighted sums, running means, selections.

A filter first extends each line beyond its ends, then slides a window over it: the way back is the
other filter on a line with zeros around, folded back onto the line.

>>> one = np.array([0.0, 1.0, 0.0])
>>> correlated_back(one, (3,), np.array([1.0, 5.0, 2.0]), [extended(3, 1, 1, NEAREST)])
array([1., 5., 2.])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndim, shape
from scipy import ndimage
from scipy.ndimage import _nd_image

from astad.rules.numpy.samples import real
from astad.rules.registry import linear, rule
from astad.rules.scipy.filling import kernel
from astad.rules.scipy.ndimage_edges import (
    CONSTANT,
    NEAREST,
    extend,
    extended,
    folded,
    line,
    lines,
    outside_sum,
    padded,
    window,
)

try:
    from scipy.ndimage import _rank_filter_1d
except ImportError:
    _rank_filter_1d = None

__all__ = ["correlated_back", "seen_back"]


# weighted sums


def seen_back(y_bar: Any, weights: Any) -> Any:
    """The cotangent of the extended image: each place gives to all that its window sees."""
    g = padded(y_bar, [size - 1 for size in shape(weights)])
    flipped = weights[(slice(None, None, -1),) * ndim(weights)]
    origins = [size - 1 - size // 2 for size in shape(weights)]
    return ndimage.correlate(g, flipped, mode="constant", origin=origins, output=float)


def correlated_back(y_bar: Any, of: tuple[int, ...], weights: Any, places: Sequence[Any]) -> Any:
    """Adjoint of correlate in the image."""
    return folded(seen_back(y_bar, weights), places, of)


def weights_back(y_bar: Any, input: Any, of: tuple[int, ...], places: Any, cval: Any) -> Any:
    """Adjoint of correlate in the weights."""
    whole = extend(input, places, cval)
    sums = [np.sum(y_bar * whole[window(k, shape(y_bar))]) for k in np.ndindex(*of)]
    return np.reshape(np.array(sums), of)


def along(weights: Any, axis: int, rank: int) -> Any:
    """Weights of one axis as those of a window of the image's rank."""
    return np.reshape(weights, [-1 if k == axis % rank else 1 for k in range(rank)])


def one_axis_images() -> list[tuple[Any, ...]]:
    """All modes, odd and even windows, windows longer than the line."""
    return [
        (real(6), real(3), 0, None, 0, 0.0, 0),
        (real(3, 4), real(2), 1, None, 1, 0.0, 0),
        (real(3, 4), real(4), 0, None, 2, 0.0, 1),
        (real(5), real(3), 0, None, 3, 0.0, -1),
        (real(4, 2), real(7), 1, None, 4, 1.5, 2),
        (real(2), real(9), 0, None, 2, 0.0, 3),
        (real(3), real(8), 0, None, 3, 0.0, -4),
        (real(1), real(5), 0, None, 3, 0.0, 0),
        (real(3), real(9), 0, None, 1, 0.0, 4),
    ]


def images() -> list[tuple[Any, ...]]:
    """Windows of two axes."""
    return [
        (real(3, 4), real(2, 3), None, 0, 0.0, [0, 1]),
        (real(3, 4), real(3, 3), None, 1, 0.0, [-1, 0]),
        (real(3, 4), real(4, 2), None, 2, 0.0, [1, -1]),
        (real(3, 4), real(3, 7), None, 3, 0.0, [0, 0]),
        (real(3, 4), real(3, 3), None, 4, 0.7, [1, -1]),
        (real(2, 3, 2), real(2, 2, 3), None, 4, -0.7, [0, 0, 0]),
    ]


WEIGHTED = "a weighted sum over a window; Virtanen et al. 2020, scipy.ndimage"
correlate1d = kernel(_nd_image, "correlate1d", 3)
if correlate1d is not None:
    PLACES = "line(shape(input), axis, len(weights), origin, mode)"
    linear(
        correlate1d,
        "input, weights, axis, out, mode, cval, origin",
        input=f"correlated_back(y_bar, shape(input), along(weights, axis, ndim(input)), {PLACES})",
        weights=f"weights_back(y_bar, input, shape(along(weights, axis, ndim(input))), {PLACES},"
        " cval).ravel()",
        cval=f"outside_sum(seen_back(y_bar, along(weights, axis, ndim(input))), {PLACES}, mode)",
        dot="correlate1d(input_dot, weights, axis, None, mode, cval_dot, origin)"
        " + correlate1d(input, weights_dot, axis, None, mode, cval, origin)",
        source=WEIGHTED,
        examples=one_axis_images,
    )
correlate = kernel(_nd_image, "correlate", 2)
if correlate is not None:
    PLACES = "lines(shape(input), shape(weights), origins, mode)"
    linear(
        correlate,
        "input, weights, out, mode, cval, origins",
        input=f"correlated_back(y_bar, shape(input), weights, {PLACES})",
        weights=f"weights_back(y_bar, input, shape(weights), {PLACES}, cval)",
        cval=f"outside_sum(seen_back(y_bar, weights), {PLACES}, mode)",
        dot="correlate(input_dot, weights, None, mode, cval_dot, origins)"
        " + correlate(input, weights_dot, None, mode, cval, origins)",
        source=WEIGHTED,
        examples=images,
    )


# running means


def mean_seen_back(y_bar: Any, size: int, axis: int) -> Any:
    """`seen_back` of equal weights along one axis."""
    axis = axis % ndim(y_bar)
    g = padded(y_bar, [size - 1 if k == axis else 0 for k in range(ndim(y_bar))])
    origin = size - 1 - size // 2
    return ndimage.uniform_filter1d(g, size, axis, mode="constant", origin=origin, output=float)


def windows_of_one_axis() -> list[tuple[Any, ...]]:
    """As `one_axis_images`, with the size of the window."""
    return [(x, len(w), *rest) for x, w, *rest in one_axis_images()]


uniform_filter1d = kernel(_nd_image, "uniform_filter1d", 3)
if uniform_filter1d is not None:
    PLACES = "line(shape(input), axis, size, origin, mode)"
    linear(
        uniform_filter1d,
        "input, size, axis, out, mode, cval, origin",
        input=f"folded(mean_seen_back(y_bar, size, axis), {PLACES}, shape(input))",
        cval=f"outside_sum(mean_seen_back(y_bar, size, axis), {PLACES}, mode)",
        dot="uniform_filter1d(input_dot, size, axis, None, mode, cval_dot, origin)",
        source=WEIGHTED,
        examples=windows_of_one_axis,
    )


# selections


def chosen(y_bar: Any, y: Any, whole: Any, windows: Any, heights: Any) -> list[Any]:
    """For each place of the window, the part of the cotangent that goes through it.

    To whatever is equal to the result, in equal parts; nan where nothing is.
    """
    seen = [whole[place] + height for place, height in zip(windows, heights, strict=True)]
    same = [(part.astype(y.dtype) == y) | ((part != part) & (y != y)) for part in seen]
    count = sum(match.astype(float) for match in same)
    share = y_bar / np.where(count == 0, np.nan, count)
    return [np.where(match | (count == 0), share, 0.0) for match in same]


def spread(parts: Any, windows: Any, of: tuple[int, ...]) -> Any:
    """The cotangent of the extended image."""
    g = np.zeros(of)
    for part, place in zip(parts, windows, strict=True):
        g[place] += part
    return g


def offsets(footprint: Any) -> Any:
    """The places of a window that count."""
    return list(zip(*[each.tolist() for each in np.nonzero(footprint)], strict=True))


def selected(
    y_bar: Any, y: Any, input: Any, footprint: Any, structure: Any, minimum: Any, places: Any,
    cval: Any,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Parts of the cotangent by place of the window, these places, and the shape they are of."""
    whole = extend(input, places, cval)
    used = offsets(footprint)
    windows = [window(k, shape(y)) for k in used]
    heights = [0.0] * len(used)
    if structure is not None:
        heights = [-structure[k] if minimum else structure[k] for k in used]
    return chosen(y_bar, y, whole, windows, heights), windows, shape(whole)


def structure_back(parts: Any, footprint: Any, minimum: Any) -> Any:
    """The cotangent of what is added to the values before one is selected."""
    g = np.zeros(shape(footprint))
    for k, part in zip(offsets(footprint), parts, strict=True):
        g[k] = -np.sum(part) if minimum else np.sum(part)
    return g


def ones_along(size: int, axis: int, rank: int) -> Any:
    """A window along one axis."""
    return np.ones([size if k == axis % rank else 1 for k in range(rank)], bool)


def extremes_of_one_axis() -> list[tuple[Any, ...]]:
    """Greatest and least."""
    found = windows_of_one_axis()
    return [(*each, k % 2) for k, each in enumerate(found)] + [(*found[4], 1), (*found[0], 1)]


def extremes() -> list[tuple[Any, ...]]:
    """With footprints, and heights added."""
    cross = np.array([[False, True, True], [True, True, False]])
    heights = real(2, 3, seed=3)
    return [
        (real(3, 4), cross, None, None, 0, 0.0, [0, 1], 0),
        (real(3, 4), cross, heights, None, 1, 0.0, [0, 0], 1),
        (real(3, 4), cross, heights, None, 2, 0.0, [-1, -1], 0),
        (real(3, 4), np.ones((3, 5), bool), None, None, 3, 0.0, [0, 0], 1),
        (real(3, 4), np.ones((3, 3), bool), real(3, 3, seed=3), None, 4, 1.1, [0, 0], 0),
    ]


SELECTED = "one value is selected; ties share the cotangent"
min_or_max_filter1d = kernel(_nd_image, "min_or_max_filter1d", 3)
if min_or_max_filter1d is not None:
    PLACES = "line(shape(input), axis, size, origin, mode)"
    PARTS = (
        f"selected(y_bar, y, input, ones_along(size, axis, ndim(input)), None, 0, {PLACES}, cval)"
    )
    rule(
        min_or_max_filter1d,
        "input, size, axis, out, mode, cval, origin, minimum",
        input=f"folded(spread(*{PARTS}), {PLACES}, shape(input))",
        cval=f"outside_sum(spread(*{PARTS}), {PLACES}, mode)",
        source=SELECTED,
        examples=extremes_of_one_axis,
    )
min_or_max_filter = kernel(_nd_image, "min_or_max_filter", 3)
if min_or_max_filter is not None:
    PLACES = "lines(shape(input), shape(footprint), origins, mode)"
    PARTS = f"selected(y_bar, y, input, footprint, structure, minimum, {PLACES}, cval)"
    rule(
        min_or_max_filter,
        "input, footprint, structure, out, mode, cval, origins, minimum",
        input=f"folded(spread(*{PARTS}), {PLACES}, shape(input))",
        structure=f"structure_back({PARTS}[0], footprint, minimum)",
        cval=f"outside_sum(spread(*{PARTS}), {PLACES}, mode)",
        source=SELECTED,
        examples=extremes,
    )


def ranks() -> list[tuple[Any, ...]]:
    """Medians and others."""
    return [(x, 1, shape, None, *rest[:-1]) for x, shape, _, _, *rest in extremes()]


def ranks_of_one_axis() -> list[tuple[Any, ...]]:
    """The same along a line."""
    return [(real(6), 1, 3, None, mode, 0.7, 0) for mode in range(5)]


rank_filter = kernel(_nd_image, "rank_filter", 3)
if rank_filter is not None:
    PLACES = "lines(shape(input), shape(footprint), origins, mode)"
    PARTS = f"selected(y_bar, y, input, footprint, None, 0, {PLACES}, cval)"
    rule(
        rank_filter,
        "input, rank, footprint, out, mode, cval, origins",
        input=f"folded(spread(*{PARTS}), {PLACES}, shape(input))",
        cval=f"outside_sum(spread(*{PARTS}), {PLACES}, mode)",
        source=SELECTED,
        examples=ranks,
    )
rank_filter_1d = kernel(_rank_filter_1d, "rank_filter", 3)
if rank_filter_1d is not None:
    PLACES = "line(shape(input), 0, size, origin, mode)"
    PARTS = f"selected(y_bar, y, input, ones_along(size, 0, 1), None, 0, {PLACES}, cval)"
    rule(
        rank_filter_1d,
        "input, rank, size, out, mode, cval, origin",
        input=f"folded(spread(*{PARTS}), {PLACES}, shape(input))",
        cval=f"outside_sum(spread(*{PARTS}), {PLACES}, mode)",
        source=SELECTED,
        examples=ranks_of_one_axis,
    )
