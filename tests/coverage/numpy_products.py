"""Calls of the products of numpy, of its polynomials and of what makes arrays from numbers."""

import numpy as np

NAMESPACE = "numpy"

other = np.linspace(0.3, 2.9, 9)
B = np.array([[0.4, -1.3, 0.2], [0.7, 0.1, -0.6], [1.1, 0.3, 0.5]])
vector = np.array([0.4, -1.3, 2.2])
M = "x.reshape(3, 3)"
Z = "(x.reshape(3, 3) + 1j * B)"
T = "x[:8].reshape(2, 2, 2)"


def squares(name):
    """Calls of a matrix product."""
    return (
        f"np.{name}({M}, {M})",
        f"np.{name}({M}, B)",
        f"np.{name}(B, {M})",
        f"np.{name}({M}, x[:3])",
        f"np.{name}(vector, {M})",
        f"np.{name}(x, other)",
        f"np.{name}({Z}, {M})",
    )


CALLS: dict[str, tuple[str, ...]] = {
    "dot": (
        *squares("dot"),
        "np.dot(x, 2.0)",
        "np.dot(x[0], x)",
        f"np.dot({M}, {M}, out=np.zeros((3, 3)))",
    ),
    "inner": (*squares("inner"), "np.inner(x[0], x)"),
    "matmul": (
        *squares("matmul"),
        f"np.matmul({T}, {T}[0])",
        f"np.matmul({M}, B, out=np.zeros((3, 3)))",
    ),
    "matvec": (f"np.matvec({M}, x[:3])", f"np.matvec({T}, {T}[0])", f"np.matvec({Z}, x[:3] * 1j)"),
    "vecmat": (f"np.vecmat(x[:3], {M})", f"np.vecmat({Z}[0], {Z})"),
    "vecdot": (
        f"np.vecdot({M}, {M})",
        "np.vecdot(x, other)",
        f"np.vecdot({M}, B, axis=0)",
        f"np.vecdot({Z}, B)",
        f"np.vecdot(x[:3], {Z}, axis=0, keepdims=True)",
    ),
    "vdot": ("np.vdot(x, other)", f"np.vdot({M}, B)", f"np.vdot({Z}, {M})", f"np.vdot(B, {Z})"),
    "outer": (
        "np.outer(x, other)",
        "np.outer(x[:3], x)",
        f"np.outer({M}, x[:2] * 1j)",
        "np.outer(x[:3], x[:2], out=np.zeros((3, 2)))",
    ),
    "kron": (f"np.kron({M}, B)", "np.kron(x[:2], x)", f"np.kron(B, {Z})", "np.kron(2.0, x)"),
    "tensordot": (
        f"np.tensordot({M}, {M}, 1)",
        f"np.tensordot({T}, {T}, ([0, 1], [1, 0]))",
        f"np.tensordot({M}, B)",
        f"np.tensordot({M}, x[:3], 0)",
    ),
    "einsum": (
        f"np.einsum('ij,jk->ik', {M}, {M})",
        f"np.einsum('ii', {M})",
        f"np.einsum('ii->i', {M})",
        f"np.einsum('ij->ji', {M})",
        "np.einsum('i,i', x, other)",
        f"np.einsum('...j,j', {M}, x[:3])",
        f"np.einsum({M}, [0, 1], B, [1, 2], [0, 2])",
        f"np.einsum('ij,jk,kl', {M}, B, {M}, optimize=True)",
        f"np.einsum('ij,jk', {Z}, B)",
        f"np.einsum('ij,j->i', {M}, x[:3], out=np.zeros(3))",
        "np.einsum('i->', x)",
    ),
    "cross": (
        "np.cross(x[:3], x[3:6])",
        f"np.cross({M}, B)",
        f"np.cross({M}, x[:3])",
        f"np.cross({M}, B, axis=0)",
        f"np.cross({M}, B, axisa=0, axisb=1, axisc=0)",
    ),
    "trace": (
        f"np.trace({M})",
        f"np.trace({M}, 1)",
        f"np.trace({T}, axis1=0, axis2=2)",
        f"np.trace({T}, out=np.zeros(2))",
    ),
    "convolve": (
        "np.convolve(x, vector)",
        "np.convolve(vector, x, 'same')",
        "np.convolve(x, x[:3], mode='valid')",
        "np.convolve(x, 1j * x)",
    ),
    "correlate": (
        "np.correlate(x, vector)",
        "np.correlate(vector, x, 'full')",
        "np.correlate(x, x[:3], mode='same')",
        "np.correlate(x, 1j * x + 1)",
    ),
    "vander": ("np.vander(x[:3])", "np.vander(x[:3], 5, increasing=True)", "np.vander(x[:2] * 1j)"),
    "poly": ("np.poly(x[:4])", f"np.poly({M} + {M}.T)", "np.poly([x[0], 1.0])"),
    "polyadd": (
        "np.polyadd(x[:3], x)",
        "np.polyadd(x[:3], [1, 2, 3, 4])",
        "np.polyadd(x[:3], 1.0)",
    ),
    "polysub": ("np.polysub(x[:3], x)", "np.polysub([1, 2, 3, 4], x[:3])"),
    "polymul": ("np.polymul(x[:3], x)", "np.polymul(x[:3], [1, 2])", "np.polymul(x, x)"),
    "polydiv": (
        "np.polydiv(x, x[:3])",
        "np.polydiv(x[:3], vector)[1]",
        "np.polydiv(other, x[:3])[0]",
        "np.polydiv(x[:2], other)",
    ),
    "polyder": ("np.polyder(x)", "np.polyder(x, 2)"),
    "polyint": ("np.polyint(x)", "np.polyint(x, 2, k=[1.0, x[0]])", "np.polyint(x[:3], k=x[3])"),
    "polyval": (
        "np.polyval(x, 0.7)",
        "np.polyval(vector, x)",
        f"np.polyval(x[:3], {M})",
        "np.polyval(x[:3], 1j)",
        "np.polyval(vector, x[2])",
    ),
    "polyfit": (
        "np.polyfit(np.arange(9.0) / 4, x, 2)",
        "np.polyfit(x, other, 1)",
        "np.polyfit(x, other, 3, rcond=0.1)",
        "np.polyfit(np.ones(9), x, 2)",
        "np.polyfit(np.arange(9.0), x, 1, w=other)",
        "np.polyfit(other, other**2, 1, w=x)",
        "np.polyfit(np.arange(9.0), x, 1, full=True)",
        "np.polyfit(np.arange(9.0), x, 1, cov=True)",
    ),
    "roots": ("np.roots(x[:3])", "np.roots(x[:5])", "np.roots([x[0], 0, x[1], 0])"),
    "poly1d": (
        "np.poly1d(x[:3])(0.7)",
        "np.poly1d(vector)(x)",
        "(np.poly1d(x[:3]) * np.poly1d(vector) + np.poly1d(x)).coeffs",
        "np.poly1d(x[:3]).deriv()(x[1])",
        "np.poly1d(x[:3], True).c",
        "np.poly1d(x[:3]).r",
        "np.poly1d(x[:3]).integ(k=x[2]).c",
        "(np.poly1d(x[:4]) / np.poly1d(vector))[1].c",
        "(2 * np.poly1d(x[:3]) ** 2 - 1)(1.3)",
        "np.poly1d(x[:3])[1] * x",
    ),
    "apply_along_axis": (
        f"np.apply_along_axis(lambda v: v * v, 0, {M})",
        f"np.apply_along_axis(np.sum, 1, {M})",
        f"np.apply_along_axis(lambda v, k, s=1: s * k * v[:2], 1, {M}, x[0], s=x[1])",
        f"np.apply_along_axis(np.diag, -1, {M})",
    ),
    "apply_over_axes": (
        f"np.apply_over_axes(np.sum, {M}, [0])",
        f"np.apply_over_axes(np.mean, {T}, (0, 2))",
    ),
    "vectorize": (
        "np.vectorize(lambda v: v * v)(x)",
        "np.vectorize(lambda v, w: v * w if v > 0.5 else w)(x, x[0])",
        "np.vectorize(lambda v: (v, 2 * v * v))(x)",
        "np.vectorize(lambda v, n: v**n, excluded=['n'])(x, n=2)",
        f"np.vectorize(lambda m, v: m @ v, signature='(i,j),(j)->(i)')({M}, x[:3])",
        "np.vectorize(lambda v: v**3, otypes=[float])(x.reshape(3, 3))",
    ),
    "fromfunction": (
        "np.fromfunction(lambda i: i * x[0], (3,))",
        f"np.fromfunction(lambda i, j: {M}[i, j] * 2, (3, 3), dtype=int)",
        "np.fromfunction(lambda i, k: i * k, (3, 2)) * x[0]",
    ),
    "frompyfunc": (
        "np.frompyfunc(lambda v: v * v, 1, 1)(x).astype(float)",
        "np.frompyfunc(lambda v, w: v * w, 2, 1)(x, other)",
    ),
    "fromiter": (
        "np.fromiter((v for v in x), float)",
        "np.fromiter([2 * v for v in x], float, count=4)",
        "np.fromiter(iter(x), np.float64)",
    ),
    "full": (
        "np.full(2, x[0])",
        "np.full((2, 3), x[:3])",
        "np.full((), x[0])",
        "np.full(2, x[0], dtype=complex)",
    ),
    "full_like": (
        "np.full_like(np.ones(2), x[0])",
        "np.full_like(x, x[::-1])",
        "np.full_like([1, 2], x[0], dtype=float)",
        "np.full_like(x, 2.0)",
    ),
    "linspace": (
        "np.linspace(x[0], 3.0, 4)",
        "np.linspace(0, x[0], 5, endpoint=False)",
        "np.linspace(x[:3], x[3:6], 4, axis=1)",
        "np.linspace(x[0], x[1], 3, retstep=True)",
        "np.linspace(x[0], x[1], 1)",
    ),
    "logspace": (
        "np.logspace(x[0], 3.0, 4)",
        "np.logspace(0, x[0], 3, base=2.0)",
        "np.logspace(0, 2, 3, base=x[0] + 1)",
        "np.logspace(x[:2], 2, 3, endpoint=False)",
    ),
    "geomspace": (
        "np.geomspace(x[0], 30.0, 4)",
        "np.geomspace(x[:2], x[2:4], 3)",
        "np.geomspace(1, x[0], 4, endpoint=False)",
        "np.geomspace(x[0] * 1j, 3j, 3)",
    ),
    "meshgrid": (
        "np.meshgrid(x[:3], x[3:5])",
        "np.meshgrid(x[:3], other[:2], indexing='ij', copy=False)",
        "np.meshgrid(x[:3], x[3:5], x[:2], sparse=True)",
    ),
}
