"""Texts given to eval: right, or refused."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

scale = 3.0


def two_spaces(x):
    space = {"math": math, "scale": 2.0}
    return eval("x * math.sin(y) + scale", space, {"x": x, "y": x * 2})


def one_space(x):
    return eval("math.exp(x) * x * sum([v for v in (1, 2)])", {"math": math, "x": x})


def functions_inside(x):
    names = {"x": x}
    text = "(lambda k=x: k * 2)() + max(x, 0.1) + len([i for i in range(3)])"
    return eval(text, {}, names) * names["x"]


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        total += eval(" abs(x) ** n", {"n": i + 1}, {"x": x})
    return total


@pytest.mark.parametrize("fn", [two_spaces, one_space, functions_inside, in_a_loop])
def test_the_value_of_a_text(fn):
    check_gradient(fn, 0.7)


def test_of_arrays():
    def total(a):
        return eval("np.sum(a * b)", {"np": np, "b": 3.0}, {"a": a})

    check_gradient(total, np.array([1.0, 2.0]))


def read_in_a_comprehension(x):
    return eval("sum([v * x for v in (1, 2)])", {"x": x})


def bound_by_the_text(x):
    space = {"x": x}
    eval("(x := x * 2)", space)
    return space["x"]


def names_of_the_caller(x):
    y = x * x
    return eval("y * x")


@pytest.mark.parametrize("fn", [read_in_a_comprehension, bound_by_the_text, names_of_the_caller])
def test_other_texts_are_refused(fn):
    with pytest.raises(Unsupported, match="eval"):
        gradient(fn, 0.7)
