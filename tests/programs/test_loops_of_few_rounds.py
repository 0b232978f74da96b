"""Lists that grow and shrink in loops of few rounds, records, stars, reductions: what is written
out round by round means what the loop means.
"""

import functools
import operator
from collections import namedtuple
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
import pytest

from tests.compiler.forms import check_forms


def tuple_replaced_as_it_is_walked(x, y):
    l = [(x, 1.0), (y, 2.0)]
    t = 0.0
    for i, (a, b) in enumerate(l):
        if i == 0:
            l[1] = (x * y, 5.0)
        t += a * b
    return t


def tuple_replaced_in_each_round(x, y):
    l = [(x, 1.0), (y, 2.0)]
    t = 0.0
    for a, b in l:
        l[1] = (x * y + a, 5.0)
        t += a * b
    return t


def tuple_kept_over_stores(x, y):
    l = [(x, y)]
    t = l[0]
    l[0] = (y, x * 2)
    u = l[0]
    l[0] = (5.0 * x, 1.0)
    return t[0] * u[1] + l[0][0] * t[1]


def tuple_kept_over_rounds(x, y):
    l = [(x, y)]
    t = l[0]
    s = 0.0
    for i in range(40):
        s = s + t[0] * t[1]
        t = l[0]
        l[0] = (t[1] * 0.9, t[0])
    return s


def dict_of_tuples(x, y):
    d = {"a": (x, 1.0), "b": (y, x)}
    for k in d:
        d[k] = (d[k][1], d[k][0] * y)
    for k, (p, q) in d.items():
        d[k] = (q, p)
    return d["a"][0] * d["b"][1] + d["a"][1]


def stack_of_tuples(x, y):
    q = [(0.0, x)]
    q.append((1.0, y))
    q.append((2.0, x * y))
    t = 0.0
    while q:
        a, b = q.pop()
        if a == 1.0 and len(q) < 2:
            q.append((3.0, b * x))
        t = t * 0.5 + a * b
    return t


def rows_that_grow_shorter(x, y):
    pts = [(x, y), (y, x), (1.0, 2.0)]
    while len(pts) > 1:
        pts = [(a * 0.5 + c, b * d) for (a, b), (c, d) in zip(pts, pts[1:])]
    return pts[0][0] * pts[0][1]


def old_list_under_another_name(x, y):
    pts = [x, y, 1.0]
    first = pts
    while len(pts) > 1:
        pts = [a + b * x for a, b in zip(pts, pts[1:])]
        first[0] = first[0] * 2
    return pts[0] * first[0]


def grown_until_large(x, y):
    l = [x]
    while len(l) < 6:
        l.append(l[-1] * y)
        if l[-1] > 3:
            break
    return sum(l)


def popped_with_continue(x, y):
    l = [x, y, 0.5]
    t = 0.0
    while l:
        v = l.pop()
        if v > 1.0:
            continue
        t += v * v
    return t * x


def popped_from_the_front(x, y):
    l = [x, y, 0.5]
    t = 0.0
    while l:
        v = l.pop(0)
        t = t * y + v
    return t


def grown_by_a_counter(x, y):
    l = [x]
    n = 0
    while n < 4:
        n += 1
        l.append(l[0] * n)
        l[0] = l[0] + y
    return l[-1] * l[0]


def extended_by_itself(x, y):
    l = [x, y]
    l.extend(l)
    l[0] = 3.0
    return l[2] * l[3] + l[0]


def extended_by_another(x, y):
    l = [x]
    m = [y, x * y]
    l.extend(m)
    m[0] = 7.0 * x
    l[2] = l[2] + m[0]
    return l[1] * l[2]


def columns_of_rows(x, y):
    rows = [[x, y], [1.0, x * y]]
    cols = list(zip(*rows))
    rows[0][0] = 9.0
    return cols[0][0] * cols[1][1] + rows[0][0] * cols[1][0]


def handed_on_by_stars(x, y):
    a = [x, y]

    def f(p, q, r=2.0):
        return p * q + r

    b = {"r": x}
    a[0] = y * 2
    return f(*a, **b) + f(*a)


def read_by_max_min_sorted(x, y):
    l = [x, y]
    l[0] = y * y
    return max(l) + min(*l) * sorted(l)[0]


def read_by_an_array(x, y):
    l = [x, y]
    l[1] = x * y
    a = np.array(l)
    l[0] = 50.0
    return np.sum(a * a) + l[0] * x


def read_by_a_matrix(x, y):
    m = [[x, 0.0], [1.0, y]]
    m[0][1] = x * y
    return float(np.linalg.det(np.array(m)))


Moving = namedtuple("Moving", "x v")


def records_replaced(x, y):
    a = Moving(x, y)
    for _ in range(30):
        a = a._replace(x=a.x + 0.1 * a.v, v=a.v * 0.9)
    b = a._replace(x=1.0)
    return a.x * a.v + b.x * b.v


@dataclass
class Logged:
    x: float
    log: list = field(default_factory=list)
    m: dict = field(default_factory=dict)


def lists_made_by_fields(x, y):
    a, b = Logged(x), Logged(y)
    a.log.append(y)
    b.log.append(x * 2)
    a.m["k"] = x
    b.m = a.m
    b.m["k"] = b.m["k"] * y
    return a.log[0] * b.log[0] + a.m["k"] + len(a.log)


def thirty_items(x, y):
    l = []
    for i in range(30):
        l.append(x * i + y)
    for i in range(1, 30):
        l[i] += l[i - 1] * 0.1
    return l[-1]


def reduced_with_a_captured_variable(x, y):
    return functools.reduce(lambda a, b: a * x + b, range(1, 5), y)


def reduced_by_a_product(x, y):
    return reduce(lambda a, b: a * b, [x, y, 2.0], 1.0)


def grown(a, b):
    return a + b * a


def reduced_by_a_function(x, y):
    return reduce(grown, (x, y, x * y), 0.5) * reduce(operator.mul, [x, y], 1.0)


def reduced_to_a_tuple(x, y):
    return reduce(lambda s, v: (s[0] + v, s[1] * v), [x, y, 3.0], (0.0, 1.0))[1] * y


def reduced_without_items(x, y):
    return reduce(lambda a, b: a + b, [], x) * y + reduce(lambda a, b: a + b, [x, y])


PROGRAMS = [
    tuple_replaced_in_each_round,
    tuple_replaced_as_it_is_walked,
    tuple_kept_over_rounds,
    tuple_kept_over_stores,
    dict_of_tuples,
    stack_of_tuples,
    rows_that_grow_shorter,
    old_list_under_another_name,
    grown_until_large,
    popped_with_continue,
    popped_from_the_front,
    grown_by_a_counter,
    extended_by_itself,
    extended_by_another,
    handed_on_by_stars,
    columns_of_rows,
    read_by_max_min_sorted,
    read_by_an_array,
    read_by_a_matrix,
    records_replaced,
    lists_made_by_fields,
    thirty_items,
    reduced_with_a_captured_variable,
    reduced_by_a_product,
    reduced_by_a_function,
    reduced_to_a_tuple,
    reduced_without_items,
]


@pytest.mark.parametrize(("x", "y"), [(1.3, 0.7), (0.4, 2.1)])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_as_the_plain_run(fn, x, y):
    check_forms(fn, x, y)


FUSED = [rows_that_grow_shorter, grown_until_large, records_replaced, lists_made_by_fields,
         thirty_items, reduced_to_a_tuple]  # fmt: skip


@pytest.mark.parametrize("fn", FUSED)
def test_is_one_text(fn):
    check_forms(fn, 1.3, 0.7, fused=True)


def added(a, b):
    return [a[0] + b[0]]


class Held:
    def __init__(self, value):
        self.value = value


def mixed(a, b):
    return Held(a.value + b.value * 0.5)


def spread_over_a_call(x, n):
    rows = [[x], [0.2]]
    for _ in range(n):
        rows[-1] = added(*rows)
    return rows[-1][0] * x


def spread_over_zip(x, n):
    rows = [[x, 0.5], [0.2, x]]
    for _ in range(n):
        columns = list(zip(*rows))
        rows[0] = [2 * v for v in columns[0]]
    return rows[0][1] * rows[-1][1]


def spread_and_appended(x, n):
    rows = [[x], [0.2]]
    for _ in range(n):
        rows.append(added(*rows[-2:]))
    return rows[-1][0] * x


def spread_objects(x, n):
    held = [Held(x), Held(0.3)]
    while n > 0:
        held[0] = mixed(*held)
        n -= 1
    return held[0].value * x


@pytest.mark.parametrize("n", [0, 1, 3, 40])
@pytest.mark.parametrize(
    "fn", [spread_over_a_call, spread_over_zip, spread_and_appended, spread_objects]
)
def test_what_is_spread_in_a_loop_that_changes_it(fn, n):
    """Its compilation came to no end."""
    check_forms(fn, 0.7, n, rtol=1e-6)
