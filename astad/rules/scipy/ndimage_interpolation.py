"""Rules of the compiled interpolation of scipy.ndimage: spline coefficients, and values at points.

>>> from scipy.ndimage import spline_filter1d
>>> ends = np.array([1.0, 0.0, 0.0])
>>> np.allclose(coefficients_back(ends, 3, 0, 3)[1], spline_filter1d(np.eye(3), axis=0)[0, 1])
True
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy import ndim, shape
from scipy.ndimage import _nd_image

from astad.rules.numpy.samples import positive, real
from astad.rules.registry import linear, rule
from astad.rules.scipy.filling import kernel
from astad.rules.scipy.spline_samples import (
    MODES,
    back_to_constant,
    back_to_image,
    back_to_points,
    taps,
)

__all__ = ["coefficients_back"]

# coefficients


SHORT = 40
"""Up to this length the filter is a matrix; beyond, what SciPy neglects at the ends is below the
last digit: the 80th power of the poles, 0.43 at most."""


def coefficients_back(y_bar: Any, order: int, axis: int, mode: int) -> Any:
    """Adjoint of the spline filter, which is symmetric but for the ends of a mirrored line: these
    have half the weight."""
    n = shape(y_bar)[axis]
    if n <= SHORT:
        rows = spline_filter1d(np.eye(n), order, 1, None, mode)
        return np.moveaxis(np.moveaxis(y_bar, axis, -1) @ rows.T, -1, axis)
    out = np.zeros(shape(y_bar))
    if not is_mirrored(mode):
        return spline_filter1d(y_bar, order, axis, out, mode)
    weights = np.ones([n if k == axis else 1 for k in range(ndim(y_bar))])
    weights[(slice(None),) * axis + ([0, -1],)] = 0.5
    return weights * spline_filter1d(y_bar / weights, order, axis, out, mode)


@functools.cache
def is_mirrored(mode: int) -> bool:
    """Does this version of SciPy take a line in that mode for one mirrored at its ends?"""
    rows = spline_filter1d(np.eye(SHORT), 3, 1, None, mode)
    return not np.allclose(rows, rows.T)


def lines_of_coefficients() -> list[tuple[Any, ...]]:
    """All orders and modes."""
    found: list[tuple[Any, ...]] = [
        (real(6), order, 0, None, mode) for order in (2, 3, 4, 5) for mode in range(6)
    ]
    return [
        *found,
        (real(2, 3), 3, 1, None, 3),
        (real(2, 3), 5, 0, None, 4),
        (real(1), 3, 0, None, 3),
    ]


spline_filter1d = kernel(_nd_image, "spline_filter1d", 3)
if spline_filter1d is not None:
    linear(
        spline_filter1d,
        "input, order, axis, out, mode",
        input="coefficients_back(y_bar, order, axis % ndim(input), mode)",
        source="Unser, Aldroubi, Eden 1991: the inverse of a symmetric matrix, its ends halved",
        examples=lines_of_coefficients,
    )

# values at points


def transformed(
    of: tuple[int, ...], coordinates: Any, matrix: Any, offset: Any, to: tuple[int, ...],
    order: int, mode: int, npad: int,
) -> Any:  # fmt: skip
    """What the points of geometric_transform take, by axis."""
    if coordinates is None:
        coordinates = np.tensordot(matrix, np.indices(to), 1)
        coordinates = coordinates + np.reshape(offset, (-1,) + (1,) * len(to))
    return [taps(coordinates[k] + npad, n, order, mode) for k, n in enumerate(of)]


def matrix_back(bars: Any, to: tuple[int, ...]) -> Any:
    """The cotangent of an affine map from those of the coordinates."""
    return np.array([[np.sum(bar * index) for index in np.indices(to)] for bar in bars])


def summed(bars: Any) -> Any:
    """The cotangent of what all points of an axis have in common."""
    return np.array([np.sum(bar) for bar in bars])


def transforms() -> list[tuple[Any, ...]]:
    """Points inside and outside, of images of one axis and of two; affine maps."""
    line = 2.7 * real(9, seed=5) + 1.21
    points = np.stack([2.2 * real(3, 4, seed=5) + 1.23, 3.1 * real(3, 4, seed=6) + 1.41])
    rest = (0.7, 0, None, None)
    found: list[tuple[Any, ...]] = [
        (real(5), None, line[None], None, None, (9,), order, mode, *rest)
        for order in range(6)
        for mode in range(7)
    ]
    found += [
        (real(3, 4), None, points, None, None, (3, 4), order, mode, *rest)
        for order, mode in ((0, 4), (1, 3), (2, 6), (3, 4), (3, 5))
    ]
    turn = np.array([[0.8, -0.31], [0.43, 0.9]])
    found += [
        (real(3, 4), None, None, turn, np.array([0.61, 0.33]), (4, 2), 3, mode, *rest)
        for mode in (0, 2, 4)
    ]
    return [*found, (real(27), None, line[None], None, None, (9,), 3, 0, 0.0, 12, None, None)]


SAMPLED = "a tensor product of B-splines, and their derivatives; de Boor 1978, X"
geometric_transform = kernel(_nd_image, "geometric_transform", 5)
if geometric_transform is not None:
    TAPS = "transformed(shape(input), coordinates, matrix, offset, shape(y), order, mode, npad)"
    BARS = f"back_to_points(y_bar, {TAPS}, input, cval)"
    rule(
        geometric_transform,
        "input, mapping, coordinates, matrix, offset, out, order, mode, cval, npad, more, words",
        input=f"back_to_image(y_bar, {TAPS}, shape(input))",
        coordinates=f"np.stack({BARS})",
        matrix=f"matrix_back({BARS}, shape(y))",
        offset=f"summed({BARS})",
        cval=f"back_to_constant(y_bar, {TAPS}, shape(input), mode)",
        refuse="mapping is not None",
        source=SAMPLED,
        examples=transforms,
    )


def moved(k: int, n: int, zoom: Any, shift: Any, npad: int, grid: Any) -> Any:
    """Where the points of zoom_shift are along an axis; its derivatives by zoom and by shift."""
    index = np.arange(float(n))
    start = index if shift is None else index + shift[k]
    half = 0.5 if grid and zoom is not None else 0.0
    factor = 1.0 if zoom is None else zoom[k]
    return (start + half) * factor - half + npad, start + half, factor


def zoomed(
    of: tuple[int, ...], zoom: Any, shift: Any, to: tuple[int, ...], order: int, mode: int,
    npad: int, grid: Any,
) -> Any:  # fmt: skip
    """What the points of zoom_shift take, by axis."""
    return [
        taps(on_axis(moved(k, to[k], zoom, shift, npad, grid)[0], k, len(to)), n, order, mode)
        for k, n in enumerate(of)
    ]


def on_axis(line: Any, axis: int, rank: int) -> Any:
    """A line as an array of higher rank."""
    return np.reshape(line, [-1 if k == axis else 1 for k in range(rank)])


def zoom_back(bars: Any, to: tuple[int, ...], zoom: Any, shift: Any, grid: Any) -> Any:
    """The cotangent of the factors."""
    return np.array([
        np.sum(bar * on_axis(moved(k, to[k], zoom, shift, 0, grid)[1], k, len(to)))
        for k, bar in enumerate(bars)
    ])  # fmt: skip


def shift_back(bars: Any, zoom: Any) -> Any:
    """The cotangent of the distances."""
    return summed(bars) if zoom is None else zoom * summed(bars)


def zooms() -> list[tuple[Any, ...]]:
    """Factors and distances, alone and together; with the edges of pixels as the scale."""
    zoom, shift = np.array([0.73, 1.13]), np.array([0.64, -1.31])
    image = real(4, 3)
    return [
        (image, zoom, None, (5, 4), 3, 4, 0.7, 0, False),
        (image, zoom, None, (5, 4), 3, 3, 0.0, 0, True),
        (image, None, shift, (4, 3), 3, 5, 0.7, 0, False),
        (image, None, shift, (4, 3), 1, 6, 0.7, 0, False),
        (image, zoom, shift, (4, 3), 2, 2, 0.7, 0, False),
        (image, zoom, shift, (4, 5), 0, 4, 0.7, 0, True),
        (real(28, 27), None, shift, (4, 3), 3, 0, 0.0, 12, False),
        (real(28, 27), zoom, None, (4, 3), 3, 6, 0.4, 12, True),
    ]


zoom_shift = kernel(_nd_image, "zoom_shift", 3)
if zoom_shift is not None:
    TAPS = "zoomed(shape(input), zoom, shift, shape(y), order, mode, npad, grid)"
    BARS = f"back_to_points(y_bar, {TAPS}, input, cval)"
    rule(
        zoom_shift,
        "input, zoom, shift, out, order, mode, cval, npad, grid",
        input=f"back_to_image(y_bar, {TAPS}, shape(input))",
        zoom=f"zoom_back({BARS}, shape(y), zoom, shift, grid)",
        shift=f"shift_back({BARS}, zoom)",
        cval=f"back_to_constant(y_bar, {TAPS}, shape(input), mode)",
        source=SAMPLED,
        examples=zooms,
    )
