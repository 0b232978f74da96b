"""The examples of the post on YASSAD.jl: rows 004.01 to 004.07."""

import math
import operator
import time

import numpy as np
import pytest

from astad import gradient, pullback, value_and_grad


def test_004_01_the_product_rule():
    y, back = pullback(operator.mul, 2, 5)
    assert y == 10
    assert back(3) == (15, 6)


def test_004_02_a_branch_with_two_returns():
    def f(x):
        if x > 1:
            return x * x
        return 3 * x

    assert gradient(f, 2) == (4,)
    assert gradient(f, 0) == (3,)


@pytest.mark.parametrize("make", [list, np.array])
def test_004_03_a_loop_over_elements(make):
    def f(xs):
        total = 0.0
        for e in xs:
            total += e * math.sin(e)
        return total

    (bar,) = gradient(f, make([0.5, 1.5]))
    assert type(bar) is (list if make is list else np.ndarray)
    np.testing.assert_allclose(bar, [0.9182168195493894, 1.1036007891056088], rtol=1e-15)


def trace_of_product(A, B):
    return np.trace(A @ B)


def test_004_04_matrix_product_and_trace():
    A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    y, back = pullback(trace_of_product, A, B)
    assert y == 69
    A_bar, B_bar = back(1.0)
    assert A_bar.tolist() == [[5, 7], [6, 8]]
    assert B_bar.tolist() == [[1, 3], [2, 4]]


def test_004_04_thirty_by_thirty():
    rng = np.random.default_rng(4)
    A, B = rng.normal(size=(30, 30)), rng.normal(size=(30, 30))
    _, back = pullback(trace_of_product, A, B)
    A_bar, B_bar = back(1.0)
    np.testing.assert_allclose(A_bar, B.T, rtol=1e-14)
    np.testing.assert_allclose(B_bar, A.T, rtol=1e-14)


@pytest.mark.parametrize(
    ("value", "kind"), [(np.array([1.0, 2.0]), np.ndarray), (1.5, float), (3, int)]
)
def test_004_05_no_tracked_types(value, kind):
    seen = []

    def f(x):
        seen.append(type(x))
        return np.sum(x * x)

    (bar,) = gradient(f, value)
    assert seen == [kind]
    np.testing.assert_array_equal(bar, 2 * value)


def test_004_06_one_variable_with_several_gradients():
    assert gradient(lambda x: x * x * x + x, 2) == (13,)


@pytest.mark.timing
def test_004_07_the_speed_of_the_hand_written_pair():
    rng = np.random.default_rng(7)
    A, B = rng.normal(size=(300, 300)), rng.normal(size=(300, 300))

    def by_hand(A, B):
        y = np.trace(A @ B)
        seed = np.eye(300)
        return y, (seed @ B.T, A.T @ seed)

    by_astad = value_and_grad(trace_of_product, argnums=(0, 1))
    assert by_astad(A, B)[0] == by_hand(A, B)[0]
    ratios = []
    for _ in range(15):
        started = time.perf_counter()
        by_hand(A, B)
        between = time.perf_counter()
        by_astad(A, B)
        ratios.append((time.perf_counter() - between) / (between - started))
    assert sorted(ratios)[7] <= 3
