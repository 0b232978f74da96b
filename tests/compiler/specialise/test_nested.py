"""Gradients that a program takes of known functions are written out in its own text."""

import math

import numpy as np
import pytest

from astad import grad, gradient, value_and_grad
from astad.runtime.core.variants import variants_of


def cube(x):
    return x * x * x


def waves(x, n):
    y = 1.0
    for _ in range(n):
        if y > 10.0:
            y = math.sin(y)
        y = y * x
    return y


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def layer(W, x):
    return np.sum(np.tanh(W @ x))


SLOPE = grad(cube)


def second(x):
    return gradient(cube, x)[0]


def by_grad(x):
    return grad(cube)(x) * x


def by_a_global(x):
    return SLOPE(x) * x


def by_both(x):
    y, bar = value_and_grad(cube)(x)
    return y * bar


def by_argnums(x, y):
    return grad(lambda_free, (1, 0))(x, y)[0]


def lambda_free(a, b):
    return a * a * b


def third(x):
    return gradient(second, x)[0]


def newton(f, x):
    for _ in range(4):
        x = x - f(x) / gradient(f, x)[0]
    return x


def through_a_loop(x):
    return gradient(waves, x, 6)[0]


def along(x, v):
    return np.sum(gradient(rosenbrock, x)[0] * v)


def penalty(W, x):
    return np.sum(gradient(layer, W, x)[0] ** 2)


def differences(f, *args):
    found = []
    for at, arg in enumerate(args):
        if callable(arg):
            continue
        d = np.ones(np.shape(arg)) if np.shape(arg) else 1.0
        moved = [[*args], [*args]]
        moved[0][at], moved[1][at] = arg + 1e-6 * d, arg - 1e-6 * d
        found.append((f(*moved[0]) - f(*moved[1])) / 2e-6)
    return found


X = np.array([0.5, 0.7, -0.2])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (second, (2.0,)),
        (by_grad, (2.0,)),
        (by_a_global, (2.0,)),
        (by_both, (2.0,)),
        (by_argnums, (2.0, 3.0)),
        (third, (2.0,)),
        (newton, (cube, 2.0)),
        (through_a_loop, (1.7,)),
        (along, (X, np.array([1.0, 2.0, 3.0]))),
        (penalty, (np.outer(X, X) + 0.1, X)),
    ],
)
def test_in_one_text(f, args):
    found = [np.sum(bar) for bar in gradient(f, *args) if bar is not None]
    assert found == pytest.approx(differences(f, *args), rel=1e-6)
    (variants,) = variants_of(f).fused.values()
    assert len(variants) == 1
    assert "call(" not in variants[0].text.source


def test_the_text_follows_the_function(monkeypatch):
    def f(x):
        return gradient(cube, x)[0]

    assert gradient(f, 2.0) == (12.0,)
    monkeypatch.setitem(globals(), "cube", lambda x: x**4)
    assert gradient(f, 2.0) == (48.0,)


def test_a_kind_that_changes_in_the_loop():
    def f(x):
        total = 0
        for k in range(3):
            total = total + gradient(cube, x * k)[0]
        return total

    assert gradient(f, 2.0) == pytest.approx((6 * 2.0 * (1 + 4),))
    x = np.array([1.0, 2.0])

    def g(x):
        total = 0.0
        for _ in range(2):
            total = total + gradient(rosenbrock, x)[0]
        return np.sum(total)

    want = differences(g, x)
    assert np.sum(gradient(g, x)[0]) == pytest.approx(want[0], rel=1e-6)
