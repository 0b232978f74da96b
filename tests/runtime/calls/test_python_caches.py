"""Python's own caches while a sweep fills them: whose code runs when, and that all is put back."""

import functools
import os
import sys
import threading

import numpy as np
import pytest

import astad
from astad.runtime.calls.python_caches import PythonCache


@functools.lru_cache(maxsize=16)
def weighed(k, x=1.0, *, scale=2.0):
    return x * x * scale + k


def code_of(fn):
    return fn.__wrapped__.__code__


@pytest.fixture(autouse=True)
def empty():
    before = code_of(weighed)
    weighed.cache_clear()
    yield
    assert code_of(weighed) is before


@pytest.fixture
def quick_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(*works):
    failed = []

    def run(work):
        try:
            work()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_threads_that_differentiate_through_one_cache(quick_switches):
    def work():
        for i in range(150):
            x = 1.0 + i % 20
            assert astad.gradient(lambda x: weighed(3, x) * x, x)[0] == 6 * x * x + 3

    def plainly():
        for i in range(2000):
            x = 1.0 + i % 23
            assert weighed(4, x) == 2 * x * x + 4
            assert weighed.__wrapped__(5, x, scale=1.0) == x * x + 5

    in_threads(work, work, plainly)


def test_a_call_of_another_thread_is_no_part_of_the_sweep():
    entered, done = threading.Event(), threading.Event()
    found = []

    class Key:
        def __hash__(self):
            if threading.current_thread() is not main:
                return 1
            entered.set()
            done.wait(10)
            return 1

        def __eq__(self, other):
            return self is other

    main, key = threading.current_thread(), Key()

    @functools.cache
    def area(key, x):
        return x * x

    def other():
        entered.wait(10)
        found.append(area.__wrapped__(key, 7.0))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    assert astad.gradient(lambda x: area(key, x), 3.0) == (6.0,)
    thread.join()
    assert found == [49.0]


def test_a_key_that_calls_the_function_is_no_part_of_the_sweep():
    calls = []

    class Key:
        def __hash__(self):
            calls.append(area.__wrapped__(None, 2.0))
            return 1

        def __eq__(self, other):
            return self is other

    @functools.cache
    def area(key, x):
        return x * x

    key = Key()
    assert astad.gradient(lambda x: area(key, x), 3.0) == (6.0,)
    assert set(calls) == {4.0}
    assert area(key, 3.0) == 9.0


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
def test_the_code_is_put_back_where_something_ends_the_call(error):
    class Key:
        def __hash__(self):
            if Key.is_ended:
                raise error
            return 1

    @functools.cache
    def area(key, x):
        return x * x

    before = code_of(area)
    for Key.is_ended in (True, False):
        if Key.is_ended:
            with pytest.raises(error):
                PythonCache(area).look_up((Key(), 1.0), {}, lambda fn: fn(Key(), 1.0))
        else:
            assert astad.gradient(lambda x: area(Key(), x), 3.0) == (6.0,)
        assert code_of(area) is before


def test_an_interrupt_inside_leaves_nothing_behind():
    @functools.cache
    def area(x):
        if stops:
            raise KeyboardInterrupt
        return x * x

    stops = [1]
    before = code_of(area)
    with pytest.raises(KeyboardInterrupt):
        astad.gradient(area, 3.0)
    assert code_of(area) is before
    stops.clear()
    assert astad.gradient(area, 3.0) == (6.0,)
    assert area.cache_info() == (0, 2, None, 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_is_forked_meanwhile_has_the_code():
    entered, done = threading.Event(), threading.Event()

    class Key:
        def __hash__(self):
            entered.set()
            done.wait(10)
            return 1

    @functools.cache
    def area(key, x):
        return x * x

    def other():
        PythonCache(area).look_up((Key(), 1.0), {}, lambda fn: fn(Key(), 1.0))

    before = code_of(area)
    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    child = os.fork()
    if child == 0:
        done.set()
        is_right = code_of(area) is before and area(1, 3.0) == 9.0
        os._exit(0 if is_right and astad.gradient(lambda x: area(2, x), 3.0) == (6.0,) else 1)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_defaults_keywords_and_what_is_captured():
    offset = [4.0]

    def made(a):
        @functools.lru_cache(maxsize=3)
        def inner(x, y=2.0, /, z=a, *rest, k=a * 2, **more):
            return x * y + z * k + sum(rest) + more.get("w", 0.0) + a * offset[0] + x * x

        return inner

    def calling(inner):
        return lambda x: inner(x) + inner(x, 3.0, x, x, k=x, w=x) + inner(x)

    inner, plain = made(3.0), made(3.0)
    f, expected = calling(inner), calling(plain.__wrapped__)
    for x in (1.0, 2.0, 1.0):
        (found,) = astad.gradient(f, x)
        assert found == pytest.approx((expected(x + 1e-6) - expected(x - 1e-6)) / 2e-6)
        calling(plain)(x)
        assert inner.cache_info() == plain.cache_info()


def test_what_is_written_into_the_defaults_of_a_function():
    @functools.cache
    def gathered(x, seen=[]):
        seen.append(x)
        return sum(seen)

    for n, x in enumerate((1.0, 2.0, 3.0), 1):
        assert astad.value_and_grad(gathered)(x) == (sum(range(n + 1)), 1.0)
    assert gathered.cache_info() == (0, 3, None, 3)


def test_rules_of_the_users_hold_behind_a_cache():
    def cube(x):
        return x**3

    @astad.adjoint(cube)
    def _(x):
        return x**3, lambda y_bar: (100.0 * y_bar,)

    cached = functools.cache(cube)
    for _ in range(3):
        assert astad.gradient(lambda x: cached(x) * 2, 2.0) == (200.0,)


def test_arrays_are_those_of_the_cache():
    @functools.cache
    def grid(x):
        return np.array([x, x * x])

    def f(x):
        g = grid(x)
        g[0] = g[0] * 2
        return g.sum() * (grid(x) is g)

    assert astad.value_and_grad(f)(3.0) == (15.0, 8.0)
    assert grid(3.0).tolist() == [6.0, 9.0]
    with pytest.raises(astad.errors.Unsupported, match="does not give it once more"):
        astad.gradient(f, 3.0)
    assert grid(3.0).tolist() == [12.0, 9.0]
