"""Loops through an array that the function has written, and calls that join it to others."""

import math

import numpy as np
import pytest

import astad

V = np.array([0.7, 1.3, 0.93, 1.8, 1.1, 0.6])


def is_fused(f, *args):
    return "nothing is left to the run time" in str(astad.explain(f, *args))


def differences(f, x, step=1e-6):
    moved = step * np.eye(len(x))
    return np.array([(f(x + by) - f(x - by)) / (2 * step) for by in moved])


def variances(v):
    h = np.empty(len(v))
    h[0] = v[0] ** 2
    for t in range(1, len(v)):
        h[t] = 0.1 + 0.5 * h[t - 1] + 0.2 * v[t - 1] ** 2
    return h


def likelihood(v):
    total = 0.0
    for h, r in zip(variances(v), v, strict=False):
        total += math.log(h) + r * r / h
    return total


def in_rounds(v):
    h, total = v * 1.0, 0.0
    for k in range(3):
        for i, a in enumerate(h):
            total += a * a * (i + k)
        h[k] = total * 0.1
        for a, b in zip(h, h[::-1], strict=False):
            total += a * b
    return total


def until_a_bound(v):
    h, total = v * 1.0, 0.0
    h[0] = v[1]
    for i, (a, b) in enumerate(zip(h, v, strict=False)):
        if a > 1.4:
            break
        total += a * b * i
    h *= 2.0
    return total + np.sum(h * h)


def joined(v):
    h = v * 1.0
    h[2] = 5.0 * v[0]
    a = np.concatenate([h[1:], v[1:]])
    h[3] = v[1]
    return np.sum(a**2) + np.sum(np.stack([h, v])[0] * v) + np.sum(np.hstack([h, a]))


WRITTEN_OUT = [likelihood, in_rounds, until_a_bound, joined]


def written_as_it_is_walked(v):
    h = v * 1.0
    for i, x in enumerate(h):
        if i < 5:
            h[i + 1] = x * 0.5 + v[i]
    return h[-1]


def joined_after_a_write(v):
    h = v * 1.0
    parts = [h[1:], v[1:]]
    h[2] = 5.0 * v[0]
    return np.sum(np.concatenate(parts) ** 2)


def rows_walked(v):
    h = np.zeros((6, 2))
    total = 0.0
    for t in range(6):
        h[t] = 0.5 * h[t - 1] + v[t]
    for row in h:
        total += np.sum(row**2)
    return total


def bound_anew_as_it_is_walked(v):
    h, total = v * 1.0, 0.0
    h[1] = v[0]
    for a in h:
        total += a * a
        h = h * 1.1
    return total + np.sum(h)


LEFT = [written_as_it_is_walked, joined_after_a_write, rows_walked, bound_anew_as_it_is_walked]


@pytest.mark.parametrize("f", [*WRITTEN_OUT, *LEFT])
def test_they_are_right(f):
    wanted = differences(f, V)
    for given in (V, np.repeat(V, 2)[::2], V.copy()):
        np.testing.assert_allclose(astad.gradient(f, given)[0], wanted, rtol=1e-5, atol=1e-7)
    change = astad.jvp(f, (V,), (np.ones(6),))[1]
    np.testing.assert_allclose(change, np.sum(wanted), rtol=1e-5)
    _, back = astad.pullback(f, V)
    np.testing.assert_allclose(back(2.0)[0], 2.0 * wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", WRITTEN_OUT)
def test_they_are_written_out(f):
    assert is_fused(f, V)
    by, step = np.cos(np.arange(6)), 1e-5
    ends = [astad.gradient(f, V + way * step * by)[0] for way in (1, -1)]
    wanted = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(astad.hvp(f, V, by), wanted, rtol=1e-4, atol=1e-5)


def an_item_then_a_row(a):
    v = np.zeros(3)
    v[:] = a
    m = np.ones((3, 3))
    s = 0.0
    for e in v:
        s += e
    for i, e in enumerate(m):
        s += e[0] * i
    m[0] = 1.0
    return s


def an_item_or_an_array(a):
    v = np.zeros(3)
    v[0] = a[1]
    w = np.ones(3)
    s = 0.0
    for e in v:
        s = s + e * a[0]
    if s > 0.0:
        e = w
        e += 1.0
    return np.sum(v * w) + s


def a_row_before_an_item(a):
    v = np.zeros(3)
    v += a
    m = np.outer(a, a)
    s = 0.0
    for e in m.T:
        s += e[1]
    for e in v:
        s += e * e
    m[1] = 0.0
    return s + np.sum(m)


def nothing_done_with_the_item(a):
    v = np.zeros(3)
    v[:] = a * a
    m = np.zeros((3, 3))
    for e in v:
        pass
    for e, row in zip(a, m):
        m[0] += row[1] * e
    e = m[1]
    e[0] = 2.0
    return np.sum(v) + np.sum(m)


@pytest.mark.parametrize(
    "f", [an_item_then_a_row, an_item_or_an_array, a_row_before_an_item, nothing_done_with_the_item]
)
def test_a_variable_that_is_an_item_here_and_an_array_there(f):
    a, h = np.array([0.8, 1.9, -0.4]), 1e-6
    moves = [h * each for each in np.eye(3)]
    wanted = [(f(a + move) - f(a - move)) / (2 * h) for move in moves]
    for _ in range(2):
        assert astad.gradient(f, a)[0] == pytest.approx(np.array(wanted), abs=1e-7)
    assert astad.pullback(f, a)[1](1.0)[0] == pytest.approx(np.array(wanted), abs=1e-7)
    for move, slope in zip(moves, wanted, strict=True):
        assert astad.jvp(f, (a,), (move / h,))[1] == pytest.approx(slope, abs=1e-7)
