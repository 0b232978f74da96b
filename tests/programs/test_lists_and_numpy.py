"""``+=`` and ``*=`` of a list with a number or an array of NumPy's: the result is an array."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import astad


def with_a_number(x):
    values = [x, 2 * x]
    values += np.float64(x)
    return np.sum(values * values)


def slice_with_a_number(x):
    buffer = [x, 2 * x]
    buffer[1:] += np.sin(x)
    return buffer[0] * buffer[1]


def with_an_array(x):
    values = kept = [x, 2 * x]
    values += np.array([x, x * x])
    return np.sum(values * values) * len(kept)


def with_an_array_without_axes(x):
    values = [x, 2 * x]
    values += np.array(x)
    return np.prod(values)


class Totals:
    def __init__(self, x):
        self.by_name = {"a": [x, x * x]}

    def add(self, what):
        self.by_name["a"] += what
        return self


def in_a_dict_of_an_object(x):
    return np.sum(Totals(x).add(np.float64(x)).add(np.exp(x)).by_name["a"] ** 2)


def times_an_array(x):
    values = [x, 2 * x]
    values *= np.array([1, 2])
    return values[1] * len(values)


def times_a_count(x):
    values = [x, 2 * x]
    values *= np.int64(2)
    return values[3] * len(values)


def in_a_loop(x):
    values = [x, x * x, 1.0]
    for k in range(3):
        values += np.float64(k) * x
    return np.sum(values**2)


def appended(x):
    values = kept = [x]
    values += [np.float64(x)]
    return kept[1] * values[0]


PROGRAMS = [
    with_a_number, slice_with_a_number, with_an_array, with_an_array_without_axes,
    in_a_dict_of_an_object, times_an_array, times_a_count, in_a_loop, appended,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_a_list_changed_by_what_is_numpys(f, kind):
    y, back = astad.pullback(f, kind(1.3))
    assert y == f(kind(1.3)) and type(y) is type(f(kind(1.3)))
    step = (f(kind(1.3 + 1e-6)) - f(kind(1.3 - 1e-6))) / 2e-6
    assert back(1.0)[0] == pytest.approx(step, rel=1e-7)


@pytest.mark.parametrize("held", [[1.0], collections.deque([1.0])])
@pytest.mark.parametrize("times", [2.0, np.float64(2.0), "a"])
def test_what_is_no_count_raises_what_python_raises(held, times):
    def f(x):
        values = type(held)([x])
        values *= times
        return values[0]

    with pytest.raises(TypeError) as plain:
        f(1.0)
    with pytest.raises(TypeError) as raised:
        astad.gradient(f, 1.0)
    assert str(raised.value) == str(plain.value)
