"""Second derivatives of functions that write into arrays through views of them, against central
differences of gradients and of values, in several calls with several directions.
"""

import numpy as np
import pytest

import astad
from astad import grad, gradient, hessian, hessian_diag, hvp

pytestmark = pytest.mark.order_matters


def by_a_slice(x):
    z = x * x
    v = z[1:]
    v += x[:-1]
    return np.sum(z**2)


def by_a_slice_with_steps(x):
    z = x * x
    v = z[::2]
    v -= x[0]
    return (z**2).sum()


def by_a_row(x):
    m = np.outer(x, x)
    d = m[0]
    d[:] = d * 2
    return (m**2).sum()


def by_every_row(x):
    m = np.outer(x, x)
    for row in m:
        row /= np.sum(row**2) + 1
    return (m**2).sum()


def by_a_transpose(x):
    m = np.outer(x, x)
    t = m.T
    t[0] *= x[0]
    return (m**3).sum()


def by_a_flat_view(x):
    m = np.outer(x, x)
    r = m.ravel()
    r[0] = x[1] * x[0]
    return (m**3).sum()


def by_two_halves(x):
    y = x * x
    head, tail = y[:2], y[2:]
    head += tail
    return (y**2).sum()


def by_a_view_of_a_view(x):
    m = np.outer(x, x)
    inner = m[1:, 1:]
    inner[0] += x[:3]
    m[2] *= inner[1, 1]
    return (m**2).sum() + inner.sum() ** 2


def by_a_view_in_another_order(x):
    z = x**3
    pairs = z.reshape(2, -1)
    z[::2] -= x[1]
    return (pairs.sum(axis=0) ** 2).sum() + pairs[1, 0] * z[0]


FUNCTIONS = [each for name, each in list(globals().items()) if name.startswith("by_")]
START = np.array([0.5, 1.0, -0.7, 0.2])


def differences(f, x, h=1e-4):
    rows = np.eye(x.size) * h
    return np.array([
        [(f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)) / (4 * h * h) for b in rows]
        for a in rows
    ])  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_hessians_are_those_of_differences(f):
    for k in range(4):
        x = START + 0.1 * k
        expected = differences(f, x)
        assert hessian(f, x) == pytest.approx(expected, abs=1e-4)
        assert hessian_diag(f, x) == pytest.approx(np.diag(expected), abs=1e-4)
        for v in (np.eye(4)[k], np.array([1.0, -0.5, 0.3, 2.0])):
            assert hvp(f, x, v) == pytest.approx(expected @ v, abs=1e-4)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients_of_what_a_gradient_gives(f):
    v = np.array([1.0, -0.5, 0.3, 2.0])
    for k in range(4):
        x = START + 0.1 * k
        expected = differences(f, x) @ v
        assert gradient(lambda x: grad(f)(x) @ v, x)[0] == pytest.approx(expected, abs=1e-4)


def test_one_direction_says_nothing_of_another():
    """A text that is made for one direction is compared beside it, in no pattern."""
    x = np.array([0.6, 1.1, -0.6, 0.3])  # what comes by places 0 and 2 is the same but for its sign
    found = [hvp(by_a_slice_with_steps, x, v) for v in np.eye(4)[[1, 0, 2, 3]]]
    assert np.array(found)[[1, 0, 2, 3]] == pytest.approx(
        differences(by_a_slice_with_steps, x), abs=1e-4
    )


def test_values_are_those_of_the_plain_run():
    for f in FUNCTIONS:
        y, _ = astad.value_and_grad(f)(START)
        assert y == f(START)
