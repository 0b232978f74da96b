"""Derivatives of a pseudoinverse, also of one that counts small singular values as zeros.

>>> import numpy
>>> a = numpy.diag([2.0, 0.1])
>>> pinv_back(numpy.eye(2), a, numpy.diag([0.5, 0.0])).tolist()
[[-0.25, 0.0], [0.0, 0.0]]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import diagonal, expand_dims, matmul, shape, where
from numpy.linalg import svd

from astad.rules.numpy.products import H
from astad.rules.numpy.triangles import from_triangle, onto_triangle
from astad.rules.registry import zero

__all__ = ["cutoff", "pinv_back", "pinv_dot"]


def pinv_back(g: Any, a: Any, p: Any, hermitian: bool = False) -> Any:
    """Cotangent of `a` in its pseudoinverse `p`, the rank constant."""
    if np.size(a) == 0:
        return np.zeros(shape(a))
    if is_truncated(a, p):
        a_bar = change_of_kept(a, p, H(g))
        return onto_triangle(a_bar, "L") if hermitian else a_bar
    outside = np.eye(shape(a)[-2]) - matmul(a, p)
    within = np.eye(shape(a)[-1]) - matmul(p, a)
    ph, gh = H(p), H(g)
    a_bar = matmul(outside, matmul(matmul(gh, p), ph)) + matmul(matmul(matmul(ph, p), gh), within)
    a_bar = a_bar - matmul(matmul(ph, g), ph)
    return onto_triangle(a_bar, "L") if hermitian else a_bar


def pinv_dot(a: Any, a_dot: Any, p: Any, hermitian: bool = False) -> Any:
    """Tangent of the pseudoinverse."""
    if hermitian:
        a, a_dot = from_triangle(a, "L"), from_triangle(a_dot, "L")
    if is_truncated(a, p):
        return H(change_of_kept(a, p, a_dot))
    outside = np.eye(shape(a)[-2]) - matmul(a, p)
    within = np.eye(shape(a)[-1]) - matmul(p, a)
    change = matmul(matmul(p, H(p)), matmul(H(a_dot), outside))
    change = change + matmul(within, matmul(H(a_dot), matmul(H(p), p)))
    return change - matmul(matmul(p, a_dot), p)


def is_truncated(a: Any, p: Any) -> bool:
    """Is a part of `a` that is more than rounding left out of its pseudoinverse?"""
    if min(shape(a)[-2:], default=0) == 0 or not np.all(np.isfinite(a)):
        return False
    left_out = np.max(np.abs(a - matmul(matmul(a, p), a)), axis=(-2, -1))
    rounding = 1e2 * np.finfo(p.dtype).eps * max(shape(a)[-2:])
    lost = np.max(np.abs(p), axis=(-2, -1)) * np.max(np.abs(a), axis=(-2, -1)) ** 2
    return bool(np.any(left_out > rounding * (lost + np.max(np.abs(a), axis=(-2, -1)))))


zero(is_truncated, why="which singular values count is decided once")


def change_of_kept(a: Any, p: Any, change: Any) -> Any:
    """Change of ``H(p)`` with `a`, and its own transpose: divided differences of 1/s and 0.

    An odd function of singular values; the kept and the others are never equal, and pairs of the
    same sort have no difference to divide by.
    """
    u, s, vh = svd(a, full_matrices=False)
    inverse = np.real(diagonal(matmul(matmul(vh, p), u), axis1=-2, axis2=-1))
    kept = inverse * s > 0.5
    inverse = where(kept, 1 / where(kept, s, 1), 0)
    row, column = expand_dims(s, -1), expand_dims(s, -2)
    f_row, f_column = expand_dims(inverse, -1), expand_dims(inverse, -2)
    mixed = expand_dims(kept, -1) != expand_dims(kept, -2)
    even = where(mixed, (f_row - f_column) / where(mixed, row - column, 1), -f_row * f_column)
    total = row + column
    odd = (f_row + f_column) / where(total == 0, 1, total)
    core = matmul(matmul(H(u), change), H(vh))
    core = even * (core + H(core)) / 2 + odd * (core - H(core)) / 2
    squares = expand_dims(inverse**2, -1)
    left = matmul(u, squares * matmul(H(u), change))
    right = matmul(change, matmul(H(vh), squares * vh))
    outside = right - matmul(u, matmul(H(u), right))
    within = left - matmul(matmul(left, H(vh)), vh)
    return matmul(matmul(u, core), vh) + outside + within


def cutoff(rank: Any, s: Any) -> float:
    """Between the singular values that counted and the others, as a fraction of the largest.

    LAPACK takes a negative ``rcond`` for the precision of a number, ``pinv`` for itself.
    """
    if rank == len(s):
        return 0.0
    return float((s[rank - 1] + s[rank]) / (2 * s[0])) if rank else 1.0


zero(cutoff, why="which singular values count is decided once")
