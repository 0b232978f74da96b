"""Loops that read arrays by element and also call what is found at run time."""

import time

import numpy as np
import pytest

from astad import grad
from astad.testing import check_gradient


def found(x, u):
    """No rule, no kind: the dispatcher's."""
    return {"least": min(x, u)}["least"]


def beside(a, u):
    total = 0.0
    for i in range(a.shape[0]):
        total = total + a[i] * found(a[i - 1], u)
    return total


def inside(a, u):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(2):
            total = total + a[i] * a[i - j]
        total = found(total, u)
    return total


def in_one_arm(a, u):
    total = 0.0
    for i in range(a.shape[0]):
        if a[i] > 0.3:
            total = total + a[i] * u
        else:
            total = total + found(a[i - 1], u)
    return total


def whole_too(a, u):
    total = 0.0
    for i in range(3):
        total = total + np.sum(a * u) * a[i]
        total = total + found(a[i + 1], u)
    return total + np.sum(a)


def written(a, u):
    d = np.zeros(a.shape[0] + 1)
    for i in range(a.shape[0]):
        d[i + 1] = found(d[i] + a[i], u) * a[i]
    return d[-1] + np.sum(d)


def rebound(a, u):
    total = 0.0
    for i in range(4):
        total = total + a[i] * found(a[i + 1], u)
        a = a * 1.1
    return total


def no_trip(a, u):
    total = u * a[2]
    for i in range(0):
        total = total + a[i] * found(a[i - 1], u)
    return total


def slices(a, u):
    total = 0.0
    for i in range(4):
        total = total + np.sum(a[i : i + 3]) * found(a[i], u)
    return total


def two_names(a, u):
    b = a
    total = 0.0
    for i in range(4):
        total = total + b[i] * found(a[i], u) + a[i]
    return total


def view_of_it(a, u):
    b = a[1:]
    total = 0.0
    for i in range(4):
        total = total + b[i] * found(a[i], u)
        b[i] *= 0.5
    return total + np.sum(b)


def read_after(a, u):
    total = 0.0
    for i in range(4):
        total = total + a[i] * found(a[i], u)
    return total * np.sum(a * a) + a[0]


def left_early(a, u):
    total, i = 0.0, 0
    while i < 5:
        if a[i] < -0.5:
            break
        total = total + a[i] * found(a[i + 1], u)
        i += 1
    return total


def by_mask_and_places(a, u):
    total = 0.0
    for i in range(3):
        total = total + np.sum(a[np.array([0, i, i])]) * found(a[i], u) + np.sum(a[a > 0.0])
    return total


@pytest.mark.parametrize("fn", [
    beside, inside, in_one_arm, whole_too, written, rebound, no_trip, slices, two_names, view_of_it,
    read_after, left_early, by_mask_and_places,
])  # fmt: skip
def test_against_differences(fn):
    check_gradient(fn, np.random.default_rng(1).normal(size=8), 0.4)


@pytest.mark.timing
@pytest.mark.parametrize("fn", [beside, inside, in_one_arm, written])
def test_time_grows_with_the_length(fn):
    def least(n):
        a, gradient = np.random.default_rng(0).normal(size=n), grad(fn, (0, 1))
        times = []
        for _ in range(4):
            start = time.process_time()
            gradient(a, 0.4)
            times.append(time.process_time() - start)
        return min(times[1:])

    exponent = np.log(least(16_000) / least(2_000)) / np.log(8)
    assert exponent < 1.4, exponent
