"""What is done to find the end of an iterator, the write after the last value, by consumer."""

import itertools

import pytest

from tests.conformance.harness import conforms
from tests.conformance.programs import Programs

programs = Programs()


def ends(s, x):
    for _ in range(3):
        yield s["x"] / 2
    s["x"] = s["x"] ** 2


def reads(s):
    yield s["x"] * 3
    yield s["x"]


@programs.at(3.0)
def listed_chain(x):
    s = {"x": x}
    return sum(i * v for i, v in enumerate(list(itertools.chain(ends(s, x), reads(s))))) * s["x"]


@programs.at(3.0)
def unpacked(x):
    s = {"x": x}
    a, *b = ends(s, x)
    return (a + b[1]) * s["x"]


@programs.at(3.0)
def listed_zip(x):
    s = {"x": x}
    l = list(zip(ends(s, x), reads(s), [1.0] * 9))
    return sum(a * b * c for a, b, c in l) * s["x"]


@programs.at(3.0)
def sum_chain(x):
    s = {"x": x}
    return sum(itertools.chain(ends(s, x), reads(s))) * s["x"]


@programs.at(3.0)
def in_(x):
    s = {"x": x}
    return (2 + (77.0 in ends(s, x))) * s["x"]


@programs.at(3.0)
def next_default(x):
    s = {"x": x}
    g = ends(s, x)
    t = 0.0
    for _ in range(5):
        t = t * s["x"] + next(g, x)
    return t * s["x"]


@programs.at(3.0)
def next_none(x):
    s = {"x": x}
    g = ends(s, x)
    t = 0.0
    while (v := next(g, None)) is not None:
        t = t * s["x"] + v
    return t * s["x"]


@programs.at(3.0)
def extended(x):
    s = {"x": x}
    l = [x]
    l.extend(ends(s, x))
    l += ends(s, x)
    l[1:2] = ends(s, x)
    return sum(i * v for i, v in enumerate(l)) * s["x"]


@programs.at(3.0)
def raising(x):
    s = {"x": x}

    def g():
        yield s["x"]
        s["x"] = s["x"] ** 2
        raise KeyError

    try:
        l = list(g())
    except KeyError:
        l = [s["x"] * 2]
    try:
        for v in g():
            l.append(v * x)
    except KeyError:
        pass
    return sum(l) * s["x"]


class Begins:
    def __init__(s, x):
        s.x = x

    def __iter__(s):
        s.x = s.x**2
        return iter([])


@programs.at(3.0)
def empty_iter_try(x):
    o = Begins(x)
    t = x
    try:
        for v in o:
            t = t + v
    finally:
        t = t * 2
    return o.x * t


class Upto:
    """Ends with a number, as a search does that says what it found."""

    def __init__(self, x, n):
        self.x, self.n, self.k = x, n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k == self.n:
            raise StopIteration(self.x * self.x)
        self.k += 1
        return self.x * self.k


@programs.at(1.5)
def value_of_the_end_caught(x):
    steps, total = iter(Upto(x, 2)), 0.0
    while True:
        try:
            total += next(steps)
        except StopIteration as end:
            return total * end.value


@programs.at(1.5)
def argument_of_the_end_caught(x):
    steps, total = Upto(x, 2), 0.0
    try:
        while True:
            total += steps.__next__()
    except StopIteration as end:
        total += end.args[0]
    return total


@programs.at(1.5)
def value_of_the_end_by_yield_from(x):
    def inner():
        found = yield from Upto(x, 2)
        return found * 2

    def outer():
        yield (yield from inner())

    return sum(outer())


@programs.at(1.5)
def value_of_the_end_not_asked(x):
    total = next(Upto(x, 0), x * 3) + sum(Upto(x, 2)) + max(Upto(x, 3))
    for i, v in enumerate(Upto(x, 3)):
        total += i * v
    return total


@programs.at(1.5)
def value_of_the_end_in_one_of_two(x):
    def both():
        first = yield from Upto(x, 1)
        second = yield from Upto(first, 1)
        yield 0.0 if second is None else second

    a, b, c = both()
    return a * b + c


class Down:
    def __init__(self, x):
        self.x, self.left = x, 2

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration()
        self.left -= 1
        return self.x


@programs.at(1.5)
def an_end_without_a_value(x):
    return sum(Down(x)) + sum(v * w for v, w in zip(Down(x), Down(x * x)))


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_ends(program, args, options):
    conforms(program, *args, **options)
