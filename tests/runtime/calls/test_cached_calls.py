"""Functions under functools.cache and lru_cache: each variable has its own part."""

import functools

import numpy as np
import pytest

import astad
from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


@functools.lru_cache(maxsize=8)
def scaled(x, y=2.0, *, k=1.0):
    return x * y * y * k


@functools.cache
def fibonacci(n, x):
    return x if n < 2 else fibonacci(n - 1, x) + fibonacci(n - 2, x) * x


@functools.cache
def nodes(n):
    return np.polynomial.legendre.leggauss(n)


@functools.cache
def listed(x):
    return [x * x]


class Scale:
    def __init__(self, x):
        self.x = x

    @functools.cache
    def times(self, k):
        return self.x * k


def test_two_variables_of_the_same_value():
    def f(x, y):
        return scaled(x, y) + scaled(y, x) + scaled(x, k=y) + scaled(y, k=x) * x

    check_gradient(f, 1.5, 1.5)
    check_gradient(f, 1.5, 0.5)
    assert astad.gradient(f, 1.5, 1.5) == astad.gradient(f, 1.5, 1.5)


def test_recursion_takes_no_longer_backwards():
    check_gradient(lambda x: fibonacci(9, x), 1.1)
    assert astad.gradient(lambda x: fibonacci(40, x), 1.0)[0] > 1e8


def test_a_table_is_taken_from_pythons_own_cache():
    def f(x):
        at, weights = nodes(5)
        return np.sum(weights * np.exp(x * at))

    nodes.cache_clear()
    check_gradient(f, 0.5)
    assert nodes.cache_info().misses == 1


def test_recursion_over_captured_variables():
    def f(costs):
        @functools.cache
        def best(i, j):
            if i < 0 or j < 0:
                return 0.0
            return costs[i] * costs[j] + min(best(i - 1, j), best(i, j - 1)) * 0.5

        return best(len(costs) - 1, len(costs) - 1)

    check_gradient(f, np.array([1.0, 3.1, 2.3, 0.4]))
    check_gradient(f, [1.0, 2.5, 1.7, 3.9])


def test_what_is_handed_out_again_is_the_same_object():
    def f(x):
        first = listed(x)
        first[0] = first[0] * 2
        return listed(x)[0] * x

    assert astad.gradient(f, 1.5) == (13.5,)


def test_methods_and_cached_properties():
    class Model:
        def __init__(self, x):
            self.x = x

        @functools.cached_property
        def square(self):
            return self.x * self.x

    def f(x):
        scale, model = Scale(x), Model(x)
        y = scale.times(2) + scale.times(2) * scale.times(3)
        scale.x = x * x
        return y + scale.times(2) + scale.times(4) + model.square * model.square

    check_gradient(f, 1.5)


def test_an_int_that_was_looked_up_is_refused():
    @functools.cache
    def square(n):
        return n * n

    with pytest.raises(Unsupported):
        astad.gradient(lambda n: square(n) * square(n), 3)


def test_errors_are_pythons():
    with pytest.raises(TypeError, match="unhashable"):
        astad.gradient(lambda x: scaled([x]), 1.5)


class Held:
    def __init__(self, v):
        self.v = v


def test_object_that_was_cached_for_a_number_before():
    @functools.cache
    def made(v):
        return Held(v)

    def f(x):
        return made(x).v ** 2 * 2

    made(3.0)
    assert f(3.0) == 18.0
    with pytest.raises(Unsupported, match="cached before the differentiation"):
        gradient(f, 3.0)
    made.cache_clear()
    assert gradient(f, 3.0) == (12.0,)
    assert gradient(f, 3.0) == (12.0,)


def test_list_that_was_cached_for_a_number_before():
    @functools.lru_cache(maxsize=4)
    def made(v, n):
        return [v] * n

    made(3.0, 2)
    with pytest.raises(Unsupported, match="cached before the differentiation"):
        gradient(lambda x: sum(made(x, 2)), 3.0)
    assert gradient(lambda x: sum(made(x, 2)) * x, 4.0) == (16.0,)


def test_object_that_was_cached_for_a_constant_before():
    @functools.cache
    def made(v):
        return Held(v)

    made(2.0)
    assert gradient(lambda x: made(2.0).v * x * x, 3.0) == (12.0,)
    assert gradient(lambda x: made(2.0).v * x * x, 3.0) == (12.0,)


def test_object_that_was_cached_for_a_name_before():
    @functools.cache
    def made(name, n=2):
        return Held(float(n))

    made("first")
    assert gradient(lambda x: made("first").v * x, 3.0) == (2.0,)


def test_method_that_caches_objects_for_numbers():
    class Maker:
        @functools.cache
        def made(self, v):
            return Held(v)

    maker = Maker()
    maker.made(3.0)
    with pytest.raises(Unsupported, match="cached before the differentiation"):
        gradient(lambda x: maker.made(x).v ** 2, 3.0)
    assert gradient(lambda x: maker.made(x).v ** 2, 4.0) == (8.0,)
