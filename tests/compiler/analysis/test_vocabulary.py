"""Repeating, padding, interpolating, taking: written out, and right in every form."""

import numpy as np
import pytest

from astad import grad

V, W = np.array([0.3, -1.2, 0.7, 2.0]), np.array([0.5, 1.5, -0.4])
A = np.arange(1.0, 13.0).reshape(4, 3) / 7
C = np.array([0.0, 1.0, 5.0, -1.0, 2.5])


def tiled(x):
    return np.sum(np.tile(x, 2) ** 2)


def repeated(a):
    return np.sum(np.repeat(a, 2) ** 2) + np.sum(np.repeat(a, 3, axis=1) ** 2)


def padded(a):
    return np.sum(np.pad(a, 1)[1:] ** 2) + np.sum(np.pad(a, 2, mode="edge") ** 2)


def interpolated(x):
    return np.sum(np.interp(x, np.linspace(-2.0, 3.0, 5), C) ** 2) + np.interp(0.3, C[:2], x[:2])


def polynomial(c, x):
    return np.sum(np.polyval(c, x))


def integrated(x):
    return np.trapezoid(x) + np.trapezoid(x * x, dx=0.1) + np.average(x)


def differenced(x):
    return np.sum(np.gradient(x) ** 2)


def convolved(x, k):
    return np.sum(np.convolve(x, k) ** 2) + np.sum(np.convolve(x, k, mode="same"))


def sorted_(x):
    return np.sum(np.sort(x) * np.arange(4.0))


def contracted(a, b):
    return np.sum(np.tensordot(a, b, axes=1) ** 2)


CASES = [
    (tiled, V), (repeated, A), (padded, A), (interpolated, V), (integrated, V), (differenced, V),
    (convolved, V, W), (sorted_, V), (contracted, A, A.T.copy()),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_nothing_is_left_to_the_dispatcher(case, forms_agree):
    forms_agree(*case, fused=True)


def test_polynomials_and_places(forms_agree):
    forms_agree(polynomial, W, V)
    i = np.array([0, 1, 1])
    assert grad(lambda x, i: np.sum(np.take(x, i) ** 2))(V, i).tolist() == [0.6, -4.8, 0.0, 0.0]
    found = grad(lambda a, i: np.sum(np.take(a, i, axis=0)))(A, i)
    assert found.tolist() == [[1.0] * 3, [2.0] * 3, [0.0] * 3, [0.0] * 3]


def test_entries_at_the_places_that_a_shape_names(forms_agree):
    def f(m):
        y = np.take(m, m.shape)
        return y[0] * y[1] + np.sum(y)

    m = np.arange(12.0).reshape(3, 4) + 0.5
    assert grad(f)(m)[0].tolist() == [0.0, 0.0, 0.0, 5.5]
    forms_agree(f, m)


def test_a_polynomial_at_a_number(forms_agree):
    def f(c, x):
        return np.polyval(c, x) * np.polyval(c, np.sum(c))

    forms_agree(f, W, 0.3)
