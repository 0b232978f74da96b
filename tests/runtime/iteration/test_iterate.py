from collections import deque
from operator import add, getitem, mul, setitem

import numpy as np
import pytest

from astad.errors import Unsupported
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import deliver, gather, iterate
from astad.runtime.language import build_list, build_set, build_tuple


def cubes(do, iterable):
    """Sum of k * v**3 over an iterable, which tells the order."""
    total, k = 0.0, 1.0
    for v in do.loop(iterable):
        total = do(add, total, do(mul, k, do(mul, v, do(mul, v, v))))
        k += 1.0
    return total


@pytest.mark.parametrize("kind", [list, tuple, deque, iter, reversed, np.array])
def test_elements_go_back_to_their_place(check, kind):
    def program(do, l):
        return cubes(do, do(kind, l))

    check(program, [2.0, 3.0, 5.0])


def test_a_list_that_grows_while_it_is_walked(check):
    def program(do, l, x):
        total = x
        for v in do.loop(l):
            if len(do.value(l)) < 5:
                do(list.append, l, do(mul, v, x))
            total = do(add, total, do(mul, v, v))
        return total

    check(program, [2.0, 3.0], 1.5)


def test_rows_of_an_array_are_written(check):
    def program(do, a, x):
        for row in do.loop(a):
            do(setitem, row, 0, do(mul, do(getitem, row, 1), x))
        return do(np.sum, do(mul, a, a))

    check(program, np.array([[2.0, 3.0], [5.0, 7.0]]), 1.5)


def test_half_consumed_iterators(check):
    def program(do, l):
        it = do(iter, l)
        first = do(next, it)
        for v in do.loop(it):
            first = do(mul, first, v)
            break
        rest = cubes(do, it)
        return do(add, do(mul, first, rest), do(next, it, first))

    check(program, [2.0, 3.0, 5.0, 7.0])


def test_views_of_dicts_and_their_iterators(check):
    def program(do, d):
        total = cubes(do, do(dict.values, d))
        it = do(iter, do(dict.values, d))
        total = do(mul, total, do(next, it))
        total = do(add, total, cubes(do, it))
        for pair in do.loop(do(reversed, do(dict.items, d))):
            total = do(mul, total, do(getitem, pair, 1))
        return do(add, total, cubes(do, do(reversed, do(dict.values, d))))

    check(program, {"a": 2.0, "b": 3.0, "c": 0.5})


def test_sets(check):
    def program(do, x, y):
        return cubes(do, do(iter, do(build_set, x, do(mul, x, y))))

    check(program, 1.5, -0.7)


def test_iterators_of_a_class_of_the_users(check, written):
    class Countdown:
        def __init__(self, x):
            self.x = x

        @written
        def __iter__(do, self):
            do(setattr, self, "n", 3)
            return self

        @written
        def __next__(do, self):
            if do.value(do(getattr, self, "n")) == 0:
                raise StopIteration
            do(setattr, self, "n", do.value(do(getattr, self, "n")) - 1)
            do(setattr, self, "x", do(mul, do(getattr, self, "x"), 1.5))
            return do(getattr, self, "x")

    def program(do, c, y):
        return do(mul, cubes(do, c), y)

    check(program, Countdown(2.0), 0.5)


def test_classes_with_getitem_only(check, written):
    class Squares:
        def __init__(self, x):
            self.x = x

        @written
        def __getitem__(do, self, i):
            if do.value(i) > 2:
                raise IndexError
            return do(mul, do(getattr, self, "x"), do.value(i) + 1.0)

        def __len__(self):
            return 3

    def program(do, s):
        return do(mul, cubes(do, do(iter, s)), cubes(do, do(reversed, s)))

    check(program, Squares(1.5))


def test_strings_and_ranges_have_no_routes():
    for iterable in ("aé", range(3), b"ab", iter("ab"), iter(range(3)), [None, "a"], [True]):
        assert all(route is None for _, route in iterate(Versions(), iterable))


def test_a_generator_is_refused_when_a_cotangent_arrives():
    x = 2.0
    items, routes = gather(Versions(), (x * k for k in (1.0, 2.0)))
    assert items == [2.0, 4.0]
    deliver(Shadows(), routes[0], None)
    with pytest.raises(Unsupported, match="generator"):
        deliver(Shadows(), routes[1], 1.0)


def test_an_array_from_a_generator_is_refused_when_a_cotangent_arrives():
    ((a, route),) = iterate(Versions(), (np.ones(2) for _ in range(1)))
    shadows = Shadows()
    deliver(shadows, route, None)
    shadows.add(a, np.ones(2))
    with pytest.raises(Unsupported, match="generator"):
        deliver(shadows, route, None)


def test_a_dict_that_changes_its_size():
    d = {"a": 1.0}
    for source in (iter, dict.values, lambda d: iter(d.values()), dict.items):
        feed = iterate(Versions(), source(d))
        next(feed)
        d[len(d)] = 1.0
        with pytest.raises(RuntimeError, match="changed size"):
            list(feed)


def test_what_cannot_be_iterated_raises_pythons_error():
    for o in (3.0, np.array(1.0), None):
        with pytest.raises(TypeError) as plain:
            iter(o)
        with pytest.raises(TypeError) as run:
            list(iterate(Versions(), o))
        assert str(run.value) == str(plain.value)


def test_elements_of_displays(check):
    def program(do, x):
        total = x
        for pair in do.loop(do(build_list, do(build_tuple, x, 2.0), do(build_tuple, 3.0, x))):
            total = do(mul, total, do(add, do(getitem, pair, 0), do(getitem, pair, 1)))
        return total

    check(program, 1.5)
