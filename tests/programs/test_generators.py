"""Generators: consumed by loops, comprehensions, calls, by hand; left early; sharing objects."""

import contextlib
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import astad
from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient
from tests.called_again import agrees_when_called_again


def powers(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
        yield y


def consumed_by_a_loop(x):
    total = 0.0
    for y in powers(x, 4):
        total = total * x + y
    return total


def left_early(x):
    total = x
    for y in powers(x, 100):
        if y < 0.2:
            break
        total = total + y * total
    return total


def by_comprehension_and_sum(x):
    return sum([y * y for y in powers(x, 3)]) + sum(powers(x, 3)) + max(powers(x, 2))


def by_list_tuple_and_star(x):
    a, *b = powers(x, 4)
    c = list(powers(x * 2, 2))
    return a * b[-1] + sum(tuple(powers(x, 3))) * c[1]


def by_hand(x):
    it = powers(x, 3)
    first = next(it)
    second = next(it) * first
    last = next(it, 0.0) + next(it, x * 5)
    return first + second * last


def unused_values(x):
    it = powers(x, 5)
    next(it)
    next(it)
    return next(it) * x


def never_started(x):
    powers(x, 3)
    return x * x


def averages(x):
    total, count = x, 1
    while True:
        value = yield total / count
        if value is None:
            return
        total = total + value * x
        count += 1


def by_send(x):
    run = averages(x)
    y = next(run)
    for i in range(3):
        y = y * run.send(y + i)
    run.close()
    return y


def zipped(x):
    pairs = zip(powers(x, 3), powers(x + 1, 5))
    total = 0.0
    for i, (a, b) in enumerate(pairs):
        total = total + a * b * i
    return total


def both_from_one(x):
    it = powers(x, 4)
    return sum(a * b for a, b in zip(it, it))


class Tree:
    def __init__(self, value, *children):
        self.value = value
        self.children = children

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child

    def scaled(self):
        for child in self.children:
            self.value = self.value * child.value
            yield child.value * self.value


def walks_a_tree(x):
    tree = Tree(x, Tree(x * 2, Tree(x * x)), Tree(x + 1))
    total = 1.0
    for value in tree:
        total = total * value + 1
    return total


def generator_and_loop_change_the_same_object(x):
    tree = Tree(x, Tree(x * 2), Tree(x + 1), Tree(1.5))
    total = 0.0
    for value in tree.scaled():
        total = total + value * tree.value
        tree.value = tree.value + x
    return total * tree.value


def fills(a, x):
    for i in range(len(a)):
        a[i] = a[i] * x
        yield a


def yields_one_array_again_and_again(x):
    total = x
    for a in fills(np.array([1.0, x, 2 * x]), x):
        total = total + (a * a).sum() * total
    return total


@contextlib.contextmanager
def scaled(state, factor):
    before = state["x"]
    state["x"] = before * factor
    try:
        yield state["x"] * factor
    finally:
        state["x"] = before + state["x"]


def context_of_a_generator(x):
    state = {"x": x}
    with scaled(state, x) as y, scaled(state, 2.0) as z:
        total = y * z * state["x"]
    return total * state["x"]


def exception_through_a_context(x):
    state = {"x": x}
    with contextlib.suppress(ValueError), scaled(state, x) as y:
        state["x"] = state["x"] * y
        raise ValueError(x)
    return state["x"] * x


def raises(x):
    state = [x]
    try:
        for y in breaks_down(state, x):
            state[0] = state[0] * y
    except ArithmeticError:
        state[0] = state[0] + x
    return state[0]


def breaks_down(state, x):
    yield state[0]
    state[0] = state[0] * x
    yield x
    state[0] = state[0] * state[0]
    raise ArithmeticError


def catches_what_is_thrown(x):
    run = recovers(x)
    y = next(run)
    z = run.throw(ValueError(y * x))
    return y * z


def recovers(x):
    try:
        yield x * x
    except ValueError as e:
        yield e.args[0] * x


def chained(x):
    return sum(itertools.islice(itertools.chain(powers(x, 2), powers(x * x, 9)), 5))


def pipeline(x):
    def squares(values):
        for v in values:
            yield v * v * x

    def running(values):
        total = 0.0
        for v in values:
            total = total + v
            yield total

    return sum(running(squares(powers(x, 4))))


def nested_functions(x):
    scale = x

    def each():
        nonlocal scale
        for i in range(3):
            scale = scale * x
            yield scale + i

    total = 0.0
    for y in each():
        total = total + y * scale
    return total


def lambda_that_yields(x):
    twice = lambda: ((yield x), (yield x * x))
    return sum(twice())


PROGRAMS = [
    consumed_by_a_loop, left_early, by_comprehension_and_sum, by_list_tuple_and_star, by_hand,
    unused_values, never_started, by_send, zipped, both_from_one, walks_a_tree,
    generator_and_loop_change_the_same_object, yields_one_array_again_and_again,
    context_of_a_generator, exception_through_a_context, raises, catches_what_is_thrown, chained,
    pipeline, nested_functions, lambda_that_yields,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient_of_a_program_with_generators(f):
    assert check_gradient(f, 0.7).outcome == "right"


class Filling:
    """An iterator that changes what it was given."""

    def __init__(self, a, t):
        self.a, self.t, self.at = a, t, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.a):
            raise StopIteration
        self.a[self.at] = self.a[self.at] * self.t * self.a[0]
        self.at += 1
        return self.t


@pytest.mark.sweep(of=1)
@pytest.mark.parametrize("source", [fills, Filling])
def test_an_array_that_changes_with_each_element(source):
    """Its cotangent is in one place whenever an element is asked for."""

    def unused(x, z):
        for _ in source(z, x):
            pass
        return z.sum() * x

    def read_and_written(x):
        w = np.ones(3) * x
        for _ in source(w, x):
            w[1] = w[1] * x
            w = w + w * w
        return w.sum()

    assert check_gradient(unused, 0.7, np.array([0.3, -0.4, 1.2])).outcome == "right"
    assert check_gradient(read_and_written, 0.7).outcome == "right"


def test_what_changes_after_the_last_value():
    def ends_with_a_write(state, x):
        yield state[0]
        state[0] = state[0] * x

    def plain(x):
        state, total = [x], 0.0
        for y in ends_with_a_write(state, x):
            total = total + y * state[0]
        return total + state[0]

    def inside_a_try(x):
        state, total = [x], 0.0
        try:
            for y in ends_with_a_write(state, x):
                total = total + y * state[0]
        finally:
            total = total + state[0]
        return total

    assert check_gradient(plain, 0.7).outcome == "right"
    assert check_gradient(inside_a_try, 0.7).outcome == "right"


def test_generator_of_the_caller_has_no_way_back():
    with pytest.raises(Unsupported, match="hands out"):
        gradient(lambda x, it: x * next(it), 0.7, powers(0.5, 2))


def test_value_sent_into_yield_from():
    def outer(x):
        yield from averages(x)

    def f(x):
        run = outer(x)
        return next(run) * run.send(x)

    assert check_gradient(f, 0.7).outcome == "right"


def products():
    a = yield 1.0
    b = yield a * 2
    return a * b


def fails_with_products():
    a = yield 1.0
    try:
        b = yield a * 2
    except KeyError as err:
        b = err.args[0]
    raise ValueError(a * b)


def last_value_sent_is_returned(x, y):
    run = products()
    next(run)
    run.send(x)
    try:
        run.send(y)
    except StopIteration as end:
        result = end.value
    run.close()
    return result * next(run, 2.0)


def last_value_sent_through_a_helper(x, y):
    def resume(run, value):
        return run.send(value * y)

    run = products()
    next(run)
    resume(run, x)
    try:
        resume(run, y)
    except StopIteration as end:
        return end.value


def last_value_sent_to_a_delegate(x, y):
    def outer():
        result = yield from products()
        yield result**2

    run = outer()
    next(run)
    return run.send(x) * run.send(y)


def last_value_sent_is_raised(x, y):
    run = fails_with_products()
    next(run)
    run.send(x)
    try:
        run.send(y)
    except ValueError as err:
        return err.args[0] * x


def last_value_thrown_is_raised(x, y):
    run = fails_with_products()
    next(run)
    run.send(x)
    try:
        run.throw(KeyError(y))
    except ValueError as err:
        return err.args[0] * x


@pytest.mark.parametrize(
    "program",
    [
        last_value_sent_is_returned, last_value_sent_through_a_helper,
        last_value_sent_to_a_delegate, last_value_sent_is_raised, last_value_thrown_is_raised,
    ],
)  # fmt: skip
def test_last_value_sent(program):
    assert check_gradient(program, 0.7, 1.3).outcome == "right"


# --- begun before the differentiation: refused, or without a derivative


def _running():
    total = 0.0
    while True:
        x = yield total
        total = total + x * x


def _doubling():
    y = 0.0
    while True:
        try:
            yield y
        except ValueError as error:
            y = error.args[0] * 2


def _begun(generator):
    next(generator)
    return generator


def test_values_of_a_generator_begun_before_are_refused():
    squares, doubled = _begun(_running()), _begun(_doubling())
    with pytest.raises(Unsupported, match="begun before the differentiation"):
        gradient(lambda x: squares.send(x) * x, 3.0)
    with pytest.raises(Unsupported, match="begun before the differentiation"):
        gradient(lambda g, x: g.send(x) * x, _begun(_running()), 3.0)
    with pytest.raises(Unsupported, match="begun before the differentiation"):
        gradient(lambda x: doubled.throw(ValueError(x)) * x, 3.0)


def test_writes_of_a_generator_begun_before_are_refused():
    seen, box, state = [], {"v": 1.0}, SimpleNamespace(v=1.0)

    def sink():
        while True:
            seen.append((yield))

    def reading():
        while True:
            seen.append(box["v"])
            yield

    def setting():
        while True:
            state.v = yield

    def into(g, x):
        g.send(x * x)
        return (seen[-1] if seen else state.v) * x

    def by_next(g, x):
        box["v"] = x * x
        next(g)
        return seen[-1] * x

    def by_loop(g, x):
        box["v"] = x * x
        for _ in g:
            break
        return seen[-1] * x

    for begun, f in [
        (_begun(sink()), into), (_begun(setting()), into),
        (reading(), by_next), (reading(), by_loop),
    ]:  # fmt: skip
        seen.clear()
        with pytest.raises(Unsupported, match="a generator that writes into a"):
            gradient(lambda x, f=f, g=begun: f(g, x), 3.0)


def test_a_generator_begun_before_that_gives_constants():
    def numbered():
        used = []
        k = 0
        while True:
            used.append(k)
            k += 1
            yield "ab"[k % 2]

    labels = _begun(numbered())

    def f(x):
        next(labels)
        return x * x if labels.send(None) in "ab" else x

    assert gradient(f, 3.0) == (6.0,)


# --- streams of data that are kept between calls --------------------------------------------------


def _halves():
    k = 0
    while True:
        k += 1
        yield 0.5 * k


def _draws():
    rng = np.random.default_rng(0)
    while True:
        yield rng.normal(size=3)


def _begin():
    global halves, draws, items
    halves, draws, items = _halves(), _draws(), (2.0 * k for k in (1.0, 2.0, 3.0))
    next(halves)


def one_of_a_stream(x):
    return astad.dropgrad(next(halves)) * x * x


def an_array_of_a_stream(x):
    return float((astad.dropgrad(next(draws)) * x * x).sum())


def some_of_a_stream(x):
    total = 0.0
    for k in itertools.islice(halves, 3):
        total += astad.dropgrad(k) * x * x
    return total


def of_a_generator_expression(x):
    return astad.dropgrad(next(items)) * x * astad.dropgrad(next(items))


def of_two_streams(x):
    for k, a in zip(halves, draws):
        return astad.dropgrad(k) * x * float(astad.dropgrad(a).sum())


STREAMS = [
    one_of_a_stream, an_array_of_a_stream, some_of_a_stream, of_a_generator_expression,
    of_two_streams,
]  # fmt: skip


@pytest.mark.order_matters
@pytest.mark.parametrize("f", STREAMS, ids=lambda f: f.__name__)
def test_a_stream_of_data_is_told_by_dropgrad(f):
    agrees_when_called_again(f, _begin, lambda: (next(halves), next(draws).tolist()))


@pytest.mark.order_matters
def test_a_stream_without_it_is_refused_with_what_helps():
    _begin()
    with pytest.raises(Unsupported, match="if what it hands out is data, call astad.dropgrad"):
        astad.gradient(lambda x: next(halves) * x, 2.0)


def nothing(x):
    return
    yield x


def never(x):
    if False:
        yield x


class Nothing:
    def __iter__(self):
        return
        yield


def logged(log):
    log.append("begun")
    return 3.0
    yield


def through(x, log):
    found = yield from logged(log)
    yield found * x


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sum(nothing(x)) + x * x,
        lambda x: x * x + len(list(never(x))),
        lambda x: sum([*Nothing(), x]) * x,
        lambda x: next(nothing(x), x) * x,
        lambda x: x * x + sum(v * x for v in never(x)),
    ],
)
def test_generators_without_a_yield_that_is_reached(f):
    for x in (2.0, -1.5, 0.3, 2.0):
        assert gradient(f, x) == (2 * x,)


def test_what_such_a_generator_does_is_done_when_it_is_drawn_from():
    def f(x, log):
        made = logged(log)
        before = len(log)
        return sum(through(x, log)) * x + len(list(made)) + before

    log = []
    assert gradient(lambda x: f(x, log), 2.0) == (12.0,)
    assert log == ["begun", "begun"]
