"""Formulas as functions."""

import inspect
import math
import operator
import warnings

import numpy as np
import pytest

import astad
from astad.rules import lookup
from astad.rules.formula import compile_pull, user_name
from astad.rules.registry import linear, rule, scalar
from astad.slotted import replace


def test_broadcast_arguments_get_cotangents_of_their_own_shape():
    x1, x2 = np.ones((3, 1)), np.full(4, 2.0)
    first, second = lookup(np.multiply).pull(("x1", "x2"))(np.ones((3, 4)), x1 * x2, x1, x2)
    assert first.tolist() == [[8], [8], [8]]
    assert second.tolist() == [3, 3, 3, 3]


def test_texts_of_rules_of_one_name_stay_apart():
    """A rule declared anew does not take the text of a function that is still held."""
    sine = lookup(np.sin)
    parameter = sine.parameters[0]
    pull = compile_pull(sine, (parameter,))
    compile_pull(replace(sine, back={parameter: f"3.0 * cos({parameter})"}), (parameter,))
    found = astad.gradient(lambda y_bar: pull(y_bar, math.sin(0.3), 0.3)[0], 1.0)
    assert found == (pytest.approx(math.cos(0.3)),)


def test_no_warning_leaves_a_pullback():
    x = np.array([0.0, -1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lookup(np.log).pull(("x",))(np.ones(2), x, x)
        lookup(np.log).pull(("x",))(1.0, -np.inf, 0.0)


def test_complex_factors_are_conjugated_back_but_not_forth():
    multiply = lookup(operator.mul)
    assert multiply.pull(("x1",))(1.0, 2j, 1.0, 2j) == (-2j,)
    assert multiply.push(("x1",))((1.0,), 2j, 1.0, 2j) == 2j


def test_tangent_of_a_sum_of_arguments_of_unequal_shape():
    y_dot = lookup(np.add).push(("x1",))((1.0,), np.zeros(3), 2.0, np.zeros(3))
    assert y_dot.tolist() == [1, 1, 1]


def test_parameters_without_a_formula_have_no_cotangent():
    def scaled(x, by):
        return x * by

    made = scalar(scaled, "by", parameters="x, by", source="for this test")
    assert made.pull(("x", "by"))(1.0, 6.0, 2.0, 3.0) == (3.0, None)


def test_missing_tangents_are_zeros_in_a_dot_formula():
    def product(a, b):
        return a * b

    made = rule(
        product,
        "a, b",
        a="y_bar * b",
        b="y_bar * a",
        dot="a_dot * b + a * b_dot",
        source="for this test",
    )
    assert made.push(("b",))((5.0,), 6.0, 2.0, 3.0) == 10


def test_variadic_rule_has_a_tuple_of_cotangents():
    def total(*xs):
        return sum(xs)

    made = linear(total, "*xs", xs="(y_bar,) * len(xs)", source="for this test")
    assert made.pull(("xs",))(1.0, 6.0, made.bind((1.0, 2.0), {})[0]) == ((1.0, 1.0),)
    assert made.push(("xs",))(((3.0, 4.0),), 6.0, (1.0, 2.0)) == 7


def test_text_of_a_formula_stands_in_tracebacks():
    found = compile_pull(lookup(math.sin), ("x",))
    core = inspect.getclosurevars(found).nonlocals["core"]
    assert "cos(x)" in inspect.getsource(core)


def test_names_as_users_write_them():
    assert user_name(math.sin) == "math.sin"
    assert user_name(operator.add) == "operator.add"
    assert user_name(np.add) == "np.add"
    assert user_name(np.linalg.inv) == "np.linalg.inv"
    assert user_name(np.ndarray.clip) == "np.ndarray.clip"
