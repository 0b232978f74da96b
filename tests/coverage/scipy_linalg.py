"""Calls of scipy.linalg in ``x``, nine numbers; what is not differentiated, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

X = np.array([2.1, 0.4, -0.7, 0.3, 1.7, 0.6, -0.5, 0.2, 2.6])
C = X.copy()
b = np.array([0.7, -1.2, 0.4])
B = np.array([[0.3, 1.1], [-0.6, 0.8], [1.4, -0.9]])
W = np.array([[0.2, -0.3, 0.5], [0.7, 0.1, -0.4], [-0.6, 0.8, 0.9]])
P = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.1]])


def square(x: Any) -> Any:
    """A matrix."""
    return x.reshape(3, 3)


def stable(x: Any) -> Any:
    """A matrix with small eigenvalues, all different."""
    return 0.2 * x.reshape(3, 3)


def imaginary(x: Any) -> Any:
    """A complex matrix."""
    return x.reshape(3, 3) * (1.0 + 0.3j) + 0.2j * W


def definite(x: Any) -> Any:
    """A symmetric positive definite matrix."""
    a = 0.5 * x.reshape(3, 3)
    return a @ a.T + np.eye(3)


def hermitian(x: Any) -> Any:
    """A Hermitian positive definite matrix."""
    a = 0.5 * x.reshape(3, 3) + 0.3j * W
    return a @ np.conj(a.T) + np.eye(3)


def skew(x: Any) -> Any:
    """Any matrix with a definite symmetric part, its two triangles different."""
    return x.reshape(3, 3) + 2.0 * np.eye(3)


def signed(y: Any) -> Any:
    """Values and vectors, the first entry of each vector positive."""
    return y[0], y[1] * np.conj(y[1][..., :1, :]) / abs(y[1][..., :1, :])


CALLS: dict[str, tuple[str, ...]] = {
    # systems of equations
    "solve": (
        "linalg.solve(square(x), b)",
        "linalg.solve(square(x), x[:3])",
        "linalg.solve(square(x), B)",
        "linalg.solve(skew(x), b, assume_a='pos', lower=True)",
        "linalg.solve(skew(x), b, assume_a='sym')",
        "linalg.solve(imaginary(x), b)",
        "linalg.solve(np.stack([square(x), 2 * square(x).T]), B)",
        "linalg.solve(square(x), B, transposed=True)",
        "linalg.solve(np.diag(x[:3]) + square(x - C), b)",
    ),
    "solve_triangular": (
        "linalg.solve_triangular(square(x), b)",
        "linalg.solve_triangular(square(x), x[:3], lower=True)",
        "linalg.solve_triangular(square(x), B, trans=1)",
        "linalg.solve_triangular(square(x), B, trans='T', lower=True, unit_diagonal=True)",
        "linalg.solve_triangular(imaginary(x), B, trans='C')",
        "linalg.solve_triangular(np.stack([square(x), square(x).T]), b)",
    ),
    "solve_banded": (
        "linalg.solve_banded((1, 1), square(x), b)",
        "linalg.solve_banded((1, 1), square(x) + 1j * W, B)",
        "linalg.solve_banded((2, 0), square(x)[::-1], x[:3])",
        "linalg.solve_banded((1, 2), np.concatenate([W[:1], square(x)]), b)",
    ),
    "solveh_banded": (
        "linalg.solveh_banded(np.stack([0.1 * x[:3], 2 + x[3:6]]), b)",
        "linalg.solveh_banded(np.stack([3 + x[:3], 0.1 * x[3:6]]), B, lower=True)",
        "linalg.solveh_banded(np.stack([3 + x[:3], 0.1j * x[3:6]]), x[:3], lower=True)",
        "linalg.solveh_banded(np.stack([0.1 * x[:3], 0.1 * x[3:6], 2 + x[6:]]), b)",
    ),
    "solve_toeplitz": (
        "linalg.solve_toeplitz(x[:3], b)",
        "linalg.solve_toeplitz((x[:3], x[2:5]), B)",
        "linalg.solve_toeplitz((x[:3] * (1 + 1j), x[2:5]), x[:3])",
        "linalg.solve_toeplitz(x[:3] * np.array([1.0, 1j, 0.4 + 1j]), b)",
    ),
    "solve_circulant": (
        "linalg.solve_circulant(x[:3], b)",
        "linalg.solve_circulant(x[:3], x[3:6])",
        "linalg.solve_circulant(x[:3], B)",
        "linalg.solve_circulant(x[:3], B.T, baxis=1, outaxis=1)",
    ),
    "inv": (
        "linalg.inv(square(x))",
        "linalg.inv(imaginary(x))",
        "linalg.inv(np.stack([square(x), square(x).T]))",
        "linalg.inv(skew(x), assume_a='pos', lower=True)",
        "linalg.inv(skew(x), assume_a='sym')",
        "linalg.inv(square(x), assume_a='upper triangular')",
    ),
    "det": (
        "linalg.det(square(x))",
        "linalg.det(imaginary(x))",
        "linalg.det(np.stack([square(x), square(x).T]))",
        "linalg.det(np.outer(x[:3], x[3:6]))",
    ),
    "pinv": (
        "linalg.pinv(x.reshape(3, 3)[:, :2])",
        "linalg.pinv(x.reshape(3, 3)[:2])",
        "linalg.pinv(imaginary(x)[:2])",
        "linalg.pinv(x.reshape(3, 3), return_rank=True)",
    ),
    "pinvh": (
        "linalg.pinvh(skew(x))",
        "linalg.pinvh(skew(x), lower=False)",
        "linalg.pinvh(hermitian(x))",
        "linalg.pinvh(np.outer(x[:3], x[:3]), return_rank=True)",
    ),
    "lstsq": (
        "linalg.lstsq(x.reshape(3, 3)[:, :2], b)",
        "linalg.lstsq(x.reshape(3, 3), x[:3], cond=0.1)[0]",
        "linalg.lstsq(x.reshape(3, 3)[:2], b[:2])",
        "linalg.lstsq(imaginary(x)[:, :2], x[:3])",
        "linalg.lstsq(x.reshape(3, 3)[:, :2], B, lapack_driver='gelsy')",
    ),
    "matmul_toeplitz": (
        "linalg.matmul_toeplitz(x[:3], b)",
        "linalg.matmul_toeplitz((x[:3], x[3:7]), np.ones((4, 2)))",
        "linalg.matmul_toeplitz((x[:3], x[3:6]), x[6:])",
        "linalg.matmul_toeplitz((x[:3] + 1j, x[3:6]), x[6:])",
    ),
    # factorizations and what solves with them
    "cholesky": (
        "linalg.cholesky(skew(x))",
        "linalg.cholesky(skew(x), lower=True)",
        "linalg.cholesky(hermitian(x))",
        "linalg.cholesky(np.stack([definite(x), skew(x)]), lower=True)",
    ),
    "cho_factor": (
        "linalg.cho_factor(definite(x))[0]",
        "linalg.cho_solve(linalg.cho_factor(skew(x)), b)",
        "linalg.cho_solve(linalg.cho_factor(skew(x), lower=True), x[:3])",
        "linalg.cho_solve(linalg.cho_factor(hermitian(x), True), B)",
        "np.log(np.diag(linalg.cho_factor(definite(x), lower=True)[0]))",
    ),
    "cho_solve": (
        "linalg.cho_solve((square(x), True), b)",
        "linalg.cho_solve((square(x), False), B)",
        "linalg.cho_solve((imaginary(x), False), x[:3])",
        "linalg.cho_solve(linalg.cho_factor(np.stack([definite(x), skew(x)])), B)",
    ),
    "cholesky_banded": (
        "linalg.cholesky_banded(np.stack([0.1 * x[:3], 2 + x[3:6]]))",
        "linalg.cholesky_banded(np.stack([3 + x[:3], 0.1 * x[3:6]]), lower=True)",
        "linalg.cholesky_banded(np.stack([3 + x[:3] + 0j, 0.1j * x[3:6], W[0]]), lower=True)",
    ),
    "cho_solve_banded": (
        "linalg.cho_solve_banded((np.stack([0.1 * x[:3], 2 + x[3:6]]), False), b)",
        "linalg.cho_solve_banded((np.stack([2 + x[3:6], 0.1j * x[:3]]), True), B)",
    ),
    "lu": (
        "linalg.lu(square(x))",
        "linalg.lu(square(x)[::-1])",
        "linalg.lu(square(x), permute_l=True)",
        "linalg.lu(imaginary(x)[:, :2], p_indices=True)",
        "linalg.lu(square(x)[:2])",
        "linalg.lu(np.stack([square(x), square(x).T]))",
    ),
    "lu_factor": (
        "linalg.lu_factor(square(x))",
        "linalg.lu_factor(square(x)[::-1])",
        "linalg.lu_factor(imaginary(x))",
        "linalg.lu_solve(linalg.lu_factor(square(x)[::-1]), b)",
        "linalg.lu_solve(linalg.lu_factor(np.stack([square(x)[::-1], square(x)])), B)",
    ),
    "lu_solve": (
        "linalg.lu_solve((square(x), np.array([1, 2, 2])), b)",
        "linalg.lu_solve((square(x), np.array([0, 1, 2])), B, trans=1)",
        "linalg.lu_solve((imaginary(x), np.array([2, 1, 2])), x[:3], trans=2)",
    ),
    "qr": (
        "linalg.qr(square(x))",
        "linalg.qr(square(x)[:, :2], mode='economic')",
        "linalg.qr(square(x)[:2])",
        "linalg.qr(square(x), mode='r')",
        "linalg.qr(square(x), pivoting=True)",
        "linalg.qr(imaginary(x)[:, :2], mode='economic')",
        "linalg.qr(square(x)[:, :2])[1]",
        "linalg.qr(np.stack([square(x), square(x).T]))",
    ),
    "rq": (
        "linalg.rq(square(x))",
        "linalg.rq(square(x), mode='r')",
        "linalg.rq(square(x)[:2], mode='economic')",
        "linalg.rq(imaginary(x))",
    ),
    "qr_multiply": ("linalg.qr_multiply(square(x), W)",),
    "ldl": (
        "linalg.ldl(skew(x))[:2]",
        "linalg.ldl(skew(x), lower=False)[:2]",
        "linalg.ldl(hermitian(x))[:2]",
        "linalg.ldl(skew(x) + 1j * W, hermitian=False)[:2]",
    ),
    "svd": (
        "linalg.svd(square(x))",
        "linalg.svd(square(x)[:, :2], full_matrices=False)",
        "linalg.svd(imaginary(x)[:2], False)",
        "linalg.svd(square(x), compute_uv=False)",
        "linalg.svd(square(x), lapack_driver='gesvd')",
    ),
    "svdvals": ("linalg.svdvals(square(x))", "linalg.svdvals(imaginary(x)[:2])"),
    "diagsvd": ("linalg.diagsvd(x[:3], 3, 4)", "linalg.diagsvd(x[:3], 4, 3)"),
    "polar": (
        "linalg.polar(square(x))",
        "linalg.polar(square(x), side='left')",
        "linalg.polar(square(x)[:, :2])",
        "linalg.polar(imaginary(x))",
        "linalg.polar(square(x)[:2], side='left')",
    ),
    "hessenberg": (
        "linalg.hessenberg(square(x))",
        "linalg.hessenberg(square(x), calc_q=True)",
    ),
    "schur": (
        "linalg.schur(square(x))",
        "linalg.schur(definite(x))[0]",
        "abs(linalg.schur(imaginary(x))[1])",
        "linalg.schur(-imaginary(x))[0].diagonal()",
        "abs(linalg.schur(square(x), output='complex')[0])",
    ),
    "orth": ("linalg.orth(square(x)[:, :2])", "linalg.orth(imaginary(x)[:, :2])"),
    "null_space": (
        "(lambda n: n @ n.T)(linalg.null_space(square(x)[:2]))",
        "linalg.null_space(square(x)[:2]) ** 2",
    ),
    "orthogonal_procrustes": ("linalg.orthogonal_procrustes(square(x), W)",),
    "subspace_angles": ("linalg.subspace_angles(square(x)[:, :2], W[:, :2])",),
    # eigenvalues
    "eig": (
        "linalg.eig(definite(x) + 0.05 * square(x))",
        "linalg.eig(imaginary(x))",
        "linalg.eig(square(x), right=False)",
        "abs(linalg.eig(definite(x) + 0.05 * square(x), left=True)[1])",
        "linalg.eig(definite(x) + 0.05 * square(x), P)[0]",
    ),
    "eigvals": (
        "linalg.eigvals(square(x))",
        "linalg.eigvals(imaginary(x))",
        "linalg.eigvals(square(x), P)",
    ),
    "eigh": (
        "signed(linalg.eigh(skew(x)))",
        "signed(linalg.eigh(skew(x), lower=False))",
        "signed(linalg.eigh(hermitian(x)))",
        "signed(linalg.eigh(skew(x), P))",
        "signed(linalg.eigh(P, definite(x)))",
        "signed(linalg.eigh(skew(x), definite(x), type=2))",
        "linalg.eigh(skew(x), definite(x), type=3, eigvals_only=True)",
        "linalg.eigh(skew(x), eigvals_only=True)",
        "signed(linalg.eigh(skew(x), subset_by_index=[0, 1]))",
        "signed(linalg.eigh(np.stack([definite(x), skew(x)])))",
    ),
    "eigvalsh": (
        "linalg.eigvalsh(skew(x))",
        "linalg.eigvalsh(hermitian(x), lower=False)",
        "linalg.eigvalsh(skew(x), definite(x))",
        "linalg.eigvalsh(skew(x), subset_by_index=[1, 2])",
    ),
    "eig_banded": ("signed(linalg.eig_banded(np.stack([0.1 * x[:3], x[3:6]])))",),
    "eigvals_banded": (
        "linalg.eigvals_banded(np.stack([0.1 * x[:3], x[3:6]]))",
        "linalg.eigvals_banded(np.stack([x[3:6], 0.1 * x[:3]]), lower=True)",
        "linalg.eigvals_banded(np.stack([x[3:6], 0.1j * x[:3]]), True, False, 'i', (0, 1))",
    ),
    "eigh_tridiagonal": ("signed(linalg.eigh_tridiagonal(x[:4], x[4:7]))",),
    "eigvalsh_tridiagonal": (
        "linalg.eigvalsh_tridiagonal(x[:4], x[4:7])",
        "linalg.eigvalsh_tridiagonal(x[:4], x[4:7], select='i', select_range=(1, 2))",
    ),
    # functions of matrices
    "expm": (
        "linalg.expm(square(x))",
        "linalg.expm(imaginary(x))",
        "linalg.expm(np.diag(x[:3]) + square(x - C))",
        "linalg.expm(np.stack([square(x), -0.3 * square(x)]))",
        "linalg.expm(x[:1, None])",
        "linalg.expm(square(x - C))",
        "linalg.expm(np.triu(square(x)) + square(x - C))",
    ),
    "expm_frechet": (
        "linalg.expm_frechet(square(x), W)",
        "linalg.expm_frechet(square(x), 0.5 * W, compute_expm=False)",
        "linalg.expm_frechet(W, square(x))",
        "linalg.expm_frechet(0.3 * square(x), square(x) @ W, method='blockEnlarge')",
    ),
    "expm_cond": ("linalg.expm_cond(square(x))",),
    "logm": (
        "linalg.logm(definite(x) + 0.1 * square(x))",
        "linalg.logm(np.eye(3) + square(x - C))",
        "linalg.logm(imaginary(x))",
        "linalg.logm(square(x))",
    ),
    "sqrtm": (
        "linalg.sqrtm(definite(x) + 0.1 * square(x))",
        "linalg.sqrtm(np.eye(3) + square(x - C))",
        "linalg.sqrtm(imaginary(x))",
        "linalg.sqrtm(np.stack([definite(x), square(x)]))",
        "linalg.sqrtm(-definite(x))",
    ),
    "fractional_matrix_power": (
        "linalg.fractional_matrix_power(definite(x) + 0.1 * square(x), 0.3)",
        "linalg.fractional_matrix_power(definite(x), -1.4)",
        "linalg.fractional_matrix_power(square(x), 3)",
        "linalg.fractional_matrix_power(imaginary(x), 0.5)",
        "linalg.fractional_matrix_power(definite(x), x[0])",
        "linalg.fractional_matrix_power(np.eye(3) + square(x - C), 0.5)",
    ),
    "cosm": ("linalg.cosm(square(x))", "linalg.cosm(imaginary(x))", "linalg.cosm(square(x - C))"),
    "sinm": ("linalg.sinm(square(x))", "linalg.sinm(imaginary(x))", "linalg.sinm(square(x - C))"),
    "tanm": ("linalg.tanm(stable(x))", "linalg.tanm(0.2 * imaginary(x))"),
    "coshm": ("linalg.coshm(square(x))", "linalg.coshm(imaginary(x))"),
    "sinhm": ("linalg.sinhm(square(x))", "linalg.sinhm(square(x - C))"),
    "tanhm": ("linalg.tanhm(square(x))", "linalg.tanhm(0.2 * imaginary(x))"),
    "signm": (
        "linalg.signm(square(x) - 2 * np.eye(3))",
        "linalg.signm(definite(x) - 2.0 * np.eye(3))",
        "linalg.signm(imaginary(x) - 2 * np.eye(3))",
    ),
    "funm": (
        "linalg.funm(square(x), np.exp)",
        "linalg.funm(definite(x), lambda t: t * t)",
    ),
    # equations
    "solve_sylvester": (
        "linalg.solve_sylvester(square(x), P, W)",
        "linalg.solve_sylvester(P, square(x), square(x))",
        "linalg.solve_sylvester(imaginary(x), P[:2, :2], B)",
    ),
    "solve_continuous_lyapunov": (
        "linalg.solve_continuous_lyapunov(square(x), W)",
        "linalg.solve_continuous_lyapunov(square(x), square(x))",
        "linalg.solve_continuous_lyapunov(imaginary(x), W)",
    ),
    "solve_lyapunov": ("linalg.solve_lyapunov(square(x), W)",),
    "solve_discrete_lyapunov": (
        "linalg.solve_discrete_lyapunov(stable(x), W)",
        "linalg.solve_discrete_lyapunov(stable(x), square(x), method='bilinear')",
        "linalg.solve_discrete_lyapunov(0.2 * imaginary(x), W)",
    ),
    "solve_continuous_are": (
        "linalg.solve_continuous_are(square(x), B, P, np.eye(2))",
        "linalg.solve_continuous_are(W, square(x)[:, :2], definite(x), np.eye(2))",
    ),
    "solve_discrete_are": (
        "linalg.solve_discrete_are(square(x), B, P, np.eye(2))",
        "linalg.solve_discrete_are(W, square(x)[:, :2], definite(x), np.eye(2))",
    ),
    # matrices made from numbers
    "block_diag": (
        "linalg.block_diag(square(x), W, x[:2])",
        "linalg.block_diag(x[0], imaginary(x))",
        "linalg.block_diag(x[:2], [])",
    ),
    "circulant": ("linalg.circulant(x)", "linalg.circulant(x * 1j)"),
    "companion": ("linalg.companion(x)", "linalg.companion(x[:3] * 1j)"),
    "convolution_matrix": (
        "linalg.convolution_matrix(x[:4], 3)",
        "linalg.convolution_matrix(x[:4], 3, mode='same')",
        "linalg.convolution_matrix(x[:2], 5, mode='valid')",
    ),
    "fiedler": ("linalg.fiedler(x)", "linalg.fiedler(np.stack([x[:3], x[3:6]]))"),
    "fiedler_companion": ("linalg.fiedler_companion(x[:5])", "linalg.fiedler_companion(x[:4])"),
    "hankel": ("linalg.hankel(x[:4])", "linalg.hankel(x[:3], x[4:])"),
    "khatri_rao": (
        "linalg.khatri_rao(square(x), W)",
        "linalg.khatri_rao(B, square(x)[:, :2])",
        "linalg.khatri_rao(square(x), square(x))",
    ),
    "leslie": ("linalg.leslie(x[:3], x[3:5])",),
    "toeplitz": (
        "linalg.toeplitz(x[:4])",
        "linalg.toeplitz(x[:3], x[4:])",
        "linalg.toeplitz(x[:3] * 1j)",
    ),
    "norm": (
        "linalg.norm(x)",
        "linalg.norm(square(x))",
        "linalg.norm(square(x), 1)",
        "linalg.norm(square(x), 2)",
        "linalg.norm(square(x), 'nuc')",
        "linalg.norm(x, np.inf)",
        "linalg.norm(square(x), axis=0)",
        "linalg.norm(imaginary(x))",
        "linalg.norm(x, 3)",
        "linalg.norm(x - C)",
    ),
    "matrix_balance": ("linalg.matrix_balance(square(x), permute=False)[0]",),
    "cdf2rdf": ("linalg.cdf2rdf(x[:3], square(x))",),
    "rsf2csf": ("linalg.rsf2csf(np.triu(square(x)), W)",),
}
REFUSED: dict[str, str] = {
    "qr_multiply": "it works on the reflectors of LAPACK, which have no rule",
    "matrix_balance": "scales by powers of two from a compiled search",
    "cossin": "its vectors have no rule",
    "qz": "generalised Schur vectors have no rule",
    "ordqz": "generalised Schur vectors have no rule",
    "qr_delete": "compiled update of a factorisation",
    "qr_insert": "compiled update of a factorisation",
    "qr_update": "compiled update of a factorisation",
}
