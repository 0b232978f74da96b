"""Every rule through the public functions: specialised text, generic calls, constant operands."""

from __future__ import annotations

import inspect
import itertools
from pathlib import Path
from typing import Any

import forms
import harness
import numpy as np
import pytest
from exemptions import reason

import astad
from astad.errors import MissingRule
from astad.rules import REGISTRY
from astad.rules.formula import Rule
from astad.testing import check_gradient

PUBLIC = sorted(
    (each for each in REGISTRY.values() if not reason(each, "public")),
    key=lambda each: each.name,
)
SCALAR = [each for each in PUBLIC if each.form == "scalar" and not each.missing]
PARTIAL = [each for each in PUBLIC if each.form == "scalar" and each.missing]
OTHER = [each for each in PUBLIC if each.form in ("linear", "structured")]


def name_of(each: Rule) -> str:
    return each.name


@pytest.mark.sweep(of=48)
@pytest.mark.parametrize("rule", SCALAR, ids=name_of)
def test_elementwise_rule_in_every_form(rule: Rule, tmp_path: Path) -> None:
    written = forms.Written(tmp_path)
    for label, (args, keywords) in harness.cases(rule):
        assert not keywords
        forms.check_forms(rule, args, written, label)


@pytest.mark.parametrize("rule", PARTIAL, ids=name_of)
def test_elementwise_rule_that_misses_a_parameter(rule: Rule) -> None:
    for _, (args, _keywords) in harness.cases(rule):
        kept = tuple(k for k, name in enumerate(rule.parameters[: len(args)]) if name in rule.back)
        check_gradient(with_others_held(rule.fn, args, kept), *(args[k] for k in kept))
        given = zip(rule.parameters, args, strict=False)
        if any(name in rule.missing and harness.is_smooth(x) for name, x in given):
            with pytest.raises(MissingRule):
                astad.gradient(lambda *every: np.sum(np.real(rule.fn(*every))), *args)


def with_others_held(fn: Any, args: tuple[Any, ...], kept: tuple[int, ...]) -> Any:
    def held(*moved: Any) -> Any:
        values = list(args)
        for k, value in zip(kept, moved, strict=True):
            values[k] = value
        return np.sum(np.real(fn(*values) * fn(*args)))

    return held


@pytest.mark.slow
@pytest.mark.parametrize("rule", [r for r in SCALAR if not r.examples], ids=name_of)
def test_mixed_kinds_of_operands(rule: Rule, tmp_path: Path) -> None:
    written = forms.Written(tmp_path)
    _, (args, _) = harness.cases(rule)[0]
    for label, mixed in forms.mixtures(rule, [float(x) for x in args]):
        forms.check_forms(rule, mixed, written, label)


@pytest.mark.sweep(of=48)
@pytest.mark.parametrize("rule", OTHER, ids=name_of)
def test_structured_rule_in_every_form(rule: Rule, tmp_path: Path) -> None:
    written = forms.Written(tmp_path)
    for label, (args, keywords) in harness.cases(rule):
        forms.check_example(rule, args, keywords, written, label)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")  # of single precision, always
@pytest.mark.parametrize("rule", [r for r in OTHER if not reason(r, "precision")], ids=name_of)
def test_structured_rule_in_single_precision(rule: Rule, tmp_path: Path) -> None:
    written = forms.Written(tmp_path)
    for label, (args, keywords) in harness.cases(rule)[:3]:
        forms.check_example(rule, forms.in_single_precision(args), keywords, written, label)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [r for r in SCALAR if not r.examples], ids=name_of)
def test_poles_and_infinities_are_those_of_the_rule(rule: Rule, tmp_path: Path) -> None:
    written = forms.Written(tmp_path)
    count = len([name for name in rule.parameters if name not in rule.defaults])
    for point in itertools.product(forms.SPECIAL, repeat=count):
        for kind in forms.KINDS_OF_SPECIAL:
            forms.check_special(rule, tuple(map(kind, point)), written)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, y: np.dot([x, y], [y, 2.0]),
        lambda x, y: np.matmul([[x, y]], [y, 2.0])[0] + np.matmul([x, y], [[y], [x]])[0],
        lambda x, y: np.linalg.norm([x, y]) * np.linalg.norm([x, y], 1),
        lambda x, y: np.outer([x, y], [y, 1.0]).sum() + np.cross([x, y, 1.0], [y, x, 2.0])[1],
        lambda x, y: np.linalg.norm((x, y)) + np.vdot((x, y), [y, y]) + np.inner([x], [y]),
    ],
)
def test_lists_given_to_functions_of_arrays(fn):
    assert check_gradient(fn, 0.7, -1.3).outcome == "right"


def by_keyword(rule: Rule, args: tuple[Any, ...]) -> tuple[int, list[str]] | None:
    """How many operands have no name, and the names of the others, as the function takes them."""
    names = list(rule.parameters)
    try:
        own = list(inspect.signature(rule.fn).parameters.values())
    except (TypeError, ValueError):
        own = []
    if own and not any(each.kind is each.VAR_POSITIONAL for each in own):
        names = [each.name for each in own]
    if any(name.startswith("*") for name in names[: len(args)]) or len(args) > len(names):
        return None
    for unnamed in range(len(args)):
        named = dict(zip(names[unnamed : len(args)], args[unnamed:], strict=True))
        if len(named) < 1 or not accepts(rule.fn, args[:unnamed], named):
            continue
        return unnamed, list(named)
    return None


def accepts(fn: Any, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    try:
        with np.errstate(all="ignore"):
            fn(*args, **named)
    except Exception:  # it has no such parameter, or takes another value for it
        return False
    return True


@pytest.mark.sweep(of=48)
@pytest.mark.parametrize("rule", [*SCALAR, *[r for r in OTHER if not r.missing]], ids=name_of)
def test_operands_by_keyword_in_any_order(rule: Rule) -> None:
    for _, (args, keywords) in harness.cases(rule)[:3]:
        found = by_keyword(rule, args)
        if found is None:
            continue
        unnamed, names = found

        def turned(*values: Any) -> Any:
            named = dict(zip(names, values[unnamed:], strict=True))
            in_turn = {**keywords, **dict(reversed(named.items()))}
            return rule.fn(*values[:unnamed], **in_turn)

        y, back = astad.pullback(rule.fn, *args, **keywords)
        same, back_of_turned = astad.pullback(turned, *args)
        y_bar = harness.direction(y, np.random.default_rng(4))
        np.testing.assert_equal(harness.leaves(same), harness.leaves(y))
        if y_bar is not None:
            for value, bar, of_turned in zip(args, back(y_bar), back_of_turned(y_bar), strict=True):
                if harness.is_smooth(value):
                    np.testing.assert_equal(harness.leaves(of_turned), harness.leaves(bar))
