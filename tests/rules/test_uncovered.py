"""What a rule does not cover is named by the arguments of the call."""

from __future__ import annotations

import ast
import io

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.rules.registry import REGISTRY, lookup, read_waiting
from astad.rules.uncovered import _clauses, case_in_words

A = np.array([[2.0, 1.0], [1.0, 3.0]])


def folded(a):
    step = np.frompyfunc(lambda p, q: p * q + q, 2, 1)
    return step.reduce(a[0], where=a[0] > 0.0, initial=1.0)


def raw(a):
    return np.linalg.qr(a, mode="raw")[0].sum()


CASES = [
    (folded, "np.ufunc.reduce", "ufunc=the ufunc '<lambda> (vectorized)'"),
    (raw, "np.linalg.qr", "mode='raw'"),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_arguments_of_a_function_of_scipy_are_named():
    linalg = pytest.importorskip("scipy.linalg")
    one = np.eye(2)
    with pytest.raises(Unsupported, match="solve_continuous_are.*does not cover e=an array"):
        astad.gradient(lambda a: linalg.solve_continuous_are(a, one, one, one, e=one).sum(), A)


@pytest.mark.parametrize(("f", "fn", "case"), CASES)
def test_the_arguments_are_named(f, fn, case):
    with pytest.raises(Unsupported) as raised:
        astad.gradient(f, A)
    text = str(raised.value)
    assert fn in text and f"does not cover {case}" in text


@pytest.mark.parametrize(
    ("fn", "args", "keywords", "case"),
    [
        (np.median, (A,), {"overwrite_input": True}, "overwrite_input=True"),
        (np.sum, (A,), {"out": A}, "out=an array of float64 with shape (2, 2)"),
        (np.quantile, (A, 0.4), {"weights": [1.0, 2.0]}, "weights=[1.0, 2.0]"),
        (np.pad, (A, 1), {"mode": "mean"}, "mode='mean'"),
        (np.linalg.qr, (A,), {}, "these arguments"),
    ],
)
def test_the_first_condition_that_holds(fn, args, keywords, case):
    rule = lookup(fn)
    assert case_in_words(rule, rule.bind(args, keywords)) == case


def test_every_condition_of_a_rule_reads_parameters():
    read_waiting()
    for rule in REGISTRY.values():
        names = {name.lstrip("*") for name in rule.parameters}
        for clause in _clauses(rule.refuse) if rule.refuse else ():
            assert names & {each.id for each in _names(clause)}, rule.name


def _names(clause):
    return [each for each in ast.walk(clause) if isinstance(each, ast.Name)]


def test_a_private_function_goes_by_the_public_one():
    def f(x):
        return np.loadtxt(io.StringIO("1 2"), converters=lambda s: float(s) * x).sum()

    with pytest.raises(Unsupported, match=r"np\.loadtxt: a derivative through this"):
        astad.gradient(f, 3.0)
