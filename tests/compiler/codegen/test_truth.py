"""Conditions are written as people write them, and are true in the same cases."""

import math

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def source(fn, *kinds):
    return compile_function(
        fn, [parse_kind(kind) for kind in kinds], [True] * len(kinds), fused=True
    ).text.source


def test_chains_and_conjunctions():
    def f(x, y):
        if 0 < x < 1 and (y > 2.0 or y < -2.0):
            return x * y
        return x - y

    text = source(f, "float", "float")
    assert "0 < x < 1 and (y > 2.0 or y < -2.0)" in text
    for x in (-1.0, 0.0, 0.5, 1.0, math.nan):
        for y in (-3.0, -2.0, 0.0, 2.5, math.nan):
            inside = 0 < x < 1 and (y > 2.0 or y < -2.0)
            assert gradient(f, x, y) == ((y, x) if inside else (1.0, -1.0))


def test_a_loop_with_its_test_at_the_head():
    def f(x, c):
        while x * c < 10.0:
            x = x * 2.0 + c
        return x

    assert "while x * c < 10.0:" in source(f, "float", "float")
    assert gradient(f, 1.0, 1.0) == (8.0, 7.0)


def test_the_value_of_a_comparison_is_the_users():
    def f(x, y):
        both = x > 0 and y
        return x * both

    assert gradient(f, 2.0, 3.0) == (3.0, 2.0)
    assert gradient(f, -2.0, 3.0)[0] == 0


def test_endless_loops_that_ask_for_a_sign():
    def f(x, n):
        while True:
            if -n:
                break
            x = x * x
            n = n + 1
        return x

    assert gradient(f, 1.5, 0) == (3.0, None)
