"""Arrays of objects that are numbers, beside what else such arrays hold."""

from fractions import Fraction

import numpy as np
import pytest

import astad
from astad.errors import AstadError

X = np.array([1.5, 2.0, 3.0])


def boxes(x):
    a = np.empty(3, object)
    for k in range(3):
        a[k] = x[k] ** 2
    a[0] = a[1]
    return a[0] * a[2]


def row_and_number(x):
    a = np.array([x * 2, x[0], None], object)
    return np.sum(a[0] ** 2) * a[1]


def overwritten_by_text(x):
    a = np.array([x[0], x[1]], object)
    b = a[0] * a[1]
    a[0] = "gone"
    return b * a[1]


def whole_slices(x):
    a = np.array([x[0], x[1], x[2], 1.0], object)
    a[1:3] = [x[2], 2 * x[0]]
    a[3:] = x[:1]
    v = a[::-1]
    v[0] = v[1] * v[3]
    return a[3] + a[[0, 0, 2]].sum()


def in_place(x):
    a = x.astype(object)
    a *= x
    a += 1
    return (a / x).sum()


def complex_items(x):
    a = np.array([x[0] * 1j, x[1]], object)
    return abs((a * a * (1 + 1j)).sum())


def flat_and_iterated(x):
    a = np.array([[x[0], x[1]], [x[2], 4]], object)
    a.flat[3] = x[0] * x[1]
    return sum([v * v for v in a.flat]) + sum([row[0] for row in a]) * a.flat[3]


def vectorized(x):
    return np.sum(np.vectorize(lambda v, w: v * w if v > 1.7 else w**2)(x, x[::-1]))


def two_results(x):
    a, b = np.frompyfunc(lambda v: (v * v, 1 / v), 1, 2)(x)
    return (a * b).sum() + b[0]


PROGRAMS = [
    boxes, row_and_number, overwritten_by_text, whole_slices, in_place, complex_items,
    flat_and_iterated, vectorized, two_results,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f):
    wanted = [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(
        astad.gradient(f, X)[0], np.array(wanted, float), rtol=1e-6, atol=1e-8
    )


def test_an_array_of_objects_as_argument():
    a = np.array([2.0, None, 3], object)
    (g,) = astad.gradient(lambda a: a[0] * a[2], a)
    assert g.tolist() == [3.0, None, 2.0]


@pytest.mark.parametrize("put", [lambda a, v: a.__setitem__(0, v), lambda a, v: a.fill(v)])
def test_exact_numbers_are_refused(put):
    def f(x):
        a = np.empty(2, object)
        put(a, Fraction(x))
        return float(a[0] * 2) * x

    with pytest.raises(AstadError):
        astad.gradient(f, 3.0)
