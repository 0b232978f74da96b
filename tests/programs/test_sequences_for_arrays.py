"""Sequences that are no lists, where NumPy makes an array of their items: windows in a deque, lists
of one's own."""

from collections import UserList, deque

import numpy as np
import pytest

from astad import gradient


class Readings:
    """The old protocol of sequences: a length, and items by number."""

    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k]


def window(x):
    w = deque([x, 2 * x, x * x], maxlen=3)
    w.append(3 * x)
    return w


def moving_mean(x):
    seen = deque(maxlen=3)
    total = 0.0
    for k in range(6):
        seen.append(x * k + x**2)
        total = total * 0.5 + np.mean(seen)
    return total


PROGRAMS = [
    moving_mean,
    lambda x: np.mean(window(x)),
    lambda x: np.std(window(x)) + np.median(window(x)),
    lambda x: np.sum(np.array(window(x)) ** 2),
    lambda x: np.asarray(window(x), dtype=float) @ [1.0, -2.0, 0.5],
    lambda x: np.dot(window(x), window(x)),
    lambda x: np.sum(np.exp(window(x))),
    lambda x: np.sum(np.multiply(window(x), [1.0, 2.0, 3.0])),
    lambda x: np.array(deque([[x, 2 * x], [x * x, 1.0]]))[0, 1] * x,
    lambda x: np.max(UserList([x, 2 * x, x * x])) * np.sum(np.asarray(UserList([x, 3 * x]))),
    lambda x: np.polyval(UserList([x, 2.0, x * x]), 0.5),
    lambda x: np.cumsum(Readings(x, x * x, 1.0))[1],
    lambda x: np.average(Readings(x, x * x), weights=deque([1.0, x])),
    lambda x: np.interp(x, deque([0.0, 1.0, 4.0]), deque([x, 2 * x, 0.0])),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_items_have_their_share(f):
    (found,) = gradient(f, 1.3)
    h = 1e-6
    assert found == pytest.approx((f(1.3 + h) - f(1.3 - h)) / (2 * h), rel=1e-8)


def test_a_deque_as_the_argument():
    (found,) = gradient(lambda w: np.mean(w) * np.max(w), deque([1.0, 2.0, 6.0], maxlen=4))
    assert list(found) == [2.0, 2.0, 5.0]
    assert type(found) is deque


@pytest.mark.parametrize("f", [lambda w, x: np.mean(w) * x, lambda w, x: np.exp(w).sum() * x])
def test_a_deque_is_left_as_it_is(f):
    w = deque([1.0, 2.0], maxlen=4)
    gradient(f, w, 2.0)
    assert w == deque([1.0, 2.0]) and w.maxlen == 4


class Tagged(np.ndarray):
    pass


def test_a_dtype_is_no_sequence():
    def f(x):
        weights = np.array([1.0, 2.0])
        kind = np.result_type(x, np.dtype("f4"))
        return np.asarray(np.multiply(x.view(Tagged), weights, dtype=kind)).sum()

    assert gradient(f, np.array([1.0, 2.0]))[0].tolist() == [1.0, 2.0]


def test_one_object_stays_one_object():
    class Angle:
        def __init__(self, a):
            self.a = a

        def sin(self):
            return self.a * 5.0

    assert gradient(lambda x: np.sin(Angle(x)), 1.5) == (5.0,)
