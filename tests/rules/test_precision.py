"""Every rule in half, single and extended precision, and what its cotangents share memory with."""

from __future__ import annotations

from typing import Any

import harness
import numpy as np
import pytest
from exemptions import WORK_SPACE, reason

from astad.rules import REGISTRY
from astad.rules.formula import Rule

RULES = list({rule.name: rule for rule in REGISTRY.values() if rule.form != "zero"}.values())
PAIRS = {np.float16: None, np.float32: np.complex64, np.longdouble: np.clongdouble}
NO_KERNEL = "unsupported in linalg"
"""What NumPy says of half and extended precision, in which LAPACK does not compute."""


def dtypes_of(rule: Rule) -> list[Any]:
    """SciPy's kernels compute in single and double precision alone."""
    if reason(rule, "precision"):
        return []
    return [np.float32] if rule.name.startswith("scipy.") else list(PAIRS)


def changed(value: Any, dtype: Any) -> Any:
    """Arrays and NumPy numbers in another precision; complex ones in that of its pair."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(changed(each, dtype) for each in value)
    if isinstance(value, (np.ndarray, np.inexact)) and value.dtype.kind in "fc":
        wanted = dtype if value.dtype.kind == "f" else PAIRS[dtype]
        return value if wanted is None else value.astype(wanted)
    return value


def pulled(rule: Rule, args: Any, keywords: Any) -> Any:
    """The result, its cotangent, the arguments that take one and their cotangents as the formulas
    give them."""
    values = rule.bind(args, keywords)
    names = [name.lstrip("*") for name in rule.parameters]
    wanted = tuple(
        n for n, v in zip(names, values, strict=True) if n in rule.back and harness.is_smooth(v)
    )
    with np.errstate(all="ignore"):
        y = rule.fn(*args, **keywords)
        y_bar = harness.direction(y, np.random.default_rng(0))
        if rule.name in WORK_SPACE:
            y_bar = tuple(
                None if k == WORK_SPACE[rule.name] else each for k, each in enumerate(y_bar)
            )
        return (
            y,
            y_bar,
            [values[names.index(n)] for n in wanted],
            rule.pull(wanted)(y_bar, y, *values),
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("rule", "dtype"),
    [(rule, dtype) for rule in RULES for dtype in dtypes_of(rule)],
    ids=lambda each: getattr(each, "__name__", "") or each.name,
)
def test_cotangents_have_the_precision_of_their_arguments(rule: Rule, dtype: Any) -> None:
    for _, (args, keywords) in harness.cases(rule):
        here = changed(args, dtype), changed(keywords, dtype)
        if not harness.has_value(rule, *here):
            continue
        try:
            _, _, inputs, bars = pulled(rule, *here)
        except Exception as error:
            if NO_KERNEL not in str(error):
                raise
            continue
        for value, bar in zip(inputs, bars, strict=True):
            harness.fitted(bar, value)  # asserts kind, shape and dtype


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_nothing_that_is_given_is_written(rule: Rule) -> None:
    """A cotangent may be ``y_bar`` itself or a view of it: the table of shadows copies what it has
    to add to. It may not be a view of an argument or of the result, nor may these be written."""
    for _, (args, keywords) in harness.cases(rule):
        y, y_bar, inputs, bars = pulled(rule, args, keywords)
        given = [each for each in harness.leaves([inputs, y]) if isinstance(each, np.ndarray)]
        seeds = [each for each in harness.leaves([y_bar]) if isinstance(each, np.ndarray)]
        for bar in harness.leaves(list(bars)):
            if not isinstance(bar, np.ndarray) or not bar.flags.writeable:
                continue
            if any(np.shares_memory(bar, seed) for seed in seeds):
                continue
            shared = [each for each in given if np.shares_memory(bar, each)]
            assert not shared, f"{rule.name}: a cotangent shares memory with what was given"
