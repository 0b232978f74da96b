"""``a, *b = it``: an iterator is asked for an iterator twice, as Python does."""

import pytest

import astad
from astad.testing import check_gradient


class Restarting:
    """An iterator that starts anew, and writes, each time it is asked for one."""

    def __init__(self, x):
        self.x = x
        self.n = self.asked = 0

    def __iter__(self):
        self.asked += 1
        self.n = 0
        self.x = self.x * 2
        return self

    def __next__(self):
        self.n += 1
        if self.n > 3:
            raise StopIteration
        return self.x * self.n


def first_and_rest(x):
    it = Restarting(x)
    a, *b = it
    return a * 10 + sum(b) * 100 + it.asked * x + len(b) * it.x


def two_and_rest_and_last(x):
    it = Restarting(x)
    a, b, *c, d = it
    return a * 10 + b * b + sum(c) * 100 + d + it.asked * x


def all_at_once(x):
    *a, b = Restarting(x)
    return sum(a) * b


def generator(x):
    a, *b = (x * k for k in (1.0, 2.0, 3.0))
    return a * sum(b)


@pytest.mark.parametrize("f", [first_and_rest, two_and_rest_and_last, all_at_once, generator])
def test_starred_parts(f):
    check_gradient(f, 1.5)


def test_too_few_parts():
    def f(x):
        a, b, *c, d, e, g, h = Restarting(x)
        return a

    with pytest.raises(ValueError) as plain:
        f(1.5)
    with pytest.raises(ValueError) as derived:
        astad.gradient(f, 1.5)
    assert str(derived.value) == str(plain.value)
