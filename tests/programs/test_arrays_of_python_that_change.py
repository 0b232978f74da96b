"""`array.array`: arguments that become longer or shorter, walked backwards, written by draws."""

import copy
from array import array
from decimal import Decimal

import numpy as np
import pytest

from astad import grad, gradient, pullback

from .everywhere import right_everywhere


def popped(a):
    s = a.pop()
    return s * s


def without_first(a):
    del a[0]
    return a[0] ** 2 * a[-1]


def rotated(a):
    a.insert(0, a[1] * 2)
    a.reverse()
    v = a.pop()
    return v * a[0] + a[-1]


def grown(a):
    for k in range(3):
        a.append(a[-1] * (k + 1) + a[0])
    return a[-1] * a[2]


@pytest.mark.parametrize("program", [popped, without_first, rotated, grown])
def test_the_gradient_has_the_length_of_the_argument(program):
    numbers = [1.5, 2.0, 0.5]
    expected = gradient(program, [*numbers])
    for _ in range(2):
        (found,) = gradient(program, array("d", numbers))
        assert type(found) is array and found.tolist() == pytest.approx(expected[0])
    _, back = pullback(program, array("d", numbers))
    assert [*map(list, back(1.0))] == [pytest.approx(expected[0])] == [[*back(1.0)[0]]]


def test_an_attribute_that_becomes_shorter():
    class Stack:
        pass

    o = Stack()
    o.a = array("d", [1.0, 2.0, 3.0])
    assert gradient(lambda o: o.a.pop() ** 2, o)[0].a.tolist() == [0.0, 0.0, 6.0]


def backwards(x):
    r = 0.0
    for v in reversed(array("d", [x, x * x])):
        r = r * 2 + v
    return r


def backwards_by_view(x):
    r = 1.0
    for v in reversed(memoryview(np.array([x, x * x]))):
        r = r * 2 + v
    return r + sum(reversed(memoryview(array("d", [x, 3 * x]))))


def by_hand(x):
    drawn = reversed(array("d", [x, x * x, 2.0]))
    next(drawn)
    return next(drawn) * x + list(reversed(array("d", [x, 1.0])))[1]


@pytest.mark.parametrize("program", [backwards, backwards_by_view, by_hand])
def test_reversed(program):
    right_everywhere(program, 3.0)


def test_a_draw_into_what_it_draws_from():
    w = np.arange(6.0)

    def shuffled(x):
        rng = np.random.default_rng(0)
        o = x * 1.0
        rng.permuted(o, out=o)
        return o @ w + rng.permuted(x, out=np.zeros(6)) @ w**2

    def rows(x):
        rng = np.random.default_rng(3)
        m = x.reshape(2, 3) * 2.0
        y = rng.permuted(m, axis=1, out=m)
        return np.sum(y[0] * w[:3]) + np.sum(m[1] * w[3:])

    x = np.arange(1.0, 7.0)
    for f in (shuffled, rows):
        d = [f(x + 1e-5 * e) - f(x - 1e-5 * e) for e in np.eye(6)]
        assert grad(f)(x) == pytest.approx(np.array(d) / 2e-5)


def test_classes_of_decimal_keep_their_digits():
    class Money(Decimal):
        pass

    def f(x):
        m = Money(x)
        return m * 2 + Decimal(m).sqrt()

    assert gradient(f, Decimal(2)) == (2 + 1 / (2 * Decimal(2).sqrt()),)


def put(x):
    a = array("d", [x, 2 * x])
    a.append(x * x)
    a[1] = x
    a.append(np.array(3 * x))
    a.append(x)
    b = array("d", iter([np.array(v * v) for v in a]))
    return sum(b) + a[3] * a[1]


def test_arrays_without_axes_are_taken_for_their_numbers():
    for x in (np.array(2.0), 2.0, np.float64(2.0)):
        d = (put(2.0 + 1e-6) - put(2.0 - 1e-6)) / 2e-6
        assert gradient(put, x)[0] == pytest.approx(d)


def of_ints(n):
    b = array("l", [n, 2])
    b.append(n * n)
    return b[0] * b[2] + sum(array("i", (n * k for k in range(3))))


def of_copies(x):
    a = array("d", [x, 2.0 * x])
    b, c = copy.copy(a), copy.deepcopy(a)
    b.append(x * x)
    a.pop()
    c.insert(0, x)
    return sum(a) * sum(b) * c[2]


def test_arrays_of_ints_that_are_differentiated():
    assert gradient(of_ints, 3) == (27 + 3,)


def test_copies_that_become_longer_or_shorter():
    right_everywhere(of_copies, 1.5)
