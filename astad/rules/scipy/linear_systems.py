"""Rules of scipy.linalg: solve, solve_triangular, inv, det, pinv, pinvh, lstsq, norm.

>>> import numpy
>>> a = numpy.array([[2.0, 1.0], [7.0, 4.0]])
>>> triangle_back(numpy.array([1.0, 0.0]), a, numpy.array([0.5, 1.0]), (2,), 0, False, False)
(array([[-0.25 , -0.5  ],
       [ 0.   ,  0.125]]), array([ 0.5  , -0.125]))
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import conj, matmul, ndim, shape, swapaxes
from scipy import linalg

from astad.errors import Unsupported
from astad.rules.numpy.linalg import (
    GILES,
    adjugate,
    columns,
    lstsq_bars,
    lstsq_dot,
    of_matrix,
    solve_bar,
    solve_dot,
    solve_matrix,
    solve_right,
)
from astad.rules.numpy.norms import KINK, norm_back, norm_dot, slope
from astad.rules.numpy.products import H
from astad.rules.numpy.pseudoinverses import cutoff, pinv_back, pinv_dot
from astad.rules.numpy.samples import definite, hermitian, imaginary, positive, real
from astad.rules.numpy.triangles import from_triangle, onto_triangle
from astad.rules.registry import Keywords, rule
from astad.rules.scipy.structures import meant, onto, stacked, stretched

__all__ = ["system_back", "triangle_back"]

OVERWRITES = "overwrite_a or overwrite_b"


def transposed_if(a: Any, transposed: bool) -> Any:
    """The matrix, or its transpose."""
    return swapaxes(a, -1, -2) if transposed else a


def system_back(
    y_bar: Any, a: Any, y: Any, b: tuple[int, ...], kind: Any, lower: bool, transposed: bool
) -> tuple[Any, Any]:
    """Cotangents of a matrix of which a part is read, and of the right side of shape `b`."""
    whole = transposed_if(meant(a, kind, lower), transposed)
    if shape(whole) == (1, 1):  # a number divides any right side
        return np.reshape(-np.sum(y_bar * conj(y)) / conj(whole), shape(a)), y_bar / conj(
            whole[0, 0]
        )
    g = solve_bar(y_bar, whole, len(b))
    a_bar = transposed_if(solve_matrix(g, y, shape(whole), len(b)), transposed)
    return onto(a_bar, kind, lower), solve_right(g, b)


def system_dot(
    y: Any, a: Any, a_dot: Any, b: Any, b_dot: Any, kind: Any, lower: bool, transposed: bool
) -> Any:
    """Tangent of the solution."""
    whole = transposed_if(meant(a, kind, lower), transposed)
    change = transposed_if(meant(a_dot, kind, lower), transposed)
    if shape(whole) == (1, 1):
        return (b_dot - change[0, 0] * y) / whole[0, 0]
    return solve_dot(y, whole, change, np.asarray(b), np.asarray(b_dot))


rule(
    linalg.solve,
    "a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, "
    "transposed=False",
    a="system_back(y_bar, a, y, shape(b), assume_a, lower, transposed)[0]",
    b="system_back(y_bar, a, y, shape(b), assume_a, lower, transposed)[1]",
    dot="system_dot(y, a, a_dot, b, b_dot, assume_a, lower, transposed)",
    refuse=OVERWRITES,
    gives="solution(a, b); lower, check_finite, assume_a, transposed",
    source=GILES + ", inverse; dA y + A dy = db; of a structure, the part that is read",
    examples=lambda: [
        (real(3, 3), real(3)),
        (real(3, 3), real(3, 2)),
        (imaginary(2, 2), imaginary(2)),
        (definite(3), real(3), Keywords(assume_a="pos")),
        (hermitian(3), real(3), True, Keywords(assume_a="her")),
        (real(3, 3), real(3), Keywords(assume_a="sym", lower=True)),
        (real(3, 3), real(3), Keywords(assume_a="upper triangular")),
        (real(3, 3), real(3, 2), Keywords(transposed=True)),
        (real(1, 1), real(3)),
    ],
)


# triangles


def adjoint_of(trans: Any) -> tuple[bool, int]:
    """Is the triangle to be conjugated, and how to be read, for the adjoint of a solve."""
    return {0: (False, 2), "N": (False, 2), 1: (True, 0), "T": (True, 0)}.get(trans, (False, 0))


def triangle_right(
    y_bar: Any, a: Any, b: tuple[int, ...], trans: Any, lower: bool, unit_diagonal: bool
) -> Any:
    """Cotangent of the right side, before it is summed over a stack."""
    conjugated, how = adjoint_of(trans)
    a = conj(a) if conjugated else a
    right = y_bar[..., None] if len(b) == 1 else y_bar
    return linalg.solve_triangular(a, right, how, lower, unit_diagonal, check_finite=False)


def triangle_back(
    y_bar: Any,
    a: Any,
    y: Any,
    b: tuple[int, ...],
    trans: Any,
    lower: bool,
    unit_diagonal: bool,
) -> tuple[Any, Any]:
    """Cotangents of triangle and right side of shape `b`."""
    g = triangle_right(y_bar, a, b, trans, lower, unit_diagonal)
    a_bar = -matmul(g, H(y[..., None] if len(b) == 1 else y))
    if trans not in (0, "N"):
        a_bar = swapaxes(a_bar, -1, -2) if trans in (1, "T") else H(a_bar)
    part = np.tril(a_bar, -unit_diagonal) if lower else np.triu(a_bar, int(unit_diagonal))
    return stretched(part, a), solve_right(g, b)


def triangle_dot(
    y: Any, a: Any, a_dot: Any, b_dot: Any, trans: Any, lower: bool, unit_diagonal: bool
) -> Any:
    """Tangent of the solution."""
    change = np.tril(a_dot, -unit_diagonal) if lower else np.triu(a_dot, int(unit_diagonal))
    if trans not in (0, "N"):
        change = swapaxes(change, -1, -2) if trans in (1, "T") else H(change)
    y_columns = y[..., None] if ndim(b_dot) == 1 else y
    right = (b_dot[..., None] if ndim(b_dot) == 1 else b_dot) - matmul(change, y_columns)
    y_dot = linalg.solve_triangular(a, right, trans, lower, unit_diagonal, check_finite=False)
    return y_dot[..., 0] if ndim(b_dot) == 1 else y_dot


rule(
    linalg.solve_triangular,
    "a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True",
    a="triangle_back(y_bar, a, y, shape(b), trans, lower, unit_diagonal)[0]",
    b="solve_right(triangle_right(y_bar, a, shape(b), trans, lower, unit_diagonal), shape(b))",
    dot="triangle_dot(y, a, a_dot, b_dot, trans, lower, unit_diagonal)",
    refuse="overwrite_b",
    gives="solution(a, b); trans, lower, unit_diagonal, check_finite",
    source=GILES + ", inverse; the triangle that is read",
    examples=lambda: [
        (positive(3, 3), real(3)),
        (positive(3, 3), real(3, 2), 1),
        (positive(3, 3), real(3), 0, True),
        (positive(3, 3), real(3, 2), "T", True, True),
        (imaginary(2, 2), real(2), 2),
        (imaginary(2, 2), imaginary(2, 2), 1),
    ],
)


# inverses, determinants


def inverse_back(y_bar: Any, y: Any, kind: Any, lower: bool) -> Any:
    """Cotangent of the part of a matrix that is read."""
    return onto(-matmul(matmul(H(y), y_bar), H(y)), kind, lower)


rule(
    linalg.inv,
    "a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False",
    a="inverse_back(y_bar, y, assume_a, lower)",
    dot="-matmul(matmul(y, meant(a_dot, assume_a, lower)), y)",
    refuse="overwrite_a",
    gives="matrices(a); check_finite, assume_a, lower",
    source=GILES + ", inverse; of a structure, the part that is read",
    examples=lambda: [
        (real(3, 3),),
        (real(2, 3, 3),),
        (imaginary(2, 2),),
        (definite(3), Keywords(assume_a="pos", lower=True)),
        (hermitian(2), Keywords(assume_a="her")),
        (positive(3, 3), Keywords(assume_a="lower triangular")),
    ],
)
rule(
    linalg.det,
    "a, overwrite_a=False, check_finite=True",
    a="H(adjugate(np.asarray(a), y)) * of_matrix(y_bar)",
    dot="np.sum(swapaxes(adjugate(a, y), -1, -2) * a_dot, axis=(-2, -1))",
    refuse="overwrite_a",
    gives="determinant(a); check_finite",
    view="a",
    source="Jacobi: d det A = tr(adj(A) dA)",
    examples=lambda: [
        (real(3, 3),),
        (real(2, 3, 3),),
        (imaginary(2, 2),),
        (real(1, 1),),
        (np.array([[1.0, 2.0], [2.0, 4.0]]),),
    ],
)


# pseudoinverses and least squares


def first_of(y: Any, several: bool) -> Any:
    """The matrix, of a result that may have its rank beside it."""
    return y[0] if several else y


def hermitian_pinv_back(g: Any, a: Any, p: Any, lower: bool) -> Any:
    """Cotangent of the triangle that is read."""
    part = "L" if lower else "U"
    return onto_triangle(pinv_back(g, from_triangle(np.asarray(a), part), p), part)


PSEUDOINVERSE = "Golub and Pereyra 1973, SIAM J. Numer. Anal. 10, 4.12: constant rank"
rule(
    linalg.pinv,
    "a, *, atol=None, rtol=None, return_rank=False, check_finite=True",
    a="pinv_back(first_of(y_bar, return_rank), np.asarray(a), first_of(y, return_rank))",
    refuse="ndim(a) > 2 and return_rank",
    gives="matrices(a); atol, rtol, check_finite",
    source=PSEUDOINVERSE,
    examples=lambda: [(real(4, 2),), (real(2, 4),), (imaginary(3, 2),), (real(2, 3, 3),)],
)
rule(
    linalg.pinvh,
    "a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True",
    a="hermitian_pinv_back(first_of(y_bar, return_rank), a, first_of(y, return_rank), lower)",
    gives="matrices(a); atol, rtol, lower, check_finite",
    source=PSEUDOINVERSE,
    examples=lambda: [
        (definite(3),),
        (hermitian(3), Keywords(lower=False)),
        (definite(2, 3),),
    ],
)
rule(
    linalg.lstsq,
    "a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None",
    a="lstsq_bars(with_values(y, a), y_bar, np.asarray(a), b)[0]",
    b="lstsq_bars(with_values(y, a), y_bar, np.asarray(a), b)[1]",
    refuse="overwrite_a or overwrite_b or ndim(a) > 2",
    source="x = pinv(A) b; Golub and Pereyra 1973, 4.12",
    examples=lambda: [
        (real(4, 2), real(4)),
        (real(4, 2), real(4, 3)),
        (real(2, 4), real(2)),
        (imaginary(3, 2), imaginary(3)),
    ],
)


def with_values(y: Any, a: Any) -> Any:
    """The result with the singular values, which the driver ``gelsy`` does without."""
    if y[3] is not None:
        return y
    s = linalg.svdvals(a)
    rest = s[y[2] :]
    if np.any(rest > 1e2 * np.finfo(s.dtype).eps * max(shape(a)) * s[:1]):
        raise Unsupported(
            "scipy.linalg.lstsq",
            "derivative of a solution with lapack_driver='gelsy' that leaves rows out by cond=",
            why="which rows a pivoted factorisation leaves out has no formula",
            instead="use lapack_driver='gelsd', or a smaller cond",
        )
    return (*y[:3], s)


rule(
    linalg.norm,
    "a, ord=None, axis=None, keepdims=False, check_finite=True",
    a="norm_back(y_bar, np.asarray(a), y, ord, axis)",
    dot="norm_dot(a_dot, slope(a, y, ord, axis), y, axis)",
    missing={"ord": "write the norm as a sum of powers"},
    gives="norm(a, ord, axis, keepdims); check_finite",
    source=KINK,
    examples=lambda: [
        (real(4),),
        (real(2, 3),),
        (imaginary(3),),
        *[(real(4), p) for p in (1, 2, 3, np.inf, -np.inf)],
        *[(real(3, 2), p) for p in (1, -1, 2, -2, np.inf, "fro", "nuc")],
        (real(3, 2), None, 0),
        (real(3, 2), 1, 1, True),
    ],
)
