"""A function that is chosen where it is called: the one that is called is the one chosen."""

import math

import pytest

from astad import grad, value_and_grad


def cubed(x):
    return x * x * x


def fourth(x):
    return x * x * x * x


class Holder:
    def method(self, x):
        return x * x


HOLDER = Holder()


def conditional(x):
    return (fourth if x > 0 else cubed)(x)


def conditional_the_other_way(x):
    return (cubed if x > 0 else fourth)(x)


def either(x, f=None):
    return (f or cubed)(x)


def both(x):
    return (x > 0 and fourth or cubed)(x)


def method_or_function(x):
    return (HOLDER.method if x > 0 else cubed)(x)


def of_a_library(x):
    return (math.sin if x > 0 else cubed)(x)


def three(x):
    return (fourth if x > 3 else HOLDER.method if x > 1 else cubed)(x)


def by_keyword(x):
    return (fourth if x > 0 else cubed)(x=x)


def in_a_loop(x):
    total = 0.0
    for k in range(4):
        total = total + (fourth if k % 2 else cubed)(x)
    return total


def in_a_comprehension(x):
    return sum([(fourth if k % 2 else cubed)(x) for k in range(4)])


def while_it_lasts(x):
    n = 0
    while (fourth if n < 1 else cubed)(x) < 100.0 and n < 3:
        x = (fourth if n % 2 else cubed)(x) / 4.0
        n = n + 1
    return x


def named_before(x):
    f = fourth if x > 0 else cubed
    return f(x)


def chosen_by_branches(x):
    if x > 0:
        f = fourth
    else:
        f = cubed
    return f(x)


CASES = [
    conditional, conditional_the_other_way, either, both, method_or_function, of_a_library, three,
    by_keyword, in_a_loop, in_a_comprehension, while_it_lasts, named_before, chosen_by_branches,
]  # fmt: skip


@pytest.mark.parametrize("x", [2.0, -1.5, 0.7, 3.5])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_against_the_plain_run(f, x):
    y, bar = value_and_grad(f)(x)
    assert y == f(x)
    assert bar == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)


def test_the_function_is_an_argument():
    assert value_and_grad(either)(2.0, fourth) == (16.0, 32.0)
    assert value_and_grad(either)(2.0) == (8.0, 12.0)


def test_a_derivative_or_the_function():
    def f(x):
        return (grad(cubed) if x > 0 else cubed)(x)

    assert value_and_grad(f)(2.0) == (12.0, 12.0)
    assert value_and_grad(f)(-2.0) == (-8.0, 12.0)
