"""Tuples of results of NumPy's functions: their parts, in every form."""

import linecache

import numpy as np
import pytest

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function

RNG = np.random.default_rng(8)
A = RNG.normal(size=(3, 3)) + 3.0 * np.eye(3)
TALL = RNG.normal(size=(4, 2))
STACK = RNG.normal(size=(2, 2, 2)) + 2.0 * np.eye(2)
V = RNG.normal(size=4)


def function_of(body, names="a, x"):
    text = "    " + body.replace("; ", "\n    ") + "\n"
    source = f"def f({names}):\n{text}"
    file = f"<{body}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np, "seen": lambda value: value}
    exec(compile(source, file, "exec"), space)
    return space["f"]


SQUARE = [
    "sign, y = np.linalg.slogdet(a); return x * y",
    "sign, y = np.linalg.slogdet(a); return x * y * sign + sign",
    "y = np.linalg.slogdet(a)[1]; return x * y * y",
    "y = np.linalg.slogdet(a).logabsdet; return x * y",
    "t = np.linalg.slogdet(a); return t[0] * t[-1] * x + t.logabsdet",
    "t = np.linalg.slogdet(a); return x * x + np.sum(a)",
    "w, v = np.linalg.eigh(a + a.T); return np.sum(np.exp(0.1 * w)) + np.sum(v * v) * x",
    "w, v = np.linalg.eigh(a + a.T); return np.sum(np.abs(v[:, 0]) * w) * x",
    "w = np.linalg.eigh(a + a.T)[0]; return np.sum(w) * x",
    "w = np.linalg.eigh(a + a.T, UPLO='U').eigenvalues; return np.max(w) * x",
    "u, s, vh = np.linalg.svd(a); return np.sum(np.log(s)) * x",
    "u, s, vh = np.linalg.svd(a); return np.sum(np.abs(u[:, 0]) * np.abs(vh[0]) * s) * x",
    "s = np.linalg.svd(a, full_matrices=False)[1]; return s[0] * x - s[-1]",
    "t = np.linalg.svd(a); return np.sum(t.S) * x",
]
TALLS = [
    "y = np.linalg.lstsq(a, v, rcond=None)[0]; return np.sum(y * y) * x",
    "y, rest, rank, s = np.linalg.lstsq(a, v); return np.sum(y) * np.sum(rest) * x",
    "u, s, vh = np.linalg.svd(a, full_matrices=False); return np.sum(np.abs(u @ vh)) * x + s[0]",
]
BRANCHES = [
    "sign, y = np.linalg.slogdet(a)\n    if x > 0:\n        z = y * x\n    else:\n        z = x\n"
    "    return z",
    "z = x\n    if x > 0:\n        w, v = np.linalg.eigh(a + a.T)\n        z = z + w[0]\n"
    "    return z",
    "z = x\n    for i in range(3):\n        sign, y = np.linalg.slogdet(a * (i + 1.0))\n"
    "        z = z + y * sign\n    return z",
    "z = x\n    sign, y = np.linalg.slogdet(a)\n    for i in range(3):\n        z = z + y * z\n"
    "    return z",
]


@pytest.mark.parametrize("body", SQUARE)
def test_parts_of_a_matrix(body, forms_agree):
    forms_agree(function_of(body), A, 0.7, fused=True, rtol=1e-6)


@pytest.mark.parametrize("body", TALLS)
def test_parts_of_more_rows_than_columns(body, forms_agree):
    forms_agree(function_of(body, "a, x, v"), TALL, 0.7, V, fused=True, rtol=1e-6)


@pytest.mark.parametrize("body", BRANCHES)
@pytest.mark.parametrize("x", [0.7, -0.7])
def test_branches_and_loops(body, x, forms_agree):
    forms_agree(function_of(body), A, x, fused=True)


def test_stacks(forms_agree):
    fn = function_of("sign, y = np.linalg.slogdet(a); return np.sum(sign * y) * x")
    forms_agree(fn, STACK, 0.7, fused=True)


OPEN = [
    "t = np.linalg.slogdet(a); u = t; return u[1] * x",
    "t = np.linalg.slogdet(a); return seen(t)[1] * x",
    "w, v = np.linalg.eigh(a + a.T); w[0] = x; return np.sum(w * w)",
    "w, v = np.linalg.eigh(a + a.T); w *= x; return np.sum(w * w) + np.sum(v * v)",
    "w, v = np.linalg.eigh(a + a.T); z = seen(w); z[0] = 2.0; return np.sum(w * w) * x",
    "t = np.linalg.eigh(a + a.T); z = t[0]; z[0] = x; return np.sum(t[0] * t[0])",
    "y = 0.0\n    for part in np.linalg.slogdet(a):\n        y = y + part\n    return y * x",
    "t = np.linalg.slogdet(a)\n    y = 0.0\n    for i in range(2):\n        y = y + t[i]\n"
    "    return y * x",
    "w, *v = np.linalg.eigh(a + a.T); return np.sum(w * v[0][0]**2) * x",
    "t = np.linalg.svd(a, True, False); return np.sum(t) * x",
]


@pytest.mark.parametrize("body", OPEN)
def test_others_stay_right(body, forms_agree):
    forms_agree(function_of(body), A, 0.7, rtol=1e-6)


@pytest.mark.parametrize("body", OPEN)
def test_others_have_no_fused_form(body):
    kinds = [parse_kind("ndarray2"), parse_kind("float")]
    assert compile_function(function_of(body), kinds, [True] * 2, fused=True).form == "pair"


def test_a_part_that_is_returned(forms_agree):
    forms_agree(function_of("w, v = np.linalg.eigh(a + a.T); return w * x"), A, 0.7)
    forms_agree(function_of("w, v = np.linalg.eigh(a + a.T); return w"), A, 0.7)


def test_names_of_parts_are_numpys():
    for call in ("np.linalg.slogdet(a)", "np.linalg.eigh(a)", "np.linalg.svd(a)"):
        fn = function_of(f"t = {call}; return np.sum(t[0]) + np.sum(t[1])")
        facts = compile_function(fn, [parse_kind("ndarray2")] * 2, [True] * 2, fused=True)
        names = facts.stages.facts.parts["t"].fields
        made = eval(call, {"np": np, "a": A})
        assert names and names == made._fields


def test_text_of_a_determinant():
    fn = function_of("sign, y = np.linalg.slogdet(a); return x * y")
    kinds = [parse_kind("ndarray2"), parse_kind("float")]
    text = compile_function(fn, kinds, [True] * 2, fused=True).text.source
    assert "call(" not in text
    assert "log_bar(t_1, t_4)" in text


def test_a_limit_that_is_given(forms_agree):
    def f(a, b, limit):
        x, residuals, rank, s = np.linalg.lstsq(a, b, limit * 1e-3)
        return np.sum(x * x) * limit

    a, b = np.array([[1.0, 2.0], [0.5, 3.0], [2.0, 1.0]]), np.array([1.0, 2.0, 0.5])
    forms_agree(f, a, b, 0.5, fused=True)
