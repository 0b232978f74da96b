"""Gradients of functions that have a rule and no text, called as they are."""

import copy
import functools
import math
import operator

import numpy as np
import pytest

import astad
from astad import grad, gradient, pullback, value_and_grad
from astad.rules.in_force import CUSTOM
from astad.runtime.core.variants import forget_all

pytestmark = pytest.mark.order_matters

CALLS = [
    (math.log10, 2.5),
    (math.hypot, 3.0, 4.0),
    (math.hypot, 1.0, 2.0, 3.0),
    (math.fsum, [0.5, 1.5]),
    (math.dist, [1.0, 2.0], [4.0, 6.0]),
    (math.copysign, -2.0, 3.0),
    (math.floor, 2.5),
    (math.pow, 2.0, 3.0),
    (abs, -2.0),
    (abs, 0.0),
    (max, 2.0, 3.0),
    (max, 2.0, 2.0),
    (min, [4.0, 3.0, 5.0]),
    (sum, [1.0, 2.0]),
    (sum, (1.0, 2.0), 3.0),
    (pow, 2.0, 3.0),
    (pow, 2.0, 3),
    (round, 2.6),
    (float, 2.5),
    (operator.mul, 2.0, 5.0),
    (operator.getitem, [2.0, 5.0], 1),
    (functools.reduce, operator.mul, [2.0, 3.0, 4.0]),
    (np.sin, 0.5),
    (np.sin, np.float64(0.5)),
    (np.sum, np.array([1.0, 2.0])),
    (np.sum, [1.0, 2.0]),
    (np.dot, np.array([1.0, 2.0]), np.array([3.0, 4.0])),
    (np.linalg.norm, np.array([3.0, 4.0])),
    (np.max, np.array([[3.0, 4.0], [4.0, 1.0]])),
    (np.var, np.array([3.0, 5.0, 4.0]), 0),
    (np.add.reduce, np.array([3.0, 4.0])),
    (np.floor, 2.5),
    (math.log, 3),
    (operator.mul, 3, 4),
    (math.sqrt, True),
]


@pytest.mark.parametrize("function, args", [(call[0], call[1:]) for call in CALLS])
def test_it_is_that_of_its_pullback(function, args):
    y, back = pullback(function, *args)
    expected = back(type(y)(1))
    for _ in range(4):  # by a new variant, by a known one, by one that is recorded
        found = gradient(function, *copy.deepcopy(args))
        assert repr(found) == repr(expected)
        y, (first, *_) = value_and_grad(function, argnums=(0, 0))(*copy.deepcopy(args))
        assert repr(first) == repr(expected[0])
        assert repr(y) == repr(function(*copy.deepcopy(args)))


def test_arguments_in_another_order():
    both = value_and_grad(math.hypot, argnums=(1, 0))
    assert [both(3.0, 4.0) for _ in range(4)] == [(5.0, (0.8, 0.6))] * 4
    assert grad(operator.sub, argnums=1)(3.0, 4.0) == -1.0


def test_what_it_raises_is_what_it_raises_in_a_plain_call():
    for _ in range(4):
        for function, args in [(math.sqrt, (-1.0,)), (math.log, ("a",)), (max, (2.0,))]:
            with pytest.raises(Exception) as plain:
                function(*args)
            with pytest.raises(type(plain.value), match=str(plain.value)):
                gradient(function, *args)


def test_a_result_that_is_no_number_is_refused_by_its_own_name():
    for _ in range(4):
        with pytest.raises(TypeError, match="sin"):
            gradient(np.sin, np.array([1.0, 2.0]))
        with pytest.raises(TypeError, match="divmod"):
            gradient(divmod, 7.5, 2.0)


def test_a_rule_that_is_declared_later_holds():
    assert [gradient(math.cosh, 1.0) for _ in range(3)] == [(math.sinh(1.0),)] * 3
    try:
        astad.adjoint(math.cosh)(lambda x: (math.cosh(x), lambda y_bar: (7.0 * y_bar,)))
        assert [gradient(math.cosh, 1.0) for _ in range(3)] == [(7.0,)] * 3
    finally:
        del CUSTOM[id(math.cosh)]
        forget_all()
    assert gradient(math.cosh, 1.0) == (math.sinh(1.0),)


def test_one_array_twice_has_a_part_in_each_place():
    x = np.array([2.0, 3.0])
    for _ in range(3):
        a_bar, b_bar = gradient(np.dot, x, x)
        assert (a_bar == x).all()
        assert (b_bar == x).all()
        assert not np.shares_memory(a_bar, b_bar)
        assert not np.shares_memory(a_bar, x)


def test_numbers_of_python_have_gradients_of_python():
    def f(x, n, y):
        return np.sin(x) * n + np.exp(y)

    for _ in range(3):
        assert [*map(type, gradient(f, 0.5, 2.0, 0.25))] == [float] * 3
        assert type(gradient(np.sin, 0.5)[0]) is float
        assert type(gradient(lambda x, y: np.sin(x) + 0.0 * y, 0.5, 0.0)[1]) is float
    assert gradient(lambda x, y: np.sin(x), 0.5, 1.0)[1] is None
    assert gradient(lambda x, y: np.sin(x) if x > 0 else y * x, 0.5, 1.0)[1] == 0.0


def test_the_shape_of_axes_that_were_moved():
    def f(x):
        rows = np.moveaxis(x, 0, -1)
        return np.sum(rows[0] ** 3) + np.sum(np.moveaxis(x, -1, 0)[2])

    x = np.arange(24.0).reshape(6, 4)
    (bar,) = astad.gradient(f, x)
    expected = np.zeros((6, 4))
    expected[:, 0] = 3.0 * x[:, 0] ** 2
    expected[:, 2] = 1.0
    assert np.array_equal(bar, expected)
