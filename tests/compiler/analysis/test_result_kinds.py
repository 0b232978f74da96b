"""What the table claims of a result is what NumPy gives, for many shapes and options."""

import ast
import importlib
import itertools
import sys
import warnings
from types import ModuleType

import numpy as np
import pytest

import astad.rules
from astad.compiler.analysis.applied import is_scalar_text
from astad.compiler.analysis.given import Knowledge
from astad.compiler.analysis.result_kinds import part_kinds, result_kind, told, word_of
from astad.compiler.ir.kinds import (
    BOOL,
    FLOAT,
    FLOATING,
    INERT,
    INT,
    ITEMS,
    UNKNOWN,
    array,
    bools,
    counts,
    parse_kind,
)  # fmt: skip
from astad.compiler.ir.nodes import Call, Const, Prim
from astad.compiler.pipeline import compile_function
from astad.compiler.reverse_mode.formulas import function_ref

from ...rules.support import loaded  # noqa: F401  (so that the rules of SciPy are read)
from ...rules.support.harness import cases
from ...rules.support.variants import operands_like, options_like
from ..numpy_calls import CLAIMED, KINDS, WHOLE, function_of

OPEN = [
    "concatenate([a, v])", "concatenate(a)", "concatenate([a, b], axis=n)", "stack([a, v])",
    "concatenate([v, (1.0, 2.0)])", "vstack([a, v])", "column_stack([a, v])", "stack([x, n])",
    "concatenate([v, u], out=v)", "concatenate([v, u], dtype=int)",
    "arange(n) * 2 - n", "arange(n, 5)", "arange(0, 5, n)",
    "zeros(x)", "zeros(n, np.int32)", "maximum(np.arange(n), n)", "where(v > 0.0, n, 0)",
    "where(v > 0.0, 2**62, 0)", "array([1, 2], dtype=np.int32)", "array([2**62, 1])",
    "zeros(())", "zeros((n, None))",
    "full(n, n)", "array(x, ndmin=1)", "np.arange(n) & 1.5",
    "clip(np.arange(n), 0, n)", "full(n, 1.0, dtype=None, like=v)",
    "full(n, 2**62)", "a.astype(float, copy=False)",
    "linspace(0, 1, 5, retstep=True)", "linspace(v, 1.0)",
    "reshape(v, ())", "reshape(v, x)", "squeeze(v, 0)", "squeeze(a)", "a.squeeze()",
    "squeeze(a, (0, 1))", "expand_dims(v, x)", "diag(t)", "tril(v)", "sum(a, axis=n)",
    "sum(a, axis=0, dtype=int)", "sum(a, axis=0, out=v)", "sum(a, 0, None, v)",
    "sum(a, axis=0, keepdims=n)", "max(a, axis=5)", "sum(a, axis=(0, 0))",
    "dot(a, x)", "dot(a, b, m)", "einsum('ij,jk', a, b)", "einsum('ij->ji', a)",
    "einsum('ij->i', t)", "einsum(v, [0], u, [0])", "einsum('i,i->', v, u, optimize=True)",
    "einsum('ij,ij->', a, b, optimize=n)", "linalg.norm(t, 2)", "linalg.norm(v, ord=x)",
    "linalg.norm(a, 1, axis=0)", "append(a, b, axis=0)",
    "append(v, (1.0, 2.0))", "fft.fftfreq(n, v)", "hanning(x)", "linalg.matrix_power(m, x)",
    "linalg.solve(t, v)", "broadcast_to(n, (2,))", "clip(x, v, u)", "clip(v, n, ())",
    "exp(v, u)", "add(v, u, u)", "copy(x)", "a.nothing()", "a.sum(*v)", "a.real", "a.flat",
]  # fmt: skip
SIZES = [(2, 2), (3, 3), (1, 1), (1, 3), (3, 1), (2, 3), (0, 2), (2, 0), (0, 0)]


def kind_of(expression):
    """What the compiler claims of ``np.<expression>``, or of a method of an array."""
    fn = function_of(expression, KINDS, "y")
    kinds = [parse_kind(kind) for kind in KINDS.values()]
    facts = compile_function(fn, kinds, [True] * len(kinds), fused=False).stages.facts
    return facts.kind["y"], {name for names in facts.views.values() for name in names}, fn


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
        except (ValueError, np.linalg.LinAlgError, IndexError, ZeroDivisionError):
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


WORDS = {bool: "bool", np.bool_: "bool", np.int64: "whole", np.float64: "whole"}
TYPES = {"counts": np.int64, "bools": np.bool_}


@pytest.mark.parametrize("expression", ["arange(n) * 2 - n", "arange(n, n + 3)", "arange(3) * n"])
def test_arrays_of_ints_that_carry_a_derivative_are_no_counts(expression):
    kind, _, _ = kind_of(expression)
    assert kind.tag == "unknown"


@pytest.mark.parametrize("expression", WHOLE)
def test_claims_of_whole_numbers_hold(expression):
    kind, _, fn = kind_of(expression)
    assert kind.tag in ("bools", "counts", "bool", "real", "index", "count"), kind
    for given in arguments():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y = fn(**given)
        except (ValueError, IndexError):
            continue
        if kind.tag in TYPES:
            assert type(y) is np.ndarray and y.dtype == TYPES[kind.tag] and y.ndim == kind.rank > 0
        else:
            assert WORDS[type(y)] == ("bool" if kind.tag == "bool" else "whole")


@pytest.mark.parametrize("expression", OPEN)
def test_what_is_not_proved_stays_open(expression):
    assert kind_of(expression)[0].text == "unknown"


def test_every_claim_that_no_example_can_test_is_tested():
    text = "\n".join([*CLAIMED, *WHOLE])
    rules = [each for each in astad.rules.REGISTRY.values() if each.gives and each.form == "zero"]
    names = {rule.name.removeprefix("np.") for rule in rules}
    # what recorded texts call has its tests with them
    own = sorted(name for name in names if not name.startswith(("generic", "astad.")))
    assert len(own) > 40
    for name in own:
        assert f"{name.removeprefix('ndarray')}(" in text, name


# --- the rows of the rules, by their examples


class Example:
    """The operands of a call as the compiler has them, each under a name of its own."""

    def __init__(self):
        self.kinds, self.displays, self.values = {}, {}, {}
        self.knowledge = Knowledge(self.kind_of, {}, self.displays)

    def kind_of(self, operand):
        return (
            of_value(operand.value) if isinstance(operand, Const) else self.kinds.get(operand)
        ) or UNKNOWN

    def operand(self, value):
        if value is None or type(value) in (int, float, bool, str, type):
            return Const(value)
        name = f"v{len(self.values)}"
        self.values[name] = value
        if type(value) in (tuple, list):
            items = tuple(map(self.operand, value))
            self.displays[name] = Call(name, Prim(type(value).__name__), items, (), 1)
            self.kinds[name] = ITEMS
        else:
            self.kinds[name] = of_value(value)
        return name

    def claims(self, rule, args, keywords):
        """Pairs of a value that the call gives and a claim of it, and operands by claimed view."""
        given = [self.operand(arg) for arg in args]
        words = [(word, self.operand(value)) for word, value in keywords.items()]
        if word_of(rule) == "parts":
            found = part_kinds(rule.fn, given, words, self.knowledge)
            return found and (found[0], ())
        found = result_kind(rule.fn, given, words, self.knowledge)
        return found and ((found.kind,), found.views)


def of_value(value):
    if type(value) is np.ndarray:
        tags = {np.dtype(float): array, np.dtype(int): counts, np.dtype(bool): bools}
        return tags.get(value.dtype, lambda rank: UNKNOWN)(value.ndim)
    kinds = {float: FLOAT, np.float64: FLOATING, int: INT, bool: BOOL}
    return kinds.get(type(value), INERT if value is None or type(value) is str else UNKNOWN)


def holds(kind, value):
    if kind == FLOATING:
        return type(value) in (float, np.float64)
    if kind.tag == "ndarray":
        return type(value) is np.ndarray and value.dtype == float and value.ndim == kind.rank > 0
    if kind.tag == "complexes":
        return type(value) is np.ndarray and value.dtype == complex and value.ndim == kind.rank > 0
    if kind.tag in TYPES:
        return type(value) is np.ndarray and value.dtype == TYPES[kind.tag]
    if kind == FLOAT:
        return type(value) is float
    if kind.tag == "count":
        return type(value) is np.int64
    return kind.tag in ("inert", "real", "bool", "index")


def whole_variants(args):
    """The same operands, with arrays of ints or truths in the place of one array or of all."""
    places = [at for at, arg in enumerate(args) if type(arg) is np.ndarray]
    for chosen in [*([at] for at in places), places]:
        for made in (
            lambda a: np.rint(np.clip(np.nan_to_num(np.real(a)), -9, 9) * 3).astype(int),
            lambda a: np.real(a) > 0,
        ):
            yield [made(arg) if at in chosen else arg for at, arg in enumerate(args)]


CLAIMING = sorted(
    {r.name: r for r in astad.rules.REGISTRY.values() if r.gives and r.form != "zero"}.values(),
    key=lambda rule: rule.name,
)
OF_NUMBERS = {"np.generic"}
"""Methods of numbers have the rows of those of arrays, which claim nothing of numbers."""


@pytest.mark.parametrize("rule", CLAIMING, ids=lambda rule: rule.name)
def test_what_a_row_claims_is_what_its_examples_give(rule):
    claimed = 0
    for _, (args, keywords) in cases(rule):
        example = Example()
        found = example.claims(rule, args, keywords)
        if not found:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = rule.fn(*args, **keywords)
        kinds, views = found
        values = tuple(y) if word_of(rule) == "parts" else (y,)
        assert len(values) == len(kinds)
        assert all(map(holds, kinds, values)), (args, keywords, kinds, y)
        assert not rule.refuses(rule.bind(args, keywords)), (args, keywords)
        claimed += 1
        for name, value in example.values.items():
            shared = type(value) is np.ndarray and any(
                type(part) is np.ndarray and np.may_share_memory(part, value) for part in values
            )
            assert not shared or name in views
    assert claimed or rule.name.rpartition(".")[0] in OF_NUMBERS


@pytest.mark.parametrize(
    "rule", [r for r in CLAIMING if "observed" not in r.gives], ids=lambda rule: rule.name
)
def test_what_a_row_claims_of_whole_numbers_is_what_its_examples_give(rule):
    for _, (args, keywords) in cases(rule):
        for whole in whole_variants(args):
            example = Example()
            found = example.claims(rule, whole, keywords)
            if not found:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    y = rule.fn(*whole, **keywords)
            except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
                continue
            values = tuple(y) if word_of(rule) == "parts" else (y,)
            assert all(map(holds, found[0], values)), (whole, keywords, found[0], y)
            for name, value in example.values.items():
                shared = type(value) is np.ndarray and np.may_share_memory(values[0], value)
                assert not shared or name in found[1]


def outcome(rule, args, keywords):
    """What a call gives; None where it is none, or the rule does not cover it."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            y = rule.fn(*args, **keywords)
            return None if rule.refuses(rule.bind(args, keywords)) else y
    except Exception:  # each library has its own for what it does not take
        return None


@pytest.mark.parametrize(
    "rule", [r for r in CLAIMING if "observed" not in r.gives], ids=lambda rule: rule.name
)
def test_what_a_row_claims_holds_for_other_operands_and_options(rule):
    """Of which a number or a 0-d array may come, or a view."""
    calls = [
        call
        for _, (args, keywords) in cases(rule)
        for like in operands_like(args)
        for call in options_like(rule, like, keywords)
    ]
    for args, keywords in calls:
        example = Example()
        found = example.claims(rule, args, keywords)
        y = outcome(rule, args, keywords) if found else None
        if y is None or getattr(y, "dtype", None) == np.dtype(object):
            continue  # of None and an array of nothing
        values = tuple(y) if word_of(rule) == "parts" else (y,)
        assert len(values) == len(found[0])
        assert all(map(holds, found[0], values)), (args, keywords, found[0], y)
        arrays = [value for value in values if type(value) is np.ndarray]
        shared = {
            name
            for name, value in example.values.items()
            if type(value) is np.ndarray and any(np.may_share_memory(a, value) for a in arrays)
        }
        assert shared <= set(found[1]), (args, keywords)


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


linalg = sys.modules.get("scipy.linalg")


@pytest.mark.skipif(linalg is None, reason="without SciPy")
def test_functions_of_scipy_are_written_out(forms_agree):
    def posterior(a, b):
        cov = np.eye(3)
        for i in range(3):
            cov[i, i] += a[i, 0] ** 2
        low = linalg.cholesky(cov + a @ a.T, lower=True)
        y = linalg.solve_triangular(low, b, lower=True)
        return np.sum(y * y) + 2.0 * np.sum(np.log(np.diag(low)))

    def spectrum(a, b):
        w, v = linalg.eigh(a + a.T)
        q, r = linalg.qr(a, mode="economic")
        return np.sum(np.sin(w)) + np.sum((v @ b) ** 2) + np.abs(r[0, 0]) + np.sum(q * q) * b[0]

    a, b = np.array([[2.0, 0.3, 0.1], [0.5, 1.5, 0.2], [0.1, -0.4, 1.2]]), np.array([1.0, 2.0, 0.5])
    for fn in (posterior, spectrum):
        forms_agree(fn, a, b, fused=True, rtol=1e-6)
        text = compile_function(
            fn, [parse_kind("ndarray2"), parse_kind("ndarray1")], [True] * 2, fused=True
        ).text.source
        assert "call(" not in text and "dispatch" not in text


def _names(rule):
    return [name.lstrip("*") for name in rule.parameters]


@pytest.mark.parametrize("rule", CLAIMING, ids=lambda rule: rule.name)
def test_a_text_finds_the_functions_that_a_formula_names(rule):
    for text in rule.back.values():
        for tree in ast.walk(ast.parse(text.strip(), mode="eval")):
            if isinstance(tree, ast.Name) and is_scalar_text(text):
                value = rule.namespace.get(tree.id)
                plain = isinstance(value, int | float | complex | str | ModuleType | None)
                assert plain or callable(value) or tree.id in _names(rule), tree.id
            if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
                continue
            meant = rule.namespace.get(tree.func.id)
            if meant is not None:
                ref = function_ref(tree.func, rule.namespace)
                assert getattr(importlib.import_module(ref.module), ref.name) is meant


def test_what_a_call_leaves_out_is_as_the_function_has_it_and_not_the_word():
    knowledge = Knowledge({"v": array(1), "w": array(1)}.get, {}, {})
    for fn, keywords, mode in (
        (np.convolve, (), "full"),
        (np.correlate, (), "valid"),
        (np.correlate, (("mode", Const("same")),), "same"),
    ):
        word, given = told(fn, ("v", "w"), keywords, knowledge)
        assert word == "vector_of_vector"
        assert given.literal("mode") == mode
