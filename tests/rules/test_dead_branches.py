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
        expected = [by_differences(f, args, at) for at in range(len(args))]
    for got, wanted in zip(found[1], expected, strict=True):
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
def test_a_slope_that_overflows_is_not_hidden():
    assert np.isnan(gradient(lambda x: np.sum(np.log1p(x * np.exp(x))), np.array([1000.0]))[0])
    assert np.isnan(gradient(lambda x: np.log1p(np.exp(x)), np.float64(1000.0))[0])


@np.errstate(all="ignore")
def test_a_nan_that_is_used_stays():
    (bar,) = gradient(lambda x: np.sum(np.where(x > 0, x * np.log(x), x * np.log(x))), X)
    assert np.isnan(bar[3]) and bar[0] == -np.inf
    y, back = pullback(lambda x, w: x * w, X[:3], HOLES)
    assert np.isnan(back(np.ones(3))[0][1]) and np.isnan(y[1])
