"""Functions that write what their caller holds."""

import numpy as np

from astad import gradient
from astad.testing import check_gradient


def test_callee_fills_its_callers_array_twice_and_the_array_is_read_between():
    def fill(a, x):
        for i in range(len(a)):
            a[i] = x * (i + 1) + a[i] * 0.5

    def f(x):
        a = np.zeros(3)
        fill(a, x)
        middle = (a * a).sum()
        fill(a, x * x)
        return middle * a[2] + a[0]

    check_gradient(f, 1.5)


def test_kept_product_then_a_write_reached_only_through_self():
    class Model:
        def __init__(self, a):
            self.a = a

        def spoil(self, x):
            self.a[0] = x

    def f(a, x):
        model = Model(a)
        y = (a * a).sum()
        model.spoil(x)
        return y * a[0] + a.sum()

    check_gradient(f, np.array([1.0, 2.0, 3.0]), 0.5)


def test_argument_written_is_left_as_a_plain_run_leaves_it():
    def f(a):
        a *= 2.0
        a[0] = a[1]
        return (a * a).sum()

    a = np.array([1.0, 2.0])
    (a_bar,) = gradient(f, a)
    assert a.tolist() == [4.0, 4.0]
    assert a_bar.tolist() == [0.0, 32.0]
    check_gradient(f, np.array([1.0, 2.0]))


def test_out_argument_of_a_numpy_function():
    def f(a, b):
        np.multiply(a, b, out=a)
        return (a * b).sum()

    check_gradient(f, np.array([1.0, 2.0]), np.array([0.5, -1.5]))


def test_list_of_the_caller_grows_in_the_callee():
    def grow(l, x):
        l.append(x * l[-1])
        l[0] = l[0] * x

    def f(x):
        l = [x, 2.0]
        for _ in range(3):
            grow(l, x)
        return sum(l)

    check_gradient(f, 0.8)


def test_matrix_used_many_times_keeps_one_copy_only():
    import tracemalloc

    def f(W, h, n):
        for _ in range(n):
            h = np.tanh(W @ h)
        return h.sum()

    rng = np.random.default_rng(0)
    W, h = rng.normal(size=(120, 120)) / 11, rng.normal(size=120)
    gradient(f, W, h, 3)
    peaks = []
    for n in (50, 400):
        tracemalloc.start()
        gradient(f, W, h, n)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    one = W.nbytes
    # 350 further steps keep vectors of 1 kB each, never a matrix
    assert peaks[1] - peaks[0] < 20 * one


def test_stencil_in_place():
    def f(u, w):
        for i in range(1, len(u) - 1):
            u[i] = w @ u[i - 1 : i + 2]
        return (u * u).sum()

    check_gradient(f, np.linspace(0.1, 1.0, 6), np.array([0.2, 0.5, 0.3]))
