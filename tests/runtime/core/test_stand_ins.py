"""One object that is passed twice is one object to the program, whatever asks."""

import copy
import operator

import numpy as np
import pytest

import astad
from astad import gradient, jvp, pullback
from astad.errors import Unsupported


class Holder:
    def __init__(self, w):
        self.w = w


class ByValue(Holder):
    def __eq__(self, other):
        return self.w == other.w

    def __hash__(self):
        return hash(self.w)


ARRAY = np.array([1.0, 2.0])


def by_is(x, y):
    return np.sum(x * y) if x is y else np.sum(x**3 + y)


def by_is_not(x, y):
    if x is not y:
        return np.sum(x**3 + y)
    return np.sum(x * y)


def by_id(x, y):
    return np.sum(x * y) if id(x) == id(y) else np.sum(x**3 + y)


def by_key(x, y):
    names = {id(x): "first"}
    return np.sum(x * y) if id(y) in names else np.sum(x**3 + y)


def by_operator(x, y):
    return np.sum(x * y) if operator.is_(x, y) else np.sum(x**3 + y)


def by_map(x, y):
    return np.sum(x * y) if all(map(operator.is_, [x], [y])) else np.sum(x**3 + y)


def by_any(x, y):
    return np.sum(x * y) if any(x is each for each in [1.0, y]) else np.sum(x**3 + y)


def by_memory(x, y):
    return np.sum(x * y) if np.shares_memory(x, y) else np.sum(x**3 + y)


def by_inner_function(x, y):
    def is_first(p):
        return p is x

    return np.sum(x * y) if is_first(y) else np.sum(x**3 + y)


def by_starred(*values):
    return np.sum(values[0] * values[1]) if values[0] is values[1] else np.sum(values[0])


PROGRAMS = [
    by_is, by_is_not, by_id, by_key, by_operator, by_map, by_any, by_memory, by_inner_function,
    by_starred,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_an_array_that_is_passed_twice(f):
    y, back = pullback(f, ARRAY, ARRAY)
    assert y == f(ARRAY, ARRAY) == 5.0
    for x_bar, y_bar in (back(1.0), gradient(f, ARRAY, ARRAY)):
        assert x_bar.tolist() == [1.0, 2.0]
        assert y_bar.tolist() == [1.0, 2.0]
    assert jvp(f, (ARRAY, ARRAY), (np.ones(2), np.zeros(2))) == (5.0, 3.0)
    other = ARRAY.copy()
    assert pullback(f, ARRAY, other)[0] == f(ARRAY, other) != 5.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: x[0] * y[1] if x is y else x[0] ** 3,
        lambda x, y: x[0] * y[1] if id(x) == id(y) else x[0] ** 3,
        lambda x, y: x[0] * y[1] if any(each is y for each in (x, 2)) else x[0] ** 3,
    ],
)
def test_a_list_that_is_passed_twice(f):
    shared = [3.0, 2.0]
    y, back = pullback(f, shared, shared)
    assert y == 6.0
    assert back(1.0) == gradient(f, shared, shared) == ([2.0, 0.0], [0.0, 3.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: x.w * 3 if x is y else y.w**2,
        lambda x, y: x.w * 3 if x == y else y.w**2,
        lambda x, y: y.w**2 if x != y else x.w * 3,
        lambda x, y: x.w * 3 if x in [2.0, y] else y.w**2,
        lambda x, y: x.w * 3 if y in {x.w: 1, "a": 2} or hash(x) == hash(y) else y.w**2,
        lambda x, y: x.w * (2 + [2.0, x].index(y)),
        lambda x, y: x.w * 3 if [x, 1.0] == [y, 1.0] else y.w**2,
        lambda x, y: x.w * (2 + (x, 2.0).count(y)),
    ],
)
def test_an_object_that_is_passed_twice(f):
    shared = Holder(2.0)
    y, back = pullback(f, shared, shared)
    assert y == 6.0
    for first, second in (back(1.0), gradient(f, shared, shared)):
        assert first.w == 3.0
        assert not second.w


def test_a_dict_beside_what_it_holds():
    def f(params, w):
        return np.sum(params["w"] * w) if params["w"] is w else np.sum(w**3)

    y, back = pullback(f, {"w": ARRAY}, ARRAY)
    params_bar, w_bar = back(1.0)
    assert y == 5.0
    assert params_bar["w"].tolist() == w_bar.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("x", [ARRAY, [1.0, 2.0]])
def test_what_a_hook_hands_on_is_the_same_object(x):
    def f(x):
        y = astad.hook(lambda bar: bar, x)
        return np.sum(x) if y is x else np.sum(x) * 7

    y, back = pullback(f, x)
    assert y == 3.0
    assert list(back(1.0)[0]) == [1.0, 1.0]


def test_an_array_and_the_view_of_which_it_is_the_base():
    def f(x, y):
        return np.sum(x * y) if x.base is y else np.sum(x)

    y, back = pullback(f, ARRAY[:], ARRAY)
    assert y == 5.0
    with pytest.raises(Unsupported, match="what an array that is passed twice is a view of"):
        pullback(lambda x, y: np.sum(x * y) if y.base is x else np.sum(x), ARRAY, ARRAY[:])


def test_the_memory_of_a_view_of_a_copy():
    with pytest.raises(Unsupported, match="a view of an array that is passed twice"):
        pullback(lambda x, y: np.sum(x) if np.shares_memory(x, y[:1]) else 0.0, ARRAY, ARRAY)


def test_objects_that_compare_by_value_are_keys():
    def f(x, y):
        return x.w * len({x, y}) + {x: 3.0}[y] * y.w

    shared = ByValue(2.0)
    y, back = pullback(f, shared, shared)
    assert y == f(shared, shared) == 8.0
    assert [bar.w for bar in back(1.0)] == [1.0, 3.0]


@pytest.mark.parametrize("shared", [ARRAY, [1.0, 2.0], Holder(2.0)])
def test_a_deep_copy_of_both(shared):
    def f(x, y):
        first, second = copy.deepcopy([x, y])
        return 1.0 if first is second else 2.0

    with pytest.raises(Unsupported, match="that is passed twice"):
        pullback(f, shared, shared)


def test_a_deep_copy_of_one():
    def f(x, y):
        first, second = copy.deepcopy([x, x])
        return np.sum(first * y) if first is second else 0.0

    assert pullback(f, ARRAY, ARRAY)[0] == 5.0
    assert [bar.tolist() for bar in gradient(f, ARRAY, ARRAY)] == [[1.0, 2.0], [1.0, 2.0]]


LAID_OUT = {
    "repeated": np.broadcast_to(np.arange(3.0), (2, 3)),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "reversed": np.arange(6.0).reshape(2, 3)[::-1],
    "windows": np.lib.stride_tricks.sliding_window_view(np.arange(4.0), 3),
}


def laid_out(x, y, z):
    told = x.strides[0] + 2 * y.strides[0] + 5 * np.sin(y).strides[0]
    for each in x.flags, y.flags:
        told = 10 * told + 4 * each.c_contiguous + 2 * each.writeable + each.owndata
    return np.sum(x * y) * z * told + y.ravel("K")[1]


@pytest.mark.parametrize("x", LAID_OUT.values(), ids=LAID_OUT)
def test_layout_of_what_a_copy_stands_in_for(x):
    y, back = pullback(laid_out, x, x, 2.0)
    assert y == laid_out(x, x, 2.0)
    assert back(1.0)[2] == laid_out(x, x, 1.0) - laid_out(x, x, 0.0)


@pytest.mark.parametrize(
    "told",
    [
        lambda x: x[1:].strides[0],
        lambda x: x.T.flags.c_contiguous,
        lambda x: x.data.strides[0],
        lambda x: x.ctypes.strides[0],
        lambda x: x.__array_interface__["strides"][0],
        lambda x: np.lib.stride_tricks.as_strided(x, (2,), (8,))[1],
        lambda x: np.isfortran(x[:, 1:]),
    ],
)
def test_layout_that_a_copy_does_not_have(told):
    repeated = np.broadcast_to(np.arange(3.0), (2, 3))
    with pytest.raises(Unsupported, match="a copy stands in for the array"):
        pullback(lambda x, y: np.sum(x) * told(x) * y, repeated, 2.0)


def test_layout_of_a_view_of_a_copy_that_lies_as_the_array():
    fortran = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    assert pullback(lambda x, y: np.sum(x * y) * y[1:].strides[1], fortran, fortran)[0] == 55 * 16
