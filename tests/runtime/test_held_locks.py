"""Locks that a generator holds which was left before its end."""

import contextlib
import itertools
import threading

import pytest

from astad import gradient, pullback
from astad.errors import Unsupported

LOCK = threading.Lock()


def samples(x, lock):
    with lock:
        yield x
        yield x * 2


def by_next(x):
    lock = threading.Lock()
    v = next(samples(x, lock))
    with lock:
        return v * 2


def of_the_module(x):
    v = next(samples(x, LOCK))
    with LOCK:
        return v * 2


def by_zip(x):
    lock = threading.Lock()
    for v, _ in zip(samples(x, lock), [1], strict=False):
        pass
    lock.acquire()
    try:
        return v * 2
    finally:
        lock.release()


def by_return(x):
    lock = threading.Lock()

    def first():
        for v in samples(x, lock):
            return v

    v = first()
    with lock:
        return v * 2


def by_condition(x):
    condition = threading.Condition(threading.Lock())
    v = next(samples(x, condition))
    with condition:
        return v * 2


def by_semaphore(x):
    semaphore = threading.Semaphore(1)
    v = next(samples(x, semaphore))
    with semaphore:
        return v * 2


def asked(x):
    lock = threading.Lock()
    (v,) = itertools.islice(samples(x, lock), 1)
    return v * 3 if lock.locked() else v * 2


def tried(x):
    lock = threading.Lock()
    v = next(samples(x, lock))
    return v * 2 if lock.acquire(blocking=False) else v * 3


@pytest.mark.parametrize(
    "f",
    [by_next, of_the_module, by_zip, by_return, by_condition, by_semaphore, asked, tried],
)
def test_a_lock_that_a_plain_run_has_let_go_of(f):
    assert f(2.0) == 4.0
    with pytest.raises(Unsupported, match="a generator"):
        pullback(f, 2.0)
    assert not LOCK.locked()


def of_a_loop(x):
    lock = threading.Lock()
    for v in samples(x, lock):
        break
    with lock:
        return v * 2


def of_a_closed_one(x):
    lock = threading.Lock()
    with contextlib.closing(samples(x, lock)) as drawn:
        v = next(drawn)
    with lock:
        return v * 2


def through(x):
    lock = threading.Lock()
    total = sum(samples(x, lock))
    with lock:
        return total * x / 3


def of_a_context(x):
    lock = threading.Lock()

    @contextlib.contextmanager
    def held():
        with lock:
            yield x

    with held() as v:
        return v * 2 if lock.locked() else v


def reentrant(x):
    lock = threading.RLock()
    v = next(samples(x, lock))
    with lock:
        return v * 2


@pytest.mark.parametrize(
    "f, slope",
    [(of_a_loop, 2.0), (of_a_closed_one, 2.0), (through, 4.0), (of_a_context, 2.0),
     (reentrant, 2.0)],
)  # fmt: skip
def test_a_lock_that_is_free_or_held_in_a_plain_run_too(f, slope):
    assert pullback(f, 2.0)[0] == f(2.0) == 4.0
    assert gradient(f, 2.0) == (slope,)
