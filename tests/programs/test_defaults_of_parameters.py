"""Defaults that name a parameter of the enclosing function, which is bound anew before the call."""

import pytest

from tests.programs.everywhere import right_everywhere


def f(x):
    g = lambda a, b=x: a * b
    x = x * 3
    return g(2.0)


def h(x):
    def f(x=x):
        return x * x

    x = x * 3
    return f()


def loop(x):
    def g(a, k=x):
        return a * k

    for x in (2.0, 3.0):
        pass
    return g(2.0) * x


def aug(x):
    g = lambda b=x: b * b
    x += 1.0
    return g() * x


def walrus(x):
    g = lambda b=x: b * b
    return (x := x * 2.0) * g()


def arr(a):
    g = lambda b=a: b * b
    a = a * 2.0
    return g() + a


def kw(x, y=2.0):
    def g(*, b=x):
        return b * y

    x = x * 3.0
    return g() + x


def alias(f0):
    f = lambda v: v * 3.0
    g = f
    f = lambda v: v * 5.0
    return g(f0) + f(f0)


def second(x):
    def mul(v):
        return v * 2.0

    fn = mul

    def mul(v):
        return v * 7.0

    return fn(x) * mul(x)


def param_fn(x, k=None):
    k = lambda v: v * x
    g = k
    k = lambda v: v * 4.0
    return g(x) + k(x)


PROGRAMS = [f, h, loop, aug, walrus, arr, kw, alias, second, param_fn]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_default_keeps_the_value_of_its_moment(program):
    right_everywhere(program, 1.3)
