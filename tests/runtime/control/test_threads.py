"""Threads that a differentiated function starts are refused; locks and the like are not.

Locks that a generator holds which was left before its end.
"""

import _thread
import contextlib
import itertools
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import pytest

import astad
from astad import gradient, pullback
from astad.errors import Unsupported
from astad.testing import check_gradient


def appended(x):
    found = []
    thread = threading.Thread(target=lambda: found.append(x * x))
    thread.start()
    thread.join()
    return found[0] * x


def written_to_slots(x):
    found = [0.0, 0.0]

    def work(k, v):
        found[k] = v * v

    threads = [threading.Thread(target=work, args=(k, x)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(found)


class Worker(threading.Thread):
    def __init__(self, x):
        super().__init__()
        self.x = x
        self.y = None

    def run(self):
        self.y = self.x * self.x


def own_class(x):
    worker = Worker(x)
    worker.start()
    worker.join()
    return worker.y * x


def timer(x):
    found = []
    thread = threading.Timer(0.001, lambda: found.append(x))
    thread.start()
    thread.join()
    return found[0] * x


def mapped(x):
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(lambda v: v * v, [x, 2 * x]))


def submitted(x):
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(lambda v: v * x, k) for k in (1.0, 2.0)]
        return sum(future.result() for future in futures)


def pooled(x):
    with ThreadPool(2) as pool:
        return sum(pool.map(lambda v: v * x, [1.0, x]))


def by_queues(x):
    asked, answered = queue.Queue(), queue.Queue()
    thread = threading.Thread(target=lambda: answered.put(asked.get() * x))
    thread.start()
    asked.put(x)
    thread.join()
    return answered.get() * x


def low_level(x):
    found, done = [], _thread.allocate_lock()
    done.acquire()

    def work():
        found.append(x * x)
        done.release()

    _thread.start_new_thread(work, ())
    done.acquire()
    return found[0] * x


def caught(x):
    try:
        return appended(x)
    except Exception:
        return x


STARTING = [
    appended, written_to_slots, own_class, timer, mapped, submitted, pooled, by_queues, low_level,
    caught,
]  # fmt: skip


@pytest.mark.parametrize("f", STARTING, ids=lambda f: f.__name__)
def test_a_thread_that_is_started_is_refused_with_its_line(f):
    with pytest.raises(Unsupported, match=r"^test_threads\.py:\d+: a thread started inside"):
        astad.gradient(f, 1.5)


def test_locks_and_thread_locals_are_no_threads():
    lock, local = threading.Lock(), threading.local()

    def f(x):
        with lock:
            local.y = x * x
        return local.y * x

    check_gradient(f, 1.5)


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
    [by_next, of_the_module, by_zip, by_condition, by_semaphore, asked, tried],
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
    [(by_return, 2.0), (of_a_loop, 2.0), (of_a_closed_one, 2.0), (through, 4.0),
     (of_a_context, 2.0), (reentrant, 2.0)],
)  # fmt: skip
def test_a_lock_that_is_free_or_held_in_a_plain_run_too(f, slope):
    assert pullback(f, 2.0)[0] == f(2.0) == 4.0
    assert gradient(f, 2.0) == (slope,)
