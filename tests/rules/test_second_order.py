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
from astad.rules.formula import Rule

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


FACTORS = ("eig", "svd", "qr", "schur", "polar", "cholesky", "lu", "solve", "null_space", "orth")
AT_ZERO = [r for r in RULES if r.zero_safe or r.name.rpartition(".")[2].startswith(FACTORS)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", AT_ZERO, ids=lambda rule: rule.name)
def test_a_cotangent_of_zero_has_a_derivative(rule: Rule) -> None:
    for label, arguments in harness.cases(rule)[:3]:
        try:
            second.check(rule, arguments, at_zero=True)
        except Exception as error:
            error.add_note(f"rule of {rule.name}, {label}: {arguments}")
            raise


WITH_ZEROS = [rule for rule in RULES if not reason(rule, "zeros")]
LENGTHS = ("norm", "hypot", "dist", "cond", "sqrt", "safe_product", "safe_quotient")
OFTEN = [rule for rule in WITH_ZEROS if rule.name.endswith(LENGTHS)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", second.GROUPS)  # all at once take minutes of some rules
@pytest.mark.parametrize("rule", WITH_ZEROS, ids=lambda rule: rule.name)
def test_exact_zeros_have_derivatives(rule: Rule, group: str) -> None:
    for label, arguments in harness.cases(rule):
        try:
            second.check_zeros(rule, arguments, group)
        except Exception as error:
            error.add_note(f"rule of {rule.name}, {label}: {arguments}")
            raise


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", OFTEN, ids=lambda rule: rule.name)
def test_lengths_have_second_derivatives_at_exact_zeros(rule: Rule) -> None:
    assert sum(second.check_zeros(rule, arguments) for _, arguments in harness.cases(rule)[:3])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (np.logaddexp, (np.float64(0.5), np.float64(0.5))),
        (np.logaddexp2, (np.ones(2), np.ones(2))),
        (np.power, (np.float64(0.5), np.float64(0.0))),
        (np.power, (np.float64(2.0), np.float64(2.0))),
        (np.power, (np.array([2.0, 0.5]), np.array([0.0, 2.0]))),
        (pow, (2.0, 2.0)),
        (pow, (0.5, 0.0)),
    ],
)
def test_points_where_a_formula_of_first_order_has_a_branch(fn, args):
    assert second.check(lookup(fn), (args, {}))


def second_derivative(fn, x):
    """Of a function of one number, by its rule."""
    rule = lookup(fn)
    return astad.gradient(lambda at: rule.pull(rule.parameters[:1])(1.0, fn(at), at)[0], x)[0]


def test_second_derivative_of_sinc_at_zero():  # case 27
    assert second_derivative(np.sinc, 0.0) == pytest.approx(-(math.pi**2) / 3)
    assert second_derivative(np.sinc, np.zeros(2)[0]) == pytest.approx(-(math.pi**2) / 3)


@pytest.mark.parametrize("kind", [float, np.float64, lambda x: np.array([x])])
def test_third_derivatives_of_a_power_of_exponent_0(kind):
    base, zero = kind(0.3), kind(0.0)

    def slope(x, p):
        return astad.gradient(lambda x: np.sum(x**p), x)[0]

    def curve(x, p):
        return astad.gradient(lambda x: np.sum(slope(x, p)), x)[0]

    found = astad.gradient(lambda p: np.sum(curve(base, p)), zero)[0]  # of p (p - 1) x**(p - 2)
    assert found == pytest.approx(-1 / 0.09)


@pytest.mark.parametrize(
    "a",
    [
        np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]),  # tall, with a singular value 0
        np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]),
        np.array([[1.0, 2.0], [2.0, 4.0]]),
    ],
)
def test_the_spectral_norm_has_second_derivatives_at_matrices_without_full_rank(a):
    def slope(a):
        return astad.gradient(lambda a: np.linalg.norm(a, 2), a)[0].ravel()

    found = astad.hessian(lambda a: np.linalg.norm(a, 2), a).reshape(a.size, a.size)
    steps = [1e-5 * each.reshape(a.shape) for each in np.eye(a.size)]
    wanted = [(slope(a + step) - slope(a - step)) / 2e-5 for step in steps]
    assert found == pytest.approx(np.array(wanted), abs=1e-8)


def test_the_spectral_norm_of_a_complex_matrix_without_full_rank():
    def length(v):
        a = np.array([[v[0] + 1j * v[1], v[2] - 2j * v[0]], [0.0, 0.0]])
        return np.linalg.norm(a, 2)  # the root of 5 v0**2 + v1**2 + v2**2

    v, weights = np.array([0.3, 0.4, 0.5]), np.array([5.0, 1.0, 1.0])
    y = math.sqrt(weights @ v**2)
    wanted = np.diag(weights) / y - np.outer(weights * v, weights * v) / y**3
    assert astad.hessian(length, v) == pytest.approx(wanted)
