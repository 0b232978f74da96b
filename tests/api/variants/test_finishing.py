"""Gradients of numbers of several kinds: the same from the first call on, in every form."""

import numpy as np
import pytest

from astad import gradient, value_and_grad
from tests.compiler.forms import only_generic


def weighted(x, n, mode, y, flag):
    return x * n if mode == "scaled" and flag else x * x


def shifted(x, n):
    return x + 0.0 * n


def first(x, y):
    return x * x


def chosen(x, y, n):
    return x * y if n > 2 else x * n


def spread(a, x):
    return np.sum(a * x)


def constant_rows(a, x):
    return np.sum(a) * x


CALLS = [
    (weighted, (2.0, 3, "scaled", 1.5, True), (3, 2.0, None, None, None)),
    (weighted, (2.0, 3, "square", 1.5, True), (4.0, 0, None, None, None)),
    (shifted, (2.0, 3), (1.0, 0.0)),
    (first, (3.0, 4.0), (6.0, None)),
    (chosen, (2.0, 5.0, 3), (5.0, 2.0, 0)),
    (chosen, (2.0, 5.0, 1), (1.0, 0.0, 2.0)),
    (chosen, (np.float64(2.0), 5.0, 3), (5.0, 2.0, 0)),
]


@pytest.mark.parametrize(("f", "args", "expected"), CALLS)
def test_numbers_beside_what_has_no_derivative(f, args, expected):
    with only_generic():
        generic = gradient(f, *args)
    for _ in range(3):
        found = gradient(f, *args)
        assert found == expected == generic
        assert [*map(type, found)] == [*map(type, generic)]
        assert value_and_grad(f, argnums=tuple(range(len(args))))(*args) == (f(*args), expected)


@pytest.mark.parametrize("f", [spread, constant_rows])
def test_arrays_of_one_number_are_apart(f):
    a, x = np.array([[1.0, 2.0], [3.0, 4.0]]), 1.5
    for _ in range(3):
        a_bar, x_bar = gradient(f, a, x)
        assert a_bar.tolist() == [[1.5, 1.5], [1.5, 1.5]] and x_bar == 10.0 and type(x_bar) is float
        a_bar[0, 0] = 7.0
        assert a_bar[1].tolist() == [1.5, 1.5] and a[0, 0] == 1.0
