"""Rules of scipy.linalg: lu, lu_factor, cholesky, cho_factor, ldl, and what solves with them.

Rows are exchanged as they were: the order is constant, the factors move.

>>> import numpy
>>> low, up = numpy.array([[1.0, 0.0], [0.5, 1.0]]), numpy.array([[2.0, 1.0], [0.0, 3.0]])
>>> lu_back(low, up, numpy.zeros((2, 2)), numpy.array([[0.0, 0.0], [0.0, 1.0]]))
array([[ 0.25, -0.5 ],
       [-0.5 ,  1.  ]])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import conj, matmul, ndim, shape, swapaxes, take_along_axis
from scipy import linalg
from scipy.linalg import solve_triangular

from astad.rules.numpy.cholesky import cholesky_back, cholesky_dot
from astad.rules.numpy.linalg import solve_right
from astad.rules.numpy.products import H
from astad.rules.numpy.samples import definite, hermitian, imaginary, real
from astad.rules.registry import Keywords, rule
from astad.rules.scipy.linear_systems import adjoint_of
from astad.rules.scipy.structures import onto, stacked, stretched

__all__ = ["lu_back"]

# lower times upper triangle


def left_solved(low: Any, g: Any) -> Any:
    """``solve(H(low), g)`` for a triangle with ones on its diagonal."""
    return solve_triangular(low, g, "C", lower=True, unit_diagonal=True, check_finite=False)


def right_solved(g: Any, up: Any) -> Any:
    """``g @ inv(H(up))``."""
    return H(solve_triangular(up, H(g), check_finite=False))


def lu_back(low: Any, up: Any, low_bar: Any, up_bar: Any) -> Any:
    """Cotangent of the product of the factors, of which one may be longer than wide."""
    n = min(shape(low)[-2], shape(up)[-1])
    parts = []
    if shape(low)[-2] > n:
        below = right_solved(low_bar[..., n:, :], up)
        up_bar = up_bar - matmul(H(low[..., n:, :]), below)
        low, low_bar = low[..., :n, :], low_bar[..., :n, :]
        parts = [below]
    if shape(up)[-1] > n:
        beyond = left_solved(low, up_bar[..., n:])
        low_bar = low_bar - matmul(beyond, H(up[..., n:]))
        up, up_bar = up[..., :n], up_bar[..., :n]
        parts = [beyond]
        return np.concatenate([square_lu_back(low, up, low_bar, up_bar), beyond], axis=-1)
    return np.concatenate([square_lu_back(low, up, low_bar, up_bar), *parts], axis=-2)


def square_lu_back(low: Any, up: Any, low_bar: Any, up_bar: Any) -> Any:
    """The same of square factors."""
    inner = np.tril(matmul(H(low), low_bar), -1) + np.triu(matmul(up_bar, H(up)))
    return right_solved(left_solved(low, inner), up)


def rows_taken(a: Any, order: Any) -> Any:
    """Row ``order[i]`` as row i."""
    return take_along_axis(a, np.asarray(order)[..., None], -2)


def rows_of(p: Any, a: Any, permute_l: bool, p_indices: bool) -> Any:
    """For each row of the matrix, that of the product of its factors."""
    if permute_l:
        return linalg.lu(a, p_indices=True)[0]
    return p if p_indices else np.argmax(p, axis=-1)


def lu_bar(a: Any, y: Any, y_bar: Any, permute_l: bool, p_indices: bool) -> Any:
    """Cotangent of the matrix in ``lu``."""
    if np.size(a) == 0:
        return np.zeros(shape(a))
    order = rows_of(y[0], a, permute_l, p_indices)
    low, up = y[-2], y[-1]
    low_bar = np.zeros(shape(low)) if y_bar[-2] is None else y_bar[-2]
    up_bar = np.zeros(shape(up)) if y_bar[-1] is None else y_bar[-1]
    if permute_l:
        back = np.argsort(order, axis=-1)
        low, low_bar = rows_taken(low, back), rows_taken(low_bar, back)
    return rows_taken(lu_back(low, up, low_bar, up_bar), order)


rule(
    linalg.lu,
    "a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False",
    a="lu_bar(a, y, y_bar, permute_l, p_indices)",
    refuse="overwrite_a",
    gives="parts(matrices(a), matrices(a), matrices(a)); check_finite",
    source="de Hoog, Anderssen and Lukas 2011, Linear Algebra Appl. 434: inv(L) dA inv(U)",
    examples=lambda: [
        (real(3, 3),),
        (real(4, 2),),
        (real(2, 4), True),
        (imaginary(3, 3), Keywords(p_indices=True)),
        (real(2, 3, 3),),
    ],
)


# the two in one array


@stacked(1, 1)
def exchanged(piv: Any, of: Any) -> Any:
    """The rows in their order after the exchanges of LAPACK."""
    order = list(range(shape(of)[-1]))
    for i, p in enumerate(np.asarray(piv).tolist()):
        order[i], order[p] = order[p], order[i]
    return np.array(order, dtype=np.intp)


def row_order(lu: Any, piv: Any) -> Any:
    """The row of the matrix that is each row of the product of the factors."""
    return exchanged(piv, np.asarray(lu)[..., :, 0])


def parted(lu: Any) -> tuple[Any, Any]:
    """Both factors."""
    k = min(shape(lu)[-2:])
    low = np.tril(lu[..., :k], -1) + np.eye(shape(lu)[-2], k)
    return low, np.triu(lu[..., :k, :])


def together(low: Any, up: Any) -> Any:
    """The cotangents of both factors in one array."""
    if shape(low)[-2] > shape(up)[-2]:
        up = np.concatenate([up, np.zeros_like(low[..., shape(up)[-2] :, :])], axis=-2)
    if shape(up)[-1] > shape(low)[-1]:
        low = np.concatenate([low, np.zeros_like(up[..., shape(low)[-1] :])], axis=-1)
    return np.tril(low, -1) + np.triu(up)


def lu_factor_bar(lu: Any, piv: Any, lu_bar: Any) -> Any:
    """Cotangent of the matrix in ``lu_factor``."""
    low, up = parted(lu)
    k = shape(low)[-1]
    bars = np.tril(lu_bar[..., :k], -1), np.triu(lu_bar[..., :k, :])
    order = row_order(lu, piv)
    return rows_taken(lu_back(low, up, *bars), np.argsort(order, axis=-1))


rule(
    linalg.lu_factor,
    "a, overwrite_a=False, check_finite=True",
    a="None if y_bar[0] is None else lu_factor_bar(y[0], y[1], y_bar[0])",
    refuse="overwrite_a",
    source="de Hoog, Anderssen and Lukas 2011, Linear Algebra Appl. 434: inv(L) dA inv(U)",
    examples=lambda: [(real(3, 3),), (imaginary(3, 3),), (real(3, 3)[::-1],), (real(2, 3, 3),)],
)


def lu_solve_right(y_bar: Any, lu_and_piv: Any, trans: Any) -> Any:
    """Cotangent of the right side."""
    lu, piv = lu_and_piv
    conjugated, how = adjoint_of(trans)
    return linalg.lu_solve((conj(lu) if conjugated else lu, piv), y_bar, how, check_finite=False)


def lu_solve_bar(y_bar: Any, lu_and_piv: Any, y: Any, rank: int, trans: Any) -> Any:
    """Cotangents of the pair."""
    lu, piv = np.asarray(lu_and_piv[0]), lu_and_piv[1]
    g = lu_solve_right(y_bar, lu_and_piv, trans)
    g, y = (g[..., None], y[..., None]) if rank == 1 else (g, y)
    a_bar = -matmul(g, H(y))
    if trans != 0:
        a_bar = swapaxes(a_bar, -1, -2) if trans == 1 else H(a_bar)
    low, up = parted(lu)
    a_bar = rows_taken(a_bar, row_order(lu, piv))
    return stretched(together(matmul(a_bar, H(up)), matmul(H(low), a_bar)), lu), None


rule(
    linalg.lu_solve,
    "lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True",
    lu_and_piv="lu_solve_bar(y_bar, lu_and_piv, y, ndim(b), trans)",
    b="stretched(lu_solve_right(y_bar, lu_and_piv, trans), b)",
    refuse="overwrite_b",
    source="Giles 2008, NA-08-01, inverse; A = P L U",
    examples=lambda: [
        (linalg.lu_factor(real(3, 3)), real(3)),
        (linalg.lu_factor(real(3, 3)[::-1]), real(3, 2), 1),
        (linalg.lu_factor(imaginary(3, 3)), real(3), 2),
        (linalg.lu_factor(imaginary(3, 3)), imaginary(3, 2), Keywords(trans=1)),
        (linalg.lu_factor(real(2, 3, 3)), real(3, 2)),
    ],
)


# Cholesky


LEAVES_REST = bool(linalg.cho_factor(np.array([[2.0, 1.0], [1.0, 2.0]]))[0][1, 0])


def other_triangle(g: Any, lower: bool) -> Any:
    """What the factor has of the matrix itself, where SciPy before 1.18 leaves it."""
    if not LEAVES_REST:
        return np.zeros(shape(g))
    return np.triu(g, 1) if lower else np.tril(g, -1)


CHOLESKY = "Murray 2016, arXiv:1602.07527; the triangle that is read"
rule(
    linalg.cholesky,
    "a, lower=False, overwrite_a=False, check_finite=True",
    a="cholesky_back(y, y_bar, not lower)",
    dot="cholesky_dot(y, a_dot, not lower)",
    refuse="overwrite_a",
    gives="matrices(a); lower, check_finite",
    source=CHOLESKY,
    examples=lambda: [
        (definite(3),),
        (definite(3), True),
        (hermitian(3),),
        (definite(2, 2), Keywords(lower=True)),
    ],
)
rule(
    linalg.cho_factor,
    "a, lower=False, overwrite_a=False, check_finite=True",
    a="None if y_bar[0] is None else cho_factor_bar(y[0], y_bar[0], lower)",
    refuse="overwrite_a",
    source=CHOLESKY + ", the other one returned as it was",
    examples=lambda: [(definite(3),), (hermitian(3), True)],
)


def cho_factor_bar(c: Any, c_bar: Any, lower: bool) -> Any:
    """Cotangent of the matrix."""
    factor = np.tril(c) if lower else np.triu(c)
    return cholesky_back(factor, c_bar, not lower) + other_triangle(c_bar, lower)


def cho_solve_bar(g: Any, c_and_lower: Any, y: Any, rank: int) -> Any:
    """Cotangents of the pair from that of the right side."""
    c, lower = np.asarray(c_and_lower[0]), bool(np.all(c_and_lower[1]))
    g, y = (g[..., None], y[..., None]) if rank == 1 else (g, y)
    a_bar = -matmul(g, H(y))
    a_bar = a_bar + H(a_bar)
    if lower:
        return stretched(np.tril(matmul(a_bar, np.tril(c))), c), None
    return stretched(np.triu(matmul(np.triu(c), a_bar)), c), None


rule(
    linalg.cho_solve,
    "c_and_lower, b, overwrite_b=False, check_finite=True",
    c_and_lower="cho_solve_bar(linalg.cho_solve(c_and_lower, y_bar), c_and_lower, y, ndim(b))",
    b="stretched(linalg.cho_solve(c_and_lower, y_bar), b)",
    refuse="overwrite_b",
    source="Giles 2008, NA-08-01, inverse; A = L H(L)",
    examples=lambda: [
        (linalg.cho_factor(definite(3)), real(3)),
        (linalg.cho_factor(definite(3), True), real(3, 2)),
        (linalg.cho_factor(hermitian(3)), real(3)),
        (linalg.cho_factor(hermitian(3), True), imaginary(3, 2)),
        (linalg.cho_factor(definite(2, 3)), real(3, 2)),
    ],
)


# LDL


@stacked(2, 2, 2, 1, 2, 2)
def ldl_bar(
    lu: Any, d: Any, a: Any, perm: Any, lu_bar: Any, d_bar: Any, lower: bool, hermitian: bool
) -> Any:
    """Cotangent of the triangle that is read, from L, D, with D of blocks of one and two."""
    triangle = lu[perm]
    blocks = (np.not_equal(d, 0) | np.not_equal(d.T, 0)) | np.eye(len(d), dtype=bool)
    strict = np.tril(~blocks, -1) if lower else np.triu(~blocks, 1)
    total = np.zeros(shape(d), lu.dtype)
    if d_bar is not None:
        total = total + d_bar * blocks
    if lu_bar is not None:
        own = matmul(H(triangle), lu_bar[perm])
        total = total + strict * np.linalg.solve(conj(d), own.T).T
    inverse = solve_triangular(triangle, np.eye(len(d)), lower=lower, unit_diagonal=True)
    inner = matmul(H(inverse), total)
    inner = matmul(inner, inverse if hermitian or np.isrealobj(lu) else conj(inverse))
    back = np.argsort(perm)
    whole = inner[np.ix_(back, back)]
    return onto(whole, "her" if hermitian or np.isrealobj(lu) else "sym", lower)


rule(
    linalg.ldl,
    "A, lower=True, hermitian=True, overwrite_a=False, check_finite=True",
    A="ldl_bar(y[0], y[1], A, y[2], y_bar[0], y_bar[1], lower, hermitian)",
    refuse="overwrite_a",
    source="inv(L) dA inv(H(L)) = inv(L) dL D + dD + (inv(L) dL D)*, blocks of D apart",
    examples=lambda: [
        (definite(3),),
        (imaginary(3, 3), False, False),
        (definite(3) - 4.0 * np.eye(3),),
        (np.array([[0.0, 2.0], [2.0, 0.1]]),),
    ],
)
