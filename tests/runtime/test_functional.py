import functools
import itertools
import operator
from operator import add, getitem, mul

import numpy as np
import pytest

from astad.runtime.dispatch import call
from astad.runtime.language import build_list
from astad.runtime.versions import Versions


def cubes(do, iterable):
    total, k = 0.0, 1.0
    for v in do.loop(iterable):
        total = do(add, total, do(mul, k, do(mul, v, do(mul, v, v))))
        k += 1.0
    return total


@pytest.fixture
def product(written):
    @written
    def product(do, a, b):
        return do(mul, do(mul, a, b), b)

    return product


@pytest.fixture
def large(written):
    @written
    def large(do, v):
        return do(operator.gt, v, 2.5)

    return large


def test_map(check, product):
    def program(do, l, a):
        first = cubes(do, do(map, product, l, a))
        twice = do(list, do(map, product, do(map, operator.neg, l), do(map, abs, a)))
        return do(mul, first, do(getitem, twice, 1))

    check(program, [2.0, 3.0], np.array([5.0, -0.5, 1.0]))


def test_map_that_makes_arrays_and_lists(check, written):
    @written
    def scaled(do, x):
        return do(build_list, do(mul, x, x), do(mul, np.ones(2), x))

    def program(do, l):
        total = 0.0
        for item in do.loop(do(map, scaled, l)):
            total = do(add, total, do(mul, do(getitem, item, 0), do(np.sum, do(getitem, item, 1))))
        return total

    check(program, [2.0, 3.0])


@pytest.mark.parametrize("kind", [filter, itertools.takewhile, itertools.filterfalse])
def test_filters(check, large, kind):
    def program(do, l):
        return do(add, cubes(do, do(kind, large, l)), cubes(do, do(filter, None, l)))

    check(program, [4.0, 3.0, 2.0, 0.5, 7.0])


def test_starmap(check, product):
    def program(do, l, m):
        return cubes(do, do(itertools.starmap, product, do(zip, l, m)))

    check(program, [2.0, 3.0], [5.0, 0.5])


def test_reduce(check, product):
    def program(do, l, x):
        first = do(functools.reduce, product, l)
        second = do(functools.reduce, operator.mul, do(map, operator.neg, l), x)
        return do(mul, first, second)

    check(program, [0.5, 0.7, 1.2], 1.5)


def test_reduce_of_arrays(check):
    def program(do, l):
        return do(np.sum, do(functools.reduce, operator.mul, l))

    check(program, [np.array([2.0, 3.0]), np.array([5.0, 7.0]), np.array([0.5, 0.25])])


def test_reduce_of_nothing_raises_pythons_error():
    with pytest.raises(TypeError) as plain:
        functools.reduce(operator.add, [])
    with pytest.raises(TypeError) as run:
        call(Versions(), functools.reduce, operator.add, [])
    assert str(run.value) == str(plain.value)


def test_partials(check, written):
    @written
    def f(do, a, b, c, d):
        return do(add, do(mul, a, do(mul, b, b)), do(mul, c, do(mul, d, do(mul, d, d))))

    def program(do, x, y):
        p = do(functools.partial, f, x, d=do(mul, x, y))
        q = do(functools.partial, p, do(mul, y, y))
        total = do(add, do(q, y), do(q, x))
        return do(mul, total, total)

    check(program, 1.5, -0.7)


def test_getters_of_operator(check):
    class Point:
        def __init__(self, x, inner):
            self.x, self.inner = x, inner

    def program(do, l, p):
        both = do(operator.itemgetter(0, -1), l)
        one = do(operator.itemgetter(1), l)
        x = do(operator.attrgetter("inner.x"), p)
        n = do(operator.methodcaller("pop", 0), l)
        return do(
            mul, do(mul, do(getitem, both, 0), do(getitem, both, 1)), do(mul, do(mul, one, x), n)
        )

    check(program, [2.0, 3.0, 5.0], Point(1.0, Point(0.5, None)))
