"""What handlers store that are called while something else runs."""

import os
import signal

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


def by_errstate(x):
    seen = []
    with np.errstate(divide="call", call=lambda kind, flag: seen.append(x * x)):
        np.divide(np.array([x]), np.array([0.0]))
    return seen[0]


def by_seterrcall(x):
    class Handler:
        def __init__(self):
            self.total = 0.0

        def __call__(self, kind, flag):
            self.total += x * x

    handler = Handler()
    old, mode = np.seterrcall(handler), np.seterr(divide="call")
    try:
        np.array([1.0]) / np.array([0.0])
    finally:
        np.seterrcall(old)
        np.seterr(**mode)
    return handler.total


def by_a_log(x):
    class Log:
        last = 0.0

        def write(self, message):
            self.last = x * x

    log = Log()
    with np.errstate(divide="log", call=log):
        np.array([1.0]) / np.array([0.0])
    return log.last


def by_a_handler_of_what_comes_later(x):
    state = {"v": 1.0, "seen": 0.0}

    def handle(kind, flag):
        state["seen"] = state["v"] * 2

    with np.errstate(divide="call", call=handle):
        state["v"] = x * x
        np.array([1.0]) / np.array([0.0])
    return state["seen"]


def by_a_signal(x):
    seen = []
    old = signal.signal(signal.SIGUSR1, lambda *given: seen.append(x * x))
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, old)
    return seen[0]


def by_a_method_at_a_signal(x):
    class Job:
        done = 0.0

        def stop(self, number, frame):
            self.done = self.done + x * x

    job = Job()
    old = signal.signal(signal.SIGUSR2, job.stop)
    for _ in range(2):
        signal.raise_signal(signal.SIGUSR2)
    signal.signal(signal.SIGUSR2, old)
    return job.done


HANDLERS = [
    by_errstate, by_seterrcall, by_a_log, by_a_handler_of_what_comes_later, by_a_signal,
    by_a_method_at_a_signal,
]  # fmt: skip


@pytest.mark.parametrize("f", HANDLERS, ids=lambda f: f.__name__)
def test_what_handlers_store_is_refused(f):
    assert f(3.0) != 0.0
    with pytest.raises(Unsupported, match=r"^test_installed_hooks.py:\d+: .*has stored"):
        gradient(f, 3.0)


@pytest.mark.parametrize("f", HANDLERS, ids=lambda f: f.__name__)
def test_what_they_store_and_nobody_reads(f):
    def beside(x):
        y = x * x
        f(y)
        return y

    assert gradient(beside, 3.0) == (6.0,)


def test_handlers_that_count():
    def f(x):
        counts = []

        def handle(kind, flag):
            counts.append(kind)

        assert np.geterrcall() is None
        with np.errstate(divide="call", call=handle):
            assert np.geterrcall() is handle
            np.array([1.0]) / np.array([0.0])
        old = signal.signal(signal.SIGUSR1, handle)
        assert signal.getsignal(signal.SIGUSR1) is handle
        signal.raise_signal(signal.SIGUSR1)
        assert signal.signal(signal.SIGUSR1, old) is handle
        return x**2 * len(counts)

    check_gradient(f, 1.5)
