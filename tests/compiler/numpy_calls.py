"""Calls of NumPy whose results have a known kind, as text, and functions made of them."""

import linecache

import numpy as np

KINDS = {"v": "ndarray1", "u": "ndarray1", "a": "ndarray2", "b": "ndarray2", "m": "ndarray2",
         "q": "ndarray2", "t": "ndarray3", "x": "float", "r": "real", "n": "int"}  # fmt: skip
CLAIMED = [
    "zeros(n)", "zeros((n, 3))", "zeros((2, n), float)", "zeros([n, 2])",
    "zeros(a.shape)", "zeros(3, dtype=float)",
    "zeros(v.shape[0])", "ones((n, n, 2))", "ones(n, np.float64)", "empty(n)", "empty((2, 3))",
    "full(n, x)", "full((n, 2), 1.5)", "full(n, 1, float)", "full(n, r, dtype=float)",
    "eye(n)", "eye(n, 3)", "eye(n, k=1)", "identity(n)", "tri(n)", "linspace(0, 1, n)",
    "linspace(x, r, 5, endpoint=False)", "linspace(0.0, x)",
    "zeros_like(a)", "ones_like(t)", "empty_like(v)", "zeros_like(a, shape=(2, 2, 2))",
    "full_like(a, 2)", "full_like(v, x)", "zeros_like(a, dtype=float)",
    "copy(a)", "a.copy()", "asarray(v)", "asanyarray(t)", "ascontiguousarray(a)",
    "asfortranarray(a)", "reshape(a, -1)", "reshape(a, (n, -1))", "reshape(t, (-1, 1))",
    "reshape(v, v.shape)", "a.reshape(-1)", "a.reshape(-1, 1, 1)", "v.reshape((1, -1))",
    "a.reshape(a.shape)", "reshape(a, (-1,), order='F')", "ravel(a)", "t.ravel()", "v.ravel()",
    "ravel(a, order='F')", "a.flatten()", "v.flatten()", "transpose(a)", "transpose(t, (1, 0, 2))",
    "t.transpose(2, 0, 1)", "a.transpose()", "v.transpose()", "a.T", "t.T", "v.T",
    "swapaxes(t, 0, -1)", "t.swapaxes(1, 2)", "moveaxis(t, 0, 2)", "rollaxis(t, 2)",
    "matrix_transpose(a)", "linalg.matrix_transpose(t)", "expand_dims(v, 0)", "expand_dims(a, -1)",
    "expand_dims(v, (0, 2))", "expand_dims(v, n - n)", "squeeze(a, 0)", "squeeze(t, (0, 2))",
    "a.squeeze(axis=1)", "t.squeeze(-1)", "atleast_1d(v)", "atleast_2d(v)", "atleast_2d(t)",
    "broadcast_to(v, (2, v.size))", "broadcast_to(x, (n, 2))", "broadcast_to(a, a.shape)",
    "flip(a)", "flip(a, 0)", "fliplr(a)", "flipud(v)", "rot90(a)", "rot90(a, k=2)",
    "roll(a, 1)", "roll(v, -1)", "roll(a, 1, axis=1)", "diag(v)", "diag(a)", "diag(a, 1)",
    "diag(v, k=-1)", "tril(a)", "triu(a, 1)", "tril(t)",
    "sum(v)", "sum(a)", "sum(a, axis=0)", "sum(v, axis=0)", "sum(v, 0)", "sum(a, axis=(0, 1))",
    "sum(t, axis=(0, 2))", "sum(t, axis=-1, keepdims=True)", "sum(a, keepdims=True)",
    "sum(v, axis=0, keepdims=True)", "sum(a, axis=())", "sum(v, axis=())", "a.sum()",
    "a.sum(axis=1)", "v.sum(0)", "t.sum((0, 1), keepdims=True)", "mean(a)", "mean(a, axis=0)",
    "mean(v, 0)", "a.mean(1)", "v.mean()", "a.mean(axis=(0, 1))", "max(a)", "max(a, axis=1)",
    "max(v, 0)", "max(a, axis=1, keepdims=True)", "a.max()", "v.max()", "a.max(0)", "min(v)",
    "a.min(axis=0)", "amax(a, 0)", "amin(a)", "prod(a)", "prod(v, axis=0)", "a.prod(1)",
    "var(a)", "var(a, axis=0)", "v.var()", "a.var(axis=1, keepdims=True)", "std(v)", "std(a, 1)",
    "a.std()", "ptp(v)", "ptp(a, axis=0)", "median(v)", "median(a, axis=1)", "nansum(a)",
    "nansum(v, axis=0)", "nanmean(a, axis=0)", "nanmean(v)", "nanmax(a, 1)", "nanmin(v)",
    "cumsum(a)", "cumsum(a, axis=1)", "v.cumsum()", "cumprod(v)", "a.cumprod(axis=0)",
    "diff(v)", "diff(a)", "diff(a, axis=0)", "diff(v, n=2)", "diff(v, n=0)", "trace(a)",
    "trace(t)", "a.trace()", "t.trace()",
    "clip(a, 0.0, 1.0)", "clip(v, 0, None)", "clip(a, v, None)", "clip(a, x, r)", "a.clip(0.0)",
    "v.clip(0.1, 2.0)", "clip(v, a, b)", "clip(v, None, 2.0)",
    "dot(v, u)", "dot(a, v)", "dot(t, v)", "dot(a, b)", "dot(t, b)", "a.dot(v)", "v.dot(u)",
    "matmul(v, u)", "matmul(a, v)", "matmul(v, b)", "matmul(a, b)", "matmul(t, b)", "matmul(t, v)",
    "matmul(v, t)", "concatenate([a, b])", "concatenate((a, b, m), axis=1)", "concatenate([v, u])",
    "concatenate([t, t], axis=-1)", "concatenate([v, np.zeros(2), u])",
    "stack([v, u])", "stack([a, b], axis=1)", "stack((a, b), -1)", "hstack([v, u])",
    "hstack((a, b))", "vstack([v, u])", "vstack([a, b])", "column_stack([v, u])",
    "column_stack((a, b))",
    "outer(v, u)", "outer(a, t)", "inner(v, u)", "inner(a, v)", "inner(a, b)", "inner(t, v)",
    "vdot(v, u)", "vdot(a, b)", "kron(v, u)", "kron(a, v)", "kron(a, t)",
    "linalg.cross(v, u)", "linalg.cross(a, v)",
    "einsum('ij,jk->ik', a, b)", "einsum('i,i->', v, u)", "einsum('ij, ij -> i', a, b)",
    "linalg.norm(a, 2)", "linalg.norm(v, ord=1)", "linalg.norm(a, 'fro')", "linalg.norm(v, np.inf)",
    "linalg.norm(a, 'nuc')", "linalg.trace(a)", "linalg.trace(t)", "linalg.eigvalsh(q)",
    "linalg.svdvals(a)", "linalg.matrix_power(m, 2)",
    "diagonal(a)", "diagonal(t, 1)", "a.diagonal()", "t.diagonal(axis1=1, axis2=2)",
    "append(v, x)", "append(v, 1)", "append(a, u)", "append(x, v)", "append(v, r)",
    "hanning(a.size)", "hamming(5)", "blackman(v.size)", "bartlett(v.shape[0])",
    "fft.fftfreq(v.size + 1)", "fft.fftfreq(4, 0.1)", "fft.rfftfreq(v.size + 1, d=0.5)",
    "fft.rfftfreq(6, 2)", "arange(0.0, 1.0, 0.25)", "arange(x)", "arange(0, x, 1)",
    "arange(1, 3, r * x)",
    "einsum('i,j->ij', v, u)", "einsum('ij,jk,kl->il', a, m, m, optimize=True)",
    "linalg.norm(v)", "linalg.norm(a)", "linalg.norm(a, axis=0)", "linalg.norm(v, axis=0)",
    "linalg.norm(a, axis=1, keepdims=True)", "linalg.norm(a, axis=(0, 1))",
    "linalg.solve(m, v)", "linalg.solve(m, b)", "linalg.inv(m)", "linalg.pinv(a)",
    "linalg.cholesky(q)", "linalg.det(m)", "linalg.det(t)",
    "where(v > 0.0, v, u)", "where(a > 0.5, v, 1.0)", "where(v > u, 0, v)", "where(v > u, x, 1)",
    "round(a)", "around(v, 0)", "round(a, decimals=0)", "a.round()", "v.round(0)", "fix(a)",
    "round(x)", "around(x, -1)", "fix(x)",
    "floor(a)", "ceil(v)", "trunc(v)", "rint(v)", "sign(a)", "sort(v)", "sort(a, axis=0)",
    "tile(v, 2)", "tile(a, n)", "repeat(v, 2)", "repeat(a, 2, axis=1)", "repeat(a, n)",
    "pad(v, 1)", "pad(a, 2, mode='edge')", "interp(v, np.linspace(0.0, 2.0, 5), np.ones(5))",
    "interp(x, np.linspace(0.0, 2.0, 5), np.ones(5))", "polyval(np.ones(3), v)",
    "trapezoid(v)", "trapezoid(v, dx=0.5)", "average(v)", "average(v, weights=np.ones(v.size))",
    "gradient(v)", "gradient(a, axis=0)", "gradient(v, 0.5)", "array(a)", "array(v, dtype=float)",
    "cov(v, u)", "corrcoef(v, u)", "a[np.nonzero(a > 0.0)]", "a[(a > 0.0).nonzero()]",
    "a[np.where(a > 0.0)]",
    "convolve(v, u)", "convolve(v, u, mode='same')", "tensordot(a, m, axes=1)",
    "tensordot(a, t, axes=0)", "take(v, np.arange(2))", "take(a, np.arange(2), axis=1)",
    "arange(0.0, 5.0)", "arange(n, dtype=float)", "(v > 0.0).astype(float)",
    "a.astype(np.float64)", "v * (u > 1.0)", "v[v > 0.7]", "a[a > 0.7]", "a[v > 0.7]",
    "v + np.arange(v.size)", "np.arange(n) / 2", "np.arange(n) * 0.5", "v ** np.arange(v.size)",
    "mod(v, 0.3)", "v % u", "v // 0.3",
    "array([v, u])", "array((a, b))", "dot(v, np.arange(v.size))", "np.arange(v.size) @ a",
    "a @ np.arange(v.size)", "matmul(np.arange(v.size), u)", "v @ np.arange(v.size)",
    "stack([x, x])", "stack([v.sum(), x], axis=-1)", "hstack([v, x])", "hstack((x, a.sum()))",
    "dstack([a, b])", "dstack((a, a))", "dstack([t, t])", "sinc(v)", "nan_to_num(a)", "unwrap(v)",
    "interp(v, [0.0, 1, 2.0], (0, 1, 4))", "take(v, [0, 1])", "take(a, (1, 0, 1), axis=0)",
    "correlate(v, u)", "correlate(v, u, 'full')", "vander(v, 3)", "vander(v, n)",
    "quantile(v, 0.3)", "quantile(a, 1)", "percentile(v, 30)",
    "v * np.array([[1], [-2]])", "np.array([[1, -1], [0, 2]]) / 2", "array([1, 2], dtype=float)",
    "array([x, 2.0], dtype=float)", "sqrt(np.arange(n))", "exp(np.arange(3) * 0.1)",
    "hypot(np.arange(v.size), v)", "add(np.arange(v.size), v)", "power(np.arange(v.size), 0.5)",
    "divide(np.array([3, 4]), 2)", "outer(v, np.arange(3))", "inner(v, np.arange(v.size))",
    "vdot(np.arange(v.size), v)", "kron(a, np.array([[1, 2]]))",
    "einsum('i,j->ij', v, np.arange(3))", "tensordot(v, np.arange(3), axes=0)",
    "linalg.solve(np.array([[2, 1], [0, 1]]), np.array([x, 1.0]))", "mean(a > 0.0, axis=0)",
    "mean(np.argsort(a), axis=1, keepdims=True)", "np.arange(3)[1] / 3", "np.arange(3)[1] * x",
    "np.arange(3)[1] ** 0.5", "x ** np.arange(3)[2]",     "sqrt(np.arange(3)[2])",
    "a[np.ix_([0, 1], np.arange(2))]", "t[np.ix_([0], [0, 0], [1])]",
]  # fmt: skip
SUBSCRIPTS = [
    "v[None]",
    "a[None]",
    "a[...]",
    "v[...]",
    "v[None, ...]",
    "a[None][0]",
    "t[...][None]",
]
WHOLE = [
    "isfinite(a)", "isnan(v)", "isinf(v)", "signbit(v)", "logical_not(v > 0.0)", "isnan(x)",
    "logical_and(v > 0.0, u > 0.0)", "logical_or(v > 0.0, a > 0.0)", "logical_xor(v > 0.0, True)",
    "greater(v, u)", "greater_equal(v, 0.0)", "less(a, v)", "less_equal(v, x)", "equal(v, u)",
    "not_equal(v, 1)", "all(v > 0.0)", "any(a > 0.0)", "(v > 0.0).all()", "(a > 0.0).any()",
    "count_nonzero(v > 0.0)", "sum(v > 0.0)", "mean(v > 0.0)", "(v > 0.0).sum()",
    "all(a > 0.0, axis=0)", "any(a > 0.0, axis=1)", "(a > 0.0).all(axis=0)",
    "all(v > 0.0, axis=0)", "array_equal(v, u)", "array_equal(a, x)", "allclose(a, 1.0)",
    "allclose(v, u, atol=0.5)", "argmax(a)", "argmin(a, axis=0)", "argmax(a, axis=-1)",
    "a.argmax(axis=1)", "argmax(v, axis=0)",
    "argmax(v)", "argmin(v)", "v.argmax()", "v.argmin()", "argsort(v)", "argsort(a, axis=0)",
    "v.argsort()", "flatnonzero(v > 0.0)", "arange(n)", "arange(1, n)", "arange(n) * 2 - 3",
    "(v > 0.0) & (u > 1.0)", "~(v > 0.0) | (u > 1.0)", "arange(n) % 2", "arange(5)[1:]",
    "(a > 0.5)[:, 0]", "v < u", "a != 0.5", "zeros(n, int)", "eye(n, dtype=int)", "ones(3, bool)",
    "array([1, -1])", "array([[1, True], [0, 2]])", "array([[[1, 2]], [[3, 4]]])",
    "array([True, False])", "asarray((1, 2))", "array(np.arange(n))", "array(v > 0.0)",
    "searchsorted(v, x)", "searchsorted(np.arange(n), a, side='right')", "v.searchsorted(u)",
    "maximum(np.arange(n), 1)", "np.arange(n) ** 2",
    "abs(np.array([-1, 2]))", "absolute(np.arange(3))", "np.arange(6).reshape(2, -1)",
    "np.array([[1, 2], [3, 4]]).T", "(v > 0.0).reshape(-1, 1)", "np.arange(3).copy()",
    "asarray(np.arange(3))", "moveaxis(np.array([[1, 2]]), 0, 1)", "flip(np.arange(3))",
    "np.arange(3).max()", "max(np.argsort(a), axis=0)", "cumsum(np.arange(n))",
    "diff(np.arange(4))",
    "(v > 0.0) * (u < 1.0)", "(a > 0.0) + (v > 0.0)",
    "sum(a > 0.0, axis=0)", "np.argsort(a).sum(axis=1, keepdims=True)", "tile(np.arange(3), 2)",
    "repeat(np.array([1, 2]), 2)", "take(np.arange(4), [0, 2])", "roll(np.arange(3), 1)",
    "diag(np.array([1, 2]))", "where(v > 0.0, 1, -1)", "where(v > 0.0, np.arange(v.size), 0)",
    "(np.arange(3) + 2)[1] * 2 - 1", "(-np.arange(3)[1]) % 2", "np.arange(3)[2] ** 2",
    "add(np.arange(3)[1], 2)", "(v > 0.0) * True + np.arange(v.size)", "abs(np.arange(3)[1])",
]  # fmt: skip
"""Those of which the result carries no derivative."""


def text_of(expression):
    """``np.<expression>``, or the expression itself where it is a method of an array."""
    owner = expression.lstrip("(~").replace("[", ".").split(".")[0].split("(")[0].split(" ")[0]
    is_method = owner in KINDS or owner == "np" or expression[0] in "(~"
    return expression if is_method else f"np.{expression}"


def function_of(expression, names, result):
    """The function of these names that binds y to the expression and returns the result."""
    text = text_of(expression)
    source = f"def f({', '.join(names)}):\n    y = {text}\n    return {result}\n"
    file = f"<{expression}: {result}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np}
    exec(compile(source, file, "exec"), space)
    return space["f"]
