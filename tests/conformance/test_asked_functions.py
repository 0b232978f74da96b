"""Functions that are asked for keys and truths, and iterators that do something when they end."""

import bisect
import functools
import graphlib
import heapq
import itertools

import pytest

from tests.conformance.harness import conforms


class Noting:
    """A function that notes what it is asked for."""

    def __init__(self):
        self.noted = []

    def __call__(self, value, weight=1.0):
        self.noted.append(value * value * weight)
        return value

    def total(self):
        return sum((k + 1) * value for k, value in enumerate(self.noted))


class Powers:
    def __init__(self, x):
        self.x = self.y = x

    def __iter__(self):
        return self

    def __next__(self):
        self.y = self.y * self.x
        return self.y


class Loader:
    def __init__(self, xs):
        self.xs, self.epoch, self.seen = xs, 0, 0.0

    def __iter__(self):
        for x in self.xs:
            self.seen += x
            yield x * (self.epoch + 1)
        self.epoch += 1


class Pair:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return iter([self.x, 2.0])


ASKED = {
    "max": lambda f, x: max([x, 2 * x], key=f),
    "min of several": lambda f, x: min(x, 2 * x, 0.5, key=f),
    "max of a generator": lambda f, x: max((v for v in [x, 2 * x]), key=f),
    "sorted": lambda f, x: sorted([x, 2 * x, 0.5], key=f)[0],
    "sorted of values": lambda f, x: sum(sorted({"a": x, "b": 2 * x}.values(), key=f)),
    "sort": lambda f, x: ((xs := [x, 2 * x, 0.5]).sort(key=f), xs[1])[1],
    "filter": lambda f, x: sum(filter(f, [x, 2 * x])),
    "filter that skips": lambda f, x: sum(filter(lambda v: f(v) > 1, [x, 0.5 * x, 2 * x, 0.5 * x])),
    "filterfalse": lambda f, x: sum(itertools.filterfalse(lambda v: f(v) > 1, [x, 0.5 * x, 2 * x])),
    "takewhile": lambda f, x: sum(itertools.takewhile(lambda v: f(v) < 2, [x, 2 * x, 5.0])),
    "nsmallest": lambda f, x: heapq.nsmallest(2, [x, 2 * x, 0.3], key=f)[1],
    "nlargest": lambda f, x: heapq.nlargest(2, [x, 2 * x, 0.3], key=f)[1],
    "bisect": lambda f, x: 1.0 * bisect.bisect([x, 2 * x, 9.0], 2.0, key=f),
    "bisect_left": lambda f, x: 1.0 * bisect.bisect_left((x, 2 * x, 9.0), 2.0, 1, key=f),
    "insort": lambda f, x: (bisect.insort(xs := [x, 2 * x, 9.0], 2.0 * x, key=f), xs[2])[1],
    "zip of unequal lengths": lambda f, x: list(zip(map(f, [x, 2 * x]), [1], strict=False))[0][0],
    "merge of the largest": lambda f, x: sum(
        k * v for k, v in enumerate(heapq.merge([2 * x, x], [x * x], reverse=True, key=f))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_function_asked(name):
    def program(x):
        asked = Noting()
        return ASKED[name](asked, x) * x + asked.total()

    conforms(program, 1.3)


def drawn_in_vain(x):
    powers, total = Powers(x), 0.0
    for value, k in zip(powers, range(3), strict=False):
        total += value * k
    more = Powers(x)
    total += sum(map(lambda a, b: a * b, more, [1.0, x]))
    return total + powers.y * more.y


def longest_of_the_users(x):
    first = sum(a for a, _ in itertools.zip_longest(Pair(x), [1.0]))
    return first + sum(a * b for a, b in itertools.zip_longest([1.0], Pair(x), fillvalue=x))


def counts_at_its_end(xs):
    loader, total = Loader(xs), 0.0
    for _ in range(2):
        for value in loader:
            total += value * value
    return total * loader.seen * loader.epoch


def in_order(xs):
    sorter = graphlib.TopologicalSorter({"c": {"a", "b"}, "d": {"c"}})
    values = {"a": xs[0], "b": xs[1]}
    for name in sorter.static_order():
        if name == "c":
            values[name] = values["a"] * values["b"]
        if name == "d":
            values[name] = values["c"] ** 2
    return values["d"]


@pytest.mark.parametrize(
    ("program", "arg"),
    [
        (drawn_in_vain, 1.3), (longest_of_the_users, 1.3), (counts_at_its_end, [1.0, 2.0]),
        (in_order, [1.5, 2.0]),
    ],
)  # fmt: skip
def test_end_of_an_iterator(program, arg):
    conforms(program, arg)


def resets_at_its_end(xs):
    seen = [0.0]

    def each():
        for x in xs:
            seen[0] += x
            yield x
        seen[0] = 0

    return functools.reduce(lambda a, b: a + b, [1.0]) + total_of(each(), seen)


def total_of(values, seen):
    total = 0.0
    for value in values:
        total += value * seen[0]
    return total


def test_end_that_writes_what_the_loop_reads():
    conforms(resets_at_its_end, [1.0, 2.0])
