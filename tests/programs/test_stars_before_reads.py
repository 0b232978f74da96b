"""``[*g(), s[0]]``: the iterator is drained before what stands behind it is read."""

import pytest

from tests.programs.everywhere import right_everywhere


def doubled(c):
    for _ in range(2):
        c[0] = c[0] * 2.0
        yield c[0]


def listed(x):
    s = [x]

    def g():
        for v in (1.0, 2.0):
            s[0] = s[0] * 2 + v
            yield s[0]

    t = [*g(), s[0]]
    return t[-1]


def in_a_tuple(x):
    s = [x]

    def g():
        for v in (1.0, 2.0):
            s[0] = s[0] * 2 + v
            yield v

    t = (1.0, *g(), s[0] * x)
    return t[-1] * t[1]


def from_outside(x):
    c = [x]
    t = [*doubled(c), c[0]]
    return t[-1] * t[0]


def captured(x):
    total = x

    def g():
        nonlocal total
        for v in (1.0, 2.0):
            total = total * 3.0 + v
            yield total

    t = [*g(), total]
    return t[-1] * t[0]


def given_to_a_call(x):
    s = [x]

    def add(v):
        s[0] = s[0] + v
        return v

    def weighed(a, b, c):
        return a * b * c

    return weighed(*map(add, (1.0, x)), s[0])


def another_star(x):
    c = [x]
    t = [*doubled(c), *[c[0], x]]
    return t[2] * t[3]


def literals_and_locals(x):
    c = [x]
    t = [*doubled(c), 2.0, x]
    return t[0] * t[3]


def iterator_with_a_name(x):
    s = [x]

    def g():
        for v in (1.0, 2.0):
            s[0] = s[0] * 2 + v
            yield s[0]

    it = g()
    return sum([*it, s[0]])


def argument_with_a_name(x):
    s = [x]
    drawn = map(lambda v: s.append(v * x) or v, [1.0, 2.0])

    def last(*a):
        return a[-1] * len(a)

    return last(*drawn, s[-1])


def running_display(x):
    h = [x]
    for _ in range(3):
        h = [*h, h[-1] * x]
    return sum(h)


class Bag:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        self.n = self.n * 3.0
        return iter([self.n, 1.0])


def object_with_iter(x):
    b = Bag(x)
    return (*b, b.n)[-1] * x


PROGRAMS = [
    iterator_with_a_name, argument_with_a_name, running_display, object_with_iter,
    listed, in_a_tuple, from_outside, captured, given_to_a_call, another_star, literals_and_locals,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_iterator_is_drained_first(program):
    right_everywhere(program, 1.3)
