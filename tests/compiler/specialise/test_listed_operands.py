"""Lists handed to functions of NumPy that make arrays of them, in every form."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

linalg = pytest.importorskip("scipy.linalg")


def table(a, b):
    total = 0.0
    for k in range(12):
        total += np.interp(0.3 * k, [0.0, 1.0, 3.0], [0.0, a, b])
    return total


def table_by_name(a, b):
    return np.interp(a, xp=(0.0, b, 3.0), fp=[b, 2 * a, a * b]) + np.interp(b, [0, 1, 4], [a, b, 1])


def extremes(a, b):
    return np.max([a, b, a * b]) + np.min((a, b)) * np.prod([a, 2.0, b]) + np.std([a, b, 1.0])


def vectors(a, b):
    u = np.linalg.cross([a, b, 1.0], [b, 2.0, a])
    return (
        np.linalg.norm([a, b, 3.0])
        + np.dot([a, b], (b, 1.0))
        + np.sum(np.outer([a, 1], [b, a]))
        + u[2]
    )


def matrices(a, b):
    m = np.linalg.inv([[a, 1.0], [0.5, b + 2]])
    y = np.linalg.solve([[a, 1.0], [2, 3 * a]], [1.0, b]) + linalg.solve(m, [a, b])
    return (
        np.sum(m) + np.sum(y) + np.linalg.det([[a, 1.0], [2.0, b]]) + np.sum(np.diag([a, b]) ** 2)
    )


def elementwise(a, b):
    y = np.exp([0.1 * a, 0.2 * b]) * np.multiply([a, b], [2.0, a]) + np.where(
        [True, False], [a, 1.0], [b, a]
    )
    return np.sum(y) + np.sum(np.cumsum([a, b, a]) ** 2) + np.sum(np.hypot(np.ones(2), [a, b]))


def under_a_name(a, b):
    rows = [a, b]
    rows = [rows[1], a * b]
    for _ in range(2):
        a = a + 0.1 * np.max([a, 0.3]) * np.linalg.norm(rows)
    return a


@pytest.mark.parametrize("fn", [table, table_by_name, extremes, vectors, matrices, elementwise])
def test_nothing_is_left_to_the_dispatcher(fn, forms_agree):
    forms_agree(fn, 1.3, 0.7, fused=True)


def read_twice(a, b):
    xs = [a, b]
    y = np.max(xs)
    xs.append(a * b)
    return y * np.max(xs)


def of_arrays(a, b):
    return np.sum(np.linalg.norm([a * np.ones(2), b * np.ones(2)], axis=0)) + np.max([[a], [b]])


def starred(a, b):
    rest = (b, a * b)
    return np.max([a, *rest]) + np.linalg.norm([*rest, a])


@pytest.mark.parametrize("fn", [under_a_name, read_twice, of_arrays, starred])
def test_what_else_lists_are_is_right(fn, forms_agree):
    forms_agree(fn, 1.3, 0.7)


def test_ints_and_numbers_of_numpy():
    def f(n, x):
        return np.max([n, 2.0 * x]) * np.linalg.norm([n, x]) + np.interp(x, [0, 1, n], [n, x, 3])

    for x in (0.5, np.float64(0.5), np.float32(0.5)):
        check_gradient(f, 3, x)
    check_gradient(f, np.int64(3), 0.5)


def test_what_numpy_raises_is_raised():
    def ragged(x):
        return np.linalg.norm([[x, 1.0], [2.0]])

    def lengths(x):
        return np.interp(x, [0.0, 1.0], [x])

    for fn in (ragged, lengths):
        with pytest.raises(ValueError) as plain:
            fn(1.5)
        with pytest.raises(ValueError) as found:
            gradient(fn, 1.5)
        assert str(found.value) == str(plain.value)
