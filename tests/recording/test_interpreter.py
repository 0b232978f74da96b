"""Generators in a recorded run, and what is written out in its text."""

import cmath
import contextlib
import math

import pytest

import astad
from astad.errors import Unsupported

from .recorded_runs import opaque, recorded, recorded_backwards

pytestmark = pytest.mark.order_matters


class Vector:
    def __init__(self, *parts):
        self.parts = parts

    def __iter__(self):
        yield from self.parts

    def __add__(self, other):
        return Vector(*(a + b for a, b in zip(self, other)))

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other))

    def first(self):
        for part in self:
            return part


def test_generators_that_are_left_where_nothing_runs_then():
    """``zip`` leaves its second one before the end, and a loop that returns its only one."""

    def f(x):
        a, b = Vector(x, 2.0 * x, 1.0), Vector(1.0, x * x, x)
        total = a + b
        p, q, r = total
        return total.dot(a) + total.first() * p * q + opaque(r)

    for x in (1.5, 0.7):
        recorded(f, x)


def test_a_generator_is_left_in_which_something_runs_then():
    log = []

    def inner(x):
        try:
            yield x
            yield 2.0 * x
        finally:
            log.append(1)

    def outer(x):
        yield from inner(x)

    class Source:
        def __init__(self, x):
            self.x = x

        def __iter__(self):
            return self

        def __next__(self):
            return self.x

        def close(self):
            log.append(2)

    def drawn(source):
        yield from source

    def f(x):
        return next(outer(x)) * x + opaque(x)

    def g(x):
        return next(drawn(Source(x))) * x + opaque(x)

    for fn in (f, g):
        with pytest.raises(Unsupported, match="left before its end"):
            astad.gradient(fn, 1.5)


def test_complex_constants_keep_their_kind_and_signs():
    def f(x):
        z = Vector(-2j * x, complex(-0.0, 3.0) * x, complex(1.0, -0.0) * x)
        return abs(cmath.exp(sum(z)) + x) + math.copysign(1.0, complex(x, -0.0).imag) * opaque(x)

    recorded_backwards(f, 1.3)


def test_what_runs_where_a_generator_is_closed():
    count = {"closed": 0, "steps": 0}

    def powers(x):
        try:
            v = 1.0
            while True:
                count["steps"] += 1
                yield v
                v *= x
        finally:
            count["closed"] += 1

    def f(x):
        with contextlib.closing(powers(x)) as source:
            a, b, c = next(source), next(source), next(source)
        return a + b * c * opaque(x)

    for k in range(6):
        astad.gradient(f, 1.5)
        assert count == {"closed": k + 1, "steps": 3 * k + 3}
