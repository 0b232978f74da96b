"""Every rule on whole numbers: given as ints, they have the gradient that they have as floats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import forms
import harness
import pytest
import whole
from exemptions import reason

from astad.rules import REGISTRY
from astad.rules.formula import Rule
from tests.compiler.forms import only_generic

RULES = sorted(
    {
        each.name: each
        for each in REGISTRY.values()
        if each.form != "zero" and not reason(each, "public") and not reason(each, "cases")
    }.values(),
    key=lambda each: each.name,
)
SCALES = (1.0, 4.0)
CASES = 8


def calls(rule: Rule, written: forms.Written) -> list[tuple[str, Any, list[Any], list[Any]]]:
    """What is called, with whole numbers as floats and as ints."""
    found = []
    for label, (args, keywords) in harness.cases(rule)[:CASES]:
        words = "".join(f", {name}=K_{name}" for name in keywords)
        constants = {f"K_{name}": value for name, value in keywords.items()}
        for body in forms.example_texts(rule, len(args), words):
            f = written.function(", ".join(forms.NAMES[: len(args)]), body, **constants)
            for scale in SCALES:
                floats = [whole.as_whole_floats(x, scale) for x in args]
                for kind, ints in whole.each_alone(floats):
                    found.append((f"{label}, {body}, {kind}: {ints}", f, floats, ints))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_ints_have_the_gradient_of_floats(rule: Rule, tmp_path: Path) -> None:
    asked = calls(rule, forms.Written(tmp_path))
    wrong = [(label, whole.differs(f, floats, ints)) for label, f, floats, ints in asked]
    with only_generic():
        wrong += [
            (f"of any kind: {label}", whole.differs(f, floats, ints, times=1))
            for label, f, floats, ints in asked
        ]
    says = [f"{label}\n    {what}" for label, what in wrong if what]
    assert not says, f"{len(says)} of {len(wrong)}\n" + "\n".join(says[:6])
