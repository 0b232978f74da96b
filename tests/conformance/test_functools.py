"""functools and operator: partial, reduce, wraps, caches, dispatch by type, orderings, getters."""

import functools
import operator

import numpy as np
import pytest

from tests.conformance.harness import conforms

# --- functools ------------------------------------------------------------------------------------


def weighted(a, b, weight=1.0):
    return a * b * weight


def partial_positional(x, y):
    return functools.partial(weighted, x)(y)


def partial_keywords(x, y):
    mixed = functools.partial(weighted, b=y, weight=x)
    return mixed(x) + mixed(2.0, weight=3.0)


def partial_of_a_partial(x, y):
    inner = functools.partial(weighted, weight=y)
    outer = functools.partial(inner, x)
    return outer(x) * outer.args[0] + outer.keywords["weight"]


def partial_in_map(xs, y):
    return sum(map(functools.partial(operator.mul, y), xs))


def partial_of_a_method(x):
    shift = functools.partial(Line(x, 2.0).at, by=x)
    return shift(3.0)


class Line:
    def __init__(self, slope, start):
        self.slope = slope
        self.start = start

    def at(self, x, by=0.0):
        return self.slope * (x + by) + self.start

    def from_origin(self, x, start):
        return self.slope * x + start

    through = functools.partialmethod(from_origin, start=0.5)

    @functools.cached_property
    def norm(self):
        return (self.slope**2 + self.start**2) ** 0.5

    @functools.singledispatchmethod
    def scaled(self, by):
        return self.slope * by

    @scaled.register
    def _(self, by: list):
        return [self.slope * each for each in by]


def partial_method(x):
    return Line(x, 2.0).through(x)


def cached_property_twice(x, y):
    line = Line(x, y)
    return line.norm * line.norm + line.norm


def cached_property_written(x, y):
    line = Line(x, y)
    before = line.norm
    line.norm = x * y
    return before + line.norm


def dispatched_method(x):
    line = Line(x, 1.0)
    return line.scaled(x) + sum(line.scaled([x, 3.0]))


def reduced(xs):
    return functools.reduce(lambda total, x: total * 0.5 + x * x, xs)


def reduced_from_a_start(xs, y):
    return functools.reduce(operator.mul, xs, y)


def reduced_to_a_pair(xs):
    total, product = functools.reduce(lambda p, x: (p[0] + x, p[1] * x), xs, (0.0, 1.0))
    return total * product


def reduced_pipeline(x):
    steps = [np.sin, lambda v: v * x, functools.partial(weighted, 2.0)]
    return functools.reduce(lambda v, step: step(v, x) if step is steps[2] else step(v), steps, x)


@functools.singledispatch
def size(value):
    return abs(value)


@size.register
def _(value: list):
    return sum(size(each) for each in value)


@size.register(dict)
def size_of_dict(value):
    return size(list(value.values())) * 2.0


def dispatched_by_type(x):
    return size(x) + size([x * x, -x]) + size({"a": x, "b": [x]})


@functools.total_ordering
class Version:
    def __init__(self, rank):
        self.rank = rank

    def __eq__(self, other):
        return self.rank == other.rank

    def __lt__(self, other):
        return self.rank < other.rank


def totally_ordered(x, y):
    a, b = Version(x), Version(y)
    best = a if a >= b else b
    return best.rank * (2.0 if a > b else 3.0) + (x if a <= b else y)


def sorted_by_comparison(xs):
    ordered = sorted(xs, key=functools.cmp_to_key(lambda a, b: (b > a) - (b < a)))
    return ordered[0] * 2.0 + ordered[-1]


def largest_by_comparison(xs):
    return max(xs, key=functools.cmp_to_key(lambda a, b: abs(a) - abs(b))) ** 2


@functools.lru_cache(maxsize=None)
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@functools.cache
def label(name):
    return f"<{name}>"


def cached_integers(x):
    return sum(binomial(4, k) * x**k for k in range(5)) * len(label("a"))


def wrapped(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return fn(*args) + args[0]

    return wrapper


@wrapped
def wrapped_square(x):
    """Square."""
    return x * x


def name_of_what_is_wrapped(x):
    return wrapped_square(x) * len(wrapped_square.__name__)


def updated_wrapper(x):
    def square(v):
        return v * v

    return functools.update_wrapper(functools.partial(weighted, x), square)(x)


FUNCTOOLS = [
    (partial_positional, (1.2, 0.7)),
    (partial_keywords, (1.2, 0.7)),
    (partial_of_a_partial, (1.2, 0.7)),
    (partial_in_map, ([1.2, 2.0], 0.7)),
    (partial_of_a_method, (1.2,)),
    (partial_method, (1.2,)),
    (cached_property_twice, (1.2, 0.7)),
    (cached_property_written, (1.2, 0.7)),
    (dispatched_method, (1.2,)),
    (reduced, ([1.2, 0.7, 2.0],)),
    (reduced_from_a_start, ([1.2, 0.7], 2.0)),
    (reduced_to_a_pair, ([1.2, 0.7, 2.0],)),
    (reduced_pipeline, (1.2,)),
    (dispatched_by_type, (1.2,)),
    (totally_ordered, (1.2, 0.7)),
    (sorted_by_comparison, ([1.2, 0.7, 2.0],)),
    (largest_by_comparison, ([1.2, -3.0, 2.0],)),
    (cached_integers, (1.2,)),
    (name_of_what_is_wrapped, (1.2,)),
    (updated_wrapper, (1.2,)),
]


# --- operator -------------------------------------------------------------------------------------


def item_getters(x, y):
    first_and_last = operator.itemgetter(0, -1)
    a, b = first_and_last([x, 3.0, y])
    return a * b * operator.itemgetter("k")({"k": x})


def item_getter_of_a_slice(xs):
    return sum(operator.itemgetter(slice(1, 3))(xs))


def attribute_getters(x, y):
    line = Line(x, y)
    slope, start = operator.attrgetter("slope", "start")(line)
    holder = Line(line, 1.0)
    return slope * start + operator.attrgetter("slope.start")(holder)


def method_caller(x):
    return operator.methodcaller("at", 2.0, by=1.5)(Line(x, 1.0)) * x


def arithmetic_functions(x, y):
    total = operator.add(x, y) * operator.sub(x, y) + operator.mul(x, y) / operator.truediv(x, y)
    return total + operator.pow(x, y) + operator.neg(x) + operator.pos(y) + operator.abs(-x)


def steps_and_remainders(x, y):
    return operator.mod(x, y) + operator.floordiv(x, y) * y


def matrix_product(a, b):
    return np.sum(operator.matmul(a, b))


def in_place_functions(a, b):
    kept = a * 1.0
    same = operator.iadd(kept, b)
    operator.imul(same, b)
    operator.isub(kept, 1.0)
    operator.itruediv(kept, b)
    return np.sum(kept * operator.ipow(same, 2.0))


def in_place_on_numbers(x, y):
    z = operator.iadd(x, y)
    z = operator.imul(z, x)
    return operator.ifloordiv(z, 0.5) * x + operator.imod(z, 0.5)


def in_place_on_lists(x, y):
    items = [x]
    operator.iadd(items, [y, x * y])
    operator.iconcat(items, [y])
    return sum(items) * items[2]


def items_by_function(x, y):
    items = [x, y, 1.0]
    operator.setitem(items, 2, x * y)
    operator.delitem(items, 0)
    return operator.getitem(items, 0) * operator.getitem(items, 1)


def sequence_functions(x, y):
    joined = operator.concat([x], [y, y])
    return sum(joined) * operator.countOf(joined, y) + operator.indexOf(joined, y) * x


def truth_and_comparison(x, y):
    if operator.lt(x, y) or operator.truth(operator.ge(x, 2.0 * y)):
        return x
    return x * y if operator.not_(operator.eq(x, y)) and operator.is_not(x, None) else y


def called_by_function(x):
    run = getattr(operator, "call", lambda fn, *args: fn(*args))
    return run(weighted, x, x)


def length_hint(xs):
    return xs[0] * operator.length_hint(iter(xs)) * operator.index(3)


OPERATOR = [
    (item_getters, (1.2, 0.7)),
    (item_getter_of_a_slice, ([1.0, 2.0, 3.0, 4.0],)),
    (attribute_getters, (1.2, 0.7)),
    (method_caller, (1.2,)),
    (arithmetic_functions, (1.2, 0.7)),
    (steps_and_remainders, (2.3, 0.7)),
    (matrix_product, (np.ones((2, 3)), np.arange(6.0).reshape(3, 2))),
    (in_place_functions, (np.array([1.2, 2.0]), np.array([0.7, 3.0]))),
    (in_place_on_numbers, (1.2, 0.75)),
    (in_place_on_lists, (1.2, 0.7)),
    (items_by_function, (1.2, 0.7)),
    (sequence_functions, (1.2, 0.7)),
    (truth_and_comparison, (1.2, 0.7)),
    (called_by_function, (1.2,)),
    (length_hint, ([1.2, 0.7],)),
]


@pytest.mark.parametrize(("program", "args"), [*FUNCTOOLS, *OPERATOR])
def test_function_of_functions(program, args):
    conforms(program, *args)


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def times(self, x, plus):
        return self.factor * x + plus


def test_methodcaller_that_binds_numbers():
    def f(x, a):
        call = operator.methodcaller("times", x, plus=2 * x)
        dot = operator.methodcaller("dot", a * x)
        return sum(map(call, [Scaled(x), Scaled(3.0)])) + dot(a) * dot(np.ones(2))

    conforms(f, 0.7, np.array([1.5, -0.5]))
