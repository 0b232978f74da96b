"""Direct solvers of scipy.sparse.linalg.

A solve gives its right side the solution with the conjugate transpose, and the stored entries of
its matrix minus the product of that with the solution (Giles 2008, NA-08-01).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import conj
from scipy.sparse import csc_array, csr_array
from scipy.sparse import linalg as solvers
from scipy.sparse.linalg import SuperLU
from scipy.sparse.linalg._dsolve import _superlu

from astad.errors import Unsupported
from astad.rules.scipy.sparse_entries import csc_entries, csr_entries
from astad.runtime.core.full_rules import Cotangents, Record, Value, full
from astad.runtime.core.listings import restore
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.scipy.sparse_kernels import give, placed
from astad.tangents.refused import Refused

__all__: list[str] = []


# one solve


def in_columns(a: Any) -> Any:
    return a.reshape(len(a), -1)


def entries_bar(by_column: bool, indptr: Any, indices: Any, left: Any, right: Any) -> Any:
    """The entries of ``-left H(right)`` that are stored."""
    at = csc_entries if by_column else csr_entries
    row, column, _ = at(indptr, indices)
    return -np.sum(in_columns(left)[row] * conj(in_columns(right)[column]), axis=1)


@full(_superlu.gssv)
def solve_once(
    versions: Versions, n: Value, nnz: Value, data: Value, indices: Value, indptr: Value,
    b: Value, by_column: Value, **words: Value,
) -> tuple[Value, Record]:  # fmt: skip
    matrix = [versions.keep(a) for a in (data, indices, indptr)]
    y = _superlu.gssv(n, nnz, data, indices, indptr, b, by_column, **words)
    return y, (pull_solve, y[0], versions.keep(y[0]), matrix, by_column, data, b)


def pull_solve(
    shadows: Shadows, y_bar: Value, y: Value, solution: Value, matrix: Value, by_column: Value,
    data: Value, b: Value,
) -> Cotangents:  # fmt: skip
    g = shadows.take(y)
    if g is None:
        return None
    if type(g) is Refused:
        shadows.add_array(data, g)
        shadows.add_array(b, g)
        return None
    values, indices, indptr = map(restore, matrix)
    kind = csc_array if by_column else csr_array
    a = kind((values, indices, indptr), shape=(len(indptr) - 1,) * 2)
    z = solvers.spsolve(a.conj().T.tocsc(), g).reshape(g.shape)
    give(shadows, b, z)
    x = restore(solution).reshape(g.shape)
    give(shadows, data, placed(values, entries_bar(bool(by_column), indptr, indices, z, x)))
    return None


# a factorization that is kept


@full(_superlu.gstrf)
def factor(
    versions: Versions, n: Value, nnz: Value, data: Value, indices: Value, indptr: Value,
    **words: Value,
) -> tuple[Value, Record]:  # fmt: skip
    y = _superlu.gstrf(n, nnz, data, indices, indptr, **words)
    kept = [versions.keep(a) for a in (data, indices, indptr)]
    versions.made_of[id(y)] = (y, data, kept, bool(words.get("ilu")))
    return y, None


@full(SuperLU.solve)
def solve_by_factors(
    versions: Versions, factors: Value, rhs: Value, trans: Value = "N"
) -> tuple[Value, Record]:
    y = factors.solve(rhs, trans)
    _, *made = versions.made_of.get(id(factors), (None, None, None, False))
    return y, (pull_by_factors, y, versions.keep(y), factors, made, rhs, trans)


def pull_by_factors(
    shadows: Shadows, y_bar: Value, y: Value, solution: Value, factors: Value, made: Value,
    rhs: Value, trans: str,
) -> Cotangents:  # fmt: skip
    g = shadows.take(y)
    data, kept, incomplete = made
    if g is None:
        return None
    if type(g) is Refused:
        shadows.add_array(rhs, g)
        if data is not None:
            shadows.add_array(data, g)
        return None
    z = conj(factors.solve(conj(g))) if trans == "T" else factors.solve(g, ADJOINT[trans])
    give(shadows, rhs, z)
    if incomplete:
        shadows.add_array(data, Refused(_incomplete()))
    elif data is not None:
        values, indices, indptr = map(restore, kept)
        x = restore(solution)
        left, right = {"N": (z, x), "T": (conj(x), conj(z)), "H": (x, z)}[trans]
        give(shadows, data, placed(values, entries_bar(True, indptr, indices, left, right)))
    return None


ADJOINT = {"N": "H", "H": "N"}


def _incomplete() -> Unsupported:
    return Unsupported(
        "scipy.sparse.linalg.spilu",
        "derivative of an incomplete factorization in its matrix",
        why="it is no inverse of that matrix",
        instead="hold the preconditioner constant, or use splu",
    )
