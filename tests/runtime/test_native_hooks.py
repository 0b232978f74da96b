"""Methods of the user's that compiled code calls, and that bind attributes."""

import heapq
import io

import pytest

import astad
from astad.errors import Unsupported
from astad.testing import check_gradient


class Restless:
    def __init__(self, x):
        self.x = x
        self.calls = 0

    def __hash__(self):
        self.x = self.x * 2
        return 1

    def __eq__(self, other):
        self.x = self.x * 3
        return isinstance(other, Restless)

    def __lt__(self, other):
        self.x = self.x * 2
        return self.x < other.x

    def __str__(self):
        self.x = self.x * 2
        return "restless"

    __repr__ = __str__


class Counting:
    def __init__(self, x):
        self.x = x
        self.calls = 0

    def __hash__(self):
        self.calls += 1
        return hash(self.x)

    def __eq__(self, other):
        self.calls += 1
        return self.x == other.x

    def __lt__(self, other):
        self.calls += 1
        return self.x < other.x

    def __repr__(self):
        self.calls += 1
        return "counting"


RUNS = {
    "hash": lambda a, b: hash(a),
    "key": lambda a, b: {a: 1},
    "set": lambda a, b: {a, b},
    "look-up": lambda a, b: {a: 1.0}[b],
    "get": lambda a, b: {a: 1.0}.get(b),
    "in": lambda a, b: b in [a],
    "index": lambda a, b: [a].index(b),
    "str": lambda a, b: str(a),
    "repr": lambda a, b: repr(a),
    "f-string": lambda a, b: f"{a}",
    "percent": lambda a, b: "%s" % a,
    "format": lambda a, b: "{}".format(a),
    "print": lambda a, b: print(a, file=io.StringIO()),
    "list as text": lambda a, b: str([a]),
    "sorted": lambda a, b: sorted([a, b]),
    "sort": lambda a, b: [a, b].sort(),
    "heap": lambda a, b: heapq.heapify([a, b]),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_they_bind_is_refused(name):
    def f(x):
        a, b = Restless(x), Restless(x)
        RUNS[name](a, b)
        return a.x + b.x

    assert f(1.5) != 3.0
    with pytest.raises(Unsupported, match="called by compiled code"):
        astad.gradient(f, 1.5)


@pytest.mark.parametrize("name", RUNS)
def test_counters_are_no_matter(name):
    def f(x):
        a, b = Counting(x), Counting(x)
        RUNS[name](a, b)
        return a.x * b.x * min(a.calls + b.calls, 1)

    assert f(1.5) in (2.25, 0.0)
    check_gradient(f, 1.5)


def test_what_they_bind_and_nobody_reads():
    def f(x):
        items = sorted([Restless(2 * x), Restless(x)])
        return x * len(items)

    check_gradient(f, 1.5)
