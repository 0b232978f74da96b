"""`astad.memory` and ``checkpoint(f, memory=)``: amounts, blocks, threads, and how much is kept."""

import threading
import tracemalloc

import numpy as np
import pytest

import astad
from astad import gradient
from astad.api.memory.memory_budgets import budget_in_force
from astad.errors import WrongCall
from astad.runtime.core.budgets import bytes_of


def logistic(r, x, n):
    for _ in range(n):
        x = r * x * (1.0 - x)
    return x


def network(W, n):
    h = np.ones_like(W)
    for _ in range(n):
        h = np.tanh(W * h + 0.1)
    return h.sum()


def and_on(W, n):
    h = network(W, n) * W
    k = 0
    while k < n:
        h = np.sin(h * W)
        k += 1
    for _ in range(n):
        h = np.cos(h + W)
    return h.sum()


@pytest.mark.parametrize(
    ("amount", "size"),
    [("100 MB", 100_000_000), ("1.5kB", 1500), ("2 GiB", 2**31), ("1_000 bytes", 1000),
     ("1e3 B", 1000), (4096, 4096), ("7", 7), ("1 TB", 10**12), ("3 MiB", 3 * 2**20)],
)  # fmt: skip
def test_amounts(amount, size):
    assert bytes_of(amount) == size
    assert astad.memory(amount).bytes == size


@pytest.mark.parametrize(
    "amount", ["100 megs", "", "MB", "-3 MB", -5, 0, "0 MB", 1.5, None, True, b"1 MB"]
)
def test_wrong_amounts(amount):
    with pytest.raises(WrongCall, match=r"memory: .* as an amount of memory: .*100 \* 10\*\*6"):
        astad.memory(amount)
    if amount is not None:
        with pytest.raises(WrongCall, match="as an amount of memory"):
            astad.checkpoint(logistic, memory=amount)


def test_blocks_in_blocks():
    assert budget_in_force() is None
    with astad.memory("2 MB"):
        with astad.memory("1 kB"):
            assert budget_in_force().total == 1000
        assert budget_in_force().total == 2_000_000
        with pytest.raises(ZeroDivisionError), astad.memory("1 kB"):
            1 / 0
        assert budget_in_force().total == 2_000_000
    assert budget_in_force() is None
    assert astad.settings.budgets == 0


def test_block_that_is_entered_twice():
    block = astad.memory("1 MB")
    assert repr(block) == "memory('1 MB')"
    for _ in range(2):
        with block, block:
            assert budget_in_force().total == 1_000_000
    assert budget_in_force() is None


def test_block_of_another_thread_is_not_that_of_this():
    inside, done = threading.Event(), threading.Event()

    def wait():
        with astad.memory("1 kB"):
            inside.set()
            done.wait()

    other = threading.Thread(target=wait)
    other.start()
    inside.wait()
    try:
        assert budget_in_force() is None
        assert gradient(network, np.ones(1000), 3)[0].shape == (1000,)  # does not fit into 1 kB
    finally:
        done.set()
        other.join()


def test_threads_at_once():
    found = []

    def work():
        with astad.memory("20 kB"):
            found.append(gradient(logistic, 2.7, 0.3, 2000))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    expected = gradient(logistic, 2.7, 0.3, 2000)[0]
    np.testing.assert_allclose([each[0] for each in found], [expected] * 4)


def test_pullback_behind_the_block():
    with astad.memory("20 kB"):
        y, back = astad.pullback(logistic, 2.7, 0.3, 2000)
    assert y == logistic(2.7, 0.3, 2000)
    np.testing.assert_allclose(back(2.0)[0], 2 * gradient(logistic, 2.7, 0.3, 2000)[0])


def test_all_that_takes_gradients():
    expected = gradient(logistic, 2.7, 0.3, 500)[0]

    def pair(r):
        return np.array([logistic(r, 0.3, 500), r])

    with astad.memory("20 kB"):
        found = [
            astad.grad(logistic)(2.7, 0.3, 500),
            astad.value_and_grad(logistic)(2.7, 0.3, 500)[1],
            astad.vjp(lambda r: logistic(r, 0.3, 500), 2.7)[1](1.0)[0],
            astad.jacobian(pair, 2.7)[0],
            astad.pullback_self((lambda r: lambda x: logistic(r, x, 500))(2.7), 0.3)[1](1.0)[0].r,
            astad.jvp(lambda r: logistic(r, 0.3, 500), (2.7,), (1.0,))[1],
        ]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_second_derivatives_are_right():
    def f(r):
        return logistic(r, 0.3, 500)

    expected = astad.hessian(f, 2.7)
    with astad.memory("20 kB"):
        np.testing.assert_allclose(astad.hessian(f, 2.7), expected)
        np.testing.assert_allclose(astad.grad(astad.grad(f))(2.7), expected)


def test_second_derivatives_of_a_checkpoint_are_those_of_its_function():
    bounded = astad.checkpoint(logistic, memory="20 kB")
    expected = astad.hessian(lambda r: logistic(r, 0.3, 500), 2.7)
    for second in (astad.hessian, lambda f, x: astad.grad(astad.grad(f))(x)):
        found = second(lambda r: bounded(r, 0.3, 500), 2.7)
        np.testing.assert_allclose(found, expected, rtol=1e-10)


# --- checkpoint


def test_checkpoint_with_a_budget():
    bounded = astad.checkpoint(logistic, memory="20 kB")
    assert bounded(2.7, 0.3, 1000) == logistic(2.7, 0.3, 1000)
    expected = gradient(logistic, 2.7, 0.3, 1000)[0]
    np.testing.assert_allclose(gradient(bounded, 2.7, 0.3, 1000)[0], expected)
    found = gradient(lambda r: bounded(r, 0.3, n=1000) * r, 2.7)[0]
    np.testing.assert_allclose(found, expected * 2.7 + logistic(2.7, 0.3, 1000))
    np.testing.assert_allclose(
        astad.jvp(lambda r: bounded(r, 0.3, 1000), (2.7,), (1.0,))[1], expected
    )


def test_checkpoint_as_a_decorator_of_a_method():
    class Map:
        def __init__(self, r):
            self.r = r

        def run(self, x, n):
            for _ in range(n):
                x = self.r * x * (1.0 - x)
            return x

        bounded = astad.checkpoint(run, memory="20 kB")

    def loss(r, method):
        return getattr(Map(r), method)(0.3, 1000)

    np.testing.assert_allclose(gradient(loss, 2.7, "bounded")[0], gradient(loss, 2.7, "run")[0])


def test_checkpoint_with_a_budget_inside_a_plain_checkpoint_and_a_block():
    def f(r):
        return astad.checkpoint(logistic, memory="15 kB")(r, 0.3, 1000) * logistic(r, 0.3, 700)

    expected = gradient(f, 2.7)[0]
    np.testing.assert_allclose(gradient(astad.checkpoint(f), 2.7)[0], expected)
    with astad.memory("30 kB"):
        np.testing.assert_allclose(gradient(f, 2.7)[0], expected)
        np.testing.assert_allclose(gradient(astad.checkpoint(f), 2.7)[0], expected)


# --- how much


@pytest.mark.parametrize("f", [network, and_on])
def test_memory_stays_within_the_budget(f):
    W = np.linspace(0.5, 1.0, 1000)
    expected = gradient(f, W, 400)[0]
    for size in (4_000_000, 1_500_000):
        peaks = []
        for _ in range(2):  # the first compiles
            with astad.memory(size):
                tracemalloc.start()
                found = gradient(f, W, 400)[0]
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()
        np.testing.assert_allclose(found, expected, rtol=1e-10)
        assert peaks[1] < size
    tracemalloc.start()
    gradient(f, W, 400)
    without = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert without > 1.5 * 1_500_000


def test_floats_of_many_rounds():
    tracemalloc.start()
    with astad.memory("2 MB"):
        found = gradient(logistic, 2.7, 0.3, 100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000  # with the compiler's own
    np.testing.assert_allclose(found[0], gradient(logistic, 2.7, 0.3, 100_000)[0])
