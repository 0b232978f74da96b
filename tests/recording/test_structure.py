"""What was recorded of containers answers where they are built as they were, and nothing else."""

import dataclasses

import numpy as np
import pytest

import astad
from astad.api.variants.whole import whole
from astad.runtime.core.variants import forget_all

from .recorded_runs import both, same

pytestmark = pytest.mark.order_matters

N, Y = np.array([1, 2]), np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def anew():
    forget_all()


class Open:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slots:
    __slots__ = ("k", "y")

    def __init__(self, y, k):
        self.y, self.k = y, k


@dataclasses.dataclass(slots=True)
class Data:
    y: object
    k: object


def of_object(d, w):
    total = 0.0
    for i in range(120):
        total = total + np.sum(d.y * w * i)
    return total


def of_dict(d, w):
    total = 0.0
    for i in range(120):
        total = total + np.sum(d["y"] * w * i)
    return total


def right(f, *args):
    """Value and gradients, with their structure, are those of the pair."""
    y, back = whole.run(f, args, {}, self_too=False)
    expected = y, whole.of_scalar(f, back, args, tuple(range(len(args))))
    found = both(f, *args)
    assert same(found, expected), (found, expected)
    assert repr(found[1]) == repr(expected[1])


OTHERS = {
    "attributes": (of_object, Open(y=N), [Open(y=N, k=N), Open(y=N, z=2.5), Open(k=1.0, y=N)]),
    "keys": (of_dict, {"y": N}, [{"y": N, "k": 5.0}, {"k": 5.0, "y": N}, {"y": N, "k": N}]),
    "slots": (of_object, Slots(Y, 2.0), [Slots(Y, Y), Slots(Y, [Y]), Slots(Y, Y[1:])]),
    "slots of data": (of_object, Data(Y, 2.0), [Data(Y, Y), Data(Y, {"q": Y}), Data(Y, None)]),
    "entries in several places": (of_object, Open(y=Y), [Open(y=np.broadcast_to(2.0, 3))]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_containers_that_are_built_otherwise(name):
    f, first, others = OTHERS[name]
    for _ in range(8):
        right(f, first, 0.3)
    for other in others:
        for _ in range(2):
            right(f, other, 0.3)
    right(f, first, 0.4)


def test_lists_of_numbers_are_asked_at_once():
    def f(xs, w):
        total = 0.0
        for x in xs:
            total = total + x * w * x
        return total

    xs = [0.1 * k for k in range(150)]
    for _ in range(6):
        right(f, xs, 0.3)
    right(f, [*xs[:-1], 2], 0.3)
    right(f, xs[:-1], 0.3)


A = np.array([[1.0, 2.0], [3.0, 4.0]])


def into_a_view_or_a_copy(a):
    m = a * 1.0
    for _ in range(60):
        b = m.reshape(-1)
        b[1] = b[1] * 0.9
    return m.sum()


def into_the_argument(a):
    total = 0.0
    for _ in range(60):
        b = np.ascontiguousarray(a)
        b[1] *= 0.9
        total = total * 0.9 + a.sum()
    return total


def in_turns(a):
    m = np.array(a, copy=True, order="K")
    for _ in range(60):
        b = m.T.ravel()
        b[1] = b[1] * 0.9 + 0.1
    return m.sum()


@pytest.mark.parametrize("f", [into_a_view_or_a_copy, into_the_argument, in_turns])
def test_arrays_of_another_layout(f):
    points = [A.T, A, A.T[::-1], np.arange(8.0).reshape(2, 4)[:, ::2], A[::-1]]
    for first in points[:2]:
        forget_all()
        for _ in range(7):
            astad.gradient(f, first.copy(order="K"))
        for a in points:
            own = a.copy(order="K") if a.flags.forc else np.array(a)[::-1][::-1]
            plain = own.copy(order="K")
            expected = f(plain)
            value, (bar,) = both(f, own)
            assert value == pytest.approx(expected, rel=1e-12)
            assert own.tolist() == plain.tolist()
            y, back = whole.run(f, (a.copy(order="K"),), {}, self_too=False)
            assert (
                bar == pytest.approx(whole.of_scalar(f, back, (a,), (0,))[0])
                or f is into_the_argument
            )


def test_the_layout_of_a_global():
    global SCALE
    SCALE = A.T

    def f(k):
        m = SCALE * k
        for _ in range(60):
            b = m.reshape(-1)
            b[1] = b[1] * 0.9
        return m.sum()

    for _ in range(6):
        right(f, 1.5)
    SCALE = A
    right(f, 1.5)
