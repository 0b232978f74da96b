"""Results that are built step by step: the name is bound when all is there."""

import pytest

from tests.compiler.forms import check_forms


def gen(x):
    yield x
    yield x * x
    raise ValueError


def history(x):
    h = [x, 3 * x]
    h = [*h, x * x]
    return sum(h)


def history_in_a_loop(x):
    h = [x]
    for k in range(3):
        h = [*h, h[-1] * x]
    return sum(h)


def ghost_cells(x):
    h = [1.0, 2.0, 3.0]
    h = [h[0] * x, *h, h[-1] * x]
    return sum(k * v for k, v in enumerate(h))


def display_that_fails_half_way(x):
    h = [x, 2 * x]
    try:
        h = [*h, *gen(x)]
    except ValueError:
        h = [*h, x * x]
    return sum(h)


def walrus_in_a_display(x):
    h = [x, 2 * x]
    g = h
    h = [*h, *(h := [x * x])]
    return sum(h) + g[0]


def set_of_itself(x):
    s = {x, 2 * x}
    s = {*s, x * x * x}
    return sum(s)


def dict_of_itself(x):
    d = {"a": x}
    for k in range(3):
        d = {**d, "a": d["a"] * x, str(k): x}
    return sum(d.values())


def tuple_of_itself(x):
    h = (x, 2 * x)
    h = (*h, h[0] * x)
    return sum(h)


def any_that_fails(x):
    k = 0.0
    ys = [x]
    try:
        k = any(1.0 / v > 5 for v in [1.0, 0.0])
    except ZeroDivisionError:
        return x * (k + 1.0 if k == 0.0 and type(k) is float else 7.0)
    return x


def next_that_fails(x):
    k = 5.0 * x
    try:
        k = next((1.0 / v for v in [0.0]), x)
    except ZeroDivisionError:
        pass
    return k


def comprehension_that_fails(x):
    k = 5.0 * x
    try:
        k = [1.0 / v for v in [1.0, 0.0]]
    except ZeroDivisionError:
        pass
    return k


def max_that_fails(x):
    k = 5.0 * x
    try:
        k = max((1.0 / v for v in [1.0, 0.0]), key=lambda v: -v)
    except ZeroDivisionError:
        pass
    return k


def reduce_that_fails(x):
    from functools import reduce

    k = 5.0 * x
    try:
        k = reduce(lambda a, b: a / b, (v for v in [1.0, 0.0]), x)
    except ZeroDivisionError:
        pass
    return k


def display_in_an_arm(x):
    k = [x]
    for i in range(3):
        k = [*k, *k] if i < 2 else [*k, x]
    return sum(k)


def starred_call(x):
    def f(*a, s=1.0):
        return sum(a) * s

    k = [x, 2 * x]
    k = f(*k, *k, s=k[0])
    return k


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize(
    "fn",
    [
        history,
        history_in_a_loop,
        ghost_cells,
        display_that_fails_half_way,
        walrus_in_a_display,
        set_of_itself,
        dict_of_itself,
        tuple_of_itself,
        any_that_fails,
        next_that_fails,
        comprehension_that_fails,
        max_that_fails,
        reduce_that_fails,
        display_in_an_arm,
        starred_call,
    ],
    ids=lambda fn: fn.__name__,
)
def test_right(fn, x):
    check_forms(fn, x)
