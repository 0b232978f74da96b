"""Names that are read only to see whether they are bound."""

import math

import pytest

from astad import gradient
from tests.compiler.forms import check_forms


def unbound_at_first(x):
    try:
        a
    except NameError:
        a = x * 2
    return a * x


def bound_by_the_first_round(x):
    for k in range(3):
        try:
            s
        except NameError:
            s = x
        s = s * x
    return s


def bound_below(x):
    try:
        y = total
    except NameError:
        y = x * x
    total = 3 * x
    return y * total


def with_an_else(x):
    try:
        s  # noqa: F821
    except UnboundLocalError:
        s = 0.0
    else:
        s = 1.0
    s += x * x
    return s


def in_an_inner_function(x):
    def f():
        try:
            b
        except NameError:
            b = x
        return b * x

    return f() + f()


def bound_in_one_arm(x):
    if x > 100:
        q = x
    try:
        q
    except NameError:
        q = 5 * x
    return q * x


def unknown_global(x):
    try:
        undefined_global_thing
    except NameError:
        return x * x * x
    return x


def deleted(x):
    b = x
    del b
    try:
        b
    except NameError:
        b = x * 4
    return b


def unknown_global_in_an_expression(x):
    try:
        undefined_other + x
    except NameError:
        r = x
    return r * r


def known_global(x):
    try:
        math
    except NameError:
        return x
    return math.sin(x)


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize(
    "fn",
    [
        unbound_at_first,
        bound_by_the_first_round,
        bound_below,
        with_an_else,
        in_an_inner_function,
        bound_in_one_arm,
        unknown_global,
        deleted,
        unknown_global_in_an_expression,
        known_global,
    ],
    ids=lambda fn: fn.__name__,
)
def test_right(fn, x):
    check_forms(fn, x)


def read_alone(x):
    if x > 100:
        q = x
    q
    return x * x


def asked_alone(x):
    for _ in range(0):
        q = x
    if q:
        pass
    return x


def parameter_deleted(x):
    del x
    x  # noqa: F821
    return 1.0


def item_tested_alone(x):
    values = [x]
    if values[3]:
        pass
    return x


@pytest.mark.parametrize("fn", [read_alone, asked_alone, parameter_deleted])
def test_unbound(fn):
    for run in (fn, gradient):
        with pytest.raises(UnboundLocalError):
            run(*[fn][: run is gradient], 1.3)


def test_test_that_raises():
    with pytest.raises(IndexError):
        gradient(item_tested_alone, 1.3)


def test_test_that_changes_something():
    def popped(x):
        values = [x, 1.0]
        if values.pop() > 0.0:
            pass
        return x * len(values)

    check_forms(popped, 1.3)
