"""Branches, loops and their exits, boolean operators as values."""

import math
from fractions import Fraction

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient


def exits(x, n, m):
    s, y = x, 1.0
    for i in range(n):
        s = s + x * i
        for j in range(m):
            t = y * (j + 1) * 0.4
            if t < 0.5:
                y = y + 0.3
                continue
            s = s + t * x
            if s > 6.0:
                y = y * 0.5
                break
            if y > 3.2:
                return s * y
            y = y * 1.1 * x
        else:
            y = y + s
    return s * y


@pytest.mark.parametrize("x", [0.31, 0.57, 0.93, 1.17, 1.41, 1.93, -0.7])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 3), (3, 4), (4, 6)])
def test_every_exit_of_a_nested_loop(x, n, m):
    check_gradient(exits, x, n, m)


def test_while_with_and_and_a_walrus():
    def f(x, limit):
        n, s = 0, x
        while n < 6 and (t := math.sin(s) * x) < limit:
            s = s + t * t + 0.1
            n += 1
        return s * t

    for x in (0.4, 0.9, 1.3):
        check_gradient(f, x, 0.8)


def test_while_true_with_break_and_else_that_does_not_run():
    def f(x):
        y = x
        while True:
            y = y * y + 0.1
            if y > 4.0:
                break
        while y > 1.0:
            y = y * 0.7
        else:
            y = y + x
        return y

    check_gradient(f, 1.3)


def test_integer_first_and_numpy_float_from_the_second_iteration_on():
    def f(x):
        y = 1
        for i in range(3):
            y = y * x + i
            x = np.float64(x) * 0.9
        return y

    check_gradient(f, 1.5)
    check_gradient(f, np.float64(1.5))
    assert gradient(lambda x: x * x * x, Fraction(1, 2)) == (Fraction(3, 4),)


def test_fraction_comes_back_as_a_fraction():
    def f(x):
        y = 1
        for _ in range(3):
            y = y * x
        return y + x / 4

    (bar,) = gradient(f, Fraction(1, 2))
    assert bar == Fraction(1) and type(bar) is Fraction


def test_and_or_and_conditional_expressions_as_values():
    def f(x, y):
        a = x and y
        b = (x > 5.0) or y * x
        c = x if y < 0 else y * y
        return a * b * c + (0.0 or x)

    check_gradient(f, 1.5, 0.7)
    check_gradient(f, 1.5, -0.7)


def test_chained_comparison_and_early_return():
    def f(x):
        if 0.0 < x < 1.0 < x + 0.8:
            return x * x
        if x < 0:
            return -3.0 * x
        return math.exp(-x)

    for x in (-0.5, 0.1, 0.7, 2.0):
        check_gradient(f, x)


def test_loops_over_everything_that_can_be_looped_over():
    def f(x, l, a, d):
        s = x
        for i, v in enumerate(l):
            s = s + i * v * x
        for u, v in zip(l, a):
            s = s + u * v
        for v in reversed(l):
            s = s * 0.5 + v
        for k, v in d.items():
            s = s + v * len(k)
        for v in map(math.sin, a):
            s = s + v * s
        for (p, q), r in zip(zip(l, l[1:]), a):
            s = s + p * q * r
        for row in np.outer(a, a):
            s = s + row[0]
        return s

    check_gradient(f, 0.5, [1.0, -2.0], np.array([0.3, 0.8]), {"one": 1.5, "three": -0.5})


def test_branch_not_taken_gives_a_real_zero_and_no_path_gives_none():
    def f(x, y, name):
        if x > 1.0:
            return x * y
        return x * 3.0

    assert gradient(f, 0.5, 2.0, "text") == (3.0, 0.0, None)
    assert gradient(f, 1.5, 2.0, "text") == (2.0, 1.5, None)
    assert gradient(lambda x, y: x * 2.0, 1.0, 5.0) == (2.0, None)


def test_loop_of_no_trips():
    def f(x, n):
        y = 2.0
        for _ in range(n):
            y = y * x
        return y

    assert gradient(f, 1.5, 0) == (0.0, None)
    assert gradient(f, 1.5, 4) == (27.0, None)


def test_name_that_was_never_bound_raises_what_python_raises():
    def f(x):
        if x > 1.0:
            y = x
        return y

    with pytest.raises(UnboundLocalError):
        gradient(f, 0.5)
    assert gradient(f, 1.5) == (1.0,)
