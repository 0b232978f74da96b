"""Ufuncs of several results that write them into arrays: the arrays have the derivatives."""

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import Unsupported

from ..compiler.forms import only_generic


def two_words(x):
    q, r = np.empty(3), np.empty(3)
    np.divmod(x, 0.7, out=(q, r))
    return np.sum(r * x) + np.sum(q)


def by_position(x):
    q, r = np.empty(3), np.empty(3)
    np.divmod(x, x[0] / 2, q, r)
    return np.sum(r * x)


def second_alone(x):
    r = np.empty(3)
    q, same = np.divmod(x, 0.7, out=(None, r))
    return np.sum(same * x) + np.sum(q * r * r)


def first_alone(x):
    part = np.empty(3)
    found = np.modf(x, part)
    return np.sum(part**2) + np.sum(found[0] * found[1] * x)


def mantissas(x):
    m, e = np.empty(3), np.empty(3, np.int32)
    np.frexp(x, out=(m, e))
    return np.sum(m * x * e)


def in_a_loop(x):
    q, r = np.zeros(3), np.zeros(3)
    total = 0.0
    for k in range(3):
        np.divmod(x * (k + 1) + r, 0.7, out=(q, r))
        total = total + np.sum(r * x)
    return total


def into_its_operand(x):
    y = x * 1.0
    q = np.empty(3)
    np.divmod(y, 0.7, out=(q, y))
    return np.sum(y * y)


def into_a_view(x):
    table = np.ones((2, 3))
    np.modf(x, out=(table[0], table[1]))
    return np.sum(table * table * x)


def of_less_precision(x):
    q, r = np.empty(3, np.float32), np.empty(3)
    np.divmod(x, 0.7, out=(q, r))
    return np.sum(q * r) + np.sum(r**2)


PROGRAMS = [
    two_words,
    by_position,
    second_alone,
    first_alone,
    mantissas,
    in_a_loop,
    into_its_operand,
    into_a_view,
    of_less_precision,
]
X = np.array([1.33, 2.71, 3.24])


def differences(f):
    return [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(3)]


def by_generic(f, x):
    with only_generic():
        return pullback(f, x)[1](1.0)


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    for take in (gradient, by_generic):
        (bar,) = take(f, X.copy())
        np.testing.assert_allclose(bar, differences(f), atol=1e-6)


def test_one_array_for_both_results_is_refused():
    def f(x):
        a = np.empty(3)
        np.divmod(x, 0.7, out=(a, a))
        return np.sum(a)

    with pytest.raises(Unsupported, match="divmod with arrays that overlap"):
        gradient(f, X)
