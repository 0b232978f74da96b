"""Calls whose rule or source is found at run time, in every form of the derivative.

Callees that become pairs in the same text.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from astad.testing import check_gradient


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def factorial(x, n):
    return x if n == 0 else n * x * factorial(x, n - 1)


def even(x, n):
    return x if n == 0 else odd(x * x, n - 1)


def odd(x, n):
    if n == 0:
        return 1.0
    return x * even(x + 0.1, n - 1)


def tree_sum(xs, x):
    if len(xs) == 1:
        return xs[0] * x
    middle = len(xs) // 2
    return tree_sum(xs[:middle], x) * tree_sum(xs[middle:], x * x) + x


def scaled(x, factor=2.0, *, shift=0.0):
    for _ in range(1):
        x = x * factor + shift
    return x


def collected(*args, **keywords):
    total = 0.0
    for arg in args:
        total = total * arg + arg
    for name in keywords:
        total = total + keywords[name] ** 2
    return total


def test_a_callee_with_a_loop(forms_agree):
    def f(x, n):
        return power(x, n) * power(x * x, 2) + power(power(x, 2), n)

    forms_agree(f, 1.2, 3)


def test_recursion(forms_agree):
    forms_agree(factorial, 1.2, 4)


def test_mutual_recursion(forms_agree):
    forms_agree(lambda x, n: even(x, n), 0.9, 5)
    forms_agree(lambda x, n: even(x, n), 0.9, 4)


def test_recursion_over_a_list(forms_agree):
    forms_agree(tree_sum, [0.5, 1.5, 0.7, 1.1, 0.4], 1.3)


def test_defaults_and_keywords(forms_agree):
    def f(x, y):
        a = scaled(x) + scaled(x, y) * scaled(y, factor=x, shift=y)
        return a + scaled(x=a, shift=x) + scaled(y, shift=a)

    forms_agree(f, 0.7, 1.2)


def test_star_arguments(forms_agree):
    def f(x, y):
        args = (x, y, x * y)
        words = {"a": x, "b": y}
        return collected(*args) + collected(x, *args[1:], c=y) * collected(y, **words) + collected()

    forms_agree(f, 0.7, 1.2)


def test_parameters_of_all_kinds(forms_agree):
    def f(x, y):
        def inner(a, /, b, *rest, c, d=2.0, **more):
            return a * b + c * d * rest[0] + more["e"]

        return inner(x, y, x, c=y, e=x * y) + inner(x, y, y, c=y, e=x, d=x)

    forms_agree(f, 0.7, 1.2)


def test_a_closure_that_reads_what_is_rebound_later(forms_agree):
    def f(x, y):
        scale = x

        def g(z):
            return z * scale

        a = g(y)
        scale = scale * y
        return a + g(y) * g(x)

    forms_agree(f, 0.7, 1.2)


def test_nonlocal(forms_agree):
    def f(x, n):
        total = x

        def step(z):
            nonlocal total
            total = total * z + x
            return total

        for i in range(n):
            step(x * i)
        return total * step(x)

    forms_agree(f, 0.7, 3)


def test_lambdas_in_a_loop_share_their_cell(forms_agree):
    def f(x, n):
        functions = []
        for i in range(n):
            x = x * 1.1
            functions.append(lambda y: y * x + i)
        return sum([g(0.5) for g in functions])

    forms_agree(f, 0.7, 3)


def test_a_function_handed_over_and_returned(forms_agree):
    def f(x, y):
        def twice(g):
            return lambda z: g(g(z))

        def add_x(z):
            return z * y + x

        return twice(twice(add_x))(x)

    forms_agree(f, 0.7, 1.2)


def test_a_partial_and_a_bound_method(forms_agree):
    @dataclass
    class Line:
        slope: float
        shift: float

        def at(self, x):
            return self.slope * x + self.shift

        def __call__(self, x):
            return self.at(x) * x

    def f(x, y):
        line = Line(x, y)
        at = line.at
        steep = functools.partial(scaled, factor=y)
        return at(x) * line(y) + steep(x) * line.slope

    forms_agree(f, 0.7, 1.2)


def test_map_filter_reduce_and_sorted_by_key(forms_agree):
    def f(xs, y):
        a = sum(map(lambda x: x * y, xs))
        b = functools.reduce(lambda p, q: p * q + y, xs)
        c = sorted(xs, key=lambda x: -x)
        d = max(xs, key=lambda x: x * y)
        e = [x for x in filter(lambda x: x > 0.6, xs)]
        return a * b + c[0] * c[-1] + d + e[0]

    forms_agree(f, [0.5, 1.5, 0.7, 1.1], 1.3)


def test_an_argument_written_by_a_callee(forms_agree):
    def scale_first(values, x):
        values[0] = values[0] * x
        return values[0]

    def f(v, x):
        w = v * 2.0
        a = scale_first(w, x)
        b = scale_first(w, x)
        return np.sum(w * w) * a + b

    forms_agree(f, np.array([0.5, 1.5]), 0.7)


def test_a_list_filled_by_a_callee(forms_agree):
    def fill(out, x):
        out.append(x * x)
        out.append(out[0] * x)

    def f(x):
        out = [x]
        fill(out, x)
        fill(out, out[-1])
        return out[1] * out[2] + out[4]

    forms_agree(f, 0.7)


def test_a_callee_that_returns_its_argument(forms_agree):
    def same(v):
        return v

    def f(v, x):
        w = same(v)
        y = same(x)
        return np.sum(w * v) * y * same(y)

    forms_agree(f, np.array([0.5, 1.5]), 0.7)


def test_several_results(forms_agree):
    def both(x, y):
        z = x * y
        if z > 1.0:
            z = z * z
        return z, x + y

    def f(x, y):
        a, b = both(x, y)
        c = both(b, a)
        return a * c[0] + b * c[1]

    forms_agree(f, 0.7, 1.2)


def test_a_result_nobody_uses(forms_agree):
    def f(x, y):
        power(x, 3)
        unused = power(y, 2)
        return power(x, 2) * x

    forms_agree(f, 0.7, 1.2)


def test_a_call_in_a_test_and_in_a_range(forms_agree):
    def count(x):
        n = 0
        while x > 1.0:
            x = x * 0.5
            n += 1
        return n

    def f(x):
        y = x
        for _ in range(count(x)):
            y = y * x
        if power(x, 2) > 2.0:
            y = y + x
        return y

    forms_agree(f, 3.1)
    forms_agree(f, 0.7)


def test_calls_in_a_loop(forms_agree):
    def f(x, n):
        y = x
        for i in range(n):
            y = power(y, 2) * 0.5 + x
            if power(y, i) > 1.5:
                y = power(x, i)
                continue
        return y

    forms_agree(f, 0.9, 4)


def test_arrays_and_numbers_through_calls(forms_agree):
    def layer(w, v, b):
        h = w @ v + b
        for _ in range(2):
            h = np.tanh(h)
        return h

    def f(w, v, b):
        h = layer(w, v, b)
        h = layer(w, h, b)
        return np.sum(h * h) / len(v)

    forms_agree(f, np.array([[0.5, -0.2], [0.3, 0.8]]), np.array([0.4, 0.9]), 0.1)


def test_the_same_array_twice_in_one_call(forms_agree):
    def product(a, b):
        for _ in range(1):
            a = a * b
        return a

    def f(v):
        w = v * 3.0
        return np.sum(product(w, w) * product(v, w))

    forms_agree(f, np.array([0.5, 1.5]))


@pytest.mark.parametrize("x", [0.4, 1.6])
def test_a_callee_that_leaves_in_several_ways(forms_agree, x):
    def g(x, n):
        for i in range(n):
            if x > 3.0:
                return x * i
            if x > 2.0:
                break
            x = x * 1.3
        else:
            return math.sin(x)
        return x * x

    forms_agree(lambda x: g(x, 3) * g(x * 2.0, 2), x)


def test_a_comprehension_over_calls(forms_agree):
    def f(x, n):
        a = [power(x, i) * x for i in range(n)]
        b = {i: a[i] * x for i in range(n)}
        return sum(a) * b[1] + sum(v for v in b.values() if v > 0.1)

    forms_agree(f, 0.9, 4)


def test_a_generator_expression_and_nested_comprehensions(forms_agree):
    def f(x, n):
        table = [[x * i + j for j in range(i)] for i in range(n)]
        return sum(sum(row) * len(row) for row in table) + max(v * x for row in table for v in row)

    forms_agree(f, 0.9, 4)


def squares(x, n):
    s, whole = 0.0, x
    for i in range(n):
        s = s + x[i] * x[i]
    if s > 2.0:
        s = s + np.sum(whole)
    return s


def step(x, i):
    y = np.zeros(3)
    for j in range(3):
        y[j] = x[j] * x[j - 1] + i
    return y


def test_arrays_that_are_read_by_element_in_the_callee(forms_agree):
    def as_a_whole_too(x):
        return squares(x, 2) * squares(x, 3)

    def under_its_own_name(x):
        for i in range(3):
            x = step(x, i)
        return x[0] + x[1]

    x = np.array([0.5, 1.5, -0.4])
    for fn in (as_a_whole_too, under_its_own_name):
        forms_agree(fn, x)
        forms_agree(fn, 3.0 * x)


def early(x, n):
    for i in range(n):
        if x > 3.0:
            return x * 2.0
        x = x * 1.7
        x = x + 0.1 * math.sin(x)
        x = x + 0.2 * math.sin(x)
    if x < 1.0:
        return x * x
    x = x + 0.1 * math.sin(x)
    x = x + 0.2 * math.sin(x)
    return x + 0.3 * math.sin(x)


def test_a_callee_with_several_returns(forms_agree):
    def f(x, n):
        return early(x, n) * early(2.0 * x, n)

    for x in (1.3, 0.1, 0.7):
        forms_agree(f, x, 2)


def powers(x, y, n):
    s = 1.0
    for i in range(n):
        s = s * x**y
        s = s + 0.1 * math.sin(x)
        s = s + 0.2 * math.sin(x)
        s = s + 0.3 * math.sin(x)
        s = s + 0.4 * s * x
    return s


def test_a_callee_whose_powers_may_turn_complex(forms_agree):
    def f(x, y):
        return powers(x, y, 2) * powers(y, x, 3)

    def g(x, y):
        powers(x, y, 2)
        return powers(y, x, 3) * x

    for fn in (f, g):
        forms_agree(fn, 1.3, 2.2)


def test_a_callee_that_meets_a_complex_number():
    def f(x, y):
        return abs(powers(x, y, 1)) * x

    check_gradient(f, -1.3, 2.2)


class Decay:
    def __init__(self, rate):
        self.rate = rate
        self.left = 1.0

    def step(self, dt):
        self.left = self.left - dt * self.rate * self.left


def decayed(rate, n):
    sample, total = Decay(rate), 0.0
    for _ in range(n):
        sample.step(0.1)
    for i in range(n):
        total = total + sample.left * i * rate
        if total > 100.0:
            total = total * 0.5
        total = total + 0.1 * math.sin(rate)
        total = total + 0.2 * math.sin(rate)
        total = total + 0.3 * math.sin(rate) * total
    return total


def test_a_callee_that_makes_an_object_for_itself(forms_agree, monkeypatch):
    def f(rate):
        return decayed(rate, 3) * decayed(2.0 * rate, 4)

    forms_agree(f, 1.3)
    monkeypatch.setattr(Decay, "left", property(lambda self: 2.0, lambda self, v: None), False)
    check_gradient(f, 1.3)
