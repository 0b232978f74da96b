"""Every rule differentiated twice, against differences of its pullback; see support/second.py."""

from __future__ import annotations

import math

import harness
import numpy as np
import pytest
import second
from exemptions import REFUSED_SECOND, reason

import astad
from astad.errors import AstadError
from astad.rules import REGISTRY, lookup
from astad.rules.registry import Rule

RULES = sorted(
    {
        rule.name: rule
        for rule in REGISTRY.values()
        if rule.form != "zero" and not reason(rule, "second") and not reason(rule, "cases")
    }.values(),
    key=lambda rule: rule.name,
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_second_derivatives_agree_with_differences(rule: Rule) -> None:
    refused = False
    for label, arguments in harness.cases(rule):
        try:
            second.check(rule, arguments)
        except AstadError:
            refused = True
            if rule.name not in REFUSED_SECOND:
                raise
        except Exception as error:
            error.add_note(f"rule of {rule.name}, {label}: {arguments}")
            raise
    assert refused == (rule.name in REFUSED_SECOND)


def second_derivative(fn, x):
    """Of a function of one number, by its rule."""
    rule = lookup(fn)
    return astad.gradient(lambda at: rule.pull(rule.parameters[:1])(1.0, fn(at), at)[0], x)[0]


def test_second_derivative_of_sinc_at_zero():  # case 27
    assert second_derivative(np.sinc, 0.0) == pytest.approx(-(math.pi**2) / 3)
    assert second_derivative(np.sinc, np.zeros(2)[0]) == pytest.approx(-(math.pi**2) / 3)
