"""Ints that are differentiated and become entries of arrays, or stand between brackets."""

import numpy as np
import pytest

from tests.programs.ways import check_ways

X = np.array([1.0, 2.0, 3.0])

JOINED = [
    (lambda k: np.sum(np.r_[X, k] ** 2), 6.0),
    (lambda k: np.sum(np.r_[k, 2 * k]) * 0.5, 1.5),
    (lambda k: np.sum(np.r_[k, X, 2 * k]) * 0.5, 1.5),
    (lambda k: np.sum(np.r_["0,2", k, 2 * k] ** 2) * 0.5, 15.0),
    (lambda k: np.sum(np.c_[k, 2 * k] ** 2) * 0.5, 15.0),
    (lambda k: np.s_[k, 2 * k][1] * 0.5, 1.0),
]

CAST = [
    (lambda k: np.sum(np.array(k, copy=None, subok=True, ndmin=1, dtype=np.int64)) * 0.5, 0.5),
    (lambda k: np.sum(np.array([[k, 2 * k], [k, k]], dtype=int)) * 0.5, 2.5),
    (lambda k: np.sum(np.array([[k, 2.5 * k], [k, k]], dtype=int)) * 0.5, 1.5),
    (lambda k: np.sum(np.asarray(k, dtype=int)) * 0.5, 0.5),
    (lambda k: np.sum(np.asarray(k, int)) * 0.5, 0.5),
    (lambda k: np.sum(np.ascontiguousarray(k, dtype=np.int32)) * 0.5, 0.5),
    (lambda k: np.sum(np.require(k, np.int32)) * 0.5, 0.5),
    (lambda k: np.sum(np.asarray(k).astype(np.int32)) * 0.5, 0.5),
    (lambda k: np.sum(np.astype(np.asarray([k, k * k]), np.int32)) * 0.5, 3.5),
    (lambda k: np.sum(np.asarray(2.5 * k).astype(np.int32)) * 0.5, 0.0),
    (lambda k: np.sum(np.full(2, k, dtype=np.int64)) * 0.5, 1.0),
]

COUNTED = [
    (lambda k: np.sum(np.arange(3) * k) * 0.5, 1.5),
    (lambda k: np.sum(k - np.arange(3)) * 0.5, 1.5),
    (lambda k: np.sum((np.arange(3) + k) ** 2) * 0.5, 12.0),
    (lambda k: np.sum(np.arange(k, k + 2)) * 0.5, 1.0),
    (lambda k: np.sum(np.arange(0, 6, k)) * 0.5, 0.5),
    (lambda k: np.sum(np.arange(k)) * 0.5, 0.0),
]


@pytest.mark.parametrize(("f", "wanted"), [*JOINED, *CAST, *COUNTED])
def test_an_int(f, wanted):
    check_ways(f, 3, wanted=[wanted])


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
def test_a_number_of_numpys(kind):
    check_ways(lambda k: k.astype(np.int16) * 0.5, kind(3), wanted=[0.5])
    check_ways(lambda k: np.sum(np.r_[X, k] ** 2), kind(3), wanted=[6.0])


def test_arrays_of_ints():
    a = np.array([3, 4])
    check_ways(lambda a: np.sum(a.astype(np.int32)) * 0.5, a, wanted=[[0.5, 0.5]])
    check_ways(lambda a: np.sum(np.r_[a, 2 * a[0]]) * 0.5, a, wanted=[[1.5, 0.5]])
    check_ways(lambda a: np.sum(a.astype(np.int32)) * 0.5, a * 1.0, wanted=[[0.0, 0.0]])


class Plane:
    """It computes with what stands between its brackets."""

    def __getitem__(self, at):
        return at[0] * 2.0 + at[1] ** 2 * 0.5

    def __setitem__(self, at, value):
        self.last = at[0] * value


PLANE = Plane()


def of_a_global(k):
    return PLANE[k, 2 * k]


def by_a_name(k):
    at = (k, 2 * k)
    return Plane()[at]


def one_of_two(k):
    at = (k, 1)
    if k > 2:
        at = (1, k)
    return Plane()[at]


def in_a_loop(k):
    total, plane = 0.0, Plane()
    for i in range(3):
        total += plane[k, i] + plane[i, k] * 0.5
    return total


def of_an_array_and_then_of_the_plane(k):
    a = np.ones((4, 4))
    for _ in range(2):
        r = a[k, 1] * k
        a = Plane()
    return r


def written(k):
    plane = Plane()
    plane[k, 1] = 2.5
    return plane.last


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (of_a_global, 14.0),
        (by_a_name, 14.0),
        (one_of_two, 3.0),
        (in_a_loop, 10.5),
        (of_an_array_and_then_of_the_plane, 12.5),
        (written, 2.5),
    ],
)
def test_between_the_brackets_of_an_object(f, wanted):
    check_ways(f, 3, wanted=[wanted])
