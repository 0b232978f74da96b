"""Every rule through the public functions: specialised text, generic calls, each argument active or constant."""

from __future__ import annotations

from pathlib import Path

import forms
import harness
import pytest

from astad.rules import REGISTRY
from astad.rules.registry import Rule

SCALAR = sorted((each for each in REGISTRY.values() if each.form == "scalar"), key=lambda each: each.name)
OTHER = sorted(
    (each for each in REGISTRY.values() if each.form in ("linear", "structured")), key=lambda each: each.name
)


def name_of(each: Rule) -> str:
    return each.name


@pytest.mark.parametrize("rule", SCALAR, ids=name_of)
def test_elementwise_rule_in_every_form(rule: Rule, tmp_path: Path) -> None:
    written = forms.Written(tmp_path)
    for label, (args, keywords) in harness.cases(rule):
        assert not keywords
        forms.check_forms(rule, args, written, label)


@pytest.mark.parametrize("rule", [r for r in SCALAR if not r.examples], ids=name_of)
def test_mixed_kinds_of_operands(rule: Rule, tmp_path: Path) -> None:
    written = forms.Written(tmp_path)
    _, (args, _) = harness.cases(rule)[0]
    for label, mixed in forms.mixtures(rule, [float(x) for x in args]):
        forms.check_forms(rule, mixed, written, label)


@pytest.mark.parametrize("rule", OTHER, ids=name_of)
def test_structured_rule_in_every_form(rule: Rule, tmp_path: Path) -> None:
    written = forms.Written(tmp_path)
    for label, (args, keywords) in harness.cases(rule):
        forms.check_example(rule, args, keywords, written, label)
