"""Generators left before their end: what their ends do is right, or refused; never late unseen."""

import contextlib
import itertools
import threading

import numpy as np
import pytest

from astad import checked, gradient, pullback, value_and_grad
from astad.errors import Unsupported
from astad.testing import check_gradient
from tests.compiler.forms import only_generic

X = 1.3


class Meter:
    """Counts how often it was left, and doubles its factor."""

    def __init__(self):
        self.left = 0
        self.factor = 1.0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.left += 1
        self.factor *= 2.0


def powers(x, log):
    v = x
    try:
        while True:
            yield v
            v = v * x
    finally:
        log.append(v)


def first(x):
    log = []
    v = next(powers(x, log))
    return v + sum(log)


def first_few(x):
    log = []
    v = sum(itertools.islice(powers(x, log), 3))
    return v * log[0]


def unpacked(x):
    log = []
    a, b = itertools.islice(powers(x, log), 2)
    return a * b + sum(log)


def numbered(x):
    log = []
    for i, v in enumerate(powers(x, log)):
        if i == 2:
            break
    return v * sum(log)


def beside_names(x):
    log = []
    found = dict(zip("abc", powers(x, log), strict=False))
    return found["b"] + sum(log)


def taken_while(x):
    log = []
    for v in itertools.takewhile(lambda v: v < 4.0, powers(x, log)):
        last = v
    return last * (1.0 + sum(log))


def asked_through_an_object(x):
    log = []
    stream = Stream()
    stream.running = powers(x, log)
    v = stream.next(x)
    del stream
    return v + sum(log)


def given_to_a_function(x):
    log = []
    v = (lambda running: next(running) * 2.0)(powers(x, log))
    return v + sum(log)


def under_try(x):
    log = []
    try:
        v = next(powers(x, log))
    except ValueError:
        v = 0.0
    return v + sum(log)


def largest_of_some(x):
    log = []
    v = max(itertools.takewhile(lambda v: v < 4.0, powers(x, log)), default=0.0)
    return v + sum(log)


def in_pairs(x):
    log = []
    for v, w in itertools.pairwise(powers(x, log)):
        if w > 2.0:
            break
    return v * w + sum(log)


def copied(x):
    log = []
    one, other = itertools.tee(powers(x, log))
    v = next(one) * next(other)
    del one, other
    return v + sum(log)


def deleted(x):
    log = []
    running = powers(x, log)
    v = next(running)
    del running
    return v * (1.0 + sum(log))


def local_to_a_callee(x):
    log = []

    def second():
        running = powers(x, log)
        next(running)
        return next(running)

    return second() + sum(log)


def returned_from_the_loop(x):
    log = []

    def found():
        for i, v in enumerate(powers(x, log)):
            if i == 2:
                return v

    return found() + sum(log)


def through_another_generator(x):
    log = []

    def doubled():
        for v in powers(x, log):
            yield 2.0 * v

    for v in doubled():
        if v > 3.0:
            break
    return v + sum(log)


def counted_in_a_variable(x):
    count = 0

    def samples():
        nonlocal count
        try:
            for k in range(9):
                yield k * x
        finally:
            count += 1

    v = sum(itertools.islice(samples(), 3))
    return v * count


def counted_in_an_object(x):
    meter = Meter()

    def samples():
        with meter:
            for k in range(9):
                yield k * x

    v = sum(itertools.islice(samples(), 3))
    return v * meter.left


def scaled_by_an_object(x):
    meter = Meter()

    def samples():
        with meter:
            yield x
            yield x * x

    return next(samples()) * meter.factor


def noted_as_text(x):
    state = {}

    def samples():
        try:
            yield x
            yield x * x
        finally:
            state["done"] = True

    v = next(samples())
    return v * x if "done" in state else v


def lengths_of_a_log(x):
    log = []

    def samples():
        try:
            yield x
            yield x * x
        finally:
            log.append("closed")

    return next(samples()) * (1 + len(log))


@pytest.mark.parametrize("form", [contextlib.nullcontext, only_generic, checked])
@pytest.mark.parametrize(
    "f",
    [
        first, first_few, unpacked, numbered, beside_names, taken_while, deleted, copied,
        asked_through_an_object, given_to_a_function, under_try, largest_of_some, in_pairs,
        local_to_a_callee, returned_from_the_loop, through_another_generator,
        counted_in_a_variable, counted_in_an_object, scaled_by_an_object, noted_as_text,
        lengths_of_a_log,
    ],
)  # fmt: skip
def test_an_end_that_changes_what_is_read_is_refused(f, form):
    with form():
        with pytest.raises(Unsupported, match="left before its end, and changes things") as told:
            gradient(f, X)
    assert "contextlib.closing" in str(told.value)


def closed_by_hand(x):
    log = []
    with contextlib.closing(powers(x, log)) as running:
        v = next(running) * next(running)
    return v * log[0]


def left_by_break(x):
    log = []
    for v in powers(x, log):
        if v > 2.0:
            break
    return v * log[0]


def numbers_of_a_file(x, path):
    def numbers():
        with open(path) as lines:
            for line in lines:
                yield float(line) * x

    return next(numbers()) * x


def with_settings(x):
    def logs():
        with np.errstate(all="ignore"):
            for k in range(9):
                yield np.log(k + x)

    return sum(v for v, _ in zip(logs(), "abc", strict=False))


def asked_for_the_first(x):
    values = (v * x for v in itertools.count(1))
    return next(v for v in values if v > 3.0) * x


def with_handlers(x):
    def samples():
        for k in range(9):
            try:
                yield k * x
            except ValueError:
                yield 0.0

    return sum(itertools.islice(samples(), 4)) * x


@pytest.mark.parametrize("form", [contextlib.nullcontext, only_generic, checked])
@pytest.mark.parametrize(
    "f", [closed_by_hand, left_by_break, with_settings, asked_for_the_first, with_handlers]
)
def test_an_end_that_changes_nothing_goes_through(f, form):
    with form():
        check_gradient(f, X)
        assert value_and_grad(f)(X)[0] == f(X)


def test_the_first_number_of_a_file(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("2.0\n3.0\n")
    assert gradient(lambda x: numbers_of_a_file(x, path), X) == (2 * 2.0 * X,)


def test_a_lock_is_let_go_when_the_gradient_is_there():
    lock = threading.Lock()

    def guarded(x):
        def samples():
            with lock:
                for k in range(9):
                    yield k * x

        return sum(itertools.islice(samples(), 3)) * x

    for _ in range(2):
        assert gradient(guarded, X) == (pytest.approx(6 * X),)
        assert not lock.locked()


def test_an_error_of_the_program_is_its_own(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("2.0\n3.0\n")

    def fails(x):
        if numbers_of_a_file(x, path) > 0.0:
            raise ArithmeticError("too large")
        return x

    with pytest.raises(ArithmeticError, match="too large"):
        gradient(fails, X)


class Stream:
    """Begins to draw when it is first asked."""

    def __init__(self):
        self.running = None

    def next(self, x):
        if self.running is None:
            self.running = powers(x, [])
        return next(self.running)


HELD = {}


def of_an_argument(x, stream):
    return stream.next(x) * x


def of_the_module(x, stream):
    HELD["running"] = running = powers(x, [])
    stream.running = {"in": [running]}
    return next(running) * x


def test_a_generator_that_somebody_holds_goes_on():
    stream = Stream()
    assert gradient(of_an_argument, X, stream)[0] == 2 * X
    assert next(stream.running) == X * X
    assert gradient(of_the_module, X, stream)[0] == 2 * X
    assert next(HELD.pop("running")) == X * X
    assert next(stream.running["in"][0]) == X * X * X


def test_a_generator_in_a_variable_of_the_caller_goes_on():
    held = []

    def keeps(x):
        running = powers(x, [])
        held.append((running, "named"))
        return next(running) * x

    assert gradient(keeps, X) == (2 * X,)
    assert next(held[0][0]) == X * X


def test_a_generator_that_is_the_result_goes_on():
    def begun(x):
        running = powers(x, [])
        return next(running), [running]

    (v, running), _ = pullback(begun, X)
    assert v == X and next(running[0]) == X * X


class Pool:
    free = 3

    def __init__(self):
        self.used = 0

    def draw(self):
        self.used += 1
        try:
            while True:
                yield self.used
        finally:
            self.used -= 1


def taken():
    Pool.free -= 1
    try:
        while True:
            yield Pool.free
    finally:
        Pool.free += 1


def by_a_class(x):
    return x * next(taken()) + next(taken())


def by_an_object(x):
    pool = Pool()
    return x * next(pool.draw()) + next(pool.draw())


def bound_anew(x):
    g = taken()
    n = next(g)
    g = taken()
    return x * n + next(g)


@pytest.mark.parametrize("f", [by_a_class, by_an_object, bound_anew])
def test_a_count_that_comes_too_late_is_refused(f):
    Pool.free = 3
    with pytest.raises(Unsupported, match="left before its end"):
        gradient(f, X)


def test_a_delegation_is_closed_with_what_it_draws_from():
    """One that draws from a tuple ends nothing; what has a ``finally`` is closed in time."""
    log = []

    def parts(x):
        yield from (x, 2.0 * x, 3.0 * x)

    def inner(x):
        try:
            yield x
            yield x * x
        finally:
            log.append("closed")

    def outer(x):
        yield from inner(x)

    def f(x):
        total = sum(a * b for a, b in zip(parts(x), parts(x * x)))
        for v in outer(x):
            total = total + v
            break
        return total + len(log)

    n = gradient(f, X)[0]
    assert n == pytest.approx(14.0 * 3 * X**2 + 1.0)
    assert log == ["closed"]
