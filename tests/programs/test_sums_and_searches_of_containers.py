"""Full deques that are joined, sums of arrays of objects, searches in tables that are made as they
are asked, draws of one entry.
"""

import bisect
import functools
import math
import operator
from collections import deque
from fractions import Fraction

import numpy as np
import pytest

import astad

from .everywhere import right_everywhere

# --- deques that drop what stands first


def joined(a, b):
    d = deque([a, b], maxlen=2) + deque([5.0 * a])
    return d[0] + 10.0 * d[1]


def window(a, b):
    recent = deque([a], maxlen=3)
    for k in range(4):
        recent = recent + deque([b * k])
    return sum(w * v for w, v in zip((1.0, 10.0, 100.0), recent, strict=True))


def repeated(a, b):
    d = deque([a, b, a * b], maxlen=4) * 2
    return d[0] + 10.0 * d[1] + 100.0 * d[2] + 1000.0 * d[3]


def repeated_from_the_left(a, b):
    d = 3 * deque([a, b], maxlen=3)
    return sum(w * v for w, v in zip((1.0, 10.0, 100.0), d, strict=True))


def added_up(a, b):
    d = functools.reduce(operator.add, [deque([b]), deque([a * b])], deque([a], maxlen=2))
    return d[0] * d[1] + sum([deque([a]), deque([b, a])], deque(maxlen=2))[0]


class Log(deque):
    def __len__(self):
        return 1000


def of_a_class(a, b):
    log = Log([a, b], 2) + deque([a * a])
    twice = Log([a, b, b * b], 4) * 2
    return log[0] * log[1] + twice[0] + 10.0 * twice[1] + 100.0 * twice[3]


class Tail(deque):
    def __add__(self, other):
        return super().__add__(other)

    def __mul__(self, n):
        return super().__mul__(n)


def by_super(a, b):
    d, e = Tail([a, b], 2) + deque([b * b]), Tail([a, b], 3) * 2
    return d[0] + 10.0 * d[1] + e[0] * e[2]


# --- sums of arrays of objects


def rows_of_objects(a, b):
    row = np.array([a, a * b], dtype=object)
    return sum([row, row])[1] * b


def one_array(a, b):
    return sum([np.array([a, b * b], dtype=object)])[1] * a


def rows_of_a_matrix(a, b):
    m = np.array([[a, b], [a * b, b * b]], dtype=object)
    return sum(m)[0] * sum(m)[1]


def from_a_start(a, b):
    return sum([a, b], np.array([a * a, b], dtype=object))[0]


def beside_numbers(a, b):
    return sum([np.array([1.0, 2.0]) * a, np.array([a, b], dtype=object), b])[1]


# --- tables that are made as they are asked


class Table:
    def __init__(self, a):
        self.a, self.made, self.last = a, {}, 0.0

    def __len__(self):
        return 10

    def __getitem__(self, i):
        if i not in self.made:
            self.made[i] = self.a * i
        self.last = self.made[i]
        return self.made[i]


def searched(a, q):
    table = Table(a)
    return table[bisect.bisect_left(table, q)] * q


def last_asked(a, q):
    table = Table(a)
    bisect.bisect(table, q)
    return table.last * q


def within(a, q):
    table = Table(a)
    k = bisect.bisect_right(table, q, 1, 8)
    return table.made[k] * q if k in table.made else table.last * q


def to_the_end(a, q):
    table = Table(a)
    return table[bisect.bisect_left(table, q, 0, -1)] + table.last * q


class Sorted(Table):
    def __init__(self, a):
        super().__init__(a)
        self.put = []

    def insert(self, at, value):
        self.put.append((at, value))


def inserted(a, q):
    table = Sorted(a)
    bisect.insort(table, q)
    return table.put[0][0] * table.put[0][1] + table.last * q


PROGRAMS = (
    joined, window, repeated, repeated_from_the_left, added_up, of_a_class, by_super,
    rows_of_objects, one_array, rows_of_a_matrix, from_a_start, beside_numbers,
    searched, last_asked, within, to_the_end, inserted,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_the_plain_program(program):
    right_everywhere(program, 1.7, 3.2)


def test_fractions_in_arrays_beside_floats_are_refused_as_in_other_arithmetic():
    def total(v):
        return sum([np.array([v, v * v])], start=np.zeros(2))[1]

    with pytest.raises(astad.errors.Unsupported, match="an array of objects"):
        astad.gradient(total, Fraction(3, 2))


# --- draws of one entry


def by_a_generator(x, y):
    return float(np.random.default_rng(3).choice(x)) * y


def by_shares(x, y):
    return np.random.default_rng(3).choice(x, p=[0.25, 0.75]).item() * y


def by_the_old_source(x, y):
    return math.sin(np.random.RandomState(1).choice(x)) * y


def by_rows(x, y):
    return math.sqrt(np.random.default_rng(3).choice(np.outer(x, x), axis=0)[1]) * y


def from_a_list(x, y):
    return float(np.random.default_rng(3).choice([x[0], x[1]])) * y


@pytest.mark.parametrize(
    "program", [by_a_generator, by_shares, by_the_old_source, by_rows, from_a_list]
)
@pytest.mark.parametrize("y", [0.3, 1e-9, 1e6])
def test_what_is_drawn_has_its_slope_in_full_precision(program, y):
    x = np.array([1.0, 2.0])
    found = astad.gradient(program, x, y)[0]
    for k in range(2):
        up, down = x.copy(), x.copy()
        up[k] += 1e-5
        down[k] -= 1e-5
        assert found[k] == pytest.approx((program(up, y) - program(down, y)) / 2e-5, rel=1e-6)
