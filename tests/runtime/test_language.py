from operator import add, getitem, mul, setitem

import numpy as np
import pytest

import astad
from astad.runtime import language
from astad.runtime.core.versions import Versions
from astad.runtime.dispatch import call
from astad.runtime.language import (
    build_list,
    build_tuple,
    call_method,
    cell_get,
    cell_new,
    cell_set,
    list_append,
    set_add,
    unpack,
)


def parts(do, t, n):
    return [do(getitem, t, i) for i in range(n)]


@pytest.mark.parametrize("kind", [tuple, list, np.array, iter])
def test_unpacking(check, kind):
    def program(do, l):
        a, b, c = parts(do, do(unpack, do(kind, l), 3, None), 3)
        return do(mul, a, do(mul, b, do(mul, b, c)))

    check(program, [2.0, 3.0, 5.0])


@pytest.mark.parametrize("star", [0, 1, 2])
def test_starred_unpacking(check, star):
    def program(do, l):
        a, b, c = parts(do, do(unpack, l, 3, star), 3)
        total = do(getitem, (a, b, c)[star], 0)
        for k, part in enumerate((a, b, c)):
            total = do(mul, total, total if k == star else part)
        return do(add, total, do(getitem, (a, b, c)[star], -1))

    check(program, [2.0, 3.0, 5.0, 7.0])


def test_a_list_unpacked_into_itself(check):
    def program(do, l):
        a, b = parts(do, do(unpack, l, 2, None), 2)
        do(setitem, l, 0, b)
        do(setitem, l, 1, do(mul, a, b))
        return do(mul, do(getitem, l, 0), do(mul, do(getitem, l, 1), a))

    check(program, [2.0, 3.0])


@pytest.mark.parametrize(
    "value, source",
    [
        ([1.0], "a, b = value"), ([1.0] * 3, "a, b = value"), ((1.0,), "a, b = value"),
        (3.0, "a, b = value"),
        (iter([1.0, 2.0, 3.0]), "a, b = value"), ([], "a, *b = value"), (None, "a, *b = value"),
    ],
)  # fmt: skip
def test_wrong_lengths_raise_pythons_error(value, source):
    star = 1 if "*" in source else None
    with pytest.raises((TypeError, ValueError)) as run:
        call(Versions(), unpack, iter([1.0] * 3) if hasattr(value, "__next__") else value, 2, star)
    with pytest.raises(type(run.value)) as plain:
        exec(source, {"value": value})
    assert str(run.value) == str(plain.value)


def test_cells(check):
    def program(do, x, y):
        cell = do(cell_new, x)
        empty = do(cell_new)
        do(cell_set, empty, do(mul, do(cell_get, cell, "v"), y))
        do(cell_set, cell, do(mul, do(cell_get, empty, "w"), x))
        return do(mul, do(cell_get, cell, "v"), do(cell_get, empty, "w"))

    check(program, 1.5, -0.7)


def test_an_empty_cell_raises_pythons_error():
    with pytest.raises(NameError, match="free variable 'x'"):
        call(Versions(), cell_get, call(Versions(), cell_new)[0], "x")


def test_comprehensions(check):
    def program(do, l, x):
        made, numbers = do(build_list), do(language.build_set)
        for v in do.loop(l):
            do(list_append, made, do(mul, v, x))
            do(set_add, numbers, do(mul, v, x))
        return do(mul, do(getitem, made, 1), do(sum, numbers))

    check(program, [2.0, 3.0], 1.5)


def test_calls_of_methods(check, written):
    class Model:
        def __init__(self, w):
            self.w = w
            self.fn = None

        @written
        def scaled(do, self, x, *, by):
            do(setattr, self, "w", do(mul, do(getattr, self, "w"), by))
            return do(mul, do(getattr, self, "w"), x)

    def program(do, m, l, x):
        do(call_method, l, "append", do(call_method, m, "scaled", x, by=2.0))
        do(call_method, l, "insert", 0, x)
        y = do(call_method, m, "scaled", do(call_method, l, "pop"), by=x)
        return do(
            mul, y, do(mul, do(getitem, l, 0), do(call_method, l, "index", do(getitem, l, 1)))
        )

    check(program, Model(3.0), [2.0], 1.5)


def test_methods_of_numbers_and_of_text():
    assert call(Versions(), call_method, "a,b", "split", ",") == (["a", "b"], None)
    assert call(Versions(), call_method, 2.0, "is_integer") == (True, None)


def test_methods_of_arrays(check):
    def program(do, a):
        return do(mul, do(call_method, a, "sum"), do(getitem, do(call_method, a, "reshape", -1), 0))

    check(program, np.array([[2.0, 3.0]]))


def test_text_is_inert():
    assert call(Versions(), language.format_value, 1.5, None, ".2f") == ("1.50", None)
    assert call(Versions(), language.format_value, 1.5, None, "")[0] == "1.5"
    assert call(Versions(), language.format_value, "a", "r", "") == ("'a'", None)
    assert call(Versions(), language.join, "a", "b") == ("ab", None)
    assert call(Versions(), language.not_contains, [1.0], 2.0) == (True, None)


def test_arrays_taken_apart(check):
    def program(do, a):
        x, y = parts(do, do(unpack, a, 2, None), 2)
        do(setitem, x, 0, do(getitem, y, 1))
        t = do(build_tuple, x, y)
        return do(np.sum, do(mul, do(getitem, t, 0), do(getitem, t, 1)))

    check(program, np.array([[2.0, 3.0], [5.0, 7.0]]))


def test_names_that_are_not_bound_yet():
    with pytest.raises(NameError, match="free variable 'x'") as caught:
        language.cell_get(language.cell_new(), "x")
    assert type(caught.value) is NameError
    with pytest.raises(UnboundLocalError, match="local variable 'x'"):
        language.cell_get_local(language.cell_new(), "x")


class Signal:
    def __getitem__(self, span):
        return span.start**2 + 3 * span.stop


SIGNAL = Signal()


def grid(a, b):
    return np.sum(np.mgrid[a:b:3j] ** 2)


def ranged(a, b):
    return np.sum(np.r_[a:b:3j, a] ** 2)


def by_hand(a, b):
    s = slice(a, b)
    return s.start * s.stop


def by_method(a, b):
    return SIGNAL[a:b] * SIGNAL[b:2.0]


def twice(a, b):
    s = slice(a)
    return s.stop * s.stop + b


def looped(a, b):
    total = 0.0
    for k in range(3):
        total = total + np.sum(np.mgrid[a * k : b + k : 2j])
    return total


@pytest.mark.parametrize("f", [grid, ranged, by_hand, by_method, twice, looped])
def test_ends_that_are_floats(f):
    step = 1e-6
    g = astad.gradient(f, 0.7, 1.9)
    for k in (0, 1):
        up, down = [0.7, 1.9], [0.7, 1.9]
        up[k] += step
        down[k] -= step
        assert g[k] == pytest.approx((f(*up) - f(*down)) / (2 * step), rel=1e-6)


def test_a_constant_slice_among_moving_values():
    g = astad.gradient(lambda x: np.sum(np.mgrid[0.0:1.0:3j] * x), 2.0)
    assert g == (1.5,)


def test_places_carry_nothing():
    (g, none) = astad.gradient(lambda x, i: np.sum(x[i:]), np.arange(3.0), 1)
    assert none is None and g.tolist() == [0.0, 1.0, 1.0]


def test_ints_at_the_ends_of_a_number_of_points():
    def f(k, n):
        return np.sum(np.r_[k:n:3j] * np.arange(3.0)) + np.sum(np.mgrid[k:n:3j])

    assert astad.gradient(f, 1, 5) == astad.gradient(f, 1.0, 5.0)
