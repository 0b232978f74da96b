"""Nested lists that ``tolist`` makes of arrays of any rank, and what programs do with them."""

import copy
import itertools

import numpy as np
import pytest

from astad import gradient
from tests.programs.ways import check_ways

T = np.arange(1.0, 7.0).reshape(1, 2, 3)


def in_three_loops(a):
    total = 0.0
    for sheet in a.tolist():
        for row in sheet:
            for v in row:
                total += v * v
    return total


def written_into_an_array(a):
    z = np.zeros((2, 2, 3))
    z[:] = a.tolist()
    return np.sum(z * z)


def changed_in_place(a):
    lists = a.tolist()
    lists[0][1][2] = lists[0][0][0] * 3
    lists[0][1].append(lists[0][1][1])
    return lists[0][1][2] * lists[0][1][1] + sum(lists[0][1])


def rows_swapped(a):
    lists = a.tolist()
    lists[0] = lists[0][::-1]
    lists[0][0], lists[0][1] = lists[0][1], lists[0][0][:2]
    return sum(lists[0][1]) * sum(lists[0][0])


def flattened(a):
    of = itertools.chain.from_iterable
    return sum(v * v for v in of(of(a.tolist())))


PROGRAMS = [
    lambda a: a.tolist()[0][1][2] ** 2,
    in_three_loops,
    written_into_an_array,
    changed_in_place,
    rows_swapped,
    flattened,
    lambda a: np.sum(np.asarray(a.tolist()) ** 2),
    lambda a: np.sum(a.tolist()[0]) * np.sum(a.tolist()[0][1]),
    lambda a: np.sum(np.multiply(a.tolist(), a.tolist()[0])),
    lambda a: sum(map(lambda rows: sum(map(sum, rows)), a.tolist())) ** 2,
    lambda a: copy.deepcopy(a.tolist())[0][1][1] ** 2,
    lambda a: a.T.tolist()[0][1][0] ** 2,
    lambda a: a.astype(object).tolist()[0][1][1] ** 2,
    lambda a: a.reshape(1, 1, 2, 1, 3).tolist()[0][0][1][0][2] ** 2,
    lambda a: np.sum(np.asarray(a[:, :0].tolist())) + a[0, 0, 0] ** 2,
    lambda a: a[0].tolist()[1][2] * a[0, 0].tolist()[1],
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_each_number_has_its_share(f):
    check_ways(f, T)


@pytest.mark.parametrize(
    ("a", "wanted"),
    [
        (T.astype(np.float32), 2 * 6.0),
        (T.astype(int), 2 * 6.0),
        (T * (1 + 2j), 2 * (6 + 12j)),
    ],
)
def test_other_numbers(a, wanted):
    bar = np.zeros(a.shape, np.result_type(a, np.float32))
    bar[0, 1, 2] = wanted
    check_ways(lambda a: abs(a.tolist()[0][1][2]) ** 2, a, wanted=[bar], rtol=1e-5)


def test_the_gradient_is_of_single_precision():
    (found,) = gradient(lambda a: a.tolist()[0][1][2], T.astype(np.float32))
    assert found.dtype == np.float32
