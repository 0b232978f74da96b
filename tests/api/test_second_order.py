"""hessian, hvp, jacobian, jvp against formulas by hand, and against each other."""

import math

import numpy as np
import pytest

import astad
from astad import gradient, hessian, hvp, jacobian, jvp
from astad.errors import Unsupported, WrongCall


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_hessian(x):
    """By hand."""
    n = len(x)
    found = np.zeros((n, n))
    for i in range(n - 1):
        found[i, i] += 1200.0 * x[i] ** 2 - 400.0 * x[i + 1] + 2.0
        found[i + 1, i + 1] += 200.0
        found[i, i + 1] -= 400.0 * x[i]
        found[i + 1, i] -= 400.0 * x[i]
    return found


X = np.array([0.5, 0.7, -0.2, 1.1])


def test_the_hessian_of_an_array():
    found = hessian(rosenbrock, X)
    np.testing.assert_allclose(found, rosenbrock_hessian(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found, found.T, rtol=1e-14, atol=1e-12)


def test_a_product_with_the_hessian():
    v = np.array([1.0, -2.0, 0.5, 3.0])
    np.testing.assert_allclose(hvp(rosenbrock, X, v), rosenbrock_hessian(X) @ v, rtol=1e-12)


def test_numbers_lists_and_matrices():
    assert hessian(math.sin, math.pi / 2) == -1.0
    assert hessian(lambda x: 3.0, 2.0) == hessian(lambda x: 3.0 * x, 2.0) == 0.0
    assert hessian(lambda v: v[0] + v[1], [2.0, 3.0]) == [[0.0, 0.0], [0.0, 0.0]]
    np.testing.assert_array_equal(hessian(lambda x: np.sum(x), np.ones(2)), np.zeros((2, 2)))
    assert hvp(lambda x: x**4, 2.0, 0.5) == 24.0
    assert hessian(lambda v: v[0] * v[1], [2.0, 3.0]) == [[0.0, 1.0], [1.0, 0.0]]
    assert hessian(lambda v: v[0] * v[1], [2, 3]) == [[0.0, 1.0], [1.0, 0.0]]
    assert hvp(lambda v: v[0] ** 2 * v[1], [2.0, 3.0], [1.0, 10.0]) == [46.0, 4.0]
    found = hessian(lambda x: np.sum(x**3), np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert found.shape == (2, 2, 2, 2)
    np.testing.assert_array_equal(found.reshape(4, 4), np.diag([6.0, 12.0, 18.0, 24.0]))


def test_further_arguments_are_held():
    def f(x, scale, power):
        return scale * np.sum(x**power)

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(hessian(f, x, 3.0, 4), np.diag(36.0 * x**2), rtol=1e-14)
    np.testing.assert_allclose(hvp(f, x, x, 3.0, 4), 36.0 * x**3, rtol=1e-14)
    np.testing.assert_allclose(jacobian(lambda x, k: k * x * x, x, 3.0), np.diag(6.0 * x))


def test_jacobians_of_numbers_and_arrays():
    assert jacobian(lambda x: x**3, 2.0) == 12.0
    np.testing.assert_array_equal(jacobian(lambda t: np.array([t, t * t]), 3.0), [1.0, 6.0])
    np.testing.assert_array_equal(jacobian(lambda x: np.sum(x * x), X), 2.0 * X)
    found = jacobian(lambda x: np.outer(x, x), X[:2])
    want = [[[1.0, 0.0], [0.7, 0.5]], [[0.7, 0.5], [0.0, 1.4]]]
    np.testing.assert_allclose(found, want)
    assert jacobian(lambda x: np.zeros(3), X).shape == (3, 4)
    assert jacobian(lambda x: x[:0], X).shape == (0, 4)


def test_a_jvp_and_its_transpose():
    def f(a, b):
        return np.array([a * b, a / b, np.sin(a)])

    y, y_dot = jvp(f, (2.0, 3.0), (0.5, -1.0))
    np.testing.assert_allclose(y, f(2.0, 3.0))
    np.testing.assert_allclose(y_dot, [-0.5, 0.5 / 3 + 2.0 / 9.0, 0.5 * math.cos(2.0)])
    y_bar = np.array([1.0, -2.0, 0.3])
    bars = astad.pullback(f, 2.0, 3.0)[1](y_bar)
    assert np.vdot(y_bar, y_dot) == pytest.approx(0.5 * bars[0] - bars[1], rel=1e-12)
    assert jvp(f, (2.0, 3.0), (None, 1.0))[1][0] == 2.0


def test_the_jvp_of_the_paper():
    y, y_dot = jvp(lambda a, b: a / (a + b * b), (1.0, 1.0), (1.0, 1.0))
    assert (y, y_dot) == (0.5, -0.25)
    found = jvp(lambda a, b: a / (a + b * b), (2.0, 3.0), (1.0, 1.0))[1]
    assert found == pytest.approx(-3.0 / 121.0, rel=1e-14)


def test_a_hessian_is_differentiated():
    def trace(x):
        return np.trace(np.diag(hessian(lambda v: np.sum(v**3), x).diagonal()))

    try:
        found = gradient(trace, np.array([1.0, 2.0]))[0]
    except Unsupported:
        return  # refused, not wrong
    np.testing.assert_allclose(found, [6.0, 6.0])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: hessian(lambda d: d["a"] ** 2, {"a": 1.0}), "put the numbers into one array"),
        (lambda: hessian(lambda z: abs(z) ** 2, 1j), "put the numbers into one array"),
        (lambda: hvp(rosenbrock, X, X[:2]), "one number for each"),
        (lambda: jvp(math.sin, (1.0,), ()), "give None for an argument that is held"),
        (lambda: jvp(np.sin, (X,), (1.0,)), "give it the shape of the argument"),
        (lambda: jacobian(lambda x: [x, x], 1.0), "return one array"),
    ],
)
def test_wrong_calls_say_what_to_do(call, text):
    with pytest.raises((Unsupported, WrongCall), match=text):
        call()
