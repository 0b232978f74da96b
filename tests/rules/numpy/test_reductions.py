"""Sums and moments, also in the degrees of freedom."""

import numpy as np
import pytest

import astad
from astad.testing import check_gradient

X = np.array([[1.0, 2.5, -0.5], [0.3, 1.7, 4.0]])
HOLES = np.where(X > 2.0, np.nan, X)
SOME = np.array([[True, False, True], [True, True, True]])


@pytest.mark.parametrize(
    "f",
    [
        lambda x, d: np.var(x, ddof=d),
        lambda x, d: np.sum(np.std(x, axis=1, ddof=d) ** 2),
        lambda x, d: np.sum(np.var(x, axis=0, correction=d) * np.arange(3.0)),
        lambda x, d: x.std(ddof=d) * x.var(0, None, None, d).sum(),
        lambda x, d: np.sum(x.var(axis=(0, 1), keepdims=True, ddof=d) * x),
        lambda x, d: np.sum(np.std(x, axis=1, where=SOME, ddof=d)),
        lambda x, d: np.std(np.abs(x + 1j * x[::-1]), ddof=d),
        lambda x, d: sum(np.var(row, ddof=d * k) for k, row in enumerate(x)),
    ],
)
def test_degrees_of_freedom_that_are_a_float(f):
    check_gradient(f, X, 0.75)
    assert astad.gradient(f, X, 0.75)[1] != 0.0


@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_degrees_of_freedom_where_entries_are_missing(name):
    def f(x, d):
        return np.sum(getattr(np, name)(x, axis=1, ddof=d)) + getattr(np, name)(x, correction=d)

    h = 1e-6
    found = astad.gradient(f, HOLES, 0.5)[1]
    assert abs(found - (f(HOLES, 0.5 + h) - f(HOLES, 0.5 - h)) / (2 * h)) < 1e-8


def test_a_shrunken_estimate_of_the_spread():
    class Estimator:
        def __init__(self, ddof):
            self.ddof = ddof

        def spread(self, x):
            return x.std(axis=0, ddof=self.ddof)

    def loss(ddof, x):
        return np.sum((x / Estimator(ddof).spread(x)) ** 2)

    check_gradient(loss, 0.25, X)


@pytest.mark.parametrize("t", [0.1, 0.7])
@pytest.mark.parametrize(
    "spread",
    [
        np.std,
        np.nanstd,
        lambda x: x.std(ddof=1),
        lambda x: np.sqrt(np.var(x)),
        lambda x: np.std(x, where=np.array([True, True, False, True, True, True])),
        lambda x: np.sum(x.reshape(3, 2).std(axis=0)),
    ],
)
def test_a_spread_of_equal_entries_does_not_move_with_them(spread, t):
    """The mean of equal numbers is rounded: the deviations are 1e-17 and so is what comes out."""
    assert abs(astad.gradient(lambda v: spread(np.full(6, v)), t)[0]) < 1e-12
