"""Where a value is not chosen its cotangent is zero, however singular the function is there."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import astad
from astad.errors import AstadError
from astad.rules import REGISTRY
from astad.rules.formula import Rule

POINTS = (0.0, 1.0, -1.0, 0.5, 2.0)
UFUNCS = sorted(
    (
        rule
        for rule in REGISTRY.values()
        if rule.form == "scalar"
        and type(rule.fn) is np.ufunc
        and rule.fn.nin <= 3
        and rule.fn.nout == 1
    ),
    key=lambda rule: rule.name,
)


@pytest.mark.sweep(of=48)
@pytest.mark.parametrize("rule", UFUNCS, ids=lambda rule: rule.name)
def test_what_is_not_chosen_has_no_slope_and_says_nothing(rule: Rule) -> None:
    """At every mixture of points where the function itself says nothing."""
    chosen = np.array([False, True])

    def total(*given):
        return np.sum(np.where(chosen, rule.fn(*given), 0.0))

    asked = 0
    for point in itertools.product(POINTS, repeat=rule.fn.nin):
        given = [np.array([value, 0.3 + 0.1 * at]) for at, value in enumerate(point)]
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                total(*given)
                if said:
                    continue
                slopes = astad.gradient(total, *given)
                pulled = astad.pullback(total, *given)[1](1.0)
            except (TypeError, ValueError, OverflowError, AstadError):
                continue  # not there, or no derivative by some argument
        assert not said, (point, said[0].message)
        asked += 1
        for slope in (*slopes, *pulled):
            assert slope is None or slope[0] == 0.0, (point, slope)
    if not asked:
        pytest.skip("it says something at all of them, or has no derivative by all arguments")
