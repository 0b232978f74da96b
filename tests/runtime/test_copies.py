import copy
from operator import add, getitem, mul, setitem

import numpy as np

from astad.runtime.dispatch import call, pull
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions


class Node:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


class Holder:
    def __init__(self, x, rest):
        self.x, self.rest = x, rest


def test_copy_of_a_list_is_another_list(check):
    def program(do, l):
        c = do(copy.copy, l)
        d = do(list.copy, l)
        do(setitem, c, 0, do(mul, do(getitem, l, 0), do(getitem, l, 1)))
        return do(mul, do(getitem, c, 0), do(add, do(getitem, l, 0), do(getitem, d, 0)))

    check(program, [1.5, 2.5])


def test_deepcopy_of_nested_data(check):
    def program(do, data):
        c = do(copy.deepcopy, data)
        a = do(getitem, c, 0)
        do(setitem, a, 0, do(getitem, do(getitem, c, 1), 0))
        old = do(getitem, do(getitem, data, 0), 0)
        return do(mul, do(getitem, a, 0), do(mul, do(getitem, a, 1), old))

    check(program, [np.array([1.5, 2.5]), [3.0]], expected=[[7.5, 4.5, 3.75]])


def test_objects(check):
    def program(do, o, x):
        shallow, deep = do(copy.copy, o), do(copy.deepcopy, o)
        do(setattr, shallow, "x", do(mul, do(getattr, shallow, "x"), x))
        do(setitem, do(getattr, shallow, "rest"), 0, x)  # shared with the original
        first = do(mul, do(getattr, shallow, "x"), do(getattr, o, "x"))
        second = do(mul, do(getattr, deep, "x"), do(getitem, do(getattr, deep, "rest"), 0))
        return do(mul, do(mul, first, second), do(getitem, do(getattr, o, "rest"), 0))

    check(program, Holder(2.0, [3.0, 5.0]), 1.5)


def test_slots_and_numbers():
    node = Node(2.0)
    for fn in (copy.copy, copy.deepcopy):
        made, record = call(Versions(), fn, node)
        y, read = call(Versions(), getattr, made, "x")
        shadows = Shadows()
        pull(shadows, read, 3.0, 2)
        pull(shadows, record, None, 1)
        assert shadows.key_take(node, "x") == 3.0
    y, record = call(Versions(), copy.deepcopy, 2.0, {})
    assert list(pull(Shadows(), record, 3.0, 2)) == [3.0, None]


def test_a_class_that_copies_itself(check, written):
    class Scaled:
        def __init__(self, x):
            self.x = x

        @written
        def __copy__(do, self):
            made = do(object.__new__, Scaled)
            do(setattr, made, "x", do(mul, do(getattr, self, "x"), 3.0))
            return made

    def program(do, o):
        return do(mul, do(getattr, do(copy.copy, o), "x"), do(getattr, o, "x"))

    check(program, Scaled(2.0))


def test_a_class_with_a_state_of_its_own(check, written):
    class Odd:
        def __init__(self, x):
            self.x = x

        @written
        def __getstate__(do, self):
            return do(dict, x=do(mul, do(getattr, self, "x"), 3.0))

    def program(do, pair):
        made = do(copy.deepcopy, do(copy.copy, pair))
        return do(mul, do(getattr, made, "x"), do(getattr, pair, "x"))

    check(program, Odd(2.0))


def test_arrays(check):
    def program(do, a, x):
        b = do(copy.deepcopy, do(getitem, a, slice(1, None)))
        c = do(copy.copy, a)
        do(setitem, a, 1, x)
        return do(np.sum, do(mul, b, do(add, do(getitem, c, slice(1, None)), do(getitem, a, 1))))

    check(program, np.array([2.0, 3.0, 5.0]), 1.5)
