"""Methods of the user's that compiled code calls, and that bind attributes."""

import functools
import heapq
import io
import locale

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
    with pytest.raises(Unsupported, match="what this call has stored"):
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


# --- hooks that store elsewhere


def by_cmp_to_key(x):
    seen = []

    def compare(a, b):
        seen.append(a * b)
        return (a > b) - (a < b)

    sorted([x, 2 * x, 0.5 * x], key=functools.cmp_to_key(compare))
    return sum(seen)


class Logged:
    log = []

    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        self.note(other)
        return self.v < other.v

    def __eq__(self, other):
        Logged.log.append(self.v * other.v)
        return True

    def __hash__(self):
        return 1

    def note(self, other):
        Logged.log.append(self.v * other.v)


def in_a_log_of_the_class(x):
    Logged.log.clear()
    [Logged(x), Logged(2 * x)].sort()
    return Logged.log[0]


def by_keys_that_are_objects(x):
    Logged.log.clear()
    return max([x, 2 * x], key=Logged) * Logged.log[0]


def by_a_look_up(x):
    Logged.log.clear()
    return {Logged(x): 1.0}[Logged(3 * x)] * Logged.log[0]


def in_a_dict(x):
    table = {}

    class Item:
        def __init__(self, v):
            self.v = v

        def __lt__(self, other):
            table["last"] = self.v + other.v
            return self.v < other.v

    heap = [Item(2 * x)]
    heapq.heappush(heap, Item(x))
    return table["last"] * x


def in_a_variable_outside(x):
    last = 0.0

    def compare(a, b):
        nonlocal last
        last = a * b
        return a - b

    [3 * x, x].sort(key=functools.cmp_to_key(compare))
    return last * x


STORING = [
    by_cmp_to_key, in_a_log_of_the_class, by_a_look_up, in_a_dict, in_a_variable_outside,
]  # fmt: skip


@pytest.mark.parametrize("f", STORING, ids=lambda f: f.__name__)
def test_what_comparisons_store_is_refused(f):
    assert f(1.5) != 0.0
    with pytest.raises(Unsupported, match="what this call has stored"):
        astad.gradient(f, 1.5)


def by_sums_that_are_noted(x):
    noted = [0.0]

    class Noting:
        def __init__(self, v):
            self.v = v

        def __gt__(self, other):
            noted[0] += self.v * other.v
            return self.v > other.v

    return max(Noting(k * x) for k in (1.0, 3.0, 2.0)).v * noted[0]


@pytest.mark.parametrize("f", [by_keys_that_are_objects, by_sums_that_are_noted])
def test_what_comparisons_of_min_and_max_store(f):
    check_gradient(f, 1.5)


def test_what_they_store_and_nobody_reads():
    def f(x, y):
        seen = []

        def compare(a, b):
            seen.append(a * b)
            return a - b

        low, high = sorted([x, y], key=functools.cmp_to_key(compare))
        return low * high**2 + min([x, y], key=functools.cmp_to_key(compare)) * len(seen)

    check_gradient(f, 1.5, 0.5)
    check_gradient(f, 0.5, 1.5)


def test_orders_by_a_function_of_two():
    xs = [2.5, -1.0, 4.0]

    def f(xs):
        key = functools.cmp_to_key(lambda a, b: b**2 - a**2)
        wrapped = [key(v) for v in xs]
        first, *_ = sorted(xs, key=key)
        assert wrapped[0] < wrapped[1] and wrapped[2] <= wrapped[0] != wrapped[1]
        return first * max(xs, key=key) ** 2 * wrapped[1].obj

    check_gradient(f, xs)


def test_compiled_comparisons_stay():
    def f(x):
        names = sorted(["b", "a"], key=functools.cmp_to_key(locale.strcoll))
        return x * len(names)

    assert astad.gradient(f, 1.5) == (2.0,)


class Noting:
    def __init__(self, x, log):
        self.x, self.log = x, log

    def __eq__(self, other):
        self.log.append(self.x * 2)
        return self.x == other.x

    def __lt__(self, other):
        self.log.append(self.x * 3)
        return self.x < other.x

    __le__ = __lt__
    __hash__ = None


@pytest.mark.parametrize(
    "compare",
    [
        lambda a, b: (a, 1) < (b, 1),
        lambda a, b: [a] <= [b],
        lambda a, b: (b,) > (a,),
        lambda a, b: [1, b] >= [1, a],
    ],
)
def test_what_comparing_sequences_stores_is_refused(compare):
    def f(x):
        log = [x]
        compare(Noting(x, log), Noting(x * x, log))
        return sum(log)

    with pytest.raises(Unsupported, match="a derivative through what this call has stored"):
        astad.gradient(f, 1.5)


def test_comparing_sequences_of_numbers():
    check_gradient(lambda x, y: x if (x, 1.0) < (y, 0.0) else y * y, 1.5, 0.4)
