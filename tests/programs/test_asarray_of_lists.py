"""Arrays that `np.asarray` and `np.asanyarray` make of lists, as those of `np.array`."""

import numpy as np
import pytest

from astad import gradient, pullback
from astad.testing import check_gradient

pytestmark = pytest.mark.order_matters


class Grid:
    def __init__(self, values):
        self.values = values


def test_arrays_made_of_lists_by_asarray():
    def value(rate, flows):
        flows = np.asarray(flows)
        return (flows / (1.0 + rate) ** np.arange(0, len(flows))).sum(axis=0)

    check_gradient(value, 0.3, [1.0, 2.0, 4.0])
    check_gradient(value, 0.3, [1.0, 2.0])


def test_arrays_made_of_displays_by_asarray():
    def f(x, y):
        p = np.asarray([x, y, 1.0])
        q = np.asanyarray([[x, 1.0], [2.0, y]])
        return float(p @ p) + (q * q).sum()

    assert gradient(f, 0.5, 2.0) == (2.0, 8.0)
    check_gradient(f, 0.5, 2.0)


def test_an_array_made_by_asarray_of_a_list_is_apart_from_it():
    def f(xs, y):
        a = np.asarray(xs)
        a[0] = y * a[1]
        xs[1] = 10.0 * y
        return a.sum() * xs[0] + xs[1]

    check_gradient(f, [1.0, 2.0, 4.0], 3.0)
    y, back = pullback(f, [1.0, 2.0, 4.0], 3.0)
    assert y == 42.0
    assert back(1.0) == ([12.0, 4.0, 1.0], 12.0)


def test_asarray_of_a_list_that_grows_in_a_loop():
    def f(x, n):
        xs = []
        for k in range(n):
            xs.append(x**k)
        a = np.asarray(xs)
        return np.dot(a, a)

    check_gradient(f, 1.5, 4)


def test_asarray_of_an_array_is_the_array():
    def f(a, x):
        b = np.asarray(a)
        b[0] = x
        return a[0] * a[1] + np.asanyarray(a).sum()

    check_gradient(f, np.array([1.0, 2.0]), 3.0)


def test_asarray_with_a_dtype():
    def f(xs, x):
        return (np.asarray(xs, dtype=float) * x).sum() + np.asarray([x, 1], float)[0]

    check_gradient(f, [1.0, 2.0], 3.0)


def test_asarray_of_an_empty_list_and_of_ints():
    def f(x, n):
        xs = [k for k in range(n)]
        return np.asarray(xs).sum() * x

    check_gradient(f, 1.5, 0, expect_zero=True)
    check_gradient(f, 1.5, 4)


def test_asarray_of_what_an_object_holds():
    def f(grid, x):
        return (np.asarray(grid.values) * x).sum()

    assert gradient(f, Grid([1.0, 2.0]), 3.0)[1] == 3.0
    assert gradient(f, Grid([1.0, 2.0]), 3.0)[0].values == [3.0, 3.0]
