"""Operators of arrays called by name."""

import numpy as np
import pytest

from astad.testing import check_gradient


class Length(np.ndarray):
    """An array that goes through its base for what it does."""

    def __new__(cls, values):
        return np.asarray(values).view(cls)

    def __pow__(self, p, mod=None, /):
        return super().__pow__(p, mod)

    def __add__(self, other):
        return super().__add__(other)

    def __mul__(self, other):
        return super().__mul__(other)

    def __neg__(self):
        return super().__neg__()


class Counting(Length):
    """Asked by every ufunc."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        plain = [np.asarray(each) if isinstance(each, Counting) else each for each in inputs]
        return Counting(getattr(ufunc, method)(*plain, **keywords))


@pytest.mark.parametrize("kind", [Length, Counting])
@pytest.mark.parametrize("power", [2, 0.5, -1, 1, 3, 1.7, 0])
def test_powers(kind, power):
    def total(a, x):
        q = kind(a * x)
        return np.sum(np.array(q**power)) * 2.0 + x

    check_gradient(total, np.array([0.4, 1.3]), 0.7)


@pytest.mark.parametrize("kind", [Length, Counting])
def test_sums_and_products(kind):
    def total(a, x):
        q = kind(a) * x
        return np.sum(np.array(q + a)) + np.array(-q)[0] * x

    check_gradient(total, np.array([0.4, 1.3]), 0.7)


def test_called_on_an_array_itself():
    def total(a, x):
        return np.sum(a.__pow__(2)) + np.sum(np.ndarray.__mul__(a, x)) + a.__add__(a)[0]

    check_gradient(total, np.array([0.4, 1.3]), 0.7)
