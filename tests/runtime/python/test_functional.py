import copy
import functools
import itertools
import operator
from operator import add, getitem, mul

import numpy as np
import pytest

from astad import value_and_grad
from astad.runtime.core.versions import Versions
from astad.runtime.dispatch import call
from astad.runtime.language import build_list
from astad.testing import check_gradient
from tests.called_again import agrees_when_called_again
from tests.compiler.forms import check_forms


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


def scaled(a, b, k=1.0):
    return a * b * k


class Plain(functools.partial):
    def area(self):
        return self(2.0) * self.args[0]


class Doubled(functools.partial):
    def __call__(self, *args, **keywords):
        return super().__call__(*args, **keywords) * 2


class Merged(functools.partial):
    def __call__(self, /, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords}) * 3


class Weighted(functools.partial):
    def __new__(cls, fn, *args, weight=1.0, **keywords):
        self = super().__new__(cls, fn, *args, **keywords)
        self.weight = weight
        return self

    def __call__(self, *args, **keywords):
        return functools.partial.__call__(self, *args, **keywords) * self.weight


class Named(functools.partial):
    def __init__(self, fn, *args, **keywords):
        self.first = args[0] * 2 if args else 0.0


def as_it_is(made):
    return made


MADE = {
    "of functools": lambda x: functools.partial(scaled, x, k=x * x),
    "of a class": lambda x: Plain(scaled, x, k=x * x),
    "with a call of its own": lambda x: Doubled(scaled, x, k=x * x),
    "with a call written out": lambda x: Merged(scaled, x, k=x * x),
    "with a new of its own": lambda x: Weighted(scaled, x, k=x, weight=x * x),
    "with an init of its own": lambda x: Named(scaled, x, k=x * x),
    "within functools": lambda x: functools.partial(Doubled(scaled, x, k=3 * x), k=x * x),
    "of a partial": lambda x: Doubled(functools.partial(scaled, x), k=x * x),
}


@pytest.mark.parametrize("copied", [as_it_is, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("kind", MADE)
def test_partials_of_classes_and_copies(kind, copied):
    def f(x):
        made = MADE[kind](x)
        return copied(made)(x) * made(2.0) * sum(map(copied(made), [x, 1.0]))

    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)


def of_a_method(x):
    return Plain(scaled, x).area() * Named(scaled, x).first


def read(x):
    made = Doubled(scaled, x, k=x * x)
    return made.args[0] * made.keywords["k"] * made(x)


def that_bind_a_list(x):
    made = functools.partial(lambda values, b: values[0] * b, [x])
    one, other = copy.copy(made), copy.deepcopy(made)
    made.args[0][0] = x * x
    return made(x) * one(2 * x) * other(3 * x)


def with_attributes(x):
    made = functools.partial(scaled, x, k=2 * x)
    made.weight = x * x
    again = functools.partial(made, x * x, k=3 * x)
    return copy.copy(made).weight * again() * functools.partial(made, x)()


def set_by_hand(x):
    made = functools.partial(scaled)
    made.__setstate__((scaled, (x,), {"k": x * x}, None))
    again, args, state = made.__reduce__()
    return made(x) * state[1][0] * (again(*args) is not made)


@pytest.mark.parametrize("f", [of_a_method, read, that_bind_a_list, with_attributes, set_by_hand])
def test_what_partials_hold(f):
    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)


def stored_by_nonlocal(xs, k):
    total = 0.0

    def is_small(v):
        nonlocal total
        total = total + v * k
        return v < 3

    list(itertools.takewhile(is_small, xs))
    return np.sum(total)


def stored_in_list(xs, k):
    seen = []

    def is_small(v):
        seen.append(v * k)
        return v < 3

    total = 0.0
    for v in itertools.takewhile(is_small, xs):
        total = total + v
    return total * np.sum(sum(seen))


class Adding:
    def __init__(self):
        self.total = 0.0

    def is_small(self, v):
        self.total = self.total + v
        return np.sum(v) < 3


def stored_by_method(xs, k):
    adding = Adding()
    taken = itertools.takewhile(adding.is_small, [x * k for x in xs])
    while next(taken, None) is not None:
        pass
    return np.sum(adding.total)


@pytest.mark.parametrize("k", [0.6, np.array([0.6])])
@pytest.mark.parametrize("fn", [stored_by_nonlocal, stored_in_list, stored_by_method])
def test_what_the_last_question_of_takewhile_stores(fn, k):
    check_forms(fn, [1.0, 2.0, 6.0, 7.0], k)


# --- a partial that is given another state ------------------------------------------------------


def scaled_by(x, k=1.0):
    return x * k


def squared(x, k=3.0):
    return x * x * k


class OwnPartial(functools.partial):
    """One with attributes."""


def of_another_function(x):
    p = functools.partial(scaled_by, k=2.0)
    y = p(x)
    p.__setstate__((squared, (), {}, None))
    return p(x) * y


def with_more_arguments(x):
    p = functools.partial(scaled_by, x)
    y = p()
    p.__setstate__((squared, (x * x,), {"k": x}, {}))
    return p() * y


def with_fewer_arguments(x):
    p = functools.partial(scaled_by, x, k=x)
    y = p()
    p.__setstate__((squared, (), {}, None))
    return p(x) * y


def with_attributes(x):
    p = functools.partial(scaled_by, k=2.0)
    p.__setstate__((squared, (x * x,), {}, {"n": x}))
    return p() * p.n


def by_the_state_of_another(x):
    p, q = functools.partial(scaled_by, x, k=x), functools.partial(squared)
    q.__setstate__(p.__reduce__()[2])
    return q() * p()


def by_a_copy(x):
    p = OwnPartial(scaled_by, k=x)
    p.n = x * x
    q = copy.copy(p)
    p.__setstate__((squared, (), {"k": x}, {"n": 2.0}))
    return q(x) * q.n * p(x) * p.n


def what_was_bound_before(x):
    p = functools.partial(scaled_by, x)
    first = p.args[0]
    p.__setstate__((squared, (x * x,), {}, None))
    return p.args[0] * first * p.func(x)


def in_a_loop(x):
    p, total = functools.partial(scaled_by, k=2.0), 0.0
    for k in range(3):
        total += p(x)
        p.__setstate__((squared if k else scaled_by, (), {"k": total} if k else {}, None))
    return total


def of_a_partial_of_a_partial(x):
    p = functools.partial(scaled_by, x)
    q = functools.partial(p, k=x * x)
    y = q()
    q.__setstate__((squared, (x,), {}, None))
    p.__setstate__((squared, (2.0 * x,), {}, None))
    return y * q() * p()


def a_keyword_is_put_and_taken(x):
    p = functools.partial(squared, k=2.0)
    y = p(x)
    p.keywords["k"] = x
    z = p(x)
    del p.keywords["k"]
    return y * z * p(x)


def a_keyword_is_new(x):
    p = functools.partial(scaled_by)
    y = p(x)
    p.keywords["k"] = x
    return y * p(x)


kept = functools.partial(scaled_by, k=2.0)


def one_of_the_module(x):
    y = kept(x)
    kept.__setstate__((squared, (), {}, None))
    return y * kept(x)


CHANGED = [
    of_another_function, with_more_arguments, with_fewer_arguments, with_attributes,
    by_the_state_of_another, by_a_copy, what_was_bound_before, in_a_loop,
    of_a_partial_of_a_partial, a_keyword_is_put_and_taken, a_keyword_is_new, one_of_the_module,
]  # fmt: skip


@pytest.mark.order_matters
@pytest.mark.parametrize("f", CHANGED, ids=lambda f: f.__name__)
def test_a_partial_is_another_after_the_call(f):
    agrees_when_called_again(f, lambda: kept.__setstate__((scaled_by, (), {"k": 2.0}, None)))
