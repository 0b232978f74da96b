"""Rules of scipy.linalg: qr, rq, svd, svdvals, polar, orthogonal_procrustes, hessenberg.

>>> import numpy
>>> eye = numpy.eye(2)
>>> unitary_back(3.0 * eye, eye, numpy.array([[0.0, 1.0], [0.0, 0.0]]))   # equal values
array([[ 0.        ,  0.16666667],
       [-0.16666667,  0.        ]])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import asarray, matmul, shape, take_along_axis, zeros
from scipy import linalg

from astad.rules.numpy.decompositions import factors_back, svd_back
from astad.rules.numpy.products import H
from astad.rules.numpy.samples import definite, hermitian, imaginary, real
from astad.rules.registry import Keywords, rule
from astad.rules.scipy.structures import stacked

__all__ = ["unitary_back"]

# QR and RQ


def qr_bar(a: Any, y: Any, y_bar: Any, mode: str, pivoting: bool) -> Any:
    """Cotangent of the matrix in ``scipy.linalg.qr``, which of a stack gives R alone as it is."""
    a = asarray(a)
    if isinstance(y, np.ndarray):
        y, y_bar = (y,), (y_bar,)
    if not pivoting:
        return from_factors(a, y, y_bar, mode)
    order = asarray(y[-1])[..., None, :]
    moved = from_factors(take_along_axis(a, order, -1), y, y_bar, mode)
    return take_along_axis(moved, np.argsort(order, axis=-1), -1)


def from_factors(a: Any, y: Any, y_bar: Any, mode: str) -> Any:
    """The same with the columns in the order of the factors."""
    if mode != "r":
        return factors_back(a, y[0], y[1], y_bar[0], y_bar[1])
    return factors_back(a, first_factor(a, y[0]), y[0], None, y_bar[0])


def first_factor(a: Any, r: Any) -> Any:
    """Q, where R alone was asked for."""
    n = min(shape(a)[-2:])
    return H(np.linalg.solve(H(r[..., :n, :n]), H(a[..., :n])))


QR = "H(Q) dA inv(R) = H(Q) dQ + dR inv(R): anti-Hermitian plus upper triangular"
rule(
    linalg.qr,
    "a, overwrite_a=False, lwork=None, mode='full', pivoting=False, check_finite=True",
    a="qr_bar(a, y, y_bar, mode, pivoting)",
    refuse="overwrite_a or mode == 'raw'",
    gives="parts(factor(a, mode), factor(a, mode)); check_finite",
    source=QR,
    examples=lambda: [
        (real(3, 3),),
        (real(4, 2), Keywords(mode="economic")),
        (real(3, 2),),
        (real(2, 4),),
        (real(4, 3), Keywords(mode="r")),
        (real(2, 3, 2), Keywords(mode="r")),
        (real(3, 3), Keywords(pivoting=True)),
        (imaginary(3, 2), Keywords(mode="economic")),
    ],
)


def flipped(a: Any) -> Any:
    """Conjugate transpose of the matrix with its rows in reverse order."""
    return H(a[..., ::-1, :])


def rq_bar(a: Any, y: Any, y_bar: Any, mode: str) -> Any:
    """Cotangent of the matrix in ``rq``: rows and columns reversed, it is a QR."""
    r, r_bar = (y, y_bar) if mode == "r" else (y[0], y_bar[0])
    k = min(shape(a)[-2:])
    turned = flipped(asarray(a))
    low = H(r)[..., ::-1, ::-1][..., :k, :]
    low_bar = None if r_bar is None else H(r_bar)[..., ::-1, ::-1][..., :k, :]
    if mode == "r":
        q, q_bar = first_factor(turned, low), None
    else:
        q = flipped(y[1])
        q_bar = None if y_bar[1] is None else flipped(y_bar[1])
    return H(factors_back(turned, q, low, q_bar, low_bar))[..., ::-1, :]


rule(
    linalg.rq,
    "a, overwrite_a=False, lwork=None, mode='full', check_finite=True",
    a="rq_bar(a, y, y_bar, mode)",
    refuse="overwrite_a",
    gives="parts(factor(a, mode), factor(a, mode)); check_finite",
    source=QR + ", of the matrix turned over",
    examples=lambda: [
        (real(3, 3),),
        (real(2, 4), Keywords(mode="economic")),
        (real(4, 2),),
        (real(3, 3), Keywords(mode="r")),
        (imaginary(3, 3),),
    ],
)


# singular values

SINGULAR = "Giles 2008, NA-08-01, singular values; vectors from d(A V) = d(U S)"
rule(
    linalg.svd,
    "a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, "
    "lapack_driver='gesdd'",
    a="svd_back(y, y_bar) if compute_uv else svd_back(np.linalg.svd(a, False), "
    "(None, y_bar, None))",
    refuse="overwrite_a",
    gives="parts(matrices(a), spectrum(a), matrices(a)); "
    "full_matrices, check_finite, lapack_driver",
    source=SINGULAR,
    examples=lambda: [
        (real(3, 3),),
        (real(4, 2), False),
        (real(3, 2),),
        (real(4, 2), Keywords(compute_uv=False)),
        (imaginary(3, 2), False),
        (imaginary(2, 3), False, Keywords(lapack_driver="gesvd")),
    ],
)
rule(
    linalg.svdvals,
    "a, overwrite_a=False, check_finite=True",
    a="svd_back(np.linalg.svd(a, False), (None, y_bar, None))",
    refuse="overwrite_a",
    gives="spectrum(a); check_finite",
    source="Giles 2008, NA-08-01, singular values",
    examples=lambda: [(real(3, 3),), (real(2, 4, 2),), (imaginary(2, 3),)],
)


# polar


def sums_solved(p: Any, x: Any) -> Any:
    """The z with ``h z + z h = x`` for the Hermitian part h of p; it divides by sums of
    eigenvalues.
    """
    w, v = np.linalg.eigh(hermitian_part(p))
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = matmul(matmul(H(v), x), v) / (w[..., None, :] + w[..., :, None])
        return matmul(matmul(v, inner), H(v))


def sums_solved_bar(y_bar: Any, y: Any, p: Any) -> Any:
    """Cotangent of the matrix, of which only the Hermitian part counts."""
    z = sums_solved(p, y_bar)
    return hermitian_part(-matmul(z, H(y)) - matmul(H(y), z))


def hermitian_part(p: Any) -> Any:
    """What is left of p on average with its conjugate transpose."""
    return (p + H(p)) / 2


rule(
    sums_solved,
    "p, x",
    p="sums_solved_bar(y_bar, y, p)",
    x="sums_solved(p, y_bar)",
    dot="sums_solved("
    "p, x_dot - matmul(hermitian_part(p_dot), y) - matmul(y, hermitian_part(p_dot)))",
    source="P dZ + dZ P = dX - dP Z - Z dP: no gaps of eigenvalues, unlike eigh from its source",
    examples=lambda: [(definite(3), real(3, 3)), (hermitian(2), imaginary(2, 2))],
)


def unitary_back(a: Any, u: Any, u_bar: Any) -> Any:
    """Cotangent of a matrix in its unitary factor: sums of singular values, no gaps."""
    if shape(a)[-2] < shape(a)[-1]:
        return H(unitary_back(H(a), H(u), H(u_bar)))
    p, within = matmul(H(u), a), matmul(H(u), u_bar)
    a_bar = matmul(u, sums_solved(p, within - H(within)))
    if shape(a)[-2] > shape(a)[-1]:
        a_bar = a_bar + H(np.linalg.solve(p, H(u_bar - matmul(u, within))))
    return a_bar


def polar_bar(a: Any, y: Any, y_bar: Any, side: str) -> Any:
    """Cotangent of the matrix from the factors, of which the second is ``H(U) A`` or ``A H(U)``."""
    u, u_bar, p_bar = y[0], y_bar[0], y_bar[1]
    if p_bar is None:
        return unitary_back(a, u, u_bar)
    u_bar = 0.0 if u_bar is None else u_bar
    if side == "right":
        return matmul(u, p_bar) + unitary_back(a, u, u_bar + matmul(a, H(p_bar)))
    return matmul(p_bar, u) + unitary_back(a, u, u_bar + matmul(H(p_bar), a))


rule(
    linalg.polar,
    "a, side='right'",
    a="polar_bar(asarray(a), y, y_bar, side)",
    gives="parts(one_matrix(a), one_matrix(a)); side",
    source="H(U) dA - H(dA) U = W P + P W with W = H(U) dU; Higham 2008, chapter 8",
    examples=lambda: [
        (real(3, 3),),
        (real(3, 2),),
        (real(2, 3), "left"),
        (real(2, 3),),
        (real(3, 2), "left"),
        (imaginary(3, 3),),
        (np.eye(3) * 2.0,),
    ],
)


def procrustes_bar(a: Any, b: Any, y: Any, y_bar: Any) -> Any:
    """Cotangent of ``H(a) @ b``: its unitary factor, and the sum of its singular values."""
    product = matmul(H(asarray(a)), b)
    total = zeros(shape(product)) if y_bar[0] is None else unitary_back(product, y[0], y_bar[0])
    return total if y_bar[1] is None else total + y_bar[1] * y[0]


rule(
    linalg.orthogonal_procrustes,
    "A, B, check_finite=True",
    A="matmul(B, H(procrustes_bar(A, B, y, y_bar)))",
    B="matmul(A, procrustes_bar(A, B, y, y_bar))",
    refuse="np.ndim(A) > 2 or np.ndim(B) > 2",
    gives="parts(one_matrix(A, B), number(A)); check_finite",
    source="unitary factor and nuclear norm of H(A) B; Schoenemann 1966",
    examples=lambda: [(real(3, 2), real(3, 2, seed=1)), (real(3, 3), real(3, 3, seed=1))],
)


# Hessenberg


@stacked(2, 2, 2, 2)
def hessenberg_bar(q: Any, h: Any, q_bar: Any, h_bar: Any) -> Any:
    """Cotangent of the matrix: from H(Q) dA Q = W H - H W + dH, W skew with its first column 0,
    which is found column by column.
    """
    n = len(h)
    x_bar = zeros((n, n)) if h_bar is None else np.triu(h_bar, -1)
    turn = matmul(h.T, x_bar) - matmul(x_bar, h.T)
    if q_bar is not None:
        turn = turn + matmul(q.T, q_bar)
    spin = np.tril(turn - turn.T, -1)
    for j in reversed(range(n - 2)):
        rows = slice(j + 2, n)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = spin[rows, j + 1] / h[j + 1, j]
        x_bar[rows, j] += t
        if j:
            spin[j + 1 :, j] += matmul(t, h[rows, j + 1 :])
            spin[rows, 1 : j + 1] -= np.outer(t, h[1 : j + 1, j])
    return matmul(matmul(q, x_bar), q.T)


def reduced(a: Any, y: Any, calc_q: bool) -> tuple[Any, Any]:
    """Q and H."""
    return (y[1], y[0]) if calc_q else (linalg.hessenberg(a, calc_q=True)[1], y)


def hessenberg_bars(a: Any, y: Any, y_bar: Any, calc_q: bool) -> Any:
    """Cotangent of the matrix."""
    h_bar, q_bar = (y_bar[0], y_bar[1]) if calc_q else (y_bar, None)
    return hessenberg_bar(*reduced(a, y, calc_q), q_bar, h_bar)


rule(
    linalg.hessenberg,
    "a, calc_q=False, overwrite_a=False, check_finite=True",
    a="hessenberg_bars(a, y, y_bar, calc_q)",
    refuse="overwrite_a or np.iscomplexobj(a)",
    gives="one_matrix(a); check_finite",
    source="implicit Q theorem: H(Q) dA Q = W H - H W + dH",
    examples=lambda: [(real(4, 4), True), (real(5, 5),), (real(2, 3, 3),)],
)
