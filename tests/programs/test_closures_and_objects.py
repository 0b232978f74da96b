"""Closures, methods, attributes, functions as values."""

import collections
import dataclasses
import functools
import math

import numpy as np
import pytest

from astad import gradient, pullback
from astad.testing import check_gradient


def test_methods_that_return_self_and_write_attributes():
    class State:
        def __init__(self, x, w):
            self.x = x
            self.w = w

        def step(self, t):
            self.x = self.x * 2 + math.sin(t)
            self.w[0] += self.x
            return self

    def f(x, w, t):
        s = State(x, w)
        for i in range(3):
            s = s.step(t * i)
        return s.x * s.w[0] + s.w[1]

    check_gradient(f, 0.5, np.array([1.0, 2.0]), 0.3)


def test_nonlocal_variable_in_a_function_called_in_a_loop():
    def f(x):
        acc = 1.0

        def add(t):
            nonlocal acc
            acc = acc * x + t
            return acc * t

        total = 0.0
        for i in range(4):
            total = total + add(x * i)
        return total + acc

    check_gradient(f, 0.9)


def test_captured_variable_is_read_when_the_function_is_called():
    def f(x):
        y = x
        g = lambda: y * y
        y = x * 3
        return g()

    assert gradient(f, 2.0) == (36.0,)
    check_gradient(f, 2.0)


def test_lambdas_made_in_a_loop_share_the_loop_variable_or_not():
    def late(x):
        fs = []
        for i in range(3):
            v = x * i
            fs.append(lambda t: t * v)
        return sum(g(x) for g in fs)

    def early(x):
        fs = [lambda t, v=x * i: t * v for i in range(3)]
        return sum(g(x) for g in fs)

    assert gradient(late, 1.5) == (18.0,)
    assert gradient(early, 1.5) == (9.0,)
    check_gradient(late, 1.5)
    check_gradient(early, 1.5)


def test_inner_function_handed_to_map_sorted_and_reduce():
    def f(x, l):
        scaled = list(map(lambda v: v * x, l))
        ordered = sorted(scaled, key=lambda v: -v)
        folded = functools.reduce(lambda s, v: s * 0.5 + v * x, ordered, 1.0)
        return folded * max(l, key=lambda v: v * v)

    check_gradient(f, 0.7, [1.0, -2.0, 0.5])


def test_partial_objects_and_functions_as_arguments():
    def power(x, n, scale):
        return scale * x**n

    def twice(g, x):
        return g(g(x))

    def f(x, s):
        return twice(functools.partial(power, n=2, scale=s), x) + twice(math.sin, x)

    check_gradient(f, 0.8, 1.1)


@dataclasses.dataclass(frozen=True)
class Point:
    x: float
    y: float
    label: str = "p"

    def norm(self):
        return math.sqrt(self.x**2 + self.y**2)


def test_dataclass_as_argument_and_result():
    def f(p, t):
        moved = dataclasses.replace(p, x=p.x * t)
        return Point(moved.norm(), p.y * t)

    check_gradient(f, Point(3.0, 4.0), 0.5)
    (bar,) = gradient(lambda p: p.norm(), Point(3.0, 4.0))
    assert (bar.x, bar.y) == pytest.approx((0.6, 0.8))
    assert bar.label is None


def test_namedtuple_as_argument_and_result():
    Pair = collections.namedtuple("Pair", "u v")

    def f(p):
        return Pair(p.u * p.v.sum(), p[1] * p[0])

    check_gradient(f, Pair(2.0, np.array([1.0, -3.0])))
    (bar,) = gradient(lambda p: p.u * p.v, Pair(2.0, 5.0))
    assert bar == Pair(5.0, 2.0) and type(bar) is Pair


def test_callable_object_with_array_attributes():
    class Linear:
        def __init__(self, W, b):
            self.W, self.b = W, b

        def __call__(self, x):
            return self.W @ x + self.b

    def f(layer, x):
        return np.tanh(layer(x)).sum()

    layer = Linear(np.array([[1.0, -0.5], [0.3, 0.8]]), np.array([0.1, -0.2]))
    check_gradient(f, layer, np.array([0.5, 1.5]))


def test_keyword_default_star_and_double_star_arguments():
    def g(a, b=2.0, *rest, scale, **more):
        return a * b * scale + sum(rest) + more.get("extra", 0.0) * a

    def f(x, y):
        values = (x, y, x * y)
        return g(x, y, *values, scale=y, **{"extra": x}) + g(y, scale=x)

    check_gradient(f, 1.5, -0.5)


def test_recursion_and_mutual_recursion():
    def even(x, n):
        return x if n == 0 else odd(x * x, n - 1)

    def odd(x, n):
        return x + 1.0 if n == 0 else 0.5 * even(math.sin(x), n - 1)

    check_gradient(even, 0.8, 5, argnums=(0,))


def test_global_variable_is_read_live():
    def f(x):
        return x * FACTOR["value"]

    assert gradient(f, 2.0) == (3.0,)
    FACTOR["value"] = 5.0
    try:
        assert gradient(f, 2.0) == (5.0,)
    finally:
        FACTOR["value"] = 3.0


FACTOR = {"value": 3.0}


def test_a_captured_parameter_has_its_zero():
    def f(x, v):
        unused = lambda t: v[1] * t
        return v[0]

    back = pullback(f, 1.0, (2.0, np.ones(2)))[1]
    for seed in (0.0, 1.0, -2.0):
        x_bar, (first, second) = back(seed)
        assert x_bar is None and first == seed
        np.testing.assert_array_equal(second, np.zeros(2))


def settled(x, scale=2.0):
    return x * x * scale


def lazy(*args, **words):
    lazy.__code__, lazy.__defaults__ = settled.__code__, settled.__defaults__
    return settled(*args, **words)


def test_a_function_that_replaces_its_code_while_it_runs():
    def twice(x, f):
        return f(x, scale=3.0) + f(x)

    y, back = pullback(twice, 1.5, lazy)
    assert y == 2.25 * 5.0
    assert back(1.0)[0] == 15.0


class Scale:
    def __init__(self, by, at):
        self.by = by
        self.at = at

    def __call__(self, t):
        return self.by * t


def test_what_an_unused_call_read_has_no_cotangent():
    """Its pullback is not run with a zero: what it read stays None, at an infinity as well."""

    def f(x, scale):
        scale(x)
        return 2 * x + scale.at[0]

    for by in (0.5, math.inf):
        x_bar, bar = gradient(f, 0.7, Scale(by, np.ones(2)))
        assert x_bar == 2 and bar.by is None and bar.at.tolist() == [1, 0]
