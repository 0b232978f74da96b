"""Calls: order of arguments, stars, methods, super, generator expressions."""

from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function

from .loud import Loud, say


def test_arguments_run_left_to_right(same):
    def f(o):
        return say(o)(say(1), *say((2, 3)), say(4), k=say(5), **say({"z": 6}), j=say(7))

    same(f, Loud("o"))


def test_method_is_looked_up_before_its_arguments_run(same):
    def f(o):
        return o.m(say(1), o.n(say(2)), k=say(3)).p(4)

    same(f, Loud("o"))


def test_star_and_double_star_are_read_before_later_arguments_change_them(same):
    def f(xs, d):
        return dict(a=1, **d, b=d.pop("x")), max(*xs, xs.pop(), key=lambda v: v), max(*xs, *xs)

    same(f, [1, 5, 2], {"x": 3})


def test_star_after_keyword_runs_first(same):
    def f(o):
        return o(k=say(1), *say([2]))

    same(f, Loud("o"))


def test_method_without_calls_in_its_arguments_is_one_operation():
    def f(o, a):
        return o.scale(a * 2.0, a.b, [a], by=-1.0)

    assert show(lower_function(f)) == (
        "t_1 = a * 2.0\nt_2 = a.b\nt_3 = [a]\nt_4 = o.scale(t_1, t_2, t_3, by=-1.0)\nreturn t_4"
    )


def test_errors_of_calls(same):
    def f(o, x):
        return o(x)

    same(f, 3, 1)
    same(f, len, 1)

    def g(x):
        return x.no_such(1)

    same(g, 1)


class Base:
    def __init__(self):
        self.__seed = 3

    def scale(self, x):
        return x * self.__seed

    def __repr__(self):
        return f"Base({self.__seed})"


class Derived(Base):
    def scale(self, x):
        return super().scale(x) + 1 + super(Derived, self).scale(x)

    def rebound(self, x):
        y = [lambda: self]
        return super().scale(x), __class__.__name__, y[0]() is self

    def __private(self, x):
        return x + 1

    def private(self, x):
        __y = self.__private(x)
        return __y, [__z for __z in (x,)], (lambda __w=x: __w)()


def test_super_without_arguments(same):
    assert same(Derived.scale, Derived(), 2) == "13"
    same(Derived.rebound, Derived(), 2)


def test_private_names(same):
    same(Base.scale, Base(), 2)
    same(Derived.private, Derived(), 2)


def test_super_of_an_own_name_is_that_name(same):
    def f(x):
        super = lambda: x
        return super()

    same(f, 3)
