"""Objects with ``__index__`` where Python takes an int, and where it takes none."""

from __future__ import annotations

import collections
import math

import pytest

import astad


class Place:
    def __init__(self, at):
        self.at = at
        self.asked = 0

    def __index__(self):
        self.asked += 1
        return self.at


def popped(x):
    held = [x, 2 * x, x * x]
    return held.pop(Place(1)) * held[-1]


def inserted(x):
    held = [x, 2 * x, 3 * x]
    held.insert(Place(-1), x * x)
    return held[2] * held[3]


class Ring:
    def __init__(self, *values):
        self.values = collections.deque(values)

    def turn(self, by):
        self.values.rotate(by)
        return self.values[0]


def rotated(x):
    ring = Ring(x, 2 * x, x * x)
    return ring.turn(Place(1)) * ring.turn(Place(-2)) + ring.turn(Place(0))


def inserted_in_a_deque(x):
    held = collections.deque([x, 2 * x, 3 * x])
    held.insert(Place(1), x**3)
    return held[1] * held[2]


def repeated(x):
    held = [x, 2 * x] * Place(2)
    held *= Place(2)
    return held[7] * held[2] * len(held)


def repeated_tuple(x):
    held = Place(3) * (x, x * x)
    return held[5] * held[2]


def repeated_in_place(x):
    held, times = collections.deque([x, x * x], maxlen=3), Place(2)
    held *= times
    return held[0] * held[1] * times.asked


def moved_in_a_loop(x):
    held = [x, x * x, x**3]
    for k in range(3):
        held.insert(Place(0), held.pop(Place(k)))
    return held[0] * held[1] + held[2]


def scaled(x):
    try:
        return math.ldexp(x, Place(1))
    except TypeError:
        return x * x


PROGRAMS = [
    popped, inserted, rotated, inserted_in_a_deque, repeated, repeated_tuple, repeated_in_place,
    moved_in_a_loop, scaled,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_an_object_that_stands_for_an_int(f):
    y, back = astad.pullback(f, 1.3)
    assert y == f(1.3)
    assert back(1.0)[0] == pytest.approx((f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6, rel=1e-7)


@pytest.mark.parametrize("i", [1.0, "a", None])
def test_what_is_no_int_raises_what_python_raises(i):
    with pytest.raises(TypeError) as plain:
        [1.0].pop(i)
    with pytest.raises(TypeError) as raised:
        astad.gradient(lambda x: [x, x].pop(i), 1.0)
    assert str(raised.value) == str(plain.value)
