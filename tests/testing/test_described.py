"""Values as plain data: what is told of each kind, and what counts as a difference."""

import collections
import dataclasses
import functools
import io
import math
import pickle
import random
import types
import weakref
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from astad import Tangent, grad
from astad.testing.described import described, difference, numbers_in


class Node:
    def __init__(self, value, below=None):
        self.value = value
        self.below = below


class Slotted:
    __slots__ = ("a",)


@dataclasses.dataclass
class Layer:
    w: float
    name: str = "a"


Pair = collections.namedtuple("Pair", "a b")


def closure(n):
    return lambda x: x * n


def advanced(iterator, count):
    for _ in range(count):
        next(iterator)
    return iterator


def called(f, x):
    f(x)
    return f


def slotted(a):
    made = Slotted()
    made.a = a
    return made


EQUAL = [
    lambda: [1.0, {"a": (2, None, "text")}, {3.0}, b"bytes", True],
    lambda: np.array([1.0, np.nan]),
    lambda: [np.float32(1.0), Fraction(1, 3), Decimal("1.5"), 2j, float("nan")],
    lambda: Node(1.0, Node(np.zeros(2))),
    lambda: Layer(2.0),
    lambda: slotted(2.0),
    lambda: Pair(1.0, [2.0]),
    lambda: closure(2.0),
    lambda: Node(3.0).__init__,
    lambda: functools.partial(max, 1.0, key=abs),
    lambda: advanced(iter([1.0, 2.0]), 1),
    lambda: collections.deque([1.0], 3),
    lambda: collections.OrderedDict(a=1.0),
    lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    lambda: np.array([1.0, None, "a"], object),
    lambda: np.zeros(2, [("a", float), ("b", int)]),
    lambda: (ValueError("a", 2.0), KeyError, np, print, np.sin),
    lambda: (x for x in [1.0]),
    lambda: random.Random(3),
    lambda: np.random.default_rng(3),
    lambda: io.StringIO("text"),
    lambda: bytearray(b"abc"),
    lambda: called(np.vectorize(abs), 3.0 if random.random() < 0.5 else 2),
    lambda: weakref.WeakKeyDictionary({Node: 1.0} if random.random() < 0.5 else {}),
]


@pytest.mark.parametrize("make", EQUAL)
def test_what_is_made_twice_is_equal_and_goes_to_another_process(make):
    one, other = described(make()), described(make())
    assert difference(one, pickle.loads(pickle.dumps(other))) is None


DIFFERENT = [
    (lambda: [1.0, 2.0], lambda: [1.0, 3.0]),
    (lambda: [1.0], lambda: [1.0, 2.0]),
    (lambda: (1.0,), lambda: [1.0]),
    (lambda: None, lambda: 0.0),
    (lambda: 1, lambda: 1.0),
    (lambda: True, lambda: 1),
    (lambda: 1.0, lambda: np.float64(1.0)),
    (lambda: np.float32(1.0), lambda: np.float64(1.0)),
    (lambda: np.zeros(2), lambda: np.zeros((2, 1))),
    (lambda: np.zeros(2), lambda: np.zeros(2, np.float32)),
    (lambda: np.float64(0.0), lambda: np.array(0.0)),
    (lambda: {"a": 1.0, "b": 2.0}, lambda: {"b": 2.0, "a": 1.0}),
    (lambda: {1.0}, lambda: {2.0}),
    (lambda: Node(1.0, Node(2.0)), lambda: Node(1.0, Node(3.0))),
    (lambda: Layer(2.0), lambda: Node(2.0)),
    (lambda: slotted(2.0), lambda: slotted(3.0)),
    (lambda: closure(2.0), lambda: closure(3.0)),
    (lambda: iter([1.0, 2.0]), lambda: advanced(iter([1.0, 2.0]), 1)),
    (lambda: advanced(random.Random(3), 0), lambda: random.Random(4)),
    (lambda: ValueError("a"), lambda: ValueError("b")),
    (lambda: np.ma.masked_array([1.0], [True]), lambda: np.ma.masked_array([1.0], [False])),
    (lambda: np.array([1.0, None], object), lambda: np.array([2.0, None], object)),
    (lambda: bytearray(b"a"), lambda: bytearray(b"b")),
    (lambda: Fraction(1, 2), lambda: Fraction(1, 3)),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_differs_is_told(one, other):
    assert difference(described(one()), described(other())) is not None


def test_the_place_is_named():
    one, other = described(Layer([1.0, {"k": 2.0}])), described(Layer([1.0, {"k": 2.5}]))
    assert difference(one, other) == ".w[1]['k']: 2.0 and 2.5"


def test_what_contains_itself_ends():
    def loop(x):
        a = [x]
        a.append(a)
        return a

    assert difference(described(loop(1.0)), described(loop(1.0))) is None
    assert difference(described(loop(1.0)), described(loop(2.0))) == "[0]: 1.0 and 2.0"


def test_a_long_chain_ends():
    node = None
    for i in range(5000):
        node = Node(i, node)
    assert difference(described(node), described(node)) is None


def test_numbers_are_found():
    found = numbers_in(described({"a": [1.0, "text", True], "b": np.ones(2), "c": Fraction(1, 2)}))
    assert sorted(float(np.sum(each)) for each in found) == [0.5, 1.0, 2.0]


def test_the_user_iterates_as_he_likes():
    class Odd(list):
        def __iter__(self):
            raise AssertionError("not to be called")

    assert difference(described(Odd([1.0])), described(Odd([2.0]))) == "[0]: 1.0 and 2.0"
    assert isinstance(described(types.SimpleNamespace(a=1.0)), list)


def test_inside_a_gradient_what_nothing_has_come_to_is_none_or_zero():
    def found(a, b):
        return difference(described(a), described(b), of_gradients=True)

    bar = Tangent(a=1.0, b=0.0, c=[0.0, np.zeros(2)], d=Tangent(e=None))
    assert found((bar,), (Tangent(a=1.0, b=None, c=None, d=None),)) is None
    assert found(({"a": None},), ({"a": 0.0},)) is None
    assert found((0.0,), (None,)) is not None  # of an argument as a whole the text tells
    assert found((Tangent(a=None),), (Tangent(a=1.0),)) is not None
    assert found((Tangent(a=None),), (Tangent(a=[0.0, 1e-9]),)) is not None
    assert found((Tangent(a=None),), (Tangent(a="text"),)) is not None
    assert difference(described((Tangent(a=None),)), described((Tangent(a=0.0),))) is not None


def test_a_derived_function_is_what_it_is_derived_from():
    slope, other = grad(math.sin), grad(math.cos)
    before = described([slope, slope])
    slope(0.3)  # which keeps its text for the next time
    assert difference(before, described([slope, slope])) is None
    assert difference(before, described([slope, other])) == "[1][0]: 'sin' and 'cos'"
