"""NumPy's and SciPy's functions with all arguments by keyword, in any order."""

import numpy as np
import pytest

from ..compiler.forms import check_forms

A, B = np.array([[2.0, 0.3], [0.5, 1.5]]), np.array([[1.0, -0.4], [0.2, 0.9]])
V, W = np.array([0.3, 1.2]), np.array([-0.7, 2.5])


def spaced(x, y):
    return np.linspace(stop=y, start=x, num=4)[1] * np.linspace(num=3, start=x, stop=y)[2]


def filled(x, y):
    return np.sum(np.full(shape=2, fill_value=x) ** 2) + np.sum(np.full_like(a=W, fill_value=y))


def reduced(v, w):
    total = np.sum(a=v * w) + np.mean(a=v) * np.max(a=w)
    return total + np.prod(axis=0, a=v) + np.sum(np.cumsum(a=w) ** 2)


def products(v, w):
    return np.dot(b=v, a=w) + np.sum(np.outer(b=w, a=v) ** 2) + np.sum(np.kron(a=v, b=w) ** 2)


def convolved(v, w):
    return np.sum(np.convolve(v=w, a=v) ** 2) + np.sum(np.roll(shift=1, a=v) * w)


def ordered(v, w):
    return np.sum(np.sort(a=v) * w) + np.sum(np.diff(a=w) ** 2) + np.sum(np.repeat(a=v, repeats=2))


def turned(a, b):
    return np.sum(np.transpose(a=a) * b) + np.trace(a=a @ b) + np.sum(np.tensordot(a, axes=1, b=b))


def solved(a, v):
    y = np.linalg.solve(b=v, a=a)
    return np.sum(y * y) + np.linalg.det(a=a) + np.sum(np.linalg.inv(a=a) ** 2)


def joined(v, w):
    return np.sum(np.stack(arrays=[v, w]) ** 2) + np.sum(np.expand_dims(axis=0, a=v) * w)


PROGRAMS = [
    (spaced, 1.3, 0.8), (filled, 1.3, 0.8), (reduced, V, W), (products, V, W), (convolved, V, W),
    (ordered, V, W), (turned, A, B), (solved, A, V), (joined, V, W),
]  # fmt: skip


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case[0].__name__)
def test_calls_by_keyword(case):
    fn, *args = case
    check_forms(fn, *[np.copy(arg) if np.ndim(arg) else arg for arg in args], rtol=1e-6)


def test_a_call_of_scipy_by_keyword():
    linalg = pytest.importorskip("scipy.linalg")

    def f(a, v):
        y = linalg.solve(b=v, a=a)
        return np.sum(y * y) + linalg.det(a=a)

    check_forms(f, A.copy(), V.copy(), rtol=1e-6)
