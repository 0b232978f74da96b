"""Errors that a program catches or shows have Python's own texts, of NumPy's numbers too."""

from __future__ import annotations

import numpy as np
import pytest

import astad


def unpacked(x):
    p, q = x
    return p


def unpacked_with_a_star(x):
    p, *q = x
    return p


def in_a_list(x):
    return [*x][0]


def as_arguments(x):
    return np.hypot(*x)


def as_keywords(x):
    return dict(**x)


def times(x):
    held = [x]
    held *= x
    return held


def extended(x):
    held = [x]
    held.extend(x)
    return held


def into_a_slice(x):
    held = [x]
    held[:] = x
    return held


def pairs(x):
    return dict([("a", 1.0), x])


class Table(dict):
    def load(self, entries):
        self.update(entries)
        return self


def updated(x):
    return Table().load([x])


def looped(x):
    return [v for v in x]


def summed(x):
    return sum(x)


PROGRAMS = [
    unpacked, unpacked_with_a_star, in_a_list, as_arguments, as_keywords, times, extended,
    into_a_slice, pairs, updated, looped, summed,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_the_text_is_that_of_the_plain_run(f, kind):
    with pytest.raises(TypeError) as plain:
        f(kind(2.0))
    with pytest.raises(TypeError) as raised:
        astad.gradient(f, kind(2.0))
    assert str(raised.value) == str(plain.value)


class Point:
    a = 1.0


class Row(list):
    pass


TOO_MANY = [
    lambda x: next(iter([x]), x, x),
    lambda x: next((v for v in [x]), x, x),
    lambda x: getattr(Point(), "a", x, x),
    lambda x: list([x], x),
    lambda x: tuple([x], x),
    lambda x: set([x], x),
    lambda x: frozenset([x], x),
    lambda x: Row([x], x),
    lambda x: sum([x], x, x),
    lambda x: enumerate([x], 0, x),
]


@pytest.mark.parametrize("f", TOO_MANY)
def test_more_arguments_than_a_builtin_takes(f):
    with pytest.raises(TypeError) as plain:
        f(1.5)
    with pytest.raises(TypeError) as raised:
        astad.gradient(f, 1.5)
    assert str(raised.value) == str(plain.value)


def caught(x):
    try:
        dict([x])
    except TypeError as error:
        return x * len(str(error))


def test_a_text_that_counts():
    y, back = astad.pullback(caught, 3.0)
    assert (y, back(1.0)) == (caught(3.0), (caught(3.0) / 3.0,))
