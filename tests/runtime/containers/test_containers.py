from collections import deque, namedtuple
from operator import add, getitem, mul, setitem
from types import SimpleNamespace

import numpy as np

from astad.runtime.containers.containers import is_container_class, make_container
from astad.runtime.control.exceptions import make_exception
from astad.runtime.core.full_rules import full
from astad.runtime.language import build_list, build_set, build_tuple

Point = namedtuple("Point", "x y")


def test_displays_hand_each_number_its_slot(check):
    def program(do, x, y):
        t = do(build_tuple, x, do(mul, x, y), "text", True)
        l = do(build_list, do(getitem, t, 1), y, t)
        inner = do(getitem, do(getitem, l, -1), 0)
        return do(mul, do(getitem, l, 0), do(add, inner, do(getitem, l, 1)))

    check(program, 1.5, -0.7)


def test_same_number_twice_in_a_display(check):
    def program(do, x):
        t = do(build_tuple, x, x)
        return do(mul, do(getitem, t, 0), do(getitem, t, 1))

    check(program, 3.0, expected=[[6.0]])


def test_arrays_in_containers_move_nothing(check):
    def program(do, a, x):
        l = do(build_list, a, x)
        do(setitem, do(getitem, l, 0), 1, do(mul, x, do(getitem, a, 0)))
        return do(mul, do(getitem, a, 1), do(getitem, a, 2))

    check(program, np.array([2.0, 3.0, 5.0]), 7.0, expected=[[35.0, 0.0, 14.0], [10.0]])


def test_conversions_copy_slots(check):
    def program(do, l, t):
        a = do(tuple, l)
        b = do(list, t)
        do(setitem, b, 0, do(getitem, a, 1))
        c = do(list, do(deque, b))
        products = [do(mul, do(getitem, c, i), do(getitem, a, i)) for i in range(2)]
        return do(add, *products)

    check(program, [1.5, 2.5], (3.0, 4.0), expected=[[2.5, 5.5], [0.0, 2.5]])


def test_namedtuples_by_position_and_keyword(check):
    def program(do, x, y):
        p = do(Point, x, y=do(mul, x, y))
        q = do(Point, y=x, x=y)
        return do(mul, do(getattr, p, "y"), do(getattr, q, "y"))

    check(program, 1.5, -0.5)


def test_sets_are_keyed_by_value(check):
    def program(do, x, y):
        s = do(build_set, x, y)
        return do(sum, do(set, do(tuple, s)))

    check(program, 1.5, -0.5, expected=[[1.0], [1.0]])


def test_deque_of_bounded_length_keeps_the_last(check):
    def program(do, l):
        d = do(deque, l, maxlen=2)
        return do(mul, do(getitem, d, 0), do(getitem, d, -1))

    check(program, [2.0, 3.0, 5.0], expected=[[0.0, 5.0, 3.0]])


def test_classes_of_lists_dicts_sets_and_deques(check, written):
    class Pairs(list):
        @written
        def __init__(do, self, xs):
            do(list.__init__, self, xs)
            do(list.append, self, do(getitem, self, 0))

    class Record(dict):
        pass

    class Window(deque):
        pass

    class Bag(set):
        pass

    def new(cls):
        def construct(*args, **keywords):
            return cls(*args, **keywords)

        full(construct)(lambda versions, *a, **k: make_container(versions, cls, *a, **k))
        return construct

    def program(do, l, x):
        p = do(new(Pairs), l)
        r = do(new(Record), {"a": 2.0}, b=do(mul, x, x))
        w = do(new(Window), p, maxlen=2)
        s = do(sum, do(new(Bag), p))
        first = do(mul, do(getitem, p, 2), do(getitem, r, "b"))
        return do(mul, first, do(mul, do(getitem, w, 0), s))

    check(program, [2.0, 3.0], 1.5)
    assert all(map(is_container_class, (Pairs, Record, Window, Bag)))
    assert not is_container_class(Point)


def test_exceptions_hold_their_operands(check, written):
    class Found(Exception):
        @written
        def __init__(do, self, x, scale):
            do(setattr, self, "y", do(mul, x, scale))

    def new(cls):
        def construct(*args):
            return cls(*args)

        full(construct)(lambda versions, *args: make_exception(versions, cls, *args))
        return construct

    def program(do, x):
        e = do(new(Found), x, 2.0)
        plain = do(new(ValueError), "text", do(mul, x, x))
        args = do(getattr, e, "args")
        total = do(mul, do(getitem, args, 0), do(getattr, e, "y"))
        return do(mul, total, do(getitem, do(getattr, plain, "args"), 1))

    check(program, 1.5)


def test_namespaces(check):
    def program(do, x):
        n = do(SimpleNamespace, a=x, b=do(mul, x, x))
        return do(mul, do(getattr, n, "a"), do(getattr, n, "b"))

    check(program, 1.5)
