"""Containers of classes with their own `__iter__`, `items`, `__len__` as arguments and inside."""

from collections import OrderedDict, defaultdict, deque

import numpy as np
import pytest

import astad
from astad.tangents.unasked import items_of, pairs_of


class Backwards(list):
    def __iter__(self):
        return iter(list.__getitem__(self, slice(None, None, -1)))


class Doubled(list):
    def __iter__(self):
        for k in range(len(self)):
            yield self[k] * 2


class WithoutFirst(list):
    def __iter__(self):
        iterator = super().__iter__()
        next(iterator, None)
        return iterator


class Stepping(list):
    def __iter__(self):
        self.k = 0
        return self

    def __next__(self):
        if self.k >= len(self):
            raise StopIteration
        self.k += 1
        return self[self.k - 1] * self.k


class Raised(tuple):
    def __iter__(self):
        return (v + 1.0 for v in tuple.__iter__(self))


class Padded(deque):
    def __iter__(self):
        yield 0.5
        yield from super().__iter__()


LISTS = [Backwards, Doubled, WithoutFirst, Stepping, Raised, Padded]


def weighted(items):
    total = 0.0
    for v in items:
        total = total * 2.0 + v
    return total


def summed(items):
    return sum(items) * items[1]


def unpacked(items):
    first, *others = items
    return first * others[-1]


def drawn(items):
    return sum(k * v * v for k, v in enumerate(items, 1)) + len(items)


def placed(items):
    return items[0] * items[2] + sum(list(items))


def differences(f, kind, numbers, step=1e-6):
    found = []
    for k in range(len(numbers)):
        up, down = list(numbers), list(numbers)
        up[k] += step
        down[k] -= step
        found.append((f(kind(up)) - f(kind(down))) / (2 * step))
    return found


@pytest.mark.parametrize("f", [weighted, summed, unpacked, drawn, placed])
@pytest.mark.parametrize("kind", LISTS)
def test_gradient_has_an_entry_for_each_item_that_is_held(kind, f):
    numbers = [1.0, 2.5, 3.0]
    expected = differences(f, kind, numbers)
    (found,) = astad.gradient(f, kind(numbers))
    assert list(items_of(found)) == pytest.approx(expected, abs=1e-7)
    value, back = astad.pullback(f, kind(numbers))
    assert value == f(kind(numbers))
    assert list(items_of(back(2.0)[0])) == pytest.approx([2 * g for g in expected], abs=1e-7)


@pytest.mark.parametrize("f", [weighted, summed, unpacked, drawn, placed])
@pytest.mark.parametrize("kind", LISTS)
def test_container_that_is_made_inside(kind, f):
    def program(x):
        return f(kind([x, x * x, 3.0 * x]))

    step = 1e-6
    expected = (program(1.3 + step) - program(1.3 - step)) / (2 * step)
    assert astad.gradient(program, 1.3) == pytest.approx((expected,), abs=1e-6)


class Settings(dict):
    def items(self):
        return [(key, 10.0 * value) for key, value in super().items()]

    def values(self):
        return [value for _, value in self.items()]

    def __iter__(self):
        return iter(sorted(super().keys(), reverse=True))


class Hidden(OrderedDict):
    def keys(self):
        return [key for key in super().keys() if not key.startswith("_")]

    def __iter__(self):
        return iter(self.keys())


def test_dict_with_items_of_its_own_as_argument():
    def f(settings):
        return settings["a"] * settings["b"] + sum(settings.values())

    assert astad.gradient(f, Settings(a=2.0, b=3.0)) == ({"a": 13.0, "b": 12.0},)

    def hidden(settings):
        return settings["_rate"] * sum(settings[key] for key in settings)

    (bar,) = astad.gradient(hidden, Hidden(_rate=2.0, a=3.0, b=4.0))
    assert dict(bar) == {"_rate": 7.0, "a": 2.0, "b": 2.0}


def test_containers_within_objects_and_untouched():
    class Model:
        def __init__(self):
            self.weights = WithoutFirst([1.0, 2.0, 3.0])
            self.limits = Settings(low=1.0)

    def f(model, x):
        return sum(model.weights) * x

    bar, x_bar = astad.gradient(f, Model(), 2.0)
    assert bar.weights == [0.0, 2.0, 2.0]
    assert x_bar == 5.0

    def unread(items, x):
        return x * x if x > 0.0 else items[0]

    assert astad.gradient(unread, WithoutFirst([1.0, 2.0]), 3.0) == ([0.0, 0.0], 6.0)


def test_the_same_container_twice_and_writes_to_it():
    def f(a, b):
        a.append(b[0] * 2.0)
        return a[-1] * b[-1]

    first, second = WithoutFirst([1.0]), WithoutFirst([2.0, 3.0])
    assert astad.gradient(f, first, second) == ([0.0], [6.0, 4.0])


class Vector(tuple):
    def __add__(self, other):
        return Vector([a + b for a, b in zip(self, other, strict=True)])

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other, strict=True))


def test_classes_of_tuples_without_new():
    def f(x):
        v = Vector((x, x * x)) + Vector([1.0, x])
        return v.dot(Vector(k * x for k in (1.0, 2.0)))

    def plain(x):
        return (x + 1.0) * x + (x * x + x) * 2.0 * x

    assert f(1.5) == pytest.approx(plain(1.5))
    assert astad.gradient(f, 1.5) == pytest.approx((2 * 1.5 + 1.0 + 6 * 1.5**2 + 4 * 1.5,))
    assert astad.gradient(lambda x: Vector()[:] or x, 2.0) == (1.0,)


def test_held_is_what_c_sees():
    assert list(items_of(WithoutFirst("abc"))) == ["a", "b", "c"]
    assert list(items_of(Padded([1.0]))) == [1.0]
    assert list(items_of({1: 2})) == [1]
    assert list(pairs_of(Hidden(_a=1))) == [("_a", 1)]
    assert list(pairs_of(defaultdict(float, a=1.0))) == [("a", 1.0)]
    moved = OrderedDict(a=1, b=2)
    moved.move_to_end("a")
    assert list(pairs_of(moved)) == [("b", 2), ("a", 1)]
    assert np.array_equal(list(items_of(np.ones(2))), [1.0, 1.0])
