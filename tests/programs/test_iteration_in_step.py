"""Iterators are drawn when Python draws: one element, what is done with it, then the next one.

In each program the iterator and the function that is called between two elements read and write
what they share.
"""

import functools
import heapq
import itertools
import operator

import numpy as np
import pytest

import astad
from tests.programs.everywhere import differences, right_everywhere


def shared(x, n=4):
    """A cell, a generator and a function that all read and write it."""
    c = [x]

    def drawn():
        for k in range(n):
            c[0] = c[0] * 2.0 + k
            yield c[0] * x
        c[0] = c[0] * x

    def weight(v):
        c[0] = c[0] * 0.5 + 1.0
        return v * c[0]

    return c, drawn, weight


def largest(x):
    c, g, f = shared(x)
    return max(g(), key=f) + c[0]


def smallest(x):
    c, g, f = shared(x)
    return min(g(), key=f) * c[0]


def largest_of_an_iterator(x):
    c, g, f = shared(x)
    it = g()
    m = max(it, key=f)
    return m * c[0]


def largest_of_a_map(x):
    c, g, f = shared(x)
    return max(map(lambda v: v + c[0], g()), key=f) * c[0]


def largest_of_a_filter(x):
    c, g, f = shared(x)
    return max(filter(lambda v: f(v) > 1.0, g()), key=f) * c[0]


def default_of_nothing(x):
    c, g, f = shared(x, 0)
    return max(g(), key=f, default=x) * c[0]


def largest_of_a_list_that_grows(x):
    l = [x, 2 * x]

    def key(v):
        if len(l) < 5:
            l.append(v * x)
        return -v * len(l)

    return max(l, key=key) + l[-1]


def smallest_of_a_list_that_shrinks(x):
    l = [x, 2 * x, 3 * x]

    def key(v):
        if len(l) > 1:
            l.pop()
        return v

    return min(l, key=key) + len(l)


def largest_by_a_method(x):

    class N:
        def __init__(s, v):
            s.v = v

        def __gt__(s, o):
            c[0] = c[0] + 1.0
            return s.v > o.v

    c = [x]

    def g():
        for k in range(3):
            c[0] = c[0] * 2
            yield N(c[0] * x)

    return max(g()).v * c[0]


def smallest_by_a_method(x):

    class N:
        def __init__(s, v):
            s.v = v

        def __lt__(s, o):
            c[0] = c[0] + 1.0
            return s.v < o.v

    c = [x]
    return min((N(c[0] * k) for k in (1.0, 3.0, 2.0))).v * c[0]


def largest_of_a_buffer(x):
    buf = [0.0]

    def g():
        for k in (1.0, 3.0, 2.0):
            buf[0] = k * x
            yield buf

    return max(g(), key=lambda b: b[0])[0]


def the_largest_one(x):
    c, g, f = shared(x)
    return heapq.nlargest(1, g(), key=f)[0] * c[0]


def the_smallest_one(x):
    c, g, f = shared(x)
    return heapq.nsmallest(1, g(), key=f)[0] * c[0]


def the_largest_two(x):
    c, g, f = shared(x)
    return sum(heapq.nlargest(2, g(), key=f)) * c[0]


def the_smallest_two(x):
    c, g, f = shared(x)
    return sum(heapq.nsmallest(2, g(), key=f)) * c[0]


def the_smallest_of_a_list(x):
    l = [x, 2 * x, 3 * x]

    def key(v):
        l[2] = l[2] * 1.5
        return v

    return sum(heapq.nsmallest(2, l, key=key))


def merged(x):
    c, g, f = shared(x)
    s = 0.0
    for v in heapq.merge(g(), g(), key=f):
        s = s * 1.1 + v * c[0]
    return s


EXTREMES = [
    largest,
    smallest,
    largest_of_an_iterator,
    largest_of_a_map,
    largest_of_a_filter,
    default_of_nothing,
    largest_of_a_list_that_grows,
    smallest_of_a_list_that_shrinks,
    largest_by_a_method,
    smallest_by_a_method,
    largest_of_a_buffer,
    the_largest_one,
    the_smallest_one,
    the_largest_two,
    the_smallest_two,
    the_smallest_of_a_list,
    merged,
]


@pytest.mark.parametrize("program", EXTREMES, ids=lambda program: program.__name__)
def test_extremes_draw_when_the_key_is_known(program):
    right_everywhere(program, 1.3)


def filtered(x):
    c, g, f = shared(x)
    return functools.reduce(lambda a, b: a + f(b), filter(lambda v: c[0] > 2, g())) * c[0]


def as_long_as(x):
    c, g, f = shared(x)
    return (
        functools.reduce(lambda a, b: a + f(b), itertools.takewhile(lambda v: c[0] < 15, g()))
        * c[0]
    )


def as_long_as_from_a_start(x):
    c, g, f = shared(x, 6)
    return (
        functools.reduce(lambda a, b: a + f(b), itertools.takewhile(lambda v: c[0] < 15, g()), 0.0)
        * c[0]
    )


def from_where_on(x):
    c, g, f = shared(x, 6)
    return (
        functools.reduce(lambda a, b: a + f(b), itertools.dropwhile(lambda v: c[0] < 5, g()), 0.0)
        * c[0]
    )


def chosen(x):
    c, g, f = shared(x, 6)
    return (
        functools.reduce(lambda a, b: a + f(b), itertools.compress(g(), [1, 0, 1, 1]), 0.0) * c[0]
    )


def chosen_by_a_generator(x):
    c, g, f = shared(x, 6)
    return (
        functools.reduce(
            lambda a, b: a + f(b), itertools.compress(g(), (c[0] > 3 for _ in range(9))), 0.0
        )
        * c[0]
    )


def every_other(x):
    c, g, f = shared(x, 6)
    return functools.reduce(lambda a, b: a * 0.1 + f(b), itertools.islice(g(), 0, 6, 2)) * c[0]


def accumulated(x):
    c, g, f = shared(x, 4)
    return (
        functools.reduce(
            lambda a, b: a * 0.1 + f(b), itertools.accumulate(g(), lambda a, b: a + b * c[0])
        )
        * c[0]
    )


def of_pairs_by_a_function(x):
    c, g, f = shared(x, 4)
    return (
        functools.reduce(
            lambda a, b: a * 0.1 + f(b), itertools.starmap(lambda a, b: a * b * c[0], zip(g(), g()))
        )
        * c[0]
    )


def one_after_another(x):
    c, g, f = shared(x, 3)
    return functools.reduce(lambda a, b: a * 0.1 + f(b), itertools.chain(g(), [x], g())) * c[0]


def in_pairs(x):
    c, g, f = shared(x, 4)
    return (
        functools.reduce(lambda a, b: a * 0.1 + f(b[0] * b[1]), itertools.pairwise(g()), x) * c[0]
    )


def beside_a_list(x):
    c, g, f = shared(x, 4)
    return (
        functools.reduce(lambda a, b: a * 0.1 + f(b[0] * b[1]), zip(g(), [x, 2 * x, x]), x) * c[0]
    )


def left_out(x):
    c, g, f = shared(x, 4)
    return (
        functools.reduce(
            lambda a, b: a * 0.1 + f(b), itertools.filterfalse(lambda v: c[0] < 4, g()), x
        )
        * c[0]
    )


def again_and_again(x):
    c, g, f = shared(x, 2)
    return (
        functools.reduce(lambda a, b: a * 0.1 + f(b), itertools.islice(itertools.cycle(g()), 5), x)
        * c[0]
    )


def twice(x):
    c, g, f = shared(x, 3)
    a, b = itertools.tee(g())
    return functools.reduce(lambda p, q: p * 0.1 + f(q), map(operator.mul, a, b), x) * c[0]


def by_groups(x):
    c, g, f = shared(x, 4)
    return (
        functools.reduce(
            lambda p, q: p * 0.1 + f(sum(q[1])),
            itertools.groupby(g(), key=lambda v: int(c[0] / 3)),
            x,
        )
        * c[0]
    )


def by_a_generator_expression(x):
    c, g, f = shared(x, 4)
    return functools.reduce(lambda p, q: p * 0.1 + f(q), (v * c[0] for v in g())) * c[0]


def until_zero(x):
    c = [x]

    def draw():
        c[0] = c[0] * 1.5
        return 0.0 if c[0] > 9 else c[0]

    def f(a, b):
        c[0] = c[0] * 0.9 + a * 0.01
        return a + b * c[0]

    return functools.reduce(f, iter(draw, 0.0)) * c[0]


def of_a_list_that_grows(x):
    l = [x, 2 * x]

    def f(a, b):
        if len(l) < 6:
            l.append(b * x)
        return a + b

    return functools.reduce(f, l) * l[-1]


FOLDS = [
    filtered,
    as_long_as,
    as_long_as_from_a_start,
    from_where_on,
    chosen,
    chosen_by_a_generator,
    every_other,
    accumulated,
    of_pairs_by_a_function,
    one_after_another,
    in_pairs,
    beside_a_list,
    left_out,
    again_and_again,
    twice,
    by_groups,
    by_a_generator_expression,
    until_zero,
    of_a_list_that_grows,
]


@pytest.mark.parametrize("program", FOLDS, ids=lambda program: program.__name__)
def test_reduce_draws_when_the_function_has_run(program):
    right_everywhere(program, 1.3)


def key_that_writes(x):
    c, g, f = shared(x)
    s = 0.0
    for k, grp in itertools.groupby(g(), key=lambda v: int(f(v)) // 4):
        for v in grp:
            s = s * 1.1 + v * c[0]
    return s


def key_that_reads(x):
    c, g, f = shared(x)
    s = 0.0
    for k, grp in itertools.groupby(g(), key=lambda v: c[0] > 5):
        s += c[0] * k
        for v in grp:
            s = s * 1.1 + v * c[0]
    return s


def groups_that_nobody_draws(x):
    c, g, f = shared(x)
    s = 0.0
    for k, grp in itertools.groupby(g(), key=lambda v: int(c[0] / 3)):
        s = s * 1.2 + c[0] * (k + 1)
    return s


def consumer_that_writes(x):
    c, g, f = shared(x)
    s = 0.0
    for k, grp in itertools.groupby(g(), key=lambda v: int(c[0] / 3)):
        c[0] = c[0] + 1.0
        for v in grp:
            s += v * c[0]
            c[0] *= 0.9
    return s


def groups_as_lists(x):
    c, g, f = shared(x)
    r = [(k, list(q)) for k, q in itertools.groupby(g(), key=lambda v: int(c[0] / 3))]
    return sum((sum(q) * (k + 1) for k, q in r)) * c[0]


def chosen_by_what_writes(x):
    c, g, f = shared(x)

    def sel():
        for k in range(5):
            c[0] = c[0] + x
            yield (k != 1)

    s = 0.0
    for v in itertools.compress(g(), sel()):
        s = s * 1.1 + v * c[0]
        c[0] *= 0.8
    return s


def longest(x):
    c, g, f = shared(x)

    def h():
        for k in range(2):
            c[0] = c[0] + x
            yield c[0]

    s = 0.0
    for a, b in itertools.zip_longest(g(), h(), fillvalue=x):
        s = s * 1.1 + a * b * c[0]
        c[0] *= 0.8
    return s


def longest_in_a_sum(x):
    c, g, f = shared(x)

    def h():
        for k in range(2):
            c[0] = c[0] + x
            yield c[0]
        c[0] = c[0] * x

    return sum((a * b for a, b in itertools.zip_longest(g(), h(), fillvalue=x))) * c[0]


def longest_of_three(x):
    c = [x]

    def h(n):
        for k in range(n):
            c[0] = c[0] + x
            yield c[0]
        c[0] = c[0] * x

    l = list(itertools.zip_longest(h(1), h(3), h(2), fillvalue=x))
    return sum((a * b + d for a, b, d in l)) * c[0]


GROUPS = [
    key_that_writes,
    key_that_reads,
    groups_that_nobody_draws,
    consumer_that_writes,
    groups_as_lists,
    chosen_by_what_writes,
    longest,
    longest_in_a_sum,
    longest_of_three,
]


@pytest.mark.parametrize("program", GROUPS, ids=lambda program: program.__name__)
def test_what_draws_for_others_does_so_in_order(program):
    right_everywhere(program, 1.3)


def two_of_four(x):
    c, g, f = shared(x)
    it = g()
    a = np.fromiter(it, float, count=2)
    return np.sum(a) * c[0] + next(it)


def count_by_place(x):
    c, g, f = shared(x)
    it = g()
    a = np.fromiter(it, float, 2)
    return np.sum(a) * c[0] + next(it)


def generator_of_its_own(x):
    c, g, f = shared(x)
    return np.sum(np.fromiter(g(), float, count=3)) * c[0]


def generator_expression(x):
    c, g, f = shared(x)
    return np.sum(np.fromiter((v * 2 for v in g()), float, count=3)) * c[0]


def rest_of_a_list(x):
    it = iter([x, 2 * x, 3 * x])
    a = np.fromiter(it, float, count=2)
    return np.sum(a) * next(it)


def one_of_a_map(x):
    it = map(lambda v: v * x, [x, 2 * x, 3 * x])
    a = np.fromiter(it, float, count=1)
    return np.sum(a) * sum(it)


def all_of_them(x):
    c, g, f = shared(x)
    return np.sum(np.fromiter(g(), float, count=-1)) * c[0]


COUNTED = [
    two_of_four,
    count_by_place,
    generator_of_its_own,
    generator_expression,
    rest_of_a_list,
    one_of_a_map,
    all_of_them,
]


@pytest.mark.parametrize("program", COUNTED, ids=lambda program: program.__name__)
def test_fromiter_draws_as_many_as_numpy(program):
    right_everywhere(program, 1.3)


def key_that_asks_the_length(x):
    l = [3 * x, x, 2 * x]

    def key(v):
        return v + len(l)

    l.sort(key=key)
    return l[0] * 2 + l[1] * 3


def key_that_appends(x):
    l = [3 * x, x, 2 * x]

    def key(v):
        l.append(v)
        return v

    try:
        l.sort(key=key)
    except ValueError as e:
        return l[0] * 2 + l[1] * len(l)
    return 0.0


def comparison_that_asks_the_length(x):

    class N:
        def __init__(s, v):
            s.v = v

        def __lt__(s, o):
            return s.v < o.v

    l = [N(3 * x), N(x), N(2 * x)]
    l.sort()
    return l[0].v * 2 + l[1].v


def key_that_raises(x):
    l = [3 * x, x, 2 * x]

    def key(v):
        if v > 2.5 * x:
            raise KeyError("k")
        return v

    try:
        l.sort(key=key)
    except KeyError:
        pass
    return l[0] * 2 + l[1] * len(l)


def list_of_its_own_class(x):

    class L(list):
        pass

    l = L([3 * x, x, 2 * x])

    def key(v):
        return -v

    l.sort(key=key)
    return l[0] * 2 + l[1] * 3


def key_that_sums_the_list(x):
    l = [3 * x, x, 2 * x]
    l.sort(key=lambda v: v * (1 + sum(l)))
    return l[0] * 2 + l[1] * 3


def order_by_the_length(x):
    l = [3 * x, x, 2 * x]
    l.sort(key=lambda v: v if l else -v)
    return l[0] * 2 + l[1]


def order_by_what_is_in_the_list(x):
    l = [3 * x, x, 2 * x]
    l.sort(key=lambda v: abs(v - sum(l)))
    return l[0] * l[1] ** 2


def order_of_an_attribute(x):
    class Queue:
        def __init__(self):
            self.waiting = [2 * x, x, 3 * x]

        def urgency(self, v):
            return v * (1 if len(self.waiting) else -1)

    queue = Queue()
    queue.waiting.sort(key=queue.urgency, reverse=True)
    return queue.waiting[0] * 5 + queue.waiting[1] * x


def emptied_list_is_filled_again(x):
    l, noted = [3 * x, x, 2 * x], []

    def key(v):
        noted.append(len(l) + v)
        if len(noted) == 2:
            l.append(v * x)
            l.pop()
        return v

    try:
        l.sort(key=key)
    except ValueError:
        noted.append(l[0] * x)
    return noted[-1] * noted[0] + l[2]


def comparison_that_fills_the_list(x):
    class Item:
        def __init__(self, v):
            self.v = v

        def __lt__(self, other):
            l.append(other)
            return self.v < other.v

    l = [Item(3 * x), Item(x)]
    try:
        l.sort()
    except ValueError:
        return l[0].v * len(l) + l[1].v * x
    return 0.0


SORTED = [
    key_that_asks_the_length,
    key_that_appends,
    comparison_that_asks_the_length,
    key_that_raises,
    list_of_its_own_class,
    key_that_sums_the_list,
    order_by_the_length,
    order_by_what_is_in_the_list,
    order_of_an_attribute,
    emptied_list_is_filled_again,
    comparison_that_fills_the_list,
]


@pytest.mark.parametrize("program", SORTED, ids=lambda program: program.__name__)
def test_a_list_is_empty_while_it_is_sorted(program):
    right_everywhere(program, 1.3)


def any_of_a_map(x):
    c, g, f = shared(x)
    a = any(map(lambda v: f(v) > 20, g()))
    return c[0] * (2 if a else 1)


def all_of_a_map(x):
    c, g, f = shared(x)
    a = all(map(lambda v: f(v) > 0, g()))
    return c[0] * (2 if a else 1)


def truth_that_writes(x):
    c, g, f = shared(x)

    class B:
        def __init__(s, v):
            s.v = v

        def __bool__(s):
            c[0] = c[0] * 1.5 + s.v
            return c[0] > 40

    return (2 if any(map(B, g())) else 1) * c[0]


def found_in_a_map(x):
    c, g, f = shared(x)
    a = 5.0 in map(f, g())
    return c[0] * (2 if a else 1)


def equality_that_writes(x):
    c, g, f = shared(x)

    class E:
        def __init__(s, v):
            s.v = v

        def __eq__(s, o):
            c[0] = c[0] * 1.1 + s.v * o
            return c[0] > 40

    a = x in map(E, g())
    return c[0] * (2 if a else 1)


def unpacked(x):
    c, g, f = shared(x, 3)
    a, b, d = map(f, g())
    return (a + b * d) * c[0]


def too_many_to_unpack(x):
    c, g, f = shared(x, 4)
    try:
        a, b = map(f, g())
    except ValueError as e:
        pass
    return c[0]


def too_few_to_unpack(x):
    c, g, f = shared(x, 1)
    try:
        a, b = map(f, g())
    except ValueError as e:
        pass
    return c[0]


def one_drawn_for_nothing(x):
    c, g, f = shared(x, 3)
    s = 0.0
    for a, b in zip(g(), [x, 2 * x]):
        s = s * 1.1 + a * b * c[0]
        c[0] *= 0.7
    return s * c[0]


def beside_itself(x):
    c, g, f = shared(x, 3)
    s = 0.0
    for a, b in zip(g(), g()):
        s = s * 1.1 + a * b * c[0]
        c[0] *= 0.7
    return s * c[0]


def strict(x):
    c, g, f = shared(x, 3)
    s = 0.0
    try:
        for a, b in zip(g(), [x, 2 * x], strict=True):
            s = s * 1.1 + a * b * c[0]
            c[0] *= 0.7
    except ValueError as e:
        pass
    return s * c[0]


def map_of_two(x):
    c, g, f = shared(x, 3)
    return (
        functools.reduce(lambda a, b: a * 0.5 + f(b), map(lambda a, b: a * b * c[0], g(), g()))
        * c[0]
    )


def one_raises_behind_another(x):
    c, g, f = shared(x, 4)
    s = 0.0

    def h():
        for k in range(2):
            c[0] = c[0] * 1.3
            yield c[0]
        raise KeyError("h")

    try:
        for a, b in zip(g(), h()):
            s = s * 1.1 + a * b
    except KeyError:
        pass
    return s + c[0]


def generator_raises_in_a_fold(x):
    c = [x]

    def g():
        for k in range(3):
            c[0] = c[0] * 2
            yield (c[0] * x)
        raise KeyError("k")

    def h(a, v):
        c[0] = c[0] + a * v * 0.1
        return a + v * c[0]

    try:
        return functools.reduce(h, g())
    except KeyError:
        pass
    return c[0] * c[0]


def predicate_writes_its_operand(x):
    c, g, f = shared(x, 5)
    s = 0.0

    def p(v):
        c[0] = c[0] * 0.5 + v
        return v < 30

    for v in itertools.dropwhile(p, g()):
        s = s * 1.1 + v * c[0]
        c[0] *= 0.8
    return s * c[0]


def takewhile_writes(x):
    c, g, f = shared(x, 6)
    s = 0.0

    def p(v):
        c[0] = c[0] * 0.5 + v
        return v < 60

    for v in itertools.takewhile(p, g()):
        s = s * 1.1 + v * c[0]
        c[0] *= 0.8
    return s * c[0]


def filterfalse_writes(x):
    c, g, f = shared(x, 6)
    s = 0.0
    for v in itertools.filterfalse(lambda v: f(v) > 10 and c[0] < 9, g()):
        s = s * 1.1 + v * c[0]
        c[0] *= 0.8
    return s * c[0]


def accumulate_writes(x):
    c, g, f = shared(x, 4)
    s = 0.0
    for v in itertools.accumulate(g(), lambda a, b: a + f(b), initial=x):
        s = s * 1.1 + v * c[0]
        c[0] *= 0.8
    return s * c[0]


def chained_from_a_generator(x):
    c, g, f = shared(x, 2)

    def src():
        for k in range(3):
            c[0] = c[0] + x
            yield (g() if k != 1 else [])
        c[0] = c[0] * 1.5

    return (
        functools.reduce(lambda a, b: a * 0.3 + f(b), itertools.chain.from_iterable(src())) * c[0]
    )


def a_single_one(x):
    c, g, f = shared(x, 1)
    s = x
    for a, b in itertools.pairwise(g()):
        s = s * 1.1 + a * b * c[0]
        c[0] *= 0.8
    return s * c[0]


def round_and_round(x):
    c, g, f = shared(x, 2)
    s = 0.0
    for i, v in zip(range(5), itertools.cycle(g())):
        s = s * 1.1 + v * c[0]
        c[0] *= 0.8
    return s * c[0]


def product_of_generators(x):
    c, g, f = shared(x, 2)
    s = 0.0
    for a, b in itertools.product(g(), g()):
        s = s * 1.1 + a * b * c[0]
        c[0] *= 0.9
    return s * c[0]


def sum_of_objects(x):
    c, g, f = shared(x, 3)

    class V:
        def __init__(s, v):
            s.v = v

        def __add__(s, o):
            c[0] = c[0] * 1.1 + s.v
            return V(s.v + o.v * c[0])

        def __radd__(s, o):
            return s

    return sum(map(V, g())).v * c[0]


ENDS = [
    any_of_a_map,
    all_of_a_map,
    truth_that_writes,
    found_in_a_map,
    equality_that_writes,
    unpacked,
    too_many_to_unpack,
    too_few_to_unpack,
    one_drawn_for_nothing,
    beside_itself,
    strict,
    map_of_two,
    one_raises_behind_another,
    generator_raises_in_a_fold,
    predicate_writes_its_operand,
    takewhile_writes,
    filterfalse_writes,
    accumulate_writes,
    chained_from_a_generator,
    a_single_one,
    round_and_round,
    product_of_generators,
    sum_of_objects,
]


@pytest.mark.parametrize("program", ENDS, ids=lambda program: program.__name__)
def test_ends_are_undone_before_what_came_before_them(program):
    right_everywhere(program, 1.3)


def in_a_loop(x):
    c = [x]

    def g():
        try:
            for k in range(4):
                c[0] = c[0] * 2
                yield (c[0] * x)
        finally:
            c[0] = c[0] * x + 1

    s = 0.0
    for v in g():
        s = s + v
        if s > 5:
            break
    return s * c[0]


def again_in_each_round(x):
    c = [x]

    def g():
        try:
            for k in range(4):
                c[0] = c[0] * 2
                yield (c[0] * x)
        finally:
            c[0] = c[0] * 0.5 + 1

    s = 0.0
    for j in range(3):
        for v in g():
            s = s + v
            if s > 5 * j:
                break
        s = s * c[0] * 0.1
    return s


def that_was_not_left(x):
    c = [x]

    def g():
        try:
            for k in range(2):
                c[0] = c[0] * 2
                yield (c[0] * x)
        finally:
            c[0] = c[0] * 0.5 + 1

    s = 0.0
    for v in g():
        s = s + v * c[0]
    else:
        s = s * c[0]
    return s * c[0]


def with_a_with(x):
    c = [x]

    class CM:
        def __enter__(s):
            c[0] *= 2
            return s

        def __exit__(s, *a):
            c[0] = c[0] * x + 1

    def g():
        with CM():
            yield (c[0] * x)
            yield (c[0] * 2)

    s = 0.0
    for v in g():
        s += v
        break
    return s * c[0]


def one_inside_another(x):
    c = [x]

    def g(t):
        try:
            for k in range(4):
                c[0] = c[0] * 1.5
                yield (c[0] * x)
        finally:
            c[0] = c[0] * 0.7 + 1

    s = 0.0
    for v in g("a"):
        for w in g("b"):
            s += v * w
            if s > 3:
                break
        if s > 20:
            break
    return s * c[0]


def in_a_try(x):
    c = [x]

    def g():
        try:
            for k in range(4):
                c[0] = c[0] * 2
                yield (c[0] * x)
        finally:
            c[0] = c[0] * x + 1

    s = 0.0
    try:
        for v in g():
            s = s + v
            if s > 5:
                break
    except ValueError:
        pass
    return s * c[0]


def of_constants(x):

    def g():
        try:
            for k in range(4):
                yield k
        finally:
            pass

    s = x
    try:
        for k in g():
            s *= x
            if k == 1:
                break
    except ValueError:
        pass
    return s


def in_a_generator(x):
    c = [x]

    def g():
        try:
            for k in range(4):
                c[0] *= 2
                yield c[0]
        finally:
            c[0] *= 3

    def h():
        for v in g():
            if v > 8:
                break
            yield v
        yield c[0]

    s = x
    for v in h():
        s = s * 1.1 + v
    return s * c[0]


def without_a_finally(x):
    c = [x]

    def g():
        for k in range(4):
            c[0] *= 2
            yield c[0]

    s = x
    try:
        for k in g():
            s *= k
            if k > 5:
                break
    except ValueError:
        pass
    return s * c[0]


LEFT = [
    in_a_loop,
    again_in_each_round,
    that_was_not_left,
    with_a_with,
    one_inside_another,
    in_a_try,
    of_constants,
    in_a_generator,
    without_a_finally,
]


@pytest.mark.parametrize("program", LEFT, ids=lambda program: program.__name__)
def test_a_generator_that_is_left_is_closed_at_once(program):
    right_everywhere(program, 1.3)


@pytest.mark.parametrize(
    "program", [*EXTREMES, *FOLDS, *GROUPS, *SORTED, *LEFT], ids=lambda program: program.__name__
)
def test_with_each_cotangent_checked(program):
    with astad.checked():
        y, back = astad.pullback(program, 1.3)
        assert y == program(1.3)
        assert back(1.0) == pytest.approx(differences(program, (1.3,)), rel=1e-5)
