"""Branches, loops and their exits, boolean operators as values."""

import math
from fractions import Fraction

import numpy as np
import pytest

import astad
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


# --- the truth of what changes later


def empty_and_then_filled(x):
    seen = []
    if seen and x > 0.0:
        y = x * x
    else:
        y = 3.0 * x
    seen.append(y)
    return y


def last_of_a_list_that_grows(x, n=4):
    acc, tot = [], 0.0
    for k in range(n):
        if acc and x > acc[-1]:
            tot = tot + x * acc[-1]
        else:
            tot = tot + x
        acc.append(x * k)
    return tot


def array_written_after_its_test(x):
    m = np.zeros(1)
    if m and x > 0.0:
        y = x * x
    else:
        y = 3.0 * x
    m[0] = 1.0
    return y


def conditional_expression_by_a_list(x, n=3):
    acc = []
    for k in range(n):
        acc.append(x * acc[-1] if acc and x > acc[-1] else x * k)
    return sum(acc)


def two_lists(x):
    r, s = [], []
    y = 0.0
    for k in range(4):
        if r and s and x > 0:
            y += x * x * k
        else:
            y += x
        r.append(k)
        s.append(x)
    return y


def no_entries_yet(x):
    seen = {}
    y = 0.0
    for k in range(3):
        if not seen or x < 0:
            y += x * k
        else:
            y += x * x
        seen[k] = y
    return y


def one_of_three(x):
    s = []
    y = 0.0
    for k in range(3):
        if x < 0 or s or k > 7:
            y += x * x
        else:
            y += x
        s.append(y)
    return y


def until_the_list_is_empty(x):
    s = [1.0, 2.0]
    y = 0.0
    while s and y < 100:
        y += s.pop() * x * x
    return y


def asked_twice(x):
    s = []
    y = 0.0
    for k in range(4):
        ok = s and x > 0
        if ok:
            y += x * x
        if k == 1:
            s.append(x)
        if ok:
            y += x
        else:
            y += 3 * x
    return y


def queue_by_several_tests(x):
    q = [x]
    y = 0.0
    for k in range(5):
        if (q and q[-1] > 0 and k % 2) or len(q) > 3:
            y += q.pop() * k
        else:
            q.append(y + x)
            y += x
    return y


CHANGING = [
    empty_and_then_filled,
    last_of_a_list_that_grows,
    array_written_after_its_test,
    conditional_expression_by_a_list,
    two_lists,
    no_entries_yet,
    one_of_three,
    until_the_list_is_empty,
    asked_twice,
    queue_by_several_tests,
]


@pytest.mark.parametrize("f", CHANGING)
@pytest.mark.parametrize("x", [1.7, 0.6])
def test_what_was_tested_is_known_when_it_has_changed(f, x):
    right = pytest.approx((f(x + 1e-5) - f(x - 1e-5)) / 2e-5, rel=1e-6)
    for _ in range(4):
        assert astad.value_and_grad(f)(x) == (f(x), right)
    assert astad.pullback(f, x)[1](1.0)[0] == right
    assert astad.jvp(f, (x,), (1.0,))[1] == right
