"""Every rule with its examples in other shapes: numbers, nothing, one entry along an axis, an axis
more or less.

The examples of a rule are of the shapes that it was written for. A program has others: an array
that a mask has left empty, one column, a number in the place of an array. Each example is called
again with each of its arrays in such a shape, and with all of them. Where the plain call works, the
derivative agrees with differences, or an error of astad's says what is not covered; an error of
NumPy's from inside a formula, or of a cotangent's shape, is a mistake. Slow, for there are some
fifty thousand calls.
"""

from __future__ import annotations

import pytest
import shapes
from exemptions import reason

from astad.rules import REGISTRY
from astad.rules.formula import Rule

ILL_POSED = {"scipy.linalg.orthogonal_procrustes"}
"""With fewer points than axes the rotation is not determined."""


def is_asked(rule: Rule) -> bool:
    """Not what no program names, nor the elementwise functions of SciPy, of which `harness` asks
    all shapes."""
    if rule.form == "zero" or "._" in rule.name or rule.name.startswith("astad."):
        return False
    if rule.name in ILL_POSED:
        return False
    elementwise = rule.form == "scalar" and rule.name.startswith("scipy.")
    return not (elementwise or reason(rule, "public") or reason(rule, "cases"))


ASKED = sorted(filter(is_asked, REGISTRY.values()), key=lambda each: each.name)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ASKED, ids=lambda each: each.name)
def test_other_shapes(rule: Rule) -> None:
    assert shapes.check_shapes(rule) == []
