"""Every rule of the table against differences, in both modes; see harness.py."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import harness
import numpy as np
import pytest
from exemptions import reason

from astad.errors import MissingRule, Unsupported
from astad.rules import REGISTRY, lookup, registry
from astad.rules.formula import Rule
from astad.rules.registry import rule, scalar

RULES = sorted(REGISTRY.values(), key=lambda each: each.name)
SMOOTH = [each for each in RULES if each.form != "zero"]
UFUNCS = [
    each
    for each in SMOOTH
    if isinstance(each.fn, np.ufunc) and each.form == "scalar" and not each.examples
]


def name_of(each: Rule) -> str:
    return each.name


@pytest.mark.sweep(of=24)
@pytest.mark.parametrize("each", SMOOTH, ids=name_of)
def test_rule_agrees_with_differences_in_both_modes(each: Rule) -> None:
    if why := reason(each, "differences"):
        pytest.skip(why)
    for label, arguments in harness.cases(each):
        try:
            harness.check(each, arguments)
        except Exception as error:
            error.add_note(f"rule of {each.name}, {label}: {arguments}")
            raise


@pytest.mark.parametrize("each", UFUNCS, ids=name_of)
def test_single_precision_is_kept(each: Rule) -> None:
    harness.single_precision(each)


@pytest.mark.parametrize("each", RULES, ids=name_of)
def test_rule_says_where_it_comes_from(each: Rule) -> None:
    assert each.why if each.form == "zero" else each.source
    assert all(text.strip() for text in each.back.values())


@pytest.mark.parametrize("each", [r for r in RULES if r.form == "zero"], ids=name_of)
def test_function_declared_constant_does_not_move(each: Rule) -> None:
    if each.fn is np.empty_like:
        pytest.skip("its entries are not set")
    for args in ((0.7312,), (0.7312, 1.618), (np.array([0.7312, -2.3]),)):
        try:
            before = each.fn(*args)
            after = each.fn(*(x + 1e-9 for x in args))
        except (TypeError, ValueError, AttributeError, DeprecationWarning, UserWarning):
            continue
        if isinstance(before, (float, np.ndarray, np.floating)):
            np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("each", SMOOTH, ids=name_of)
def test_parameters_are_those_of_the_function(each: Rule) -> None:
    try:
        own = inspect.signature(each.fn).parameters
    except (TypeError, ValueError):
        return
    if isinstance(each.fn, np.ufunc) or "args" in own or hasattr(each.fn, "__objclass__"):
        return
    unnamed = sum(p.kind is p.POSITIONAL_ONLY for p in own.values())
    unnamed = max(unnamed, each.signature.positional_only)
    by_keyword = {n for n in each.signature.positional[unnamed:] if n in each.back}
    assert by_keyword <= set(own) or "y" in own  # a formula can't say y of a parameter


def test_no_function_has_two_rules() -> None:
    program = """
import astad.rules.registry as registry
seen = {}
original = registry.add
def add(made, also=()):
    for fn in (made.fn, *also):
        place = made.namespace["__name__"]
        assert id(fn) not in seen, f"{made.name}: in {seen.get(id(fn))} and {place}"
        seen[id(fn)] = place
    return original(made, also)
"""
    import astad.rules

    folder = Path(astad.rules.__path__[0])
    head = "import sys, types\n"
    for name, place in (("astad", folder.parent), ("astad.rules", folder)):
        head += f"p = sys.modules[{name!r}] = types.ModuleType({name!r})\n"
        head += f"p.__path__ = [{str(place)!r}]\n"
    text = (
        head + program + f"exec(compile(open({astad.rules.__file__!r}).read(), 'rules', 'exec'))\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def double(x: Any) -> Any:
    return 2 * x


def test_missing_rule_is_an_error_only_when_that_argument_is_asked_for() -> None:
    def product(x1: Any, x2: Any) -> Any:
        return x1 * x2

    made = scalar(product, "x2", None, missing={"x2": "nobody derived it"}, source="for this test")
    assert made.pull(("x1",))(1.0, 6.0, 2.0, 3.0) == (3.0,)
    with pytest.raises(MissingRule, match="nobody derived it"):
        made.pull(("x2",))


def test_a_ufunc_called_with_out_is_refused() -> None:
    add = lookup(np.add)
    assert add is not None
    assert add.bind((1.0, 2.0), {"dtype": float, "out": None}) == [1.0, 2.0]
    with pytest.raises(Unsupported, match="out="):
        add.bind((1.0, 2.0), {"out": np.zeros(())})
    with pytest.raises(Unsupported, match="where="):
        add.bind((1.0, 2.0), {"where": np.array([True])})


def test_refused_calls_are_told_by_an_expression_of_the_parameters() -> None:
    made = rule(
        double, "x, out=None", x="2 * y_bar", refuse="out is not None", source="for this test"
    )
    assert not made.refuses(made.bind((1.0,), {}))
    assert made.refuses(made.bind((1.0, []), {}))


def test_only_what_the_formulas_name_is_needed() -> None:
    tanh, multiply = lookup(np.tanh), lookup(np.multiply)
    assert tanh is not None and multiply is not None
    assert tanh.needs(("x",)) == {"y"} and not tanh.needs_shape(("x",))
    assert multiply.needs(("x1",)) == {"x2"} and multiply.needs_shape(("x1",)) == {"x1"}


def test_formulas_to_inline() -> None:
    def inline(fn: Any, parameter: str, kind: str) -> str | None:
        found = lookup(fn)
        assert found is not None
        return found.inline(parameter, kind)

    assert inline(np.tanh, "x", "array") == "1 - y * y"
    assert inline(np.add, "x1", "float") == "1"
    assert inline(np.sqrt, "x", "float") == "(0.5 / y if y else inf)"
    assert inline(np.sqrt, "x", "array") == "0.5 / y"
    assert inline(np.floor, "x", "float") is None


def test_texts_to_inline_suppose_a_number_of_operands() -> None:
    log = lookup(math.log)
    assert log is not None
    assert log.inline("x", "float", 1) == "1 / x"
    assert log.inline("x", "float", 2) is None
    assert log.inline("x", "float") is None


@pytest.mark.parametrize("each", [r for r in SMOOTH if r.form == "scalar"], ids=name_of)
def test_texts_to_inline_are_the_formulas_for_floats(each: Rule) -> None:
    if each.name.startswith("np.") and not isinstance(each.fn, np.ufunc):
        return
    label, (args, keywords) = harness.cases(each)[0]
    if not all(isinstance(x, float) for x in args):
        return
    args = tuple(map(float, args))
    y = each.fn(*args)
    for name in each.back:
        text = each.inline(name, "float", len(args))
        if text is None:
            continue
        values = dict(zip(each.parameters, args, strict=False), y=y)
        found = eval(text, each.globals_of(text), values)
        (expected,) = each.pull((name,))(1.0, y, *each.bind(args, {}))
        assert np.isclose(found, expected, rtol=1e-12), (label, text)


def test_modules_are_looked_through_once_until_another_is_imported(monkeypatch):
    asked = []
    registry.read_waiting()
    monkeypatch.setattr(registry, "_looked", [])
    monkeypatch.setattr(registry, "_read", lambda libraries: asked.append(libraries))
    for _ in range(3):
        assert not registry.read_more()
    assert len(asked) == 1
    monkeypatch.setitem(sys.modules, "a_module_of_this_test", object())
    assert not registry.read_more() and not registry.read_more()
    assert len(asked) == 2
    monkeypatch.syspath_prepend("/nowhere")
    registry.read_more()
    assert len(asked) == 3
    registry.load_with("a_module_of_this_test", [])
    registry.read_more()
    assert len(asked) == 4
    registry.WAITING.pop("a_module_of_this_test")
