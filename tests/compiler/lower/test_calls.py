"""Calls: order of arguments, stars, methods, super, generator expressions.

Calls, assignments and displays that consume a generator expression where it is written.

reduce, min and max over generator expressions, where a function runs between two items.
"""

import collections
import functools
import math
import operator
import statistics

import numpy as np
import pytest

from astad import gradient
from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function
from astad.errors import Unsupported
from astad.testing import check_gradient

from ...fuzz.verdicts import load
from .loud import Loud, say, told


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


def test_unpacking_draws_first(same):
    def f(xs, d):
        r, g, b = (say(c) for c in told(xs))
        first, *d["rest"] = (say(c) for c in xs)
        [a, (p, *q)] = (c for c in (xs, xs))
        xs[:2] = (say(xs[0] + x) for x in xs)
        return r, g, b, first, d, a, p, q, xs

    same(f, [1, 2, 3], {})
    same(f, [1, 2], {})


def test_stars_in_calls_and_displays(same):
    def f(xs):
        def g(*args, **named):
            return args, named

        a = g(say(0), *(say(x) for x in told(xs)), say(1), k=say(2))
        b = g(*(say(x) for x in told(xs)), k=say(2), **say({"z": 1}))
        c = [say(0), *(say(x) for x in told(xs)), say(1)], {*(x for x in xs)}
        return a, b, c, (*map(say, (x for x in xs)),)

    same(f, [1, 2, 3])


def test_a_lone_star_is_read_after_the_keywords(same):
    def f(xs):
        def g(*args, **named):
            return args, named

        return g(*xs, k=xs.pop()), g(0, *xs, k=xs.pop()), g(*told(xs), k=say(4))

    same(f, [1, 2, 3, 4])


def test_what_reads_to_the_end_first(same):
    def f(xs):
        return (
            sum((say(x) for x in told(xs)), start=say(10)),
            sorted((say(x) for x in told(xs)), key=say, reverse=True),
            min((say(x) for x in xs), default=say(3)),
            max((say((x, 1)) for x in xs), key=operator.itemgetter(0)),
            max((say(x) for x in xs), key=abs),
            math.dist((say(x) for x in told(xs)), (say(x + 1) for x in told(xs))),
            np.fromiter((say(x) for x in told(xs)), float),
            np.array(list(say(x) for x in told(xs))),
            collections.deque((say(x) for x in told(xs)), 2),
            collections.Counter(say(x) for x in told(xs)),
            collections.OrderedDict((say(x), 1) for x in told(xs)),
            collections.defaultdict(list, ((say(x), 1) for x in told(xs))),
            statistics.fmean(say(x) for x in told(xs)),
            "".join(map(str, (say(x) for x in told(xs)))),
        )

    same(f, [1, 2, 3])


class Vector(tuple):
    def scaled(self, k):
        return Vector(say(x * k) for x in self)


class Row(list):
    def __init__(self, items):
        super().__init__(items)


def test_classes_that_make_themselves_as_a_tuple_does(same):
    same(Vector.scaled, Vector([1, 2]), 3)

    def f(xs):
        return Row(x for x in xs)

    assert "iterator(xs)" in show(lower_function(f))


def test_each_item_is_there_before_the_next_is_computed(same):
    def f(xs, d, s, e):
        xs.extend(say(len(xs) + x) for x in told([1, 2]))
        d.update((k, d.get(1, 0) + k) for k in [1, 1, 2, 1])
        s.update(x for x in xs if x not in s)
        e.extend(e[-1] + x for x in xs)
        e.extendleft(e[-1] + x for x in xs)
        return xs.extend(x for x in []), xs, d, s, e

    same(f, [1, 2], {}, {2}, collections.deque([1], 5))

    def g(x):
        x.extend(y for y in [1])

    same(g, None)


def test_growing_something_unknown_is_an_error_when_it_runs():
    from astad import gradient

    class Bag:
        def extend(self, items):
            self.items = list(items)

    def f(x):
        bag = Bag()
        bag.extend(x * y for y in (1.0, 2.0))
        return bag.items[1]

    with pytest.raises(Unsupported, match=r"Bag\.extend: a call with a generator expression"):
        gradient(f, 3.0)


@pytest.mark.parametrize("xs", [[], [1], [2, 1, 3]])
def test_next_draws_one(same, xs):
    def f(xs, a):
        b = next((say(x) for x in told(xs) if x > 1), say(None))
        c = next((say((x, y)) for x in told(xs) for y in told(xs) if y > 1), 0)
        a = next((a + x for x in xs if x > a), 5)
        d = next((i for i, x in enumerate(say(x) for x in told(xs)) if x == 1), None)
        return a, b, c, d

    same(f, xs, 1)

    def g(xs):
        return next(say(x) for x in told(xs) if x > 1)

    same(g, xs)


def test_any_and_all_of_what_map_gives(same):
    def f(xs):
        return any(map(say, (x > 1 for x in told(xs)))), all(map(say, (x < 3 for x in told(xs))))

    same(f, [1, 2, 3])


@pytest.mark.parametrize(
    "case",
    [
        lambda xs, o: o.keep(x for x in xs),
        lambda xs: np.array(x for x in xs),
        lambda xs: np.fromiter((x for x in xs), float, 2),
        lambda xs: np.fromiter((x for x in xs), float, count=2),
        lambda xs: min((x for x in xs), 3),
        lambda xs, words: max((x for x in xs), **words),
        lambda xs: xs.extend((x for x in xs), 1),
        lambda xs: (x for x in xs),
        lambda xs: [(x for x in xs)],
    ],
)
def test_what_may_ask_later_or_stop_early_gets_a_generator(case):
    assert "function(('<genexpr>', 0, 0))" in show(lower_function(case))


def test_gradient_through_each_form():
    from astad.testing import check_gradient

    def f(xs):
        r, *rest = (3.0 * x for x in xs)
        ys = [r]
        ys.extend(ys[-1] * x for x in rest)
        d = {1: r}
        d.update((1, d[1] * x) for x in rest)
        total = next(x * x for x in xs if x > 1.1)
        for y in (x * z for x in xs for z in rest):
            if y > 11.0:
                break
            total = total * 0.5 + y
        return total + ys[-1] * d[1] + max((x * x for x in xs), key=lambda v: -v)

    check_gradient(f, [1.5, 1.2, 2.0])


@pytest.mark.parametrize("xs", [[], [1, 2, 3], [3, 0, 1]])
def test_builtins_over_generator_expressions(same, xs):
    def f(xs):
        return (
            sum(say(x) * 2 for x in xs),
            sum((x for x in xs), 0.5),
            list(x for x in xs if x),
            tuple(x for x in xs),
            set(x for x in xs) == frozenset(x for x in xs),
            sorted((x for x in xs), reverse=True),
            dict((x, x) for x in xs),
            max((x for x in xs), default=None),
            math.fsum(x for x in xs),
            math.prod(x for x in xs),
            ", ".join(str(x) for x in xs),
        )

    same(f, xs)


@pytest.mark.parametrize("xs", [[], [[1]], [[], [1, 0], [2]], [[0], [0, 0]]])
def test_any_and_all_stop_where_they_are_decided(same, xs):
    def f(xs):
        a = any(say(x) for ys in xs for x in ys)
        a = a, all(say(x) for ys in xs if ys for x in ys if x < 3)
        return a, any(a[0] for _ in xs)

    same(f, xs)


def test_anything_else_is_given_a_generator():
    def f(o, xs):
        return o(x for x in xs)

    def g(xs):
        return (x for x in xs)

    def h(xs, sum):
        return sum(x for x in xs)

    for each in (f, g, h):
        assert "function(('<genexpr>', 1, 0))" in show(lower_function(each))


UPDATE = """
def update(values):
    total = 0.0
    for value in values:
        if total > 10.0:
            break
        total = total + value * value
    return total
"""
USER = """
import itertools
import running_totals

def f(x):
    return running_totals.update(x * k for k in itertools.count())
"""


def test_a_function_of_a_module_that_has_the_name_of_a_method(tmp_path):
    load(UPDATE, tmp_path, "running_totals")
    found = gradient(load(USER, tmp_path, "user_of_totals").f, 1.5)
    assert abs(found[0] - 2.0 * 1.5 * (1.0 + 4.0)) < 1e-12


def test_stars_and_products_of_lazy_arguments():
    def f(xs, y):
        rows = list(zip((x * y for x in xs), *[xs]))
        return max(*(x * y for x in xs)) * rows[0][1] * rows[1][0]

    def g(xs, y):
        return sum((x * y for x in xs), *[y]) * y

    check_gradient(f, [1.0, 2.0], 0.3)
    check_gradient(g, [1.0, 2.0], 0.3)


@pytest.mark.skipif(not hasattr(math, "sumprod"), reason="since Python 3.12")
def test_a_product_of_a_generator_expression_and_a_list():
    check_gradient(lambda xs, y: math.sumprod((x * y for x in xs), xs) * y, [1.0, 2.0], 0.3)


def test_what_python_refuses_is_refused_in_its_words():
    tried = [
        lambda xs: any((x > 1 for x in xs), 2),
        lambda xs: all((x > 1 for x in xs), key=3),
        lambda xs: next((x for x in xs), 1.0, 2.0),
        lambda xs: next((x for x in xs), default=1.0),
        lambda xs: sum(1, (x for x in xs)),
        lambda xs: max((x for x in xs), start=2.0),
        lambda xs: max((x for x in xs), key=lambda x: -x, start=2.0),
        lambda xs: functools.reduce(operator.add, (x for x in xs), 0.0, 1.0),
    ]
    for fn in tried:
        with pytest.raises(TypeError) as plain:
            fn([1.0, 2.0])
        with pytest.raises(TypeError) as ours:
            gradient(fn, [1.0, 2.0])
        assert str(ours.value) == str(plain.value)


@pytest.mark.parametrize("xs", [[], [2], [2, 3, 1, 3, 1]])
def test_key_runs_between_two_items(same, xs):
    def f(xs, key):
        a = max((say(x) for x in told(xs)), key=key, default=say(0))
        b = min(
            (say((x, i)) for i, x in enumerate(told(xs))), default=None, key=lambda p: say(p[0])
        )
        return a, b

    same(f, xs, lambda v: say(-v))
    same(f, xs, None)

    def g(xs, key):
        return min((x for x in told(xs)), key=key)

    same(g, xs, say)


@pytest.mark.parametrize("xs", [[], [2], [2, 3, 1]])
def test_reduce(same, xs):
    def f(xs, join):
        a = functools.reduce(join, (say(x) for x in told(xs)), say(10))
        join = functools.reduce(join, (x for x in told(xs) if x > 1), 1)
        return a, join

    def g(xs, join):
        return functools.reduce(join, (say(x) for x in told(xs)))

    def h(xs):
        return functools.reduce(operator.add, (say(x) for x in told(xs)))

    same(f, xs, lambda p, q: say(p * q))
    same(g, xs, lambda p, q: say(p * q))
    same(h, xs)
