"""Buffers against the same programs with plain arrays and lists, and against formulas by hand."""

import copy
import heapq
import pickle

import numpy as np
import pytest

import astad
from astad import Buffer, grad, gradient, jacobian, pullback
from astad.errors import Unsupported, WrongCall
from astad.testing import check_gradient

X = np.array([1.0, 2.0, 3.0])


def test_a_buffer_is_filled_and_given_out():
    def cubes(xs):
        buf = Buffer(xs)
        for i in range(len(xs)):
            buf[i] = xs[i] ** 3
        return np.sum(buf.copy())

    assert gradient(cubes, X)[0].tolist() == [3.0, 12.0, 27.0]
    check_gradient(cubes, X)


def test_items_are_read_overwritten_and_changed_in_place():
    def f(xs):
        buf = Buffer(xs, 3)
        buf[0] = xs[0]
        buf[1] = xs[1] * buf[0]
        buf[2] = buf[1] * buf[1] * xs[2]
        buf[1:] *= 2.0
        buf[0] = buf[0] * buf[2]
        return sum(v * v for v in buf) + len(buf) * xs[0]

    def plain(xs):
        buf = np.zeros(3)
        buf[0] = xs[0]
        buf[1] = xs[1] * buf[0]
        buf[2] = buf[1] * buf[1] * xs[2]
        buf[1:] *= 2.0
        buf[0] = buf[0] * buf[2]
        return sum(v * v for v in buf) + len(buf) * xs[0]

    np.testing.assert_array_equal(gradient(f, X)[0], gradient(plain, X)[0])
    check_gradient(f, X)


def test_a_recurrence_in_a_list():
    def power(x, n):
        buf = Buffer([x], n)
        buf[0] = x
        for i in range(1, n):
            buf[i] = buf[i - 1] * x
        return buf[-1]

    assert power(2.0, 5) == 32.0
    assert gradient(power, 2.0, 5)[0] == 80.0


def test_a_list_stays_a_list():
    def f(xs):
        buf = Buffer(xs)
        for i, x in enumerate(xs):
            buf[i] = x * x
        whole = buf.copy()
        assert type(whole) is list
        whole.append(xs[0])
        return sum(whole) + len(buf)

    assert gradient(f, [1.0, 2.0]) == ([3.0, 4.0],)


def test_a_copy_is_apart_from_what_is_written_later():
    def f(x):
        buf = Buffer(np.zeros(2))
        buf[0] = x
        before = buf.copy()
        buf[0] = 5.0 * x * x
        return before[0] + np.sum(buf.copy())

    assert gradient(f, 3.0) == (31.0,)


def test_a_view_sees_what_is_written_later():
    def f(x):
        buf = Buffer(np.zeros((2, 2)))
        row = buf[0]
        buf[0, 1] = x * x
        row[0] = 2.0 * x
        return row[1] + buf[0, 0]

    assert gradient(f, 3.0) == (8.0,)


def test_a_buffer_that_a_closure_fills():
    def f(v):
        buf = Buffer(v)

        def put(i, value):
            buf[i] = value * value

        for i in range(len(v)):
            put(i, v[i])
        return buf.copy() @ v

    assert gradient(f, X)[0].tolist() == [3.0, 12.0, 27.0]


def test_a_buffer_as_an_argument():
    def f(buf, x):
        buf[0] = x * x
        return buf[0] * buf[1] + np.sum(buf.copy())

    buf = Buffer(X)
    buf[1] = 3.0
    bar, x_bar = gradient(f, buf, 2.0)
    assert bar.data.tolist() == [0.0, 5.0, 1.0]
    assert x_bar == 16.0
    assert buf.copy().tolist() == [4.0, 3.0, 0.0]


def test_branches_and_exceptions():
    def f(x, wide):
        buf = Buffer([0.0, 0.0])
        try:
            buf[1 if wide else 0] = x * x
            buf[7] = x
        except IndexError:
            buf[0] += x
        return buf[0] + 10.0 * buf[1]

    assert gradient(f, 3.0, True) == (61.0, None)
    assert gradient(f, 3.0, False) == (7.0, None)


def test_a_pullback_may_be_called_twice():
    def f(x):
        buf = Buffer(x)
        for i in range(len(x)):
            buf[i] = x[i] * x[-1 - i]
        return buf.copy()

    y, back = pullback(f, X)
    assert y.tolist() == [3.0, 4.0, 3.0]
    for _ in range(2):
        assert back(np.array([1.0, 0.0, 0.0]))[0].tolist() == [3.0, 0.0, 1.0]
    assert jacobian(f, X).tolist() == [[3, 0, 1], [0, 4, 0], [3, 0, 1]]


def test_the_dtype_is_that_of_what_it_is_like():
    assert Buffer(np.zeros(2, np.float32)).copy().dtype == np.float32
    assert Buffer(np.array([1, 2]), 2, 3).copy().dtype == int
    assert Buffer(np.zeros((2, 3))).copy().shape == (2, 3)
    assert Buffer([1.0, 2.0]).copy() == [0.0, 0.0]


def test_it_is_a_sequence_and_no_array():
    buf = Buffer(X)
    buf[1] = 2.0
    assert list(buf) == [0.0, 2.0, 0.0]
    assert 2.0 in buf
    assert len(buf) == 3
    assert repr(buf) == "Buffer of array([0., 2., 0.])"
    assert pickle.loads(pickle.dumps(buf)).copy().tolist() == [0.0, 2.0, 0.0]
    assert copy.deepcopy(buf).copy().tolist() == [0.0, 2.0, 0.0]

    def summed(xs):
        buf = Buffer(xs)
        buf[:] = xs
        return np.sum(buf)

    for call in (lambda: summed(X), lambda: gradient(summed, X)):
        with pytest.raises(WrongCall, match=r"where NumPy takes an array.*buf\.copy\(\)"):
            call()


@pytest.mark.parametrize("xs", [2.0, (1.0, 2.0), "text", None])
def test_what_a_buffer_cannot_be_like(xs):
    with pytest.raises(WrongCall, match="a buffer is an array or a list"):
        Buffer(xs)


def test_a_list_has_one_size():
    with pytest.raises(WrongCall, match="a list of 2 sizes: a list has one"):
        Buffer([1.0], 2, 3)


def test_what_compiled_code_writes_into_it_out_of_sight_is_an_error():
    class Item:
        def __init__(self, value, buf):
            self.value, self.buf = value, buf

        def __lt__(self, other):
            self.buf[0] = self.value * 3.0
            return self.value < other.value

    def f(x):
        buf = Buffer([0.0])
        heapq.heapify([Item(x, buf), Item(x - 1.0, buf)])
        return buf[0]

    with pytest.raises(Unsupported, match="what this call has stored"):
        gradient(f, 2.0)


def test_a_second_derivative_around_it():
    def f(x):
        buf = Buffer([0.0, 0.0])
        buf[0] = grad(lambda t: t**3)(x)
        buf[1] = x * buf[0]
        return buf[1]

    assert gradient(f, 2.0) == (36.0,)  # 3 x**3


def test_a_second_derivative_through_it_is_an_error():
    def f(x):
        buf = Buffer([0.0])
        buf[0] = x**3
        return buf[0]

    with pytest.raises(Unsupported, match="second derivatives for such arguments"):
        astad.hessian(f, 2.0)
