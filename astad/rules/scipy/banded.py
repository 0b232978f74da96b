"""Rules of matrices stored by diagonals: systems, Cholesky, eigenvalues.

>>> import numpy
>>> ab = numpy.array([[0.0, 5.0], [1.0, 2.0], [3.0, 0.0]])
>>> adjoint_band(1, 1, ab)
array([[0., 3.],
       [1., 2.],
       [5., 0.]])
>>> dense(numpy.array([[1.0, 2.0], [3.0, 0.0]]), True)
array([[1., 0.],
       [3., 2.]])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import asarray, conj, matmul, ndim, shape, zeros
from scipy import linalg

from astad.errors import Unsupported
from astad.rules.numpy.samples import imaginary, positive, real
from astad.rules.registry import Keywords, rule
from astad.rules.scipy.eigenvalues import hermitian_bar
from astad.rules.scipy.structures import stacked, stretched

__all__ = ["adjoint_band", "dense"]

# general bands: the entry (i, j) is in row upper + i - j, column j


def adjoint_band(low: int, up: int, ab: Any) -> Any:
    """The conjugate transpose, of `up` lower and `low` upper diagonals."""
    turned = np.zeros_like(ab)
    n = shape(ab)[-1]
    for d in range(-low, min(up, n - 1) + 1):  # the entries (i, i + d)
        if abs(d) < n:
            turned[..., low + d, max(-d, 0) : n - max(d, 0)] = conj(
                ab[..., up - d, max(d, 0) : n - max(-d, 0)]
            )
    return turned


def band_of_product(low: int, up: int, g: Any, y: Any) -> Any:
    """The band of ``g H(y)``, of columns."""
    n = shape(y)[-2]
    shapes = np.broadcast_shapes(shape(g)[:-2], shape(y)[:-2])
    ab = zeros((*shapes, low + up + 1, n), np.result_type(g, y))
    for d in range(max(-low, 1 - n), min(up, n - 1) + 1):
        rows, columns = slice(max(-d, 0), n - max(d, 0)), slice(max(d, 0), n - max(-d, 0))
        ab[..., up - d, columns] = np.sum(g[..., rows, :] * conj(y[..., columns, :]), axis=-1)
    return ab


def banded_right(y_bar: Any, l_and_u: Any, ab: Any) -> Any:
    """Cotangent of the right side."""
    low, up = map(int, l_and_u)
    return linalg.solve_banded((up, low), adjoint_band(low, up, asarray(ab)), y_bar)


def banded_bar(y_bar: Any, l_and_u: Any, ab: Any, y: Any, rank: int) -> Any:
    """Cotangent of the band."""
    g = banded_right(y_bar, l_and_u, ab)
    g, y = (g[..., None], y[..., None]) if rank == 1 else (g, y)
    low, up = map(int, l_and_u)
    return stretched(-band_of_product(low, up, g, y), ab)


rule(
    linalg.solve_banded,
    "l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True",
    ab="banded_bar(y_bar, l_and_u, ab, y, ndim(b))",
    b="stretched(banded_right(y_bar, l_and_u, ab), b)",
    refuse="overwrite_ab or overwrite_b or ndim(l_and_u[0]) > 0 or ndim(l_and_u[1]) > 0",
    gives="banded_solution(ab, b); l_and_u, check_finite",
    source="Giles 2008, NA-08-01, inverse; the entries of the band",
    examples=lambda: [
        ((1, 1), positive(3, 4), real(4)),
        ((0, 2), positive(3, 4), real(4, 2)),
        ((2, 1), imaginary(4, 5), real(5)),
    ],
)


# Hermitian bands: the lower one has the entry (i, j) in row i - j, column j


def to_lower(ab: Any) -> Any:
    """The lower band of a Hermitian matrix given by its upper one."""
    low = zeros(shape(ab), ab.dtype)
    u, n = shape(ab)[-2] - 1, shape(ab)[-1]
    for k in range(min(u, n - 1) + 1):
        low[..., k, : n - k] = conj(ab[..., u - k, k:])
    return low


def to_upper(low: Any) -> Any:
    """The upper band that is the conjugate transpose of a lower one."""
    ab = zeros(shape(low), low.dtype)
    u, n = shape(low)[-2] - 1, shape(low)[-1]
    for k in range(min(u, n - 1) + 1):
        ab[..., u - k, k:] = conj(low[..., k, : n - k])
    return ab


def symmetric_product(g: Any, y: Any, rows: int, lower: bool) -> Any:
    """Cotangent of a Hermitian band from ``-g H(y)``, that of the whole matrix."""
    low = -band_of_product(rows - 1, 0, g, y) - band_of_product(rows - 1, 0, y, g)
    low[..., 0, :] = np.real(low[..., 0, :]) / 2
    return low if lower else to_upper(low)


def hermitian_band_bar(g: Any, ab: Any, y: Any, lower: bool, rank: int) -> Any:
    """Cotangent of the band from that of the right side."""
    g, y = (g[..., None], y[..., None]) if rank == 1 else (g, y)
    return stretched(symmetric_product(g, y, shape(ab)[-2], lower), ab)


rule(
    linalg.solveh_banded,
    "ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True",
    ab="hermitian_band_bar(linalg.solveh_banded(ab, y_bar, lower=lower), ab, y, lower, ndim(b))",
    b="stretched(linalg.solveh_banded(ab, y_bar, lower=lower), b)",
    refuse="overwrite_ab or overwrite_b",
    gives="banded_solution(ab, b); lower, check_finite",
    source="Giles 2008, NA-08-01, inverse; the entries of the band",
    examples=lambda: [
        (np.stack([real(4) / 9, positive(4)]), real(4)),
        (np.stack([2 + positive(4), real(4) / 9, real(4) / 8]), real(4, 2), Keywords(lower=True)),
        (np.stack([2 + positive(4), imaginary(4) / 9]), real(4), Keywords(lower=True)),
    ],
)


@stacked(2, 2)
def band_cholesky_bar(c: Any, c_bar: Any, lower: bool) -> Any:
    """Cotangent of a band from that of its factor, column by column from the last."""
    low, bar = (c, c_bar) if lower else (to_lower(c), to_lower(c_bar))
    bar = np.array(bar, np.result_type(bar, low))
    spare = bar * outside_lower(shape(bar))
    bar = bar - spare
    width, n = len(low) - 1, shape(low)[-1]
    for j in reversed(range(n)):
        length = min(width, n - 1 - j) + 1
        factor = low[:length, j]
        below = bar[1:length, j] / factor[0]
        change = np.sum(np.real(below * conj(factor[1:])))
        first = np.real(bar[0, j] - change) / (2 * np.real(factor[0]))
        bar[0, j] = first
        bar[1:length, j] = below
        for k in range(max(0, j - width), j):  # columns to the left that reach this one
            top = j - k
            depth = min(length, width - top + 1)
            row, part = low[top : top + depth, k], below[: depth - 1]
            bar[top, k] -= 2 * first * row[0] + np.sum(conj(part) * row[1:])
            bar[top + 1 : top + depth, k] -= part * row[0]
    return bar + spare if lower else to_upper(bar) + c_bar * outside_upper(shape(c_bar))


def outside_lower(of: tuple[int, ...]) -> Any:
    """1 at the corner of a lower band that is no part of the matrix."""
    rows, columns = np.indices(of)
    return (rows + columns >= of[1]) * 1.0


def outside_upper(of: tuple[int, ...]) -> Any:
    """The same of an upper band."""
    return outside_lower(of)[::-1, ::-1]


rule(
    linalg.cholesky_banded,
    "ab, overwrite_ab=False, lower=False, check_finite=True",
    ab="band_cholesky_bar(y, y_bar, lower)",
    refuse="overwrite_ab or ndim(ab) < 2",
    gives="one_matrix(ab); lower, check_finite",
    source="Murray 2016, arXiv:1602.07527, the entries of the band; corners are returned as given",
    examples=lambda: [
        (np.stack([real(4) / 9, positive(4)]),),
        (np.stack([2 + positive(5), real(5) / 9, real(5) / 8]), Keywords(lower=True)),
        (np.stack([imaginary(4) / 9, 2.0 + positive(4)]),),
    ],
)


def cho_solve_banded_bar(g: Any, cb_and_lower: Any, y: Any, rank: int) -> Any:
    """Cotangents of the pair from that of the right side: (-g H(y) - y H(g)) L on the band."""
    cb, lower = asarray(cb_and_lower[0]), bool(np.all(cb_and_lower[1]))
    g, y = (g[..., None], y[..., None]) if rank == 1 else (g, y)
    low = cb if lower else to_lower(cb)
    rows = shape(low)[-2]
    bar = -band_of_product(rows - 1, 0, g, adjoint_times(low, y))
    bar = bar - band_of_product(rows - 1, 0, y, adjoint_times(low, g))
    return stretched(bar if lower else to_upper(bar), cb), None


def adjoint_times(low: Any, y: Any) -> Any:
    """``H(L) y`` for a lower band."""
    n = shape(y)[-2]
    product = conj(low[..., 0, :, None]) * y
    for k in range(1, min(shape(low)[-2], n)):
        product[..., : n - k, :] += conj(low[..., k, : n - k, None]) * y[..., k:, :]
    return product


rule(
    linalg.cho_solve_banded,
    "cb_and_lower, b, overwrite_b=False, check_finite=True",
    cb_and_lower="cho_solve_banded_bar(linalg.cho_solve_banded(cb_and_lower, y_bar), "
    "cb_and_lower, y, ndim(b))",
    b="stretched(linalg.cho_solve_banded(cb_and_lower, y_bar), b)",
    refuse="overwrite_b",
    source="Giles 2008, NA-08-01, inverse; A = L H(L)",
    examples=lambda: [
        ((np.stack([real(4) / 9, 1.0 + positive(4)]), False), real(4)),
        ((np.stack([1.0 + positive(4), real(4) / 9, real(4) / 8]), True), real(4, 2)),
        ((np.stack([imaginary(4) / 9, 1.0 + positive(4)]), False), imaginary(4)),
        ((np.stack([1.0 + positive(4), imaginary(4) / 9]), True), real(4)),
    ],
)


# LAPACK below them, for code that asks get_lapack_funcs


def is_solved(name: str, y: Any, y_bar: Any) -> bool:
    """Whether LAPACK found a solution; an error where it did not and a derivative passes."""
    if y[-1] != 0 and any(np.any(bar) for bar in y_bar[:-1] if bar is not None):
        raise Unsupported(
            f"scipy.linalg.lapack.{name}",
            "derivative of what is left where the matrix is not positive definite",
            why="it is no solution",
            instead="read it only where info, the last of what is returned, is 0",
        )
    return bool(y[-1] == 0)


def pbsv_back(ab: Any, b: Any, lower: Any, y: Any, y_bar: Any) -> tuple[Any, Any]:
    """Cotangents of band and right side, by those of the factor and of the solution."""
    ab_bar, b_bar = np.zeros_like(y[0]), np.zeros_like(y[1])
    if not is_solved("pbsv", y, y_bar):
        return ab_bar, b_bar
    if y_bar[1] is not None:
        b_bar = linalg.solveh_banded(ab, y_bar[1], lower=bool(lower))
        ab_bar = hermitian_band_bar(b_bar, ab, y[1], bool(lower), ndim(y[1]))
    if y_bar[0] is not None:
        ab_bar = ab_bar + band_cholesky_bar(y[0], y_bar[0], bool(lower))
    return ab_bar, np.reshape(b_bar, shape(b))


def ptsv_back(d: Any, e: Any, b: Any, y: Any, y_bar: Any) -> tuple[Any, Any, Any]:
    """Cotangents of both diagonals and of the right side, by those of the factors L D L.T and of
    the solution.
    """
    pivots, ratios, x = y[:3]
    if not is_solved("ptsv", y, y_bar):
        return np.zeros_like(pivots), np.zeros_like(ratios), np.zeros_like(x)
    d_bar = np.zeros_like(pivots) if y_bar[0] is None else np.array(y_bar[0])
    e_bar = np.zeros_like(ratios) if y_bar[1] is None else np.array(y_bar[1])
    for i in reversed(range(len(ratios))):  # ratio = e / pivot, the next pivot = d - e * ratio
        slope = (e_bar[i] - e[i] * d_bar[i + 1]) / pivots[i]
        e_bar[i] = slope - ratios[i] * d_bar[i + 1]
        d_bar[i] -= slope * ratios[i]
    if y_bar[2] is None:
        return d_bar, e_bar, np.zeros_like(x)
    both = np.stack([asarray(d), np.append(e, 0.0)])
    b_bar = linalg.solveh_banded(both, y_bar[2], lower=True)
    band = hermitian_band_bar(b_bar, both, x, True, ndim(x))
    return d_bar + band[0], e_bar + band[1, :-1], np.reshape(b_bar, shape(b))


def of_lapack(name: str) -> list[Any]:
    """The function for doubles, and that with long integers where SciPy has one."""
    found = [linalg.get_lapack_funcs(name, dtype=float, ilp64=i) for i in (False, "preferred")]
    return found if found[0] is not found[1] else found[:1]


LAPACK = "Giles 2008, NA-08-01, inverse; Murray 2016, arXiv:1602.07527; the entries of the band"
_fn, *_others = of_lapack("pbsv")
rule(
    _fn,
    "ab, b, lower=0, ldab=None, overwrite_ab=0, overwrite_b=0",
    ab="pbsv_back(ab, b, lower, y, y_bar)[0]",
    b="pbsv_back(ab, b, lower, y, y_bar)[1]",
    refuse="overwrite_ab or overwrite_b or ldab is not None",
    source=LAPACK,
    also=_others,
    examples=lambda: [
        (np.stack([real(4) / 9, positive(4)]), real(4)),
        (np.stack([2 + positive(4), real(4) / 9, real(4) / 8]), real(4, 2), 1),
    ],
)
_fn, *_others = of_lapack("ptsv")
rule(
    _fn,
    "d, e, b, overwrite_d=0, overwrite_e=0, overwrite_b=0",
    d="ptsv_back(d, e, b, y, y_bar)[0]",
    e="ptsv_back(d, e, b, y, y_bar)[1]",
    b="ptsv_back(d, e, b, y, y_bar)[2]",
    refuse="overwrite_d or overwrite_e or overwrite_b",
    source=LAPACK,
    also=_others,
    examples=lambda: [(2 + positive(4), real(3), real(4)), (2 + positive(4), real(3), real(4, 2))],
)


# eigenvalues


def dense(ab: Any, lower: bool) -> Any:
    """The lower triangle of the matrix of a band."""
    low = ab if lower else to_lower(ab)
    n = shape(low)[-1]
    a = zeros((*shape(low)[:-2], n, n), low.dtype)
    for k in range(min(shape(low)[-2], n)):
        at = np.arange(n - k)
        a[..., at + k, at] = low[..., k, : n - k]
    return a


def band_of(a: Any, ab: Any, lower: bool) -> Any:
    """The band of a lower triangle."""
    low = zeros(shape(ab), a.dtype)
    n = shape(ab)[-1]
    for k in range(min(shape(ab)[-2], n)):
        at = np.arange(n - k)
        low[..., k, : n - k] = a[..., at + k, at]
    return low if lower else to_upper(low)


def eig_banded_bar(ab: Any, y: Any, y_bar: Any, lower: bool, chosen: Any) -> Any:
    """Cotangent of the band; `chosen`: of which values, where these alone are given."""
    ab = asarray(ab)
    if chosen is not None:
        y = linalg.eig_banded(ab, lower, False, False, *chosen)
        y_bar = (y_bar, None)
    return band_of(hermitian_bar(dense(ab, lower), *y, *y_bar, True), ab, lower)


def has_rows_to_spare(ab: Any) -> bool:
    """Are there more diagonals than the matrix has? LAPACK reads another row then."""
    return bool(shape(ab)[-2] > shape(ab)[-1])


BANDED = "Giles 2008, NA-08-01, eigenvalues; the entries of the band"
rule(
    linalg.eig_banded,
    "a_band, lower=False, eigvals_only=False, overwrite_a_band=False, select='a', "
    "select_range=None, max_ev=0, check_finite=True",
    a_band="eig_banded_bar(a_band, y, y_bar, lower, "
    "(select, select_range) if eigvals_only else None)",
    refuse="overwrite_a_band or has_rows_to_spare(a_band)",
    gives="parts(row(a_band), one_matrix(a_band)); lower, check_finite",
    source=BANDED,
    examples=lambda: [
        (np.stack([real(4) / 3, real(4)]),),
        (np.stack([real(4), real(4) / 3]), True, True),
    ],
)
rule(
    linalg.eigvals_banded,
    "a_band, lower=False, overwrite_a_band=False, select='a', select_range=None, check_finite=True",
    a_band="eig_banded_bar(a_band, y, y_bar, lower, (select, select_range))",
    refuse="overwrite_a_band or has_rows_to_spare(a_band)",
    gives="row(a_band); lower, check_finite",
    source=BANDED,
    examples=lambda: [
        (np.stack([real(4) / 3, real(4)]),),
        (np.stack([real(4), imaginary(4) / 3]), True),
    ],
)


def tridiagonal_bars(d: Any, e: Any, y: Any, y_bar: Any, chosen: Any) -> tuple[Any, Any]:
    """Cotangents of both diagonals."""
    if chosen is not None:
        y = linalg.eigh_tridiagonal(d, e, False, *chosen)
        y_bar = (y_bar, None)
    both = np.concatenate([asarray(e), asarray(d)[..., -1:]], axis=-1)  # the last one is no entry
    ab = np.stack([asarray(d), both], axis=-2)
    bar = band_of(hermitian_bar(dense(ab, True), *y, *y_bar, True), ab, True)
    return bar[..., 0, :], bar[..., 1, :-1]


for _fn, _only in ((linalg.eigh_tridiagonal, "eigvals_only"), (linalg.eigvalsh_tridiagonal, "")):
    _chosen = "(select, select_range)" + (f" if {_only} else None" if _only else "")
    rule(
        _fn,
        f"d, e, {_only + '=False, ' if _only else ''}select='a', select_range=None, "
        "check_finite=True, tol=0.0, lapack_driver='auto'",
        d=f"tridiagonal_bars(d, e, y, y_bar, {_chosen})[0]",
        e=f"tridiagonal_bars(d, e, y, y_bar, {_chosen})[1]",
        gives=f"{'parts(vector(d, e), square(d, e))' if _only else 'vector(d, e)'}; "
        "check_finite, lapack_driver",
        source="Giles 2008, NA-08-01, eigenvalues; both diagonals",
        examples=lambda: [(real(4), positive(3))],
    )
