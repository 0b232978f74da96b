"""Functions: lazy generator expressions, closures, defaults, decorators, those made of text."""

import functools
import linecache

import numpy as np
import pytest

from tests.conformance.harness import conforms

# --- generator expressions that nothing consumes at once ------------------------------------------


def bound_and_summed(xs):
    squares = (x * x for x in xs)
    return sum(squares)


def drawn_one_by_one(x):
    multiples = (k * x for k in (1.0, 2.0, 3.0))
    first = next(multiples)
    second = next(multiples)
    return first * second


def left_half_consumed(x, y):
    parts = (v * v for v in (x, y, x * y))
    head = next(parts)
    y = y * head
    return y + next(parts)


def filtered_with_a_tail(xs):
    positive = (x * x for x in xs if abs(x) > 1.0)
    return next(positive) * sum(positive)


def handed_to_a_function(x):
    def total(items, weight):
        result = 0.0
        for item in items:
            result += item * weight
        return result

    return total((x**k for k in range(1, 4)), x)


def zipped_with_another(xs, ys):
    left = (x * 2.0 for x in xs)
    right = (y * y for y in ys)
    return sum(a * b for a, b in zip(left, right))


def chained_generators(xs):
    doubled = (2.0 * x for x in xs)
    squared = (d * d for d in doubled)
    shifted = (s + 1.0 for s in squared if s > 0.5)
    return sum(shifted)


def sees_a_later_binding(x):
    scale = 1.0
    scaled = (scale * v for v in (x, x * x))
    scale = x
    return sum(scaled)


def first_iterable_at_once(x):
    values = [x, 2.0 * x]
    lazy = (v * v for v in values)
    values = [0.0]
    return sum(lazy) + values[0]


def nested_clauses(xs, ys):
    products = (x * y for x in xs for y in ys if x > y)
    return max(products, default=0.0) + xs[0]


def holds_a_walrus(xs):
    last = 0.0
    partial = ((last := last + x) for x in xs)
    total = sum(partial)
    return total * last


def stored_in_a_list(x):
    kept = [(x * k for k in (1.0, 2.0)), (x**k for k in (2.0, 3.0))]
    return sum(sum(each) for each in kept)


def returned_by_a_helper(x):
    def powers(v):
        return (v**k for k in (1, 2, 3))

    total = 0.0
    for power in powers(x):
        total += power * 0.5
    return total


def unpacked(x, y):
    a, b, *rest = (v * v for v in (x, y, x + y, x - y))
    return a * b + sum(rest)


def starred_into_a_call(x, y):
    values = (v * v for v in (x, y))
    return max(*values, 0.1)


def in_a_display(x, y):
    lazy = (v * 3.0 for v in (x, y))
    both = [*lazy, x * y]
    return both[0] * both[1] * both[2]


def keyword_argument(x):
    def tally(*, items):
        return sum(items)

    return tally(items=(x * k for k in (1.0, 4.0)))


def searched_for_a_member(x):
    lazy = (k * x for k in (1.0, 2.0, 3.0))
    found = 2.0 * x in lazy
    return next(lazy) if found else x


def lambda_inside(x):
    makers = ((lambda v, k=k: v**k) for k in (1, 2))
    return sum(make(x) for make in makers)


def over_a_dict(x, y):
    prices = {"a": x, "b": y}
    lazy = (price * price for name, price in prices.items() if name != "c")
    return sum(lazy)


def array_elements(a):
    lazy = (row.sum() * row[0] for row in a)
    return sum(lazy)


def as_argument_of_join_and_sum(x):
    names = (f"{k}" for k in range(3))
    text = "-".join(names)
    return x * len(text)


GENERATORS = [
    (bound_and_summed, ([1.5, 2.0],)),
    (drawn_one_by_one, (1.3,)),
    (left_half_consumed, (1.2, 0.7)),
    (filtered_with_a_tail, ([0.5, 1.5, -2.0, 0.3],)),
    (handed_to_a_function, (1.1,)),
    (zipped_with_another, ([1.0, 2.0], [3.0, 4.0, 5.0])),
    (chained_generators, ([1.0, 0.2, 2.0],)),
    (sees_a_later_binding, (1.4,)),
    (first_iterable_at_once, (1.4,)),
    (nested_clauses, ([1.0, 2.0], [0.5, 1.5])),
    (holds_a_walrus, ([1.0, 2.0, 3.0],)),
    (stored_in_a_list, (1.3,)),
    (returned_by_a_helper, (1.3,)),
    (unpacked, (1.3, 0.4)),
    (starred_into_a_call, (1.3, 0.4)),
    (in_a_display, (1.3, 0.4)),
    (keyword_argument, (1.3,)),
    (searched_for_a_member, (1.3,)),
    (lambda_inside, (1.3,)),
    (over_a_dict, (1.3, 0.4)),
    (array_elements, (np.array([[1.0, 2.0], [3.0, 0.5]]),)),
    (as_argument_of_join_and_sum, (1.3,)),
]


# --- closures and nonlocal ------------------------------------------------------------------------


def nonlocal_accumulator(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v
        return total

    add(x)
    add(2.0 * x)
    return total * x


def nonlocal_through_two_levels(x):
    y = x

    def outer():
        def inner():
            nonlocal y
            y = y * x

        inner()
        inner()

    outer()
    return y


def closures_over_a_loop_variable(x):
    late = [lambda: k * x for k in (1.0, 2.0, 3.0)]
    return sum(f() for f in late)


def closures_with_early_binding(x):
    early = [lambda k=k: k * x * x for k in (1.0, 2.0, 3.0)]
    return sum(f() for f in early)


def loop_variable_in_a_statement(x):
    functions = []
    for k in (x, x * x, 3.0):
        functions.append(lambda: k)
    return functions[0]() + k * x


def counter_with_state(x):
    def make(start):
        value = start

        def step():
            nonlocal value
            value = value * x
            return value

        return step

    one, other = make(1.0), make(x)
    one()
    return one() + other()


def mutable_default(x):
    def push(v, kept=[]):
        kept.append(v * v)
        return kept

    push(x)
    return sum(push(2.0 * x))


def default_evaluated_once(x):
    def scaled(v, by=x * x):
        return v * by

    x = x + 1.0
    return scaled(x) + scaled(1.0, by=x)


def keyword_only_default(x, y):
    def mix(a, *, weight=y):
        return a * weight + a

    return mix(x) + mix(x, weight=2.0)


def recursive_closure(x):
    def power(n):
        return 1.0 if n == 0 else x * power(n - 1)

    return power(4)


def functions_in_a_table(x):
    table = {"double": lambda v: 2.0 * v, "square": lambda v: v * v}
    for name in ("double", "square", "double"):
        x = table[name](x)
    return x


def composed(x):
    def compose(*functions):
        def run(v):
            for function in functions:
                v = function(v)
            return v

        return run

    return compose(np.sin, lambda v: v * x, np.exp)(x)


def arguments_of_every_kind(x, y):
    def mix(a, /, b, *rest, c=2.0, **more):
        return a * b + sum(rest) * c + more["d"] * more.get("e", 1.0)

    given = {"d": x * y, "e": y}
    return mix(x, y, x, y, **given) + mix(x, *[y, y], c=x, d=y)


CLOSURES = [
    (nonlocal_accumulator, (1.3,)),
    (nonlocal_through_two_levels, (1.3,)),
    (closures_over_a_loop_variable, (1.3,)),
    (closures_with_early_binding, (1.3,)),
    (loop_variable_in_a_statement, (1.3,)),
    (counter_with_state, (1.3,)),
    (mutable_default, (1.3,)),
    (default_evaluated_once, (1.3,)),
    (keyword_only_default, (1.3, 0.6)),
    (recursive_closure, (1.3,)),
    (functions_in_a_table, (1.3,)),
    (composed, (0.7,)),
    (arguments_of_every_kind, (1.3, 0.6)),
]


# --- decorators and what they leave ---------------------------------------------------------------


def doubled(fn):
    @functools.wraps(fn)
    def wrapper(*args, **keywords):
        return 2.0 * fn(*args, **keywords)

    return wrapper


def scaled_by(factor):
    def decorate(fn):
        def wrapper(x):
            return factor * fn(x * factor)

        return wrapper

    return decorate


class Counted:
    """A decorator that is a class."""

    def __init__(self, fn):
        self.fn = fn
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.fn(x) * self.calls


@doubled
def decorated_square(x):
    return x * x


@scaled_by(3.0)
@doubled
def decorated_twice(x):
    return x * x * x


def swaps_the_function(fn):
    def other(x):
        return x**3

    return functools.wraps(fn)(other)


@swaps_the_function
def not_what_is_wrapped(x):
    return x


def local_decorators(x):
    @doubled
    @scaled_by(x)
    def inner(v):
        return v * v

    return inner(x)


def calls_a_class_decorator(x):
    @Counted
    def square(v):
        return v * v

    return square(x) + square(x)


def wrapper_with_state(x):
    def remembered(fn):
        seen = []

        def wrapper(v):
            seen.append(fn(v))
            return sum(seen)

        return wrapper

    @remembered
    def cube(v):
        return v**3

    cube(x)
    return cube(2.0 * x)


def decorated_method(x):
    class_ = Scaled
    return class_(x).value(2.0) + class_.twice(x)


def logged(fn):
    @functools.wraps(fn)
    def wrapper(self, *args):
        return fn(self, *args) + self.x

    return wrapper


class Scaled:
    def __init__(self, x):
        self.x = x

    @logged
    def value(self, factor):
        return self.x * self.x * factor

    @staticmethod
    @doubled
    def twice(x):
        return x * x


DECORATED = [
    (decorated_square, (1.3,)),
    (decorated_twice, (0.8,)),
    (not_what_is_wrapped, (1.3,)),
    (local_decorators, (1.3,)),
    (calls_a_class_decorator, (1.3,)),
    (wrapper_with_state, (1.3,)),
    (decorated_method, (1.3,)),
]


# --- functions made of text that linecache knows --------------------------------------------------


TEXTS = {}


def made_of_text(name, text):
    file = f"<conformance {name}>"
    TEXTS[file] = len(text), None, text.splitlines(keepends=True), file
    linecache.cache.update(TEXTS)
    space = {"np": np, "__name__": "made_of_text"}
    exec(compile(text, file, "exec"), space)
    return space[name]


cube_of_text = made_of_text("cube", "def cube(x):\n    return x * x * x\n")
lambda_of_text = made_of_text("f", "f = lambda x: np.sin(x) * x\n")
generator_of_text = made_of_text(
    "g", "def g(xs):\n    lazy = (x * x for x in xs)\n    return sum(lazy)\n"
)


def calls_functions_of_text(x):
    return cube_of_text(x) + lambda_of_text(x) * x


MADE = [
    (cube_of_text, (1.3,)),
    (lambda_of_text, (1.3,)),
    (generator_of_text, ([1.0, 2.0],)),
    (calls_functions_of_text, (1.3,)),
]


@pytest.mark.parametrize(("program", "args"), [*GENERATORS, *CLOSURES, *DECORATED, *MADE])
def test_function(program, args):
    linecache.cache.update(TEXTS)  # another test may have cleared it
    conforms(program, *args)
