"""Calls of scipy.sparse.linalg: solvers, with active matrix and right side."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

X = np.array([2.1, 0.4, 1.7, 0.6, 2.6, -0.5, 0.3])
indptr, indices = np.array([0, 2, 4, 7]), np.array([0, 1, 1, 2, 0, 1, 2])
b = np.array([0.7, -1.2, 0.4])
B = np.arange(6.0).reshape(3, 2) + 0.3
D = np.array([[2.0, 0.5, 0], [0, 3.0, 0.2], [0.1, 0, 1.5]])


def rows(x: Any) -> Any:
    """An array compressed by rows."""
    return sparse.csr_array((x + [0, 0, 0, 0, 0, 0, 3.0], indices, indptr), shape=(3, 3))


def definite(x: Any) -> Any:
    """A symmetric positive definite one."""
    return rows(x) + rows(x).T + 3 * sparse.eye_array(3)


CALLS: dict[str, tuple[str, ...]] = {
    "spsolve": (
        "linalg.spsolve(rows(x), b)",
        "linalg.spsolve(rows(x).tocsc(), x[:3])",
        "linalg.spsolve(rows(x * (1 + 0.3j)).tocsc(), b)",
        "linalg.spsolve(rows(x).tocsc(), B)",
        "linalg.spsolve(sparse.csc_array(D), x[:3])",
    ),
    "splu": (
        "linalg.splu(rows(x).tocsc()).solve(b)",
        "linalg.splu(rows(x).tocsc()).solve(B, 'T')",
        "linalg.splu(rows(x * (1 + 0.3j)).tocsc()).solve(b + 1j * x[:3], 'T')",
        "linalg.splu(rows(x * (1 + 0.3j)).tocsc()).solve(b + 1j * x[:3], 'H')",
        "linalg.splu(sparse.csc_array(D)).solve(x[:3])",
    ),
    "factorized": ("linalg.factorized(rows(x).tocsc())(x[:3])",),
    "inv": ("linalg.inv(rows(x).tocsc()).toarray()",),
    "expm": ("linalg.expm(rows(0.1 * x).tocsc()).toarray()",),
    "expm_multiply": ("linalg.expm_multiply(rows(0.1 * x), x[:3])",),
    "norm": ("linalg.norm(rows(x))", "linalg.norm(rows(x), 1)"),
    "cg": ("linalg.cg(definite(x), x[:3], rtol=1e-13)[0]",),
    "bicgstab": ("linalg.bicgstab(rows(x), x[:3], rtol=1e-13)[0]",),
    "aslinearoperator": ("linalg.aslinearoperator(rows(x)) @ b",),
    "LinearOperator": ("linalg.LinearOperator((3, 3), matvec=lambda v: v * x[:3]) @ b",),
}
REFUSED: dict[str, str] = {
    "gmres": "its rotations are compiled",
    "spilu": "an incomplete factorization is no inverse",
    "spsolve_triangular": "it solves with factors put together by hand",
    "eigsh": "ARPACK keeps its state in arrays of its own",
    "eigs": "ARPACK keeps its state in arrays of its own",
    "svds": "ARPACK keeps its state in arrays of its own",
}
