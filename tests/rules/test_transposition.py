"""Tangents made of pullbacks are those of the formulas, where a rule states both."""

import linecache
import math

import harness
import numpy as np
import pytest
from exemptions import WORK_SPACE

from astad.errors import AstadError
from astad.rules import REGISTRY
from astad.rules.transposition import some_cotangent, transposed

BOTH = [
    rule
    for rule in REGISTRY.values()
    if rule.form == "structured" and rule.dot and rule.back and rule.name not in WORK_SPACE
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", BOTH[::3], ids=lambda rule: rule.name)
def test_a_transposed_pullback_is_the_tangent(rule):
    for label, (args, keywords) in harness.cases(rule)[:2]:
        y, values = rule.fn(*args, **keywords), rule.bind(args, keywords)
        names = [name.lstrip("*") for name in rule.parameters]
        wanted = tuple(n for n, v in zip(names, values) if n in rule.back and harness.is_smooth(v))
        random = np.random.default_rng(5)
        dots = tuple(harness.direction(values[names.index(name)], random) for name in wanted)
        seed = harness.direction(y, random)
        formula = rule.push(wanted)(dots, y, *values)
        found = transposed(rule.pull(wanted))(dots, y, *values)
        a, b = harness.inner(seed, found), harness.inner(seed, formula)
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9), label


def test_a_pullback_whose_text_has_left_linecache():
    rule = REGISTRY[id(math.hypot)]
    pull = rule.pull(("xs",))
    linecache.clearcache()  # as linecache itself does when memory runs out
    found = transposed(pull)(((0.5, 0.25),), 5.0, (3.0, 4.0))
    assert found == pytest.approx((0.5 * 3 + 0.25 * 4) / 5)


def test_a_cotangent_of_everything_a_rule_may_return():
    y = (np.ones(2), 1.5, 2j, np.array([1, 2]), True, np.float32(1.0), [np.zeros((1, 2))])
    found = some_cotangent(y)
    assert found[3] is None and found[4] is None
    assert found[0].all() and found[0].dtype == float and type(found[5]) is np.float32
    assert found[2].imag and found[6][0].shape == (1, 2)


def test_what_is_not_determined_has_no_tangent():
    linalg = pytest.importorskip("scipy.linalg")
    rule = REGISTRY[id(linalg.qr)]
    a = np.array([[1.0, 2.0], [3.0, 4.0], [0.5, 1.0], [0.3, 2.0]])
    with pytest.raises(AstadError, match="complete"):
        rule.push(("a",))((a,), linalg.qr(a), *rule.bind((a,), {}))
