"""Threads that a differentiated function starts are refused; locks and the like are not."""

import _thread
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import pytest

import astad
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
