"""Calls of the names of numpy.linalg."""

import numpy as np
from numpy import linalg

b = np.array([0.7, -1.2, 0.4])
B = np.array([[0.4, -1.3, 0.2], [0.7, 0.1, -0.6], [1.1, 0.3, 0.5]])
other = np.linspace(0.3, 2.9, 9)
M = "(x.reshape(3, 3) + 2 * np.eye(3))"
Z = f"({M} + 0.5j * B)"
S = f"({M} @ {M}.T)"
H = f"({Z} @ {Z}.conj().T)"
STACK = f"np.stack([{M}, {M} @ B])"
TALL = "x[:6].reshape(3, 2)"
T = "x[:8].reshape(2, 2, 2)"

CALLS: dict[str, tuple[str, ...]] = {
    "cholesky": (
        f"linalg.cholesky({S})",
        f"linalg.cholesky({S}, upper=True)",
        f"linalg.cholesky({H})",
        f"linalg.cholesky(np.stack([{S}, 2 * {S}]))",
    ),
    "cond": (
        f"linalg.cond({M})",
        f"linalg.cond({M}, 'fro')",
        f"linalg.cond({M}, 1)",
        f"linalg.cond({M}, -2)",
        f"linalg.cond({STACK})",
    ),
    "cross": (
        "linalg.cross(x[:3], x[3:6])",
        f"linalg.cross({M}, B)",
        f"linalg.cross({M}, B, axis=0)",
    ),
    "det": (
        f"linalg.det({M})",
        f"linalg.det({STACK})",
        f"linalg.det({Z})",
        "linalg.det(np.outer(x[:3], x[3:6]))",
    ),
    "diagonal": (f"linalg.diagonal({M})", f"linalg.diagonal({STACK}, offset=1)"),
    "eig": (
        f"linalg.eig({M})[0]",
        f"np.abs(linalg.eig({M})[1]) ** 2",
        f"linalg.eig({S})[0]",
        f"linalg.eig({Z})[0]",
    ),
    "eigh": (
        f"linalg.eigh({S})[0]",
        f"np.abs(linalg.eigh({S})[1])",
        f"linalg.eigh({M}, UPLO='U')[0]",
        f"linalg.eigh({H})[0]",
        f"w, v = linalg.eigh({S})\nv * np.exp(w) @ v.T",
        f"linalg.eigh(np.stack([{S}, 2 * {S}])).eigenvalues",
    ),
    "eigvals": (f"linalg.eigvals({M})", f"linalg.eigvals({STACK})", f"linalg.eigvals({Z})"),
    "eigvalsh": (
        f"linalg.eigvalsh({S})",
        f"linalg.eigvalsh({M})",
        f"linalg.eigvalsh({M}, 'U')",
        f"linalg.eigvalsh({H})",
    ),
    "inv": (f"linalg.inv({M})", f"linalg.inv({STACK})", f"linalg.inv({Z})"),
    "lstsq": (
        f"linalg.lstsq({TALL}, b, rcond=None)[0]",
        f"linalg.lstsq({TALL}, x[6:], rcond=None)[1]",
        f"linalg.lstsq({TALL}.T, x[7:], rcond=None)[0]",
        f"linalg.lstsq({M}, B, rcond=None)",
        f"linalg.lstsq({Z}, b)[0]",
        "linalg.lstsq(np.arange(1.0, 10.0).reshape(3, 3), x[:3], rcond=-1)[0]",
        f"linalg.lstsq({M}, x[:3], rcond=0.1)[0]",
    ),
    "matmul": (f"linalg.matmul({M}, B)", f"linalg.matmul({STACK}, {M})"),
    "matrix_norm": (
        f"linalg.matrix_norm({M})",
        f"linalg.matrix_norm({M}, ord=2)",
        f"linalg.matrix_norm({M}, ord='nuc')",
        f"linalg.matrix_norm({STACK}, ord=1, keepdims=True)",
        f"linalg.matrix_norm({M}, ord=-2)",
        f"linalg.matrix_norm({Z}, ord=np.inf)",
    ),
    "matrix_power": (
        f"linalg.matrix_power({M}, 3)",
        f"linalg.matrix_power({M}, -2)",
        f"linalg.matrix_power({M}, 0)",
        f"linalg.matrix_power({STACK}, 5)",
    ),
    "matrix_transpose": (f"linalg.matrix_transpose({STACK})", f"linalg.matrix_transpose({M})"),
    "multi_dot": (
        f"linalg.multi_dot([{M}, {M}, B])",
        f"linalg.multi_dot([b, {M}, B, x[:3]])",
        f"linalg.multi_dot([{M}, B])",
        f"linalg.multi_dot([{M}, {M}[:, :1], x[None, :3]], out=np.empty((3, 3)))",
    ),
    "norm": (
        f"linalg.norm({M})",
        "linalg.norm(x)",
        "linalg.norm(x - 0.5, 1)",
        "linalg.norm(x, 3)",
        "linalg.norm(x, np.inf)",
        "linalg.norm(x, -np.inf)",
        "linalg.norm(x, 0) * x",
        f"linalg.norm({M}, axis=1)",
        f"linalg.norm({M}, 'nuc')",
        f"linalg.norm({M}, 2, keepdims=True)",
        f"linalg.norm({M}, -1)",
        f"linalg.norm({STACK}, 'fro', axis=(1, 2))",
        f"linalg.norm({Z})",
        "linalg.norm(x[0] - 0.6)",
    ),
    "outer": ("linalg.outer(x, other)", "linalg.outer(x[:3], x)"),
    "pinv": (
        f"linalg.pinv({M})",
        f"linalg.pinv({TALL})",
        f"linalg.pinv({M}, rcond=0.1)",
        f"linalg.pinv({TALL}.T, rcond=0.3)",
        f"linalg.pinv({S}, hermitian=True)",
        f"linalg.pinv({STACK})",
        f"linalg.pinv({Z})",
    ),
    "qr": (
        f"linalg.qr({M})[1]",
        f"linalg.qr({M})",
        f"linalg.qr({TALL})",
        f"linalg.qr({M}, mode='r')",
        f"linalg.qr({TALL}.T)",
        f"linalg.qr({STACK}).R",
    ),
    "slogdet": (f"linalg.slogdet({M})", f"linalg.slogdet({STACK})[1]", f"linalg.slogdet({Z})"),
    "solve": (
        f"linalg.solve({M}, b)",
        f"linalg.solve({M}, x[:3])",
        f"linalg.solve(B, {M})",
        f"linalg.solve({STACK}, {M})",
        f"linalg.solve({Z}, {M})",
    ),
    "svd": (
        f"linalg.svd({M})[1]",
        f"linalg.svd({M}, compute_uv=False)",
        f"u, s, v = linalg.svd({M})\nu @ np.diag(s**2) @ v",
        f"u, s, v = linalg.svd({TALL}, full_matrices=False)\nu * s @ v",
        f"linalg.svd({TALL}.T)[1]",
        f"linalg.svd({STACK}).S",
        f"linalg.svd({S}, hermitian=True)[1]",
        f"linalg.svd({Z})[1]",
    ),
    "svdvals": (f"linalg.svdvals({M})", f"linalg.svdvals({STACK})", f"linalg.svdvals({TALL})"),
    "tensordot": (
        f"linalg.tensordot({M}, B, axes=1)",
        f"linalg.tensordot({T}, {T}, axes=([0, 1], [1, 0]))",
    ),
    "tensorinv": (
        f"linalg.tensorinv({M}, ind=1)",
        "linalg.tensorinv((np.outer(x[:4], x[4:8]) + np.eye(4)).reshape(2, 2, 4))",
    ),
    "tensorsolve": (
        f"linalg.tensorsolve({M}, b)",
        f"linalg.tensorsolve({M}.reshape(3, 1, 3), x[:3, None])",
    ),
    "trace": (f"linalg.trace({M})", f"linalg.trace({STACK}, offset=-1)"),
    "vecdot": (
        f"linalg.vecdot({M}, B)",
        f"linalg.vecdot({Z}, B, axis=0)",
        f"linalg.vecdot({Z}, x[:3], axis=0)",
    ),
    "vector_norm": (
        "linalg.vector_norm(x)",
        f"linalg.vector_norm({M}, axis=0)",
        f"linalg.vector_norm({M}, ord=1, keepdims=True)",
        f"linalg.vector_norm({Z}, ord=3)",
        f"linalg.vector_norm({STACK}, axis=(0, 1), ord=np.inf)",
    ),
    "matrix_rank": (f"linalg.matrix_rank({M})", f"linalg.matrix_rank({STACK}) * x[0]"),
}
