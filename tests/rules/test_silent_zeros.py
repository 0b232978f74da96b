"""A parameter without a formula moves no result: else its derivative would be a silent zero."""

from __future__ import annotations

from typing import Any

import harness
import numpy as np
import pytest

from astad.rules import REGISTRY
from astad.rules.formula import Rule

STEP = 1e-5
RULES = sorted(
    {
        rule.name: rule
        for rule in REGISTRY.values()
        if rule.examples is not None and "._" not in rule.name  # those take no wrong argument
    }.values(),
    key=lambda rule: rule.name,
)


def numbers(y: Any) -> np.ndarray:
    """The floats of a result, in one row."""
    if isinstance(y, (list, tuple)):
        return np.concatenate([np.zeros(0), *map(numbers, y)])
    if isinstance(y, np.ndarray):
        return y.ravel().astype(complex) if y.dtype.kind in "fc" else np.zeros(0)
    is_number = isinstance(y, (float, complex, np.inexact))
    return np.array([complex(y)]) if is_number else np.zeros(0)


def trials(value: Any, first: Any) -> list[Any]:
    """Floats and arrays that the parameter may have been given in place of this value."""
    if isinstance(value, (bool, np.bool_)):
        return []
    if isinstance(value, (int, float, np.integer, np.floating)):
        return [float(value) + 0.013, float(value) + 0.5]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return [value.astype(float) + 0.013]
    if value is not None and value is not np._NoValue:
        return []
    shapes = {np.shape(first), np.shape(first)[:1], np.shape(first)[-1:]} if shaped(first) else ()
    filled = [np.linspace(0.4, 1.9, int(np.prod(shape))).reshape(shape) for shape in shapes]
    return [0.37, 1.3, 2.6, *filled]


def shaped(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0


def moves(rule: Rule, values: list[Any], place: int, at: Any) -> bool:
    """Does the result change smoothly with this parameter?"""

    def call(by: float) -> np.ndarray:
        now = list(values)
        now[place] = at + by
        positional, by_name = rule.signature.call_arguments(now)
        return numbers(rule.fn(*positional, **by_name))

    try:
        near, far = (call(h) - call(-h) for h in (STEP, 2 * STEP))
    except Exception:  # whatever it raises, it does not take this
        return False
    if near.shape != far.shape or not near.size or not np.all(np.isfinite(near)):
        return False
    slope = near / (2 * STEP)
    return bool(np.max(np.abs(slope)) > 1e-6 and np.allclose(far, 2 * near, rtol=1e-2, atol=1e-10))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_has_no_formula_moves_nothing(rule: Rule) -> None:
    names = [name.lstrip("*") for name in rule.parameters]
    for label, (args, keywords) in harness.cases(rule)[:4]:
        values = rule.bind(args, keywords)
        for place, name in enumerate(names):
            if name in rule.back or name in rule.missing:
                continue
            for at in trials(values[place], args[0] if args else None):
                now = [*values[:place], at, *values[place + 1 :]]
                with np.errstate(all="ignore"):
                    silent = moves(rule, values, place, at) and not rule.refuses(now)
                assert not silent, f"{label}: a derivative in {name} at {at!r}"
