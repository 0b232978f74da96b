"""Loops over what changes things after its last value."""

import itertools
import weakref

import numpy as np
import pytest

from tests.conformance.harness import conforms


class Growing:
    def __init__(self, x, count=2):
        self.x, self.left = x, count

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            self.x = self.x * self.x
            raise StopIteration
        return self.x * (self.left + 1)


class Walked:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield self.x
        yield self.x * 2
        self.x = self.x**2


def rows(written, x, count=3):
    for i in range(count):
        yield x * i
    written.append(x * x)


def through(make):
    def program(x):
        written, total = [x], 0.0
        for item in make(rows(written, x)):
            total = total * 1.5 + (sum(item) if isinstance(item, tuple) else item) * written[-1]
            written[-1] = written[-1] * 1.25
        return total * sum(written)

    return program


MADE = {
    "accumulate": itertools.accumulate,
    "chain": lambda made: itertools.chain(made, [2.0]),
    "cycle": lambda made: itertools.islice(itertools.cycle(made), 5),
    "enumerate": enumerate,
    "filter": lambda made: filter(None, made),
    "generator": lambda made: (2.0 * v for v in made),
    "islice": lambda made: itertools.islice(made, 1, 9),
    "itself": iter,
    "map": lambda made: map(lambda v: v * v, made),
    "nested": lambda made: enumerate(itertools.islice(map(abs, made), 9)),
    "pairwise": itertools.pairwise,
    "takewhile": lambda made: itertools.takewhile(lambda v: v < 100.0, made),
    "zip": lambda made: zip(made, [1.0, 2.0, 3.0, 4.0], strict=False),
    "zip, at the end": lambda made: zip([1.0, 2.0, 3.0, 4.0], made, strict=False),
    "zip_longest": lambda made: itertools.zip_longest(made, [1.0], fillvalue=2.0),
}


@pytest.mark.parametrize("kind", MADE)
def test_generators_within_iterators(kind):
    conforms(through(MADE[kind]), 1.3)


def over_an_iterator(x):
    numbers, total = Growing(x), 0.0
    for number in numbers:
        total += number * numbers.x
        numbers.x = numbers.x * 1.5
    return total * numbers.x


def with_an_else(x):
    numbers, total = Growing(x), 0.0
    for number in numbers:
        if number > 100.0:
            break
        total += number
    else:
        total *= numbers.x
    return total * numbers.x


def over_an_object_twice(x):
    walked, total = Walked(x), 0.0
    for _ in range(2):
        for v in walked:
            total += v * walked.x
    return total * walked.x


def in_a_closure(x):
    numbers = Growing(x)

    def found():
        for v in numbers:
            if v > 100.0:
                return v
        return numbers.x

    return found() * numbers.x


def in_loops(x):
    total = 0.0
    for i in range(3):
        numbers = Growing(x * i + 1.0)
        for a in zip(numbers, [1.0, 2.0, 3.0], strict=False):
            total += a[0] * a[1] * numbers.x
        total *= numbers.x
    return total


def made_by_a_call(x):
    written = []

    def numbered():
        return enumerate(rows(written, x))

    total = 0.0
    for i, v in numbered():
        total += i * v
    return total * written[0]


def by_a_function_that_stops(x):
    written, total = [x], 0.0

    def f(v):
        if v > 2.0:
            written[0] = v * x
            raise StopIteration
        return v

    for v in map(f, [x, 2 * x, 3.0]):
        total += v
    return total * written[0]


def into_an_array(x):
    a, total = np.zeros(2), 0.0

    def numbers():
        yield x
        yield 2 * x
        a[0] = x * x

    for v in filter(lambda v: v > 0.0, numbers()):
        total += v
    return total * a[0]


class Holder:
    def __init__(self, v):
        self.v = v


def weak_sets(x):
    one, two = Holder(x), Holder(x * x)
    held = weakref.WeakSet([one]) | weakref.WeakSet([two])
    total = 0.0
    for each in held:
        total += each.v
    return total * sum(each.v for each in held.copy()) * len(held) * (one in held)


def weak_keys(x):
    one, two = Holder(x), Holder(x * x)
    held, total = weakref.WeakKeyDictionary({one: x, two: 2 * x}), 0.0
    for key, value in held.items():
        total += key.v * value
    for key in held:
        total += key.v * held[key] * 3
    for key in held.keys():
        total += key.v**2
    for value in held.values():
        total += value**2
    return total * held.pop(one) * held.setdefault(one, x**3)


def weak_values(x):
    one, two = Holder(x), Holder(x * x)
    held, total = weakref.WeakValueDictionary({1: one, 2: two}), 0.0
    for key, value in held.items():
        total += key * value.v
    for key in held.keys():
        total += held[key].v ** 2
    for value in held.values():
        total += value.v**3
    for reference in held.valuerefs():
        total += reference().v
    return total * x


@pytest.mark.parametrize(
    "program",
    [
        over_an_iterator,
        with_an_else,
        over_an_object_twice,
        in_a_closure,
        in_loops,
        made_by_a_call,
        by_a_function_that_stops,
        into_an_array,
        weak_sets,
        weak_keys,
        weak_values,
    ],
)
def test_ends_of_loops(program):
    conforms(program, 1.3)
