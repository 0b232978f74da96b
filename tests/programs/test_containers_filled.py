"""What fills a container item by item: each is there before the next one is drawn."""

from collections import deque

import pytest

from tests.compiler.forms import check_forms


def gen(x):
    yield x
    yield x * x
    raise ValueError


def pairs(x):
    yield "a", x
    yield "b", x * x
    raise ValueError


def fib(t, n):
    for _ in range(n):
        yield t[-1] + t[-2]


def popping(t, n):
    for _ in range(n):
        yield t.pop() * 2


class P:
    def __init__(self, x):
        self.x = x

    def keys(self):
        return ["a", "b", "c"]

    def __getitem__(self, k):
        if k == "c":
            raise KeyError(k)
        return self.x * (2 if k == "a" else 3)


def generator_that_reads_what_grows(x):
    t = [x, 2 * x]
    t += (t[-1] * v for v in [1.0, 2.0, 3.0])
    return sum(t)


def extended_until_it_raises(x):
    t = [x]
    try:
        t.extend(gen(x))
    except ValueError:
        t.append(3 * x)
    return sum(t)


def added_until_it_raises(x):
    t = [x]
    try:
        t += gen(x)
    except ValueError:
        t.append(3 * x)
    return sum(t)


def bounded_deque_added_to(x):
    t = deque([x], 2)
    try:
        t += gen(x)
    except ValueError:
        t.append(3 * x)
    return sum(t)


def extended_left_until_it_raises(x):
    t = deque([x], 3)
    try:
        t.extendleft(gen(x))
    except ValueError:
        t.append(3 * x)
    return sum(k * v for k, v in enumerate(t, 1))


def set_updated_until_it_raises(x):
    t = {x}
    try:
        t.update([5 * x], gen(x))
    except ValueError:
        t.add(3 * x)
    return sum(t)


def dict_updated_until_it_raises(x):
    t = {"a": 5 * x}
    try:
        t.update(pairs(x))
    except ValueError:
        t["c"] = 3 * x
    return sum(t.values()) + t["a"] * t["b"]


def dict_merged_until_it_raises(x):
    t = {"a": 5 * x}
    try:
        t |= pairs(x)
    except ValueError:
        t["c"] = 3 * x
    return sum(t.values()) + t["a"] * t["b"]


def slice_takes_all_in_first(x):
    t = [x, x * x, 2.0]
    try:
        t[1:2] = gen(x)
    except ValueError:
        t.append(3 * x)
    return sum(k * v for k, v in enumerate(t, 1))


def fibonacci_of_the_list_itself(x):
    t = [x, x * x]
    t.extend(fib(t, 5))
    return t[-1] * t[3]


def fibonacci_of_a_bounded_deque(x):
    t = deque([x, x * x], 4)
    t.extend(fib(t, 5))
    return t[-1] * t[3]


def generator_that_pops(x):
    t = [x, x * x, 3 * x]
    t.extend(popping(t, 4))
    return sum(k * v for k, v in enumerate(t, 1)) * t[-1]


def mapping_that_raises(x):
    t = {"a": 5 * x, "b": 2.0}
    try:
        t.update(P(x))
    except KeyError:
        t["c"] = 3 * x
    return sum(t.values()) + t["a"] * t["b"]


def extended_with_its_own_items(x):
    t = [x, 2 * x]
    t.extend(v * x for v in t if len(t) < 6)
    return sum(t)


def list_added_to_itself(x):
    t = [x]
    t += t
    t.extend(t)
    return t[0] * t[1] * t[2] * t[3]


def deque_added_to_itself(x):
    t = deque([x, x * x])
    t += t
    t.extendleft(t)
    return sum(k * v for k, v in enumerate(t, 1))


def map_that_reads_the_end(x):
    t = [x]
    t.extend(map(lambda v: v * t[-1], [x, 2.0, 3.0]))
    return t[-1]


def generator_expression_that_raises(x):
    t = [x]
    try:
        t.extend(1.0 / v * x for v in [1.0, 2.0, 0.0])
    except ZeroDivisionError:
        t.append(x * x)
    return sum(t)


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize(
    "fn",
    [
        generator_that_reads_what_grows,
        extended_until_it_raises,
        added_until_it_raises,
        bounded_deque_added_to,
        extended_left_until_it_raises,
        set_updated_until_it_raises,
        dict_updated_until_it_raises,
        dict_merged_until_it_raises,
        slice_takes_all_in_first,
        fibonacci_of_the_list_itself,
        fibonacci_of_a_bounded_deque,
        generator_that_pops,
        mapping_that_raises,
        extended_with_its_own_items,
        list_added_to_itself,
        deque_added_to_itself,
        map_that_reads_the_end,
        generator_expression_that_raises,
    ],
    ids=lambda fn: fn.__name__,
)
def test_right(fn, x):
    check_forms(fn, x)
