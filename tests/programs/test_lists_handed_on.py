"""Lists of numbers that are handed to other functions of the user's."""

import math

import pytest

from astad import gradient
from tests.compiler.forms import check_forms


def dot(a, b):
    s = 0.0
    for x, y in zip(a, b):
        s += x * y
    return s


def products(xs, ys):
    zs = [x * y for x, y in zip(xs, ys)]
    return dot(xs, zs) * dot(ys, ys) + dot(zs, zs)


def grow(xs, n):
    ys = [xs[0]]
    t = 0.0
    for i in range(n):
        t += dot(ys, xs) * ys[-1]
        ys.append(t * 0.1)
    return t


def total(xs):
    return sum(xs) * xs[0]


def scaled_twice(xs):
    ys = [x * x for x in xs]
    a = total(ys)
    ys.append(a)
    ys[0] = 2.0
    b = total(ys)
    return a * b


def joined(xs, k):
    m = k + xs
    s = 0.0
    for i, v in enumerate(m):
        s += i * v * v
    return s


def grown_between(xs):
    ys = [x * x for x in xs]
    ks = [1.0, 2.0]
    s = joined(ys, ks)
    ks.append(3.0)
    ys.append(s)
    return s * joined(ys, ks)


def writes(xs):
    xs[0] = xs[1] * 2.0
    s = 0.0
    for x in xs:
        s += x
    return s


def written_by_callee(xs):
    ys = [x * x for x in xs]
    return writes(ys) * ys[0]


def built(xs):
    out = []
    for x in xs:
        out.append(x * 2.0)
    return out


def built_by_callee(xs):
    ys = built(xs)
    return ys[0] * ys[1]


def rec(xs, i):
    if i == len(xs):
        return 0.0
    return xs[i] * xs[i] + rec(xs, i + 1)


def by_recursion(xs):
    return rec(xs, 0) * 2.0


def poly(cs, t):
    y = 0.0
    for c in cs:
        y = y * t + c
    return y


def values_of_polynomials(cs, ts):
    s = 0.0
    for t in ts:
        s += poly(cs, t) ** 2
    return s


def constant_list(ts, x):
    cs = [0.1, 0.2, 0.3]
    s = 0.0
    for t in ts:
        s += poly(cs, t * x)
    return s


def norm(xs):
    return math.sqrt(sum([x * x for x in xs]))


def normalised(xs):
    n = norm(xs)
    return sum((x / n for x in xs))


L = [0.05 * i - 0.3 for i in range(20)]
M = [0.03 * i + 0.7 for i in range(20)]
CASES = {
    products: (M, L),
    grow: (M, 5),
    scaled_twice: (M,),
    grown_between: (M,),
    written_by_callee: (M,),
    built_by_callee: (M,),
    by_recursion: (M,),
    values_of_polynomials: (M[:8], L),
    constant_list: (M, 0.3),
    normalised: (M,),
}
GENERAL = (written_by_callee,)
"""Callees that write a list or hand one out are left to the dispatcher."""


@pytest.mark.parametrize("fn", CASES)
def test_program(fn):
    check_forms(fn, *CASES[fn], fused=fn not in GENERAL)


def written_by_its_first_name(x):
    first = [x, x * x]
    second = first
    first.append(2.0 * x)
    s = 0.0
    for v in second:
        s = s + v * v
    return s


def written_by_its_second_name(x):
    first = [x, x * x]
    second = first
    second.append(2.0 * x)
    s = 0.0
    for v in first:
        s = s + v * v
    return s


class Pool:
    def __init__(self, items):
        self.items = items

    def add(self, item):
        self.items.append(item)


def in_an_object_too(x):
    items = [x, x * x]
    pool = Pool(items)
    pool.add(items[0] * 3.0)
    items[0] = x * 5.0
    return pool.items[0] * pool.items[1] + items[2]


@pytest.mark.parametrize(
    "fn", [written_by_its_first_name, written_by_its_second_name, in_an_object_too]
)
def test_one_list_of_two_names(fn):
    check_forms(fn, 1.3)


def test_one_list_of_two_names_has_all_that_is_put_into_it():
    expected = 2 * 1.3 + 4 * 1.3**3 + 8 * 1.3
    for fn in (written_by_its_first_name, written_by_its_second_name):
        assert gradient(fn, 1.3) == (pytest.approx(expected),)
