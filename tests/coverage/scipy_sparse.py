"""Calls of scipy.sparse: arrays of a fixed pattern with active numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

I, J = np.array([0, 0, 1, 1, 2, 2, 0]), np.array([0, 1, 1, 2, 2, 0, 2])
indptr, indices = np.array([0, 2, 4, 7]), np.array([0, 1, 1, 2, 0, 1, 2])
b = np.array([0.7, -1.2, 0.4])
B = np.arange(6.0).reshape(3, 2) + 0.3
W = np.arange(9.0).reshape(3, 3) + 1
D = np.array([[2.0, 0.5, 0], [0, 3.0, 0.2], [0.1, 0, 1.5]])


def rows(x: Any) -> Any:
    """An array compressed by rows."""
    return sparse.csr_array((x[:7], indices, indptr), shape=(3, 3))


def columns(x: Any) -> Any:
    """An array compressed by columns."""
    return sparse.csc_array((x[:7], indices, indptr), shape=(3, 3))


CALLS: dict[str, tuple[str, ...]] = {
    "csr_array": (
        "rows(x) @ b",
        "rows(x) @ B",
        "b @ rows(x)",
        "rows(x).T @ b",
        "rows(x).dot(x[:3])",
        "rows(x * (1 + 0.5j)) @ (x[:3] * 1j)",
        "rows(x).toarray() * W",
        "rows(x).sum(axis=0), rows(x).sum(axis=1), rows(x).sum(), rows(x).mean()",
        "rows(x).diagonal(), rows(x).diagonal(1)",
        "(2.0 * rows(x) - rows(x * x).T + rows(x) / x[0]).toarray()",
        "(rows(x) @ rows(x * x)).toarray()",
        "rows(x).multiply(rows(x)).toarray(), rows(x).multiply(W).toarray()",
        "rows(x).power(2).toarray(), abs(-rows(x)).toarray()",
        "rows(x)[0, 1], rows(x)[1:].toarray(), rows(x)[:, [0, 2]].toarray()",
        "rows(x)[[2, 0]].toarray(), rows(x)[[2, 0], [0, 1]]",
        "rows(x).maximum(rows(x[::-1].copy())).toarray()",
        "rows(x).data, rows(x).max()",
        "rows(x).copy().astype(float).tocoo().tocsc().todia().tocsr() @ b",
        "sparse.csr_array(np.outer(x[:3], x[:3])) @ b",
        "sparse.csr_array((x[:7], (I, J)), shape=(3, 3)).toarray()",
        "sparse.csr_array((x, (np.r_[I, 0, 1], np.r_[J, 1, 1])), shape=(3, 3)).toarray()",
        "sparse.csr_array(D) @ x[:3]",
        "sparse.csr_array(D) @ x[:6].reshape(3, 2)",
    ),
    "csc_array": (
        "columns(x) @ b",
        "columns(x) @ B",
        "b @ columns(x)",
        "(columns(x) + columns(x).T).toarray() * W",
        "columns(x)[:, 1:].toarray(), columns(x).tocsr() @ x[:3]",
        "(columns(x) @ columns(x)).toarray()",
    ),
    "coo_array": (
        "sparse.coo_array((x[:7], (I, J)), shape=(3, 3)) @ b",
        "sparse.coo_array((x[:7], (I, J)), shape=(3, 3)) @ B",
        "sparse.coo_array((x[:7], (I, J)), shape=(3, 3)).toarray() * W",
        "sparse.coo_array((x[:7], (I, J)), shape=(3, 3)).reshape((1, 9)).toarray()",
    ),
    "csr_matrix": (
        "sparse.csr_matrix((x[:7], (I, J)), shape=(3, 3)) * b",
        "np.asarray(sparse.csr_matrix((x[:7], (I, J)), shape=(3, 3)).todense()) * W",
    ),
    "csc_matrix": ("sparse.csc_matrix((x[:7], (I, J)), shape=(3, 3)) * b",),
    "coo_matrix": ("sparse.coo_matrix((x[:7], (I, J)), shape=(3, 3)) * b",),
    "lil_array": ("rows(x).tolil().toarray() * W",),
    "dia_array": (
        "sparse.dia_array((x[:6].reshape(2, 3), np.array([0, 1])), shape=(3, 3)) @ b",
        "sparse.dia_array((x[:6].reshape(2, 3), np.array([0, -1])), shape=(3, 3)) @ B",
        "sparse.dia_array((x[:6].reshape(2, 3), np.array([0, 1])), shape=(3, 3)).toarray() * W",
    ),
    "diags": (
        "sparse.diags(x[:3]) @ b",
        "sparse.diags([x[:2], x[2:5], x[5:7]], [-1, 0, 1]) @ b",
    ),
    "diags_array": ("sparse.diags_array(x[:3]) @ b", "sparse.diags_array(x[:3]).tocsr() @ B"),
    "eye_array": ("sparse.eye_array(3) @ x[:3]", "(sparse.eye_array(3) * x[0] + rows(x)) @ b"),
    "vstack": ("sparse.vstack([rows(x), rows(2 * x)]) @ b",),
    "hstack": ("sparse.hstack([rows(x), rows(2 * x)]) @ np.r_[b, b]",),
    "block_diag": ("sparse.block_diag([rows(x), rows(2 * x)]) @ np.r_[b, b]",),
    "kronsum": ("sparse.kronsum(rows(x), rows(2 * x)) @ np.arange(9.0)",),
    "tril": ("sparse.tril(rows(x)) @ b",),
    "triu": ("sparse.triu(rows(x)) @ b",),
    "find": ("sparse.find(rows(x))[2]",),
}
REFUSED: dict[str, str] = {
    "block_array": "its blocks are put into an array of objects",
    "bsr_array": "the loops of its blocks have no rule",
}
