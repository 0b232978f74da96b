"""Rules of the compiled evaluation of scipy.interpolate: piecewise polynomials, B-splines, grids.

Each is linear in the values and a polynomial of the points, between the breakpoints.

>>> breaks = np.array([0.0, 1.0, 3.0])
>>> line_back(np.ones((1, 1)), (2, 2, 1), breaks, np.array([1.5]), 0, True)[:, :, 0].tolist()
[[0.0, 0.5], [0.0, 1.0]]
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import shape
from scipy.interpolate import _ppoly

from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import linear, rule
from astad.rules.scipy.filling import KERNELS, kernel
from astad.rules.scipy.fitpack import FITPACK

try:
    from scipy.interpolate import _dierckx, _rgi_cython
except ImportError:  # before SciPy 1.15 splines were evaluated elsewhere
    _dierckx = _rgi_cython = None

__all__ = ["line_back"]

# piecewise polynomials


def pieces(x: Any, xp: Any, extrapolate: Any) -> tuple[Any, Any]:
    """The piece of each point, and whether the point has a value."""
    found = np.clip(np.searchsorted(x, xp, "right") - 1, 0, len(x) - 2)
    inside = (xp >= x[0]) & (xp <= x[-1])
    return found, (xp == xp) if extrapolate else inside


def powers(s: Any, count: int, dx: int) -> list[Any]:
    """The derivatives of the powers, the highest first."""
    rows = []
    for power in reversed(range(count)):
        factor = float(np.prod(np.arange(power - dx + 1, power + 1))) if power >= dx else 0.0
        rows.append(factor * s ** max(power - dx, 0))
    return rows


def line_back(y_bar: Any, of: tuple[int, ...], x: Any, xp: Any, dx: int, extrapolate: Any) -> Any:
    """The cotangent of the coefficients."""
    place, used = pieces(x, xp, extrapolate)
    g = np.where(used[:, None], y_bar, 0)
    bar = np.zeros(of, g.dtype)
    for a, row in enumerate(powers(np.where(used, xp - x[place], 0.0), of[0], dx)):
        np.add.at(bar[a], place, row[:, None] * g)
    return bar


def points_back(y_bar: Any, c: Any, x: Any, xp: Any, dx: int, extrapolate: Any) -> Any:
    """The cotangent of the points."""
    place, used = pieces(x, xp, extrapolate)
    rows = powers(np.where(used, xp - x[place], 0.0), len(c), dx + 1)
    slope = sum(row[:, None] * c[a, place] for a, row in enumerate(rows))
    return np.where(used, np.sum(np.real(np.conj(slope) * y_bar), 1), 0.0)


def breaks_back(bars: Any, x: Any, xp: Any) -> Any:
    """The cotangent of the breakpoints, from which the points are measured."""
    return -np.bincount(pieces(x, xp, True)[0], bars, len(x))


def polynomials() -> list[tuple[Any, ...]]:
    """All derivatives, points inside and outside."""
    breaks, points = np.array([0.0, 0.7, 1.1, 2.3]), np.array([0.31, 1.9, 0.9, -0.4, 2.7])
    found: list[tuple[Any, ...]] = [
        (real(4, 3, 2), breaks, points, dx, True, (5, 2)) for dx in (0, 1, 2, 3, 4)
    ]
    found += [(real(1, 3, 1), breaks, points, 0, True, (5, 1))]
    return [*found, (real(4, 3, 1), breaks, points[:3], 0, False, (3, 1))]


evaluate = kernel(_ppoly, "evaluate", 5)
if evaluate is not None:
    rule(
        evaluate,
        "c, x, xp, dx, extrapolate, out",
        c="line_back(y_bar, shape(c), x, xp, dx, extrapolate)",
        x="breaks_back(points_back(y_bar, c, x, xp, dx, extrapolate), x, xp)",
        xp="points_back(y_bar, c, x, xp, dx, extrapolate)",
        refuse="len(x) > 1 and x[0] > x[-1]",
        source="a polynomial in the distance from a breakpoint",
        examples=polynomials,
    )


def parts(x: Any, a: float, b: float, extrapolate: Any) -> tuple[Any, Any]:
    """From where to where each piece is integrated, measured from its own breakpoint."""
    edges = np.array(x, float)
    if extrapolate:
        edges[0], edges[-1] = min(a, x[0]), max(b, x[-1])
    edges = np.clip(edges, a, b)
    return edges[:-1] - x[:-1], edges[1:] - x[:-1]


def at(c: Any, s: Any) -> Any:
    """The value of each piece at a distance from its breakpoint."""
    return sum(c[row] * power[:, None] for row, power in enumerate(powers(s, len(c), 0)))


def integral_back(y_bar: Any, c: Any, x: Any, a: float, b: float, extrapolate: Any) -> list[Any]:
    """The cotangents of the coefficients, the breakpoints and both ends, which are in order."""
    inside = bool(extrapolate) or x[0] <= a <= b <= x[-1]
    g = np.where(inside, y_bar, 0.0)
    start, end = parts(x, a, b, extrapolate)
    n = np.arange(len(c), 0, -1)[:, None]
    c_bar = ((end**n - start**n) / n)[:, :, None] * g

    def along(values: Any) -> Any:
        return np.sum(np.real(np.conj(values) * g), -1)

    x_bar = np.zeros(len(x))
    x_bar[:-1] = -along(at(c, end) - at(c, start))
    if inside:  # and what lies between two pieces goes from one to the other
        jump = at(c[:, :-1], np.diff(x)[:-1]) - at(c[:, 1:], np.zeros(len(x) - 2))
        x_bar[1:-1] += np.where((a < x[1:-1]) & (x[1:-1] < b), along(jump), 0.0)
    ends = np.array([a, b])
    place = pieces(x, ends, True)[0]
    a_bar, b_bar = along(at(c[:, place], ends - x[place]))
    return [c_bar, x_bar, -a_bar, b_bar]


def ranges() -> list[tuple[Any, ...]]:
    """Ends in one piece, in others, and outside."""
    breaks = np.array([0.0, 0.7, 1.1, 2.3])
    between = [(0.31, 1.9), (0.8, 0.9), (-0.4, 2.7), (1.3, 2.9)]
    found: list[tuple[Any, ...]] = [(real(4, 3, 2), breaks, *ends, True, (2,)) for ends in between]
    found += [(imaginary(3, 3, 1), breaks, 0.31, 1.9, True, (1,))]
    return [*found, (real(1, 3, 1), breaks, 0.1, 1.9, False, (1,))]


integrate = kernel(_ppoly, "integrate", 5)
if integrate is not None:
    back = "integral_back(y_bar, c, x, a, b, extrapolate)"
    rule(
        integrate,
        "c, x, a, b, extrapolate, out",
        c=f"{back}[0]",
        x=f"{back}[1]",
        a=f"{back}[2]",
        b=f"{back}[3]",
        refuse="a > b or len(x) > 1 and x[0] > x[-1]",
        source="the integral of a polynomial in the distance from a breakpoint",
        examples=ranges,
    )


def continuity_back(y_bar: Any, c: Any, x: Any, order: int) -> tuple[Any, Any]:
    """The cotangents of coefficients and breakpoints where the last coefficients of each piece are
    those of the Taylor series of the piece before, at its end.
    """
    bar, x_bar = np.array(y_bar), np.zeros(len(x))
    for i in reversed(range(1, len(x) - 1)):
        s = x[i] - x[i - 1]
        for k in range(order + 1):
            g = bar[-1 - k, i].copy()
            bar[-1 - k, i] = 0.0
            for p in range(k, len(c)):
                times = math.comb(p, k)
                bar[-1 - p, i - 1] += times * s ** (p - k) * g
                slope = times * (p - k) * s ** max(p - k - 1, 0)
                grown = slope * np.sum(np.real(np.conj(c[-1 - p, i - 1]) * g))
                x_bar[i - 1 : i + 1] += [-grown, grown]
    return bar, x_bar


def continued(c: Any, x: Any, order: int, out: Any = None) -> Any:
    """``_ppoly.fix_continuity`` of a copy, or of the array itself where that is ``out``."""
    out = np.array(c) if out is None else out
    if out is not c:
        out[...] = c
    _ppoly.fix_continuity(out, x, order)
    return out


if hasattr(_ppoly, "fix_continuity"):
    continued.__module__, continued.__qualname__ = _ppoly.__name__, "fix_continuity"
    continued.__name__ = "fix_continuity"
    KERNELS.append((_ppoly.fix_continuity, continued))
    rule(
        continued,
        "c, x, order, out=None",
        c="continuity_back(y_bar, y, x, order)[0]",
        x="continuity_back(y_bar, y, x, order)[1]",
        refuse="len(x) > 1 and x[0] > x[-1]",
        source="the Taylor series of a polynomial",
        examples=lambda: [
            (make(5, 3, 2), np.array([0.0, 0.7, 1.1, 2.3]), order)
            for order in (0, 1, 2)
            for make in (real, imaginary)
        ],
    )

# B-splines


def spline_back(
    y_bar: Any, t: Any, of: tuple[int, ...], k: int, xp: Any, nu: int, extrapolate: Any
) -> Any:
    """The cotangent of the coefficients: at a point k + 1 basis functions, which are evaluated
    together with those that never meet them."""
    n = len(t) - k - 1  # there may be more coefficients, which nobody reads
    colours = np.zeros((of[0], k + 1))
    colours[np.arange(of[0]), np.arange(of[0]) % (k + 1)] = 1.0
    basis = _dierckx.evaluate_spline(t, colours, k, xp, nu, extrapolate)
    used = np.isfinite(basis[:, 0])
    g, basis = np.where(used[:, None], y_bar, 0.0), np.where(used[:, None], basis, 0.0)
    last = np.clip(np.searchsorted(t, xp, "right") - 1, k, n - 1)
    bar = np.zeros(of)
    for j in range(k + 1):
        place = last - k + j
        np.add.at(bar, place, basis[np.arange(len(xp)), place % (k + 1)][:, None] * g)
    return bar


def spline_points_back(
    y_bar: Any, t: Any, c: Any, k: int, xp: Any, nu: int, extrapolate: Any
) -> Any:
    """The cotangent of the points; 0 where there is no value."""
    slope = _dierckx.evaluate_spline(t, c, k, xp, nu + 1, extrapolate) if nu < k else 0.0 * y_bar
    return np.sum(np.where(np.isfinite(slope), slope, 0.0) * y_bar, 1)


def splines() -> list[tuple[Any, ...]]:
    """All degrees and derivatives, points inside and outside."""
    knots = np.array([0.0, 0.2, 0.3, 0.7, 1.1, 1.6, 2.3, 2.9, 3.3, 3.8, 4.2])
    points = np.array([1.31, 1.9, 1.2, 0.4, 3.6])
    found: list[tuple[Any, ...]] = [
        (knots, real(len(knots) - k - 1, 2), k, points, nu, True)
        for k in range(5)
        for nu in range(k + 1)
    ]
    found += [(knots, real(9, 1), 3, np.append(points, 3.1), 0, True)]
    return [*found, (knots, real(7, 1), 3, np.array([1.31, 1.5]), 0, False)]


if hasattr(_dierckx, "evaluate_spline"):
    rule(
        _dierckx.evaluate_spline,
        "t, c, k, xp, nu, extrapolate",
        c="spline_back(y_bar, t, shape(c), k, xp, nu, extrapolate)",
        xp="spline_points_back(y_bar, t, c, k, xp, nu, extrapolate)",
        missing={"t": "of the knots of a spline"},
        source="de Boor 1978, X: linear in the coefficients, the derivative is a spline",
        examples=splines,
    )
# splines in two variables


def basis(t: Any, k: int, x: Any, nu: int) -> Any:
    """A row of basis functions at each point, or of their derivatives; points outside count as the
    nearest inside, which has no slope there."""
    n = len(t) - k - 1
    if nu > k:
        return np.zeros((len(x), n))
    t, inside = (np.ascontiguousarray(each, float) for each in (t, np.clip(x, t[k], t[n])))
    return _dierckx.evaluate_spline(t, np.eye(n), k, inside, nu, True)


def surface(g: Any, t: Sequence[Any], k: Sequence[int], c: Any, at: Sequence[Any],
            nu: Sequence[int]) -> list[Any]:  # fmt: skip
    """The cotangents of the coefficients and of both lists of points, by that of the values: at all
    pairs of points, or at those of one number."""
    if g is None:
        return [np.zeros(shape(c)), *[np.zeros(shape(each)) for each in at]]
    g = np.asarray(g)
    first, second = (basis(t[i], k[i], at[i], nu[i]) for i in range(2))
    table = np.reshape(c, (first.shape[1], second.shape[1]))
    c_bar = first.T @ (g @ second if g.ndim == 2 else g[:, None] * second)
    slopes = [basis(t[i], k[i], at[i], nu[i] + 1) for i in range(2)]
    if g.ndim == 2:
        bars = [np.sum((slopes[0] @ table @ second.T) * g, 1),
                np.sum((first @ table @ slopes[1].T) * g, 0)]  # fmt: skip
    else:
        bars = [np.sum((slopes[0] @ table) * second, 1) * g,
                np.sum((first @ table) * slopes[1], 1) * g]  # fmt: skip
    for i in range(2):
        outside = (np.asarray(at[i]) < t[i][k[i]]) | (np.asarray(at[i]) > t[i][-k[i] - 1])
        bars[i] = np.where(outside, 0.0, bars[i])
    return [c_bar.ravel(), *bars]


def surfaces(*orders: int, pairs: bool = False) -> list[tuple[Any, ...]]:
    """Degrees 1 to 3, points inside and outside."""
    tx = np.array([0.0, 0.0, 0.0, 0.0, 0.7, 1.1, 2.3, 2.3, 2.3, 2.3])
    ty = np.array([0.0, 0.0, 0.0, 0.4, 1.0, 1.0, 1.0])
    x, y = np.array([0.3, 1.2, 1.9, 2.9]), np.array([0.2, 0.7, 0.9])
    y = np.append(y, -0.3) if pairs else y
    given = [(tx, ty, real(24), 3, 2), (tx[2:-2], ty[1:-1], real(12), 1, 1)]
    return [(*each, *orders, x, y) for each in given[: 1 if orders else 2]]


for of, orders, more in [("bispev", "0, 0", ""), ("bispeu", "0, 0", ""),
                         ("parder", "nux, nuy", "nux, nuy, "),
                         ("pardeu", "nux, nuy", "nux, nuy, ")]:  # fmt: skip
    if hasattr(FITPACK, of) and hasattr(_dierckx, "evaluate_spline"):
        back = f"surface(y_bar[0], (tx, ty), (kx, ky), c, (xs, ys), ({orders}))"
        rule(
            getattr(FITPACK, of),
            f"tx, ty, c, kx, ky, {more}xs, ys",
            c=f"{back}[0]",
            xs=f"{back}[1]",
            ys=f"{back}[2]",
            missing={"tx": "of the knots of a spline", "ty": "of the knots of a spline"},
            source="de Boor 1978, XVII: a product of the splines in each variable",
            examples=functools.partial(
                surfaces, *([1, 1] if more else []), pairs=of in ("bispeu", "pardeu")
            ),
        )

# grids


def distances_back(g: Any, indices: Any, grid: Sequence[Any], xi: Any) -> Any:
    """The cotangent of points whose distances in a cell are taken."""
    if g is None:
        return np.zeros(shape(xi))
    rows = zip(grid, indices, g, strict=True)
    return np.stack([row / (line[i + 1] - line[i]) for line, i, row in rows])


def corner(indices: Any, distances: Any, i: int, j: int) -> tuple[Any, Any, Any]:
    """One corner of the cells: where it is, and the weights along both axes."""
    at = indices[0] + i, indices[1] + j
    return at, distances[0] if i else 1 - distances[0], distances[1] if j else 1 - distances[1]


CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))


def cells_back(y_bar: Any, of: tuple[int, ...], indices: Any, distances: Any) -> Any:
    """The cotangent of the values at the corners."""
    bar = np.zeros(of, y_bar.dtype)
    for i, j in CORNERS:
        at, first, second = corner(indices, distances, i, j)
        np.add.at(bar, at, y_bar * first * second)
    return bar


def cell_points_back(y_bar: Any, values: Any, indices: Any, distances: Any) -> Any:
    """The cotangent of the distances in the cells."""
    bars = np.zeros(shape(distances))
    for i, j in CORNERS:
        at, first, second = corner(indices, distances, i, j)
        met = np.real(np.conj(values[at]) * y_bar)
        bars[0] += met * second * (1 if i else -1)
        bars[1] += met * first * (1 if j else -1)
    return bars


def cells() -> list[tuple[Any, ...]]:
    """Points inside cells."""
    indices = np.array([[0, 1, 2, 1], [1, 0, 1, 1]])
    grid = (np.array([0.0, 1.0, 2.5, 3.0]), np.array([0.0, 0.4, 1.0]))
    inside = np.array([[0.3, 0.6, 0.1, 0.9], [0.2, 0.7, 0.4, 0.5]])
    return [(make(4, 3), indices, inside, grid, (4,)) for make in (real, imaginary)]


def grid_points() -> list[tuple[Any, ...]]:
    """Inside and beyond."""
    grid = (np.array([0.0, 1.0, 2.5, 3.0]), np.array([0.0, 0.4, 1.0]))
    return [(grid, np.array([[0.3, 1.2, 3.4], [0.2, 0.7, -0.3]]))]


evaluate_linear_2d = kernel(_rgi_cython, "evaluate_linear_2d", 4)
if evaluate_linear_2d is not None:
    rule(
        evaluate_linear_2d,
        "values, indices, distances, grid, out",
        values="cells_back(y_bar, shape(values), indices, distances)",
        distances="cell_points_back(y_bar, values, indices, distances)",
        source="bilinear in the distances from the corners",
        examples=cells,
    )
if hasattr(_rgi_cython, "find_indices"):
    rule(
        _rgi_cython.find_indices,
        "grid, xi",
        xi="distances_back(y_bar[1], y[0], grid, xi)",
        missing={"grid": "of the points of a grid"},
        source="distances in units of the cell",
        examples=grid_points,
    )
