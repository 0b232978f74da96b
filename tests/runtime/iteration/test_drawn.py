"""What iterators of the program's do while compiled code draws from them."""

import array
import contextlib
import csv
import io
import itertools
import sqlite3

import numpy as np
import pytest

from astad import pullback
from astad.api.gradients.overwriting import _Kept
from astad.testing import check_gradient

OF_THE_PROGRAM = [[1.0], [2.0]]


def powers(x, seen, give):
    for i in range(3):
        seen.append(x**i)
        yield give(i)


def by_executemany(x):
    seen = []
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute("create table t(a real)")
        base.executemany("insert into t values (?)", powers(x, seen, lambda i: (1.0,)))
    return seen[2]


def by_writerows(x):
    seen = []
    csv.writer(io.StringIO()).writerows(powers(x, seen, lambda i: ["a", i]))
    return seen[2] * seen[1]


def by_writelines(x):
    seen = []
    io.StringIO().writelines(powers(x, seen, lambda i: "t"))
    return seen[2]


def by_extend(x):
    seen, numbers = [], array.array("d")
    numbers.extend(powers(x, seen, lambda i: 1.0 * i))
    return seen[2] * len(numbers)


def by_writelines_of_a_map(x):
    seen, file = [], io.StringIO()

    def line(i):
        seen.append(i * x)
        return "t"

    file.writelines(map(line, [2.0, 3.0]))
    return seen[0] * seen[1] * len(file.getvalue())


def by_bytes_of_a_map(x):
    seen = []

    def note(i):
        seen.append(x * i)
        return i

    return len(bytes(map(note, [1, 2]))) * seen[1] * x


def by_a_subset_of_a_map(x):
    seen = []
    answer = {1, 2}.issubset(map(lambda k: seen.append(x * x) or k, [1, 2]))
    return answer * seen[0] * x


def by_a_chain(x):
    seen, file = [], io.StringIO()
    file.writelines(itertools.chain(["a"], powers(x, seen, lambda i: "t")))
    return seen[2] * len(file.getvalue())


def by_an_iterator_of_a_class(x):
    class Rows:
        def __init__(self):
            self.left, self.total = 3, 0.0

        def __iter__(self):
            return self

        def __next__(self):
            if not self.left:
                raise StopIteration
            self.left -= 1
            self.total += x**self.left
            return ["a"]

    rows = Rows()
    csv.writer(io.StringIO()).writerows(rows)
    return rows.total


def by_keyword(x):
    seen = []
    made = np.fromiter(iter=powers(x, seen, lambda i: x * i), dtype=float)
    return seen[2] * made[1]


@pytest.mark.parametrize(
    "f",
    [
        by_executemany, by_writerows, by_writelines, by_extend, by_writelines_of_a_map,
        by_bytes_of_a_map, by_a_subset_of_a_map, by_a_chain, by_an_iterator_of_a_class, by_keyword,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_they_store_meanwhile(f):
    assert f(1.5) != 0.0
    check_gradient(f, 1.5)


@pytest.mark.parametrize("f", [by_extend, by_an_iterator_of_a_class], ids=lambda f: f.__name__)
def test_the_record_does_not_lead_to_the_module(f):
    assert id(OF_THE_PROGRAM) not in _Kept(pullback(f, 1.5)[1]._record).containers
