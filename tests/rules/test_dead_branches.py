"""Values that are nan and are not used: their cotangent of 0 stays 0, whatever the slope is."""

import numpy as np
import pytest

from astad import gradient, pullback
from tests.compiler.forms import FORMS, gradients

NAN = np.nan
X = np.array([0.0, 1.0, 2.0, -1.0])
HOLES = np.array([1.0, NAN, 2.0])


def entropy(p):
    return -np.sum(np.where(p > 0, p * np.log(p), 0.0))


def overwritten(x, w):
    y = x * w
    y[1] = 0.0
    return np.sum(y * y)


def overwritten_by_mask(x, w):
    y = x * w
    y[np.isnan(y)] = 1.0
    return np.sum(y * x)


def of_those_present(x, w):
    y = x * w
    return np.mean(y[~np.isnan(y)])


def powers(x):
    return np.sum(np.where(x > 0, np.exp(x * np.log(x)), x))


def rows(x, w):
    total = 0.0
    for k in range(2):
        row = x * w * (k + 1.0)
        row[1] = x[0]
        total = total + np.sum(row * row)
    return total


class Likelihood:
    def __init__(self, counts):
        self.counts = counts

    def __call__(self, rates):
        terms = self.counts * np.log(rates) - rates
        return np.sum(np.where(rates > 0, terms * rates, -rates))


def of_a_callee(x, n):
    y = x
    for _ in range(n):
        y = y * np.log(x)
    for k in range(n):
        y = y + x * 0.1 * k
    return y


def chosen_from_a_callee(x, n):
    return np.sum(np.where(x > 0, of_a_callee(x, n), 0.0))


def of_itself(x, n):
    return x * np.log(x) if n == 0 else of_itself(x, n - 1) * x


def chosen_from_itself(x, n):
    return np.sum(of_itself(x, n)[x > 0])


def one_by_one(x):
    y, total = x * np.log(x), 0.0
    for k in range(1, 3):
        total += y[k] * y[k]
    return total


def first_is_replaced(x):
    y = x * np.log(x)
    y[0] = y[3] = 1.0
    return np.sum(np.diff(y) ** 2)


def rolled(x):
    y = np.concatenate([x * np.log(x), x])
    return np.sum(np.roll(y, 1)[2:4])


def of_rows(x):
    a, b = np.stack([x * np.log(x), x])
    return np.sum(b) + np.sum(a[1:3] * b[1:3])


class Model:
    def __init__(self, w):
        self.w = w

    def terms(self, x):
        return self.w * x * np.log(x)

    def __call__(self, x):
        return np.sum(self.terms(x)[1:3] ** 2)


LOG = np.array([0.0, 1.0, 1.0 + np.log(2.0), 0.0])
CASES = [
    (entropy, (X,), [-LOG]),
    (lambda x: np.sum((x * np.log(x))[x > 0]), (X,), [LOG]),
    (lambda x: np.nanmean(x * x), (HOLES,), [[1.0, 0.0, 2.0]]),
    (lambda x: np.nansum(x * x * x), (HOLES,), [[3.0, 0.0, 12.0]]),
    (lambda x: np.nanmax(x * x), (HOLES,), [[0.0, 0.0, 4.0]]),
    (lambda x: np.nanmin(x * x), (HOLES,), [[2.0, 0.0, 0.0]]),
    (lambda x: np.nanprod(x * x), (HOLES,), [[8.0, 0.0, 4.0]]),
    (lambda x: np.nanvar(x * x), (HOLES,), [[-3.0, 0.0, 6.0]]),
    (lambda x: np.nanstd(x * x), (HOLES,), [[-1.0, 0.0, 2.0]]),
    (lambda x: np.nanmedian(x * x), (HOLES,), [[1.0, 0.0, 2.0]]),
    (lambda x: np.sum(np.nan_to_num(np.sin(x * x))), (HOLES,), None),
    (overwritten, (X[:3], HOLES), [[0.0, 0.0, 16.0], [0.0, 0.0, 16.0]]),
    (overwritten_by_mask, (X[:3], HOLES), [[0.0, 1.0, 8.0], [0.0, 0.0, 4.0]]),
    (of_those_present, (X[:3], HOLES), [[0.5, 0.0, 1.0], [0.0, 0.0, 1.0]]),
    (powers, (X,), None),
    (rows, (X[1:], HOLES), None),
    (lambda x: Likelihood(np.array([1.0, 2.0, 0.0, 3.0]))(x), (X,), None),
    (chosen_from_a_callee, (X[:3], 2), None),
    (chosen_from_itself, (X, 2), None),
    (lambda x: np.sum((x * np.log(x))[1:3]), (X,), [LOG]),
    (lambda x: np.dot((x * np.log(x))[1:3], x[1:3]), (X,), None),
    (lambda x: (x * np.log(x)).reshape(2, 2)[0, 1] * x[2], (X,), None),
    (one_by_one, (X,), None),
    (first_is_replaced, (X,), None),
    (rolled, (X,), None),
    (of_rows, (X,), None),
    (lambda x: Model(np.array([1.0, 2.0, 0.0, 3.0]))(x), (X,), None),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", range(len(CASES)))
@np.errstate(all="ignore")
def test_what_is_not_used_has_a_cotangent_of_zero(form, case):
    f, args, expected = CASES[case]
    found = gradients(form, f, args)
    if found is None:
        return
    if expected is None:
        arrays = [at for at, arg in enumerate(args) if isinstance(arg, np.ndarray)]
        expected = [by_differences(f, args, at) for at in arrays]
    for got, wanted in zip(found[1], expected, strict=False):
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-7)


def by_differences(f, args, at, h=1e-6):
    """To the right of a number, since a jump may lie there; 0 of a nan."""
    found = np.zeros(args[at].shape)
    for k in np.flatnonzero(~np.isnan(args[at])):
        values = []
        for step in (-h, h):
            moved = list(args)
            moved[at] = args[at].copy()
            moved[at][k] += step
            values.append(f(*moved))
        found[k] = (values[1] - values[0]) / (2 * h) if args[at][k] else gradient(f, *args)[at][k]
    return found


@np.errstate(all="ignore")
def test_zeros_that_are_handed_in():
    seed = np.array([0.0, 1.0, 1.0, 0.0])
    for f, args in [(lambda x: x * np.log(x), (X,)), (of_itself, (X, 0)), (of_a_callee, (X, 1))]:
        _, back = pullback(f, *args)
        np.testing.assert_allclose(back(seed)[0], seed * LOG, rtol=1e-12)


@np.errstate(all="ignore")
def test_a_slope_that_overflows_is_not_hidden():
    assert np.isnan(gradient(lambda x: np.sum(np.log1p(x * np.exp(x))), np.array([1000.0]))[0])
    assert np.isnan(gradient(lambda x: np.log1p(np.exp(x)), np.float64(1000.0))[0])


@np.errstate(all="ignore")
def test_a_nan_that_is_used_stays():
    (bar,) = gradient(lambda x: np.sum(np.where(x > 0, x * np.log(x), x * np.log(x))), X)
    assert np.isnan(bar[3]) and bar[0] == -np.inf
    y, back = pullback(lambda x, w: x * w, X[:3], HOLES)
    assert np.isnan(back(np.ones(3))[0][1]) and np.isnan(y[1])
