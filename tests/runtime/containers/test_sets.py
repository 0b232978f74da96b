"""Intersections draw no more elements than Python does."""

from __future__ import annotations

import pytest

import astad


def drawn_once(x):
    seen = []

    def source():
        for v in (1, 2, 3):
            seen.append(x * v)
            yield v

    {1}.intersection(source())
    return sum(seen)


def in_place(x):
    seen, held = [], {1, 2}

    def source():
        for v in (2, 1, 3, 4):
            seen.append(x**v)
            yield v

    held.intersection_update(source(), [1, 5])
    return sum(seen) * len(held)


def two_sources(x):
    seen = []

    def source(*values):
        for v in values:
            seen.append(x * v)
            yield v

    found = frozenset([1, 2]).intersection(source(2, 7, 1, 8), source(9, 1, 2, 6))
    return sum(seen) * len(found)


def to_the_end(x):
    seen = []

    def source():
        for v in (1, 2):
            yield v
            seen.append(x * v)
        seen.append(x * x)

    {1, 9}.intersection(source())
    return sum(seen)


class Countdown:
    def __init__(self, n, x):
        self.n, self.x, self.log = n, x, []

    def __iter__(self):
        return self

    def __next__(self):
        self.log.append(self.x * self.n)
        self.n -= 1
        return self.n


def of_a_class(x):
    source = Countdown(5, x)
    return len({3}.intersection(source)) * sum(source.log) * source.n


def of_numbers(x):
    found = {x, 2 * x, 3.0}.intersection(v * 1.0 for v in (x, 3.0, 7.0))
    return sum(v * v for v in found)


PROGRAMS = [drawn_once, in_place, two_sources, to_the_end, of_a_class]


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_is_drawn_from(f):
    y, back = astad.pullback(f, 1.7)
    assert y == f(1.7)
    assert back(1.0)[0] == pytest.approx((f(1.7 + 1e-6) - f(1.7 - 1e-6)) / 2e-6, rel=1e-7)


def test_the_elements_that_are_met_have_their_way_back():
    y, back = astad.pullback(of_numbers, 1.7)
    assert y == of_numbers(1.7) and back(1.0)[0] == pytest.approx(3.4)
