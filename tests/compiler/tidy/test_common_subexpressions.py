"""Values computed twice are computed once, where nobody can tell."""

import math

import pytest

from astad import gradient, value_and_grad
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function
from astad.compiler.tidy.common_subexpressions import share_common


def source(fn, *kinds):
    parsed = [parse_kind(kind) for kind in kinds]
    return compile_function(fn, parsed, [True] * len(kinds), fused=True).text.source


def test_within_a_block_and_into_those_inside_it(tidied):
    text = """
        a = x * y
        b = y * x
        if c:
            d = x * y
        else:
            d = x + x
        return a, b, d
    """
    made = tidied(text, share_common)
    assert "b = a" in made and "d = a" in made and "d = 2.0 * x" in made


def test_not_after_a_name_has_another_value(tidied):
    text = """
        a = x * y
        x = x * 3.0
        b = x * y
        for c in cs:
            d = x * y
            y = d
        e = x * y
        return a, b, e
    """
    made = tidied(text, share_common, unknown=("cs",))
    assert made.count("x * y") == 4


def test_not_from_one_arm_to_the_other(tidied):
    text = """
        if c:
            a = x * y
        else:
            a = y / x
        b = x * y
        return a, b
    """
    assert "b = x * y" in tidied(text, share_common)


def test_the_reverse_sweep_uses_what_the_forward_sweep_has(forms_agree):
    def f(x, h):
        a = math.sqrt(x) * (h / 6.0)
        return a + math.sqrt(x) * h * math.exp(a)

    text = source(f, "float", "float")
    assert text.count("math.sqrt(") == 1 and text.count("math.exp(") == 1
    assert text.count("h / 6.0") == 1
    forms_agree(f, 0.7, 0.3)


def test_kinds_that_are_not_proved_are_computed_each_time():
    def f(x, n):
        return x * n + x * n

    assert source(f, "real", "real").count("x * n") == 2
    assert source(f, "float", "int").count("x * n") == 1


def test_signs_of_zero_and_ints_are_told_apart(tidied):
    text = """
        a = x * 0.0
        b = x * -0.0
        c = x * 1
        d = x * 1.0
        return a, b, c, d
    """
    assert "= a" not in tidied(text, share_common) and "d = c" not in tidied(text, share_common)


def test_an_exception_comes_from_the_first():
    def f(x, y):
        a = y / x
        return a + y / x

    with pytest.raises(ZeroDivisionError, match="division by zero"):
        gradient(f, 0.0, 1.0)


def test_loops_and_branches(forms_agree):
    def f(x, y, n):
        s = x * y
        for i in range(n):
            if s > i:
                s = s - x * y
                x = x * 0.9
            else:
                s = s + x * y
                y = y + x * y
        return s + x * y

    for n in (0, 1, 4):
        forms_agree(f, 1.3, 0.7, n)


def test_a_function_bound_anew_is_noticed(monkeypatch):
    def f(x):
        return math.tanh(x) + math.tanh(x)

    assert value_and_grad(f)(0.0) == (0.0, 2.0)
    monkeypatch.setattr(math, "tanh", math.exp)
    assert value_and_grad(f)(0.0) == (2.0, 2.0)
