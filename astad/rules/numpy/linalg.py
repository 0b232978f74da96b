"""Rules of determinants, inverses, linear systems and powers of matrices, also stacked.

>>> import numpy
>>> singular = numpy.array([[1.0, 2.0], [2.0, 4.0]])
>>> print(adjugate(singular, 0.0).round(12) + 0.0)
[[ 4. -2.]
 [-2.  1.]]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import conj, expand_dims, matmul, ndim, reshape, shape, sum, zeros
from numpy.linalg import inv, pinv, solve, svd

from astad.rules.numpy.cumulative import others
from astad.rules.numpy.products import H
from astad.rules.numpy.pseudoinverses import cutoff, pinv_back, pinv_dot
from astad.rules.numpy.samples import definite, hermitian, imaginary, real
from astad.rules.numpy.triangles import from_triangle, solved
from astad.rules.registry import Keywords, rule, zero
from astad.tangents.arrays import sum_to_shape

GILES = "Giles 2008, NA-08-01"


def of_matrix(g: Any) -> Any:
    """One number per matrix, to multiply matrices with."""
    return expand_dims(g, (-2, -1))


# determinants


def adjugate(a: Any, det: Any) -> Any:
    """``det * inv(a)``, and its limit where a matrix is singular."""
    if np.all(np.not_equal(det, 0)):
        return inv(a) * of_matrix(det)
    return singular_adjugate(a)


def singular_adjugate(a: Any) -> Any:
    """``adjugate`` by the factors ``a = u s vh``, of which those of u and vh are inverses."""
    u, s, vh = svd(a)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return matmul(H(vh) * expand_dims(others(s), -2), H(u)) * of_matrix(sign)


def products_of_rest(s: Any) -> Any:
    """The product of all entries but the ith and the jth, in place ``[i, j]``; 0 on the diagonal.

    >>> print(products_of_rest(np.array([2.0, 3.0, 5.0])))
    [[0. 5. 3.]
     [5. 0. 2.]
     [3. 2. 0.]]
    """
    own = np.eye(shape(s)[-1], dtype=bool)
    rest = np.where(own[:, None, :] | own[None, :, :], 1.0, s[..., None, None, :])
    return np.where(own, 0.0, np.prod(rest, axis=-1))


def among_minors(f: Any, s: Any) -> Any:
    """Derivative along f of the adjugate of a diagonal matrix; its own adjoint."""
    rest = products_of_rest(s)
    on_diagonal = matmul(rest, np.diagonal(f, axis1=-2, axis2=-1)[..., None])
    return on_diagonal * np.eye(shape(s)[-1]) - rest * f


def adjugate_back(y_bar: Any, a: Any) -> Any:
    """Cotangent of the matrix in `singular_adjugate`."""
    u, s, vh = svd(a)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    moved = among_minors(matmul(matmul(vh, y_bar), u), s)
    return matmul(matmul(u, moved), vh) * of_matrix(conj(sign))


def adjugate_dot(a_dot: Any, a: Any) -> Any:
    """Tangent of `singular_adjugate`."""
    u, s, vh = svd(a)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    moved = among_minors(matmul(matmul(H(u), a_dot), H(vh)), s)
    return matmul(matmul(H(vh), moved), H(u)) * of_matrix(sign)


def log_bar(y: Any, y_bar: Any) -> Any:
    """Cotangent of the complex logarithm of the determinant."""
    sign_bar, real_bar = y_bar[0], y_bar[1]
    g = 0.0 if real_bar is None else real_bar
    if sign_bar is None or not np.iscomplexobj(y[0]):
        return np.asarray(g)
    return g + 1j * np.imag(conj(y[0]) * sign_bar)


def slogdet_dot(a: Any, a_dot: Any, y: Any) -> tuple[Any, Any]:
    """Tangents of sign and logarithm."""
    change = np.trace(solve(a, a_dot), axis1=-2, axis2=-1)
    if not np.iscomplexobj(a):
        return zeros(shape(y[0])), change
    return 1j * y[0] * np.imag(change), np.real(change)


rule(
    np.linalg.det,
    "a",
    a="H(adjugate(a, y)) * of_matrix(y_bar)",
    dot="sum(np.swapaxes(adjugate(a, y), -1, -2) * a_dot, axis=(-2, -1))",
    gives="determinant(a)",
    entries="mixed",
    complexes="kept",
    source="Jacobi: d det A = tr(adj(A) dA)",
    examples=lambda: [
        (real(3, 3),),
        (real(2, 3, 3),),
        (imaginary(2, 2),),
        (real(1, 1),),
        (real(0, 3, 3),),
        (np.array([[1.0, 2.0], [2.0, 4.0]]),),
    ],
)
rule(
    singular_adjugate,
    "a",
    a="adjugate_back(y_bar, a)",
    dot="adjugate_dot(a_dot, a)",
    gives="matrices(a)",
    entries="mixed",
    source="minors of a diagonal matrix, in the first entries beside it; adj(AB) = adj(B) adj(A)",
    examples=lambda: [
        (real(3, 3),),
        (real(2, 2, 2),),
        (imaginary(3, 3),),
        (np.zeros((2, 2)),),
        (np.diag([2.0, 0.0, 0.0]),),
        (np.ones((1, 1)),),
    ],
)
rule(
    np.linalg.slogdet,
    "a",
    a="H(inv(a)) * of_matrix(log_bar(y, y_bar))",
    dot="slogdet_dot(a, a_dot, y)",
    gives="parts(sign=determinant(a), logabsdet=determinant(a))",
    entries="mixed",
    source="d log det A = tr(inv(A) dA)",
    examples=lambda: [(real(3, 3),), (real(2, 3, 3),), (imaginary(2, 2),)],
)


# inverses


rule(
    np.linalg.inv,
    "a",
    a="-matmul(matmul(H(y), y_bar), H(y))",
    dot="-matmul(matmul(y, a_dot), y)",
    gives="matrices(a)",
    entries="mixed",
    complexes="kept",
    source=GILES + ", inverse",
    examples=lambda: [(real(3, 3),), (real(2, 3, 3),), (imaginary(2, 2),), (real(0, 2, 2),)],
)


def whole(a: Any, hermitian: bool) -> Any:
    """The matrix that is meant."""
    return from_triangle(a, "L") if hermitian and np.size(a) else a


rule(
    np.linalg.pinv,
    "a, rcond=None, hermitian=False, *, rtol=None",
    a="pinv_back(y_bar, whole(a, hermitian), y, hermitian)",
    dot="pinv_dot(a, a_dot, y, hermitian)",
    gives="matrices(a)",
    source="Golub and Pereyra 1973, SIAM J. Numer. Anal. 10, 4.12: constant rank",
    examples=lambda: [
        (real(4, 2),),
        (real(2, 4),),
        (real(2, 3, 3),),
        (imaginary(3, 2),),
        (hermitian(3), Keywords(hermitian=True)),
        (np.array([[2.0, 0.3], [0.4, 0.1]]), 0.3),
        (definite(2, 3), None, True),
    ],
)


# linear systems


def columns(b: Any) -> Any:
    """The right side as a matrix: one of rank 1 is a column."""
    return expand_dims(b, -1) if ndim(b) == 1 else b


def solve_bar(y_bar: Any, a: Any, rank: int) -> Any:
    """``solve(H(a), y_bar)``, as columns."""
    return solved(H(a), expand_dims(y_bar, -1) if rank == 1 else y_bar)


def solve_matrix(g: Any, y: Any, a: tuple[int, ...], rank: int) -> Any:
    """Cotangent of the matrix of shape `a`: minus the outer product of `g` with the solution."""
    product = -g * expand_dims(conj(y), -2) if rank == 1 else matmul(-g, H(y))
    return sum_to_shape(product, a)


def solve_right(g: Any, b: tuple[int, ...]) -> Any:
    """Cotangent of the right side of shape `b`."""
    return sum_to_shape(g[..., 0] if len(b) == 1 else g, b)


def solve_dot(y: Any, a: Any, a_dot: Any, b: Any, b_dot: Any) -> Any:
    """Tangent of the solution."""
    if ndim(b) == 1:
        return solve(a, expand_dims(b_dot - matmul(a_dot, expand_dims(y, -1))[..., 0], -1))[..., 0]
    return solve(a, b_dot - matmul(a_dot, y))


rule(
    np.linalg.solve,
    "a, b",
    a="solve_matrix(solve_bar(y_bar, a, ndim(b)), y, shape(a), ndim(b))",
    b="solve_right(solve_bar(y_bar, a, ndim(b)), shape(b))",
    dot="solve_dot(y, a, a_dot, b, b_dot)",
    gives="solution(a, b)",
    entries="a=mixed, b=contracted",
    complexes="kept",
    source=GILES + ", inverse; dA y + A dy = db",
    examples=lambda: [
        (real(3, 3), real(3)),
        (real(3, 3), real(3, 2)),
        (real(2, 3, 3), real(3)),
        (imaginary(2, 2), imaginary(2)),
        (real(2, 3, 3), real(2, 3, 2)),
        (real(3, 3), real(2, 3, 1)),
        (real(2, 2), imaginary(2)),
    ],
)
rule(
    solved,  # its own text reads one triangle where that is all there is, its derivative has both
    "a, b",
    a="solve_matrix(solve_bar(y_bar, a, 2), y, shape(a), 2)",
    b="sum_to_shape(solve_bar(y_bar, a, 2), shape(b))",
    dot="solve_dot(y, a, a_dot, b, b_dot)",
    source=GILES + ", as np.linalg.solve",
    examples=lambda: [(real(3, 3), real(3, 2)), (real(2, 3, 3), real(3, 1))],
)

UFUNCS = np.linalg._umath_linalg
for _name, _rank in (("solve1", 1), ("solve", 2)):  # what other libraries' copies of solve call
    rule(
        getattr(UFUNCS, _name),
        "a, b",
        a=f"solve_matrix(solve_bar(y_bar, a, {_rank}), y, shape(a), {_rank})",
        b="sum_to_shape(solve_bar(y_bar, a, 2), shape(b))"
        if _rank == 2
        else "sum_to_shape(solve_bar(y_bar, a, 1)[..., 0], shape(b))",
        source=GILES + ", as np.linalg.solve",
        examples=lambda right=_rank * (2,): [
            (real(2, 2), real(*right)),
            (real(3, 2, 2), real(*right)),
            (real(2, 2), imaginary(3, *right)),
        ],
    )


def lstsq_bars(y: Any, y_bar: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Cotangents of matrix and right side through solution, residuals and singular values."""
    x, right = columns(y[0]), columns(b)
    x_bar = zeros(shape(x)) if y_bar[0] is None else reshape(y_bar[0], shape(x))
    p = pinv(a, rcond=cutoff(y[2], y[3]))
    a_bar = pinv_back(matmul(x_bar, H(right)), a, p)
    b_bar = matmul(H(p), x_bar)
    if y_bar[1] is not None and np.size(y[1]):
        rest = (right - matmul(a, x)) * (2 * np.real(y_bar[1]))  # SciPy may give a complex sum
        a_bar, b_bar = a_bar - matmul(rest, H(x)), b_bar + rest
    if y_bar[3] is not None:
        u, _, vh = svd(a, full_matrices=False)
        a_bar = a_bar + matmul(u * y_bar[3], vh)
    return a_bar, reshape(b_bar, shape(b))


def lstsq_dot(y: Any, a: Any, a_dot: Any, b: Any, b_dot: Any) -> tuple[Any, Any, Any, Any]:
    """Tangents of solution, residuals and singular values."""
    x, right, right_dot = columns(y[0]), columns(b), reshape(b_dot, shape(columns(b)))
    p = pinv(a, rcond=cutoff(y[2], y[3]))
    x_dot = matmul(pinv_dot(a, a_dot, p), right) + matmul(p, right_dot)
    rest = right - matmul(a, x)
    rest_dot = 2 * np.real(sum(conj(rest) * (right_dot - matmul(a_dot, x)), axis=0))
    u, _, vh = svd(a, full_matrices=False)
    s_dot = np.real(sum(conj(u) * matmul(a_dot, H(vh)), axis=0))
    return reshape(x_dot, shape(y[0])), rest_dot if np.size(y[1]) else zeros(0), None, s_dot


rule(
    np.linalg.lstsq,
    "a, b, rcond=None",
    a="lstsq_bars(y, y_bar, a, b)[0]",
    b="lstsq_bars(y, y_bar, a, b)[1]",
    dot="lstsq_dot(y, a, a_dot, b, b_dot)",
    refuse="np.ndim(rcond) > 0",
    gives="parts(solution(a, b), row(a), inert(a), row(a)); rcond",
    source="x = pinv(A) b; Golub and Pereyra 1973, 4.12",
    examples=lambda: [
        (real(4, 2), real(4)),
        (real(4, 2), real(4, 3)),
        (real(2, 4), real(2)),
        (imaginary(3, 2), imaginary(3)),
        (np.array([[2.0, 0.3], [0.4, 0.1], [0.2, 0.5]]), real(3), 0.3),
    ],
)
zero(np.linalg.matrix_rank, why="a count moves in steps")
