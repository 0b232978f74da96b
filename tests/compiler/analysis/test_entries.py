"""What a row says of the entries of its operands is what NumPy does with each of them."""

import itertools
import operator
import warnings

import numpy as np
import pytest

import astad.rules
from astad.compiler.analysis.complex_kinds import how_complex
from astad.compiler.analysis.given import bound
from astad.compiler.analysis.left_out import entries_of
from astad.compiler.analysis.operations import row_of
from astad.compiler.analysis.result_kinds import method_of
from astad.compiler.ir.nodes import Const
from astad.compiler.reverse_mode.structured import array_formulas
from astad.tangents.arrays import sum_to_shape

from ...rules.support import loaded  # noqa: F401  (so that the rules of SciPy are read)
from ...rules.support.harness import cases
from .test_result_kinds import Example, of_value

RULES = list({r.name: r for r in astad.rules.REGISTRY.values() if r.form != "zero"}.values())
TOLD = [r for r in RULES if r.entries and r.form != "scalar"]
FINITE = [r for r in RULES if r.finite]
SYMMETRIC = ("np.linalg.cholesky", "np.linalg.eigh", "np.linalg.eigvalsh")
"""Of which either half is read."""
FACTOR = "np.linalg.cholesky"
"""An entry of the factor has no part of what stands behind it in the matrix. That it is said to be
mixed costs a nan, where the matrix has one there, and saves looks at each product before it.
"""
ADJUGATE = "astad.rules.numpy.linalg.singular_adjugate"
"""Of a matrix of low rank it is zero, whatever one entry is."""
COMPLEX = [
    r
    for r in RULES
    if r.complexes and not r.name.startswith(("cmath.", "astad.rules.python.cmath.", "complex"))
]
OF_NUMBERS = [r for r in RULES if r.complexes and r not in COMPLEX]
EXPONENTS = [0, 1, 2, 3, 1.0, 2.5]
POWERS = {exponent: row_of(operator.pow, ("x1", Const(exponent))) for exponent in EXPONENTS}
SPECIAL = [0.0, -0.0, 0.5, -1.0, 2.0, np.inf, -np.inf, np.nan]
OF_ARRAYS = [r for r in RULES if not r.name.startswith("np.generic")]
METHODS = [r for r in OF_ARRAYS if r.method is not None and method_of(r.fn)]
SHORT = [r for r in OF_ARRAYS if r.short]
WHOLE = [r for r in RULES if r.on_arrays and r.form != "scalar"]


def calls(rule):
    """Examples of real arrays that are of the calls that the row claims."""
    for _, (args, keywords) in cases(rule):
        if rule.gives and not Example().claims(rule, args, keywords):
            continue
        if rule.name == "np.einsum" and any(
            len(set(term)) < len(term) for term in args[0].partition("->")[0].split(",")
        ):
            continue  # of a diagonal; its text is not written out
        yield list(args), keywords


def arrays(args):
    """Places of float arrays among the arguments: the argument, and the item of a display."""
    for at, arg in enumerate(args):
        parts = enumerate(arg) if isinstance(arg, list | tuple) else [(None, arg)]
        for part, value in parts:
            if isinstance(value, np.ndarray) and value.dtype == float:
                yield at, part, value


def changed(rule, args, keywords, at, part, entry, by):
    """Entries of the results that change with one of an operand's."""
    value = args[at] if part is None else args[at][part]
    other = np.array(value)
    other[entry] = by
    if rule.name in SYMMETRIC:
        other[(..., *entry[:-3:-1])] = by
    new = list(args)
    new[at] = (
        other
        if part is None
        else type(args[at])(other if k == part else each for k, each in enumerate(args[at]))
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        before = leaves(rule.fn(*args, **keywords))
        try:
            return before, leaves(rule.fn(*new, **keywords))
        except (ValueError, np.linalg.LinAlgError):  # it says itself that a nan is there
            return before, np.full_like(before, np.nan)


def leaves(y):
    parts = y if isinstance(y, tuple) else (y,)
    parts = parts[1:] if hasattr(y, "logabsdet") else parts  # the sign has steps alone
    return np.concatenate([np.ravel(np.asarray(part, float)) for part in parts])


@pytest.mark.parametrize(
    "rule", [r for r in TOLD if r.name != ADJUGATE], ids=lambda rule: rule.name
)
def test_every_entry_goes_into_the_result(rule):
    tried = 0
    for args, keywords in calls(rule):
        for at, part, value in arrays(args):
            name = rule.parameters[min(at, len(rule.parameters) - 1)].lstrip("*")
            how = entries_of(rule, name)
            for entry in np.ndindex(value.shape) if how else ():
                by = value[entry] + 0.37 if how == "mixed" else np.nan
                before, after = changed(rule, args, keywords, at, part, entry, by)
                if not before.size or how == "mixed" and value.size == 1:
                    continue  # the eigenvector of a number is 1
                same = before == after
                into_all = (how == "mixed" and value.ndim == 2 and rule.name != FACTOR) or (
                    how == "contracted" and (value.ndim == 1 or before.size == 1)
                )
                assert not (same.any() if into_all else same.all()), (args, keywords, entry)
                tried += 1
    assert tried or rule.name.startswith("np.generic")


@pytest.mark.parametrize("rule", FINITE, ids=lambda rule: rule.name)
@pytest.mark.parametrize("by", [np.nan, np.inf, -np.inf])
def test_no_infinity_is_lost(rule, by):
    a = np.array([[0.5, 1.25], [2.0, 0.75]])
    if rule.form == "scalar":
        given = [([a, a + 1.0][: len(rule.parameters)], {})]
    else:
        given = list(calls(rule))
    tried = 0
    for args, keywords in given:
        for at, part, value in arrays(args):
            if rule.parameters[at] in rule.finite.split():
                for entry in np.ndindex(value.shape):
                    _, after = changed(rule, args, keywords, at, part, entry, by)
                    assert not np.isfinite(after).all(), (args, keywords, entry)
                    tried += 1
    assert tried or rule.name.startswith("np.generic")


@pytest.mark.parametrize("rule", COMPLEX, ids=lambda rule: rule.name)
def test_which_numbers_are_complex(rule):
    wanted = {"kept": "fc", "real": "ff", "made": "cc", "made of reals": "c", "taken": "ff"}
    tried = 0
    given = [([each] * len(rule.parameters), {}) for each in (np.ones(3), np.array([1.0j, 2.0]))]
    for args, keywords in given if rule.form == "scalar" else calls(rule):
        args = args[:1] if rule.name == "np.angle" else args
        found = [value.dtype.kind for value in args if isinstance(value, np.ndarray)]
        if "f" in found or "c" in found:
            y = np.asarray(rule.fn(*args, **keywords))
            assert y.dtype.kind == wanted[rule.complexes]["c" in found], (args, keywords)
            tried += 1
    assert tried or rule.name.startswith("np.generic")


@pytest.mark.parametrize("rule", OF_NUMBERS, ids=lambda rule: rule.name)
def test_which_functions_of_numbers_give_complex_ones(rule):
    """Of real numbers as well: `cmath.sqrt(2.0)` is complex."""
    wanted = {"number": complex, "real": float}[rule.complexes]
    examples = [args for _, (args, _) in cases(rule)]
    assert examples
    for args in [*examples, *([abs(arg) + 1.5 for arg in args] for args in examples)]:
        assert type(rule.fn(*args)) is wanted, args


def test_what_passes_a_nan_over_is_not_whole():
    for fn in (np.fmax, np.fmin, np.nanmax, np.nanmin, np.nansum, np.nan_to_num):
        assert not astad.rules.lookup(fn).entries
    assert how_complex(np.cross) == ""


def slopes(rule, y, values):
    """By the formulas as they stand, without care for a cotangent that is 0."""
    names = dict(zip((*rule.parameters, "y"), (*values, y), strict=True))
    formulas = [(rule.on_arrays.get(name) or text) for name, text in rule.back.items()]
    with np.errstate(all="ignore"):
        return [eval(text, dict(rule.namespace), names) for text in formulas]


@pytest.mark.parametrize("rule", [r for r in RULES if r.regular], ids=lambda rule: rule.name)
def test_slopes_are_finite_where_what_the_row_names_is(rule):
    assert rule.regular == "y"
    for point in itertools.product(np.array(SPECIAL), repeat=len(rule.parameters)):
        with np.errstate(all="ignore"):
            y = rule.fn(*point)
        assert np.isfinite(slopes(rule, y, point)).all() or not np.isfinite(y), point


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_the_row_of_a_power_with_a_literal(exponent):
    rule, x = POWERS[exponent], np.array([0.5, 2.0, -1.5 if type(exponent) is int else 1.5])
    whole = astad.rules.lookup(operator.pow)
    (found,) = rule.pull(("x1",))(np.ones(3), x**exponent, x)
    (expected,) = whole.pull(("x1",))(np.ones(3), x**exponent, x, exponent)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert (np.asarray((x + 1j) ** exponent).dtype.kind == "c") or rule.complexes != "kept"
    with np.errstate(all="ignore"):
        special = np.array(SPECIAL)
        y = special**exponent
    if rule.finite:
        assert not np.isfinite(y[~np.isfinite(special)]).any()
    for name, value in (("x1", special), ("y", y)):
        if name in rule.regular.split():
            finite = np.broadcast_to(np.isfinite(slopes(rule, y, [special])[0]), y.shape)
            assert (finite | ~np.isfinite(value)).all()


def test_other_exponents_have_the_row_of_powers():
    whole = astad.rules.lookup(operator.pow)
    for exponent in (-1, 0.5, True, 2j, "x2"):
        given = exponent if exponent == "x2" else Const(exponent)
        assert row_of(operator.pow, ("x1", given)) is whole
    assert row_of(operator.pow, ("x1", Const(2.5)), of_arrays=False) is whole


@pytest.mark.parametrize("rule", WHOLE, ids=lambda rule: rule.name)
def test_cotangents_by_the_text_for_arrays(rule):
    tried = 0
    for _, (values, keywords) in cases(rule):
        if keywords or len(values) != len(rule.parameters):
            continue
        y = np.asarray(rule.fn(*values))
        y_bar = np.linspace(0.5, 2.0, y.size).reshape(y.shape)
        for at, name in enumerate(rule.parameters):
            if name in rule.back and np.asarray(values[at]).dtype == float:
                names = dict(zip(rule.parameters, values, strict=True), y_bar=y_bar)
                part = eval(rule.on_arrays[name], dict(rule.namespace), names)
                (expected,) = rule.pull((name,))(y_bar, y, *values)
                np.testing.assert_allclose(sum_to_shape(part, np.shape(values[at])), expected)
                tried += 1
    assert tried


@pytest.mark.parametrize("rule", METHODS, ids=lambda rule: rule.name)
def test_the_method_of_an_array_does_the_same_to_the_bit(rule):
    method, tried = method_of(rule.fn), 0
    for _, (args, keywords) in cases(rule):
        is_told = len(args) <= method.most and method.words.issuperset(keywords)
        if is_told and isinstance(args[0], np.ndarray):
            found = getattr(args[0], method.name)(*args[1:], **keywords)
            expected = rule.fn(*args, **keywords)
            assert type(found) is type(expected)
            np.testing.assert_array_equal(found, expected, strict=True)
            shared = [np.shares_memory(each, args[0]) for each in (found, expected)]
            assert shared[0] == shared[1]
            tried += 1
    assert tried


@pytest.mark.parametrize("rule", SHORT, ids=lambda rule: rule.name)
def test_short_formulas_for_arrays_of_known_rank(rule):
    tried = set()
    for _, (args, keywords) in cases(rule):
        example = Example()
        given = [example.operand(arg) for arg in args]
        words = [(word, example.operand(value)) for word, value in keywords.items()]
        given = bound(rule.signature, given, words, example.knowledge)
        formulas = array_formulas(rule, given)
        is_real = all(of_value(arg).tag == "ndarray" for arg in args[: len(rule.back)])
        if not formulas or not (is_real or "axis" in rule.short):
            continue
        values = dict(zip(rule.signature.parameters, rule.bind(args, keywords), strict=True))
        y = np.asarray(rule.fn(*args, **keywords))
        y_bar = np.linspace(0.5, 2.0, y.size).reshape(y.shape)
        for name, formula in formulas.items():
            found = eval(formula.text, dict(rule.namespace), values | {"y_bar": y_bar})
            assert formula.thin or found.shape == values[name].shape
            (expected,) = rule.pull((name,))(y_bar, y, *values.values())
            np.testing.assert_allclose(np.broadcast_to(found, values[name].shape), expected)
        tried.add(formulas[name].text)
    texts = {each for formulas in rule.short.values() for each in formulas[-1:]}
    assert len(tried) >= len(texts)
