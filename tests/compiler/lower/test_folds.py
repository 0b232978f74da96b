"""reduce, min and max over generator expressions, where a function runs between two items."""

import functools
import operator

import pytest

from .loud import say, told


@pytest.mark.parametrize("xs", [[], [2], [2, 3, 1, 3, 1]])
def test_key_runs_between_two_items(same, xs):
    def f(xs, key):
        a = max((say(x) for x in told(xs)), key=key, default=say(0))
        b = min(
            (say((x, i)) for i, x in enumerate(told(xs))), default=None, key=lambda p: say(p[0])
        )
        return a, b

    same(f, xs, lambda v: say(-v))
    same(f, xs, None)

    def g(xs, key):
        return min((x for x in told(xs)), key=key)

    same(g, xs, say)


@pytest.mark.parametrize("xs", [[], [2], [2, 3, 1]])
def test_reduce(same, xs):
    def f(xs, join):
        a = functools.reduce(join, (say(x) for x in told(xs)), say(10))
        join = functools.reduce(join, (x for x in told(xs) if x > 1), 1)
        return a, join

    def g(xs, join):
        return functools.reduce(join, (say(x) for x in told(xs)))

    def h(xs):
        return functools.reduce(operator.add, (say(x) for x in told(xs)))

    same(f, xs, lambda p, q: say(p * q))
    same(g, xs, lambda p, q: say(p * q))
    same(h, xs)
