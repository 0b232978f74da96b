"""What the table claims of a result is what NumPy gives, for many shapes and options."""

import itertools
import linecache
import warnings

import numpy as np
import pytest

from astad.compiler.analysis.result_kinds import NAMES
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function

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
    "outer(v, u)", "outer(a, t)", "inner(v, u)", "inner(a, v)", "inner(a, b)", "inner(t, v)",
    "vdot(v, u)", "vdot(a, b)", "kron(v, u)", "kron(a, v)", "kron(a, t)",
    "einsum('ij,jk->ik', a, b)", "einsum('i,i->', v, u)", "einsum('ij, ij -> i', a, b)",
    "linalg.norm(v)", "linalg.norm(a)", "linalg.norm(a, axis=0)", "linalg.norm(v, axis=0)",
    "linalg.norm(a, axis=1, keepdims=True)", "linalg.norm(a, axis=(0, 1))",
    "linalg.solve(m, v)", "linalg.solve(m, b)", "linalg.inv(m)", "linalg.pinv(a)",
    "linalg.cholesky(q)", "linalg.det(m)", "linalg.det(t)",
]  # fmt: skip
OPEN = [
    "zeros(x)", "zeros(n, int)", "zeros(())", "zeros((n, None))", "full(n, 1)",
    "full(n, r)", "full(n, n)", "full(n, 1.0, dtype=None, like=v)", "zeros_like(a, dtype=int)",
    "eye(n, dtype=int)", "linspace(0, 1, 5, retstep=True)", "linspace(v, 1.0)",
    "reshape(v, ())", "reshape(v, x)", "squeeze(v, 0)", "squeeze(a)", "a.squeeze()",
    "squeeze(a, (0, 1))", "expand_dims(v, x)", "diag(t)", "tril(v)", "sum(a, axis=n)",
    "sum(a, axis=0, dtype=int)", "sum(a, axis=0, out=v)", "sum(a, 0, None, v)",
    "sum(a, axis=0, keepdims=n)", "max(a, axis=5)", "sum(a, axis=(0, 0))",
    "dot(a, x)", "dot(a, b, m)", "einsum('ij,jk', a, b)", "einsum('ij->ji', a)",
    "einsum('ij->i', t)", "einsum(v, [0], u, [0])", "linalg.norm(a, 2)", "linalg.norm(v, ord=1)",
    "linalg.solve(t, v)", "broadcast_to(n, (2,))", "clip(x, v, u)", "clip(v, n, ())",
    "exp(v, u)", "add(v, u, u)", "copy(x)", "a.nothing()", "a.sum(*v)", "a.real", "a.flat",
]  # fmt: skip
SIZES = [(2, 2), (3, 3), (1, 1), (1, 3), (3, 1), (2, 3), (0, 2), (2, 0), (0, 0)]


def kind_of(expression):
    """What the compiler claims of ``np.<expression>``, or of a method of an array."""
    owner = expression.split(".")[0].split("(")[0]
    text = expression if owner in KINDS else f"np.{expression}"
    source = f"def f({', '.join(KINDS)}):\n    y = {text}\n    return y\n"
    file = f"<{expression}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np}
    exec(compile(source, file, "exec"), space)
    kinds = [parse_kind(kind) for kind in KINDS.values()]
    made = compile_function(space["f"], kinds, [True] * len(kinds), fused=False)
    facts = made.stages.facts
    views = {name for names in facts.views.values() for name in names}
    return facts.kind["y"], views, space["f"]


def arguments():
    for (rows, columns), fortran in itertools.product(SIZES, (False, True)):
        rng = np.random.default_rng(rows * 10 + columns)
        order = "F" if fortran else "C"
        m = rng.normal(size=(columns, columns)) + 3 * np.eye(columns)
        made = {
            "v": rng.normal(size=columns),
            "u": rng.normal(size=columns),
            "a": np.array(rng.normal(size=(rows, columns)), order=order),
            "b": np.array(rng.normal(size=(rows, columns)), order=order),
            "m": m,
            "q": m @ m.T + np.eye(columns),
            "t": np.array(rng.normal(size=(rows, columns, rows)), order=order),
            "x": 1.25,
            "r": np.float64(0.5),
            "n": rows,
        }
        yield made
        yield made | {"b": np.array(made["b"].T), "u": made["u"][::-1], "v": made["v"][::-1]}


@pytest.mark.parametrize("expression", CLAIMED)
def test_claims_hold(expression):
    kind, views, fn = kind_of(expression)
    assert kind.tag in ("ndarray", "floating"), kind
    runs = 0
    for given in arguments():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y = fn(**given)
        except (ValueError, np.linalg.LinAlgError, IndexError):
            continue
        runs += 1
        if kind.tag == "floating":
            assert type(y) is np.float64
        else:
            assert type(y) is np.ndarray
            assert y.dtype == np.float64
            assert y.ndim == kind.rank > 0
            for name, value in given.items():
                if isinstance(value, np.ndarray) and np.may_share_memory(y, value):
                    assert name in views
    assert runs


@pytest.mark.parametrize("expression", OPEN)
def test_what_is_not_proved_stays_open(expression):
    assert kind_of(expression)[0].text == "unknown"


def test_every_entry_is_tested():
    text = "\n".join(CLAIMED)
    for name in NAMES:
        assert f"{name.removeprefix('ndarray')}(" in text, name


ARRAYS_MADE = [
    "z = np.zeros(3)\n    z[0] = x\n    return np.sum(z * z)",
    "z = np.zeros(3)\n    v = z[1:]\n    v[0] = x\n    return np.sum(z * z)",
    "z = np.zeros((2, 2))\n    v = z.T\n    v[0] = x\n    return np.sum(z * z)",
    "z = np.ones(4)\n    v = z.reshape(2, 2)\n    v += x\n    return np.sum(z * z)",
    "z = np.zeros(3)\n    held = [z]\n    held[0][1] = x\n    return np.sum(z * z)",
    "z = np.ones(3)\n    (y,) = (z,)\n    y[:] = x * y\n    return np.sum(z * z)",
    "z = np.ones(3)\n    np.multiply(z, x, out=z)\n    return np.sum(z * z)",
    "z = np.ones(3)\n    np.multiply(z, x, z)\n    return np.sum(z * z)",
    "z = np.ones(3)\n    w = z\n    w *= x\n    return np.sum(z * z)",
    "z = np.zeros((2, 2))\n    for row in z:\n        row[0] = x\n    return np.sum(z * z)",
    "z = np.zeros(2)\n    def put():\n        z[0] = x\n    put()\n    return np.sum(z * z)",
    "z = np.zeros(3)\n    np.copyto(z, x * np.ones(3))\n    return np.sum(z * z)",
    "z = np.zeros(2) if x > 0 else None\n    z[1] = x\n    return np.sum(z * z)",
    "z = np.zeros(3)\n    z.ravel()[1] = x\n    return np.sum(z * z)",
    "z = np.zeros(3)\n    w = np.asarray(z)\n    w[1] = x\n    return np.sum(z * z)",
    "z = np.zeros(2)\n    for i in range(2):\n        z[i] = x * i\n    return np.sum(z * z)",
]


@pytest.mark.parametrize("body", ARRAYS_MADE)
def test_an_array_made_empty_and_written_carries_a_derivative(body, tmp_path, forms_agree):
    path = tmp_path / "made.py"
    path.write_text(f"import numpy as np\n\ndef f(x):\n    {body}\n")
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    forms_agree(space["f"], 1.75)
