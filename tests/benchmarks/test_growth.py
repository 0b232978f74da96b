"""Writes in loops: twice as many take twice the memory, and about twice the time.

Each program makes `n` writes, the other way of making them besides: through `try`, by a generator,
of an object. Memory is counted and gates; times are compared by `pytest -m timing` alone.
"""

import bisect
import heapq
import math
import time
from collections import OrderedDict, defaultdict, deque

import numpy as np
import pytest

from astad import gradient
from tests.benchmarks.measure import peak
from tests.compiler.forms import only_generic

PROGRAMS = []


def grows(program):
    PROGRAMS.append(program)
    return program


class Point:
    def __init__(self, x):
        self.x = x


class Slotted:
    __slots__ = ("x",)


@grows
def items_of_a_short_list(x, n):
    xs = [x] * 10
    for k in range(n):
        xs[k % 10] = xs[(k + 1) % 10] * 0.99 + 0.01
    return xs[0]


@grows
def items_of_a_growing_list(x, n):
    xs = [x]
    for k in range(n):
        xs.append(xs[-1] * 0.999)
        xs[k] = xs[k] * 1.001
    return xs[-1]


@grows
def results_by_two_numbers(x, n):
    kept = {}

    def step(i, j):
        if (i, j) in kept:
            return kept[i, j]
        kept[i, j] = x * 0.99 if j == 0 else step(i, j - 1) * 0.99 + 0.01
        return kept[i, j]

    for i in range(n // 10):
        y = step(i, 10)
    return y


@grows
def entries_that_were_seen(x, n):
    seen = set()
    for k in range(n):
        if (k % 7, k) not in seen:
            x = x * 0.999
        seen.add((k % 7, k))
    return x


@grows
def list_popped_until_empty(x, n):
    xs = [x] * n
    y = 0.0
    while xs:
        y = y * 0.5 + xs.pop()
    return y


@grows
def items_of_a_dict(x, n):
    d = {}
    for k in range(n):
        d[k] = x * k
        d[k % 7] = d[k] * 0.5 + d.get(k - 1, x)
    return d[n - 1]


@grows
def sums_in_a_defaultdict(x, n):
    d = defaultdict(float)
    for k in range(n):
        d[k % 5] += x * d[(k + 1) % 5] * 0.1 + x
    return d[0]


@grows
def ordered_dict_from_both_ends(x, n):
    d = OrderedDict()
    for k in range(n):
        d[k] = x * k
        d.move_to_end(0)
    y = 0.0
    while d:
        y = y * 0.5 + d.popitem(last=False)[1]
    return y


@grows
def queue(x, n):
    q = deque([x] * n)
    y = 0.0
    for _ in range(n):
        v = q.popleft()
        y += v
        q.append(v * 0.99)
    return y


@grows
def ring_rotated(x, n):
    q = deque([x] * 8)
    for _ in range(n):
        q.rotate(1)
        q[0] = q[1] * 0.99
    return q[0]


@grows
def heap_of_numbers(x, n):
    h = []
    for k in range(n):
        heapq.heappush(h, x * ((k * 7919) % n))
    y = 0.0
    while h:
        y = y * 0.5 + heapq.heappop(h)
    return y


@grows
def sorted_list_of_numbers(x, n):
    xs = []
    for k in range(n):
        bisect.insort(xs, x * ((k * 7919) % n))
    return xs[n // 2]


@grows
def attribute_of_an_object(x, n):
    p = Point(x)
    keep = [p]
    for _ in range(n):
        p.x = p.x * 0.999 + 0.001
    return keep[0].x


@grows
def attribute_in_a_slot(x, n):
    p = Slotted()
    p.x = x
    for _ in range(n):
        p.x *= 0.999
    return p.x


@grows
def list_of_objects(x, n):
    ps = [Point(x * k) for k in range(n)]
    for k in range(1, n):
        ps[k].x += ps[k - 1].x * 0.5
    return ps[-1].x


@grows
def variable_of_an_outer_function(x, n):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * total * 0.01 + v

    for _ in range(n):
        add(x * 0.001)
    return total


@grows
def elements_of_an_array(x, n):
    a = np.zeros(n)
    a[0] = x
    for k in range(1, n):
        a[k] = a[k - 1] * 0.999 + x
    return a[-1]


@grows
def slices_of_an_array(x, n):
    a = np.zeros(n + 2)
    a[0] = x
    for k in range(1, n):
        a[k : k + 2] = a[k - 1] * 0.999
    return a[n - 1]


@grows
def views_of_an_array_in_place(x, n):
    a = np.ones(n + 1)
    a[0] = x
    for k in range(1, n):
        v = a[k : k + 1]
        v *= a[k - 1]
        v += 0.01
    return a[n - 1]


@grows
def rows_of_a_matrix(x, n):
    a = np.zeros((n, 3))
    a[0] = x
    for k in range(1, n):
        a[k] = a[k - 1] * 0.999
        a[k, 1] += x
    return np.sum(a[-1])


@grows
def elements_added_at(x, n):
    a = np.zeros(n)
    for k in range(n):
        np.add.at(a, k, x * k)
        np.multiply.at(a, k, 0.5)
    return np.sum(a)


@grows
def matrix_reused_and_written(x, n):
    m = np.eye(20) * x
    v = np.ones(20)
    for _ in range(n):
        v = m @ v * 0.5 + 0.1
        m[0, 0] = 0.9
    return np.sum(v)


@grows
def array_through_try(x, n):
    a = np.zeros(n)
    a[0] = x
    for k in range(1, n):
        try:
            a[k] = a[k - 1] * 0.999 + x
        except IndexError:
            break
    return a[-1]


@grows
def list_through_try(x, n):
    xs = [x]
    for k in range(n):
        try:
            xs.append(xs[k] * 0.99)
            xs[k] = 0.5
        finally:
            x = x * 0.999
    return xs[-1] * x


@grows
def list_written_by_a_generator(x, n):
    xs = [x] * n

    def steps():
        for k in range(1, n):
            xs[k] = xs[k - 1] * 0.99
            yield xs[k]

    y = 0.0
    for v in steps():
        y += v
    return y


@grows
def attribute_written_by_a_generator(x, n):
    p = Point(x)

    def steps():
        for _ in range(n):
            p.x *= 0.99
            yield p.x

    y = 0.0
    for v in steps():
        y += v
    return y


def in_form(generic, measure):
    if not generic:
        return measure()
    with only_generic():
        return measure()


LEAST = 20_000
"""Bytes below which nothing is said: a program that keeps nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_memory_is_linear(program, generic):
    def measure():
        return [peak(lambda n=n: gradient(program, 1.01, n), times=1) for n in (200, 800)]

    small, large = in_form(generic, measure)
    assert large <= max(LEAST, 4.6 * small)


@pytest.mark.timing
@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_time_is_linear(program, generic):
    sizes = (500, 1000, 2000, 4000)

    def measure():
        return [shortest(program, n) for n in sizes]

    times = in_form(generic, measure)
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    assert exponent <= 1.25


def shortest(program, n):
    gradient(program, 1.01, n)
    found = math.inf
    for _ in range(5):
        start = time.perf_counter()
        gradient(program, 1.01, n)
        found = min(found, time.perf_counter() - start)
    return found
