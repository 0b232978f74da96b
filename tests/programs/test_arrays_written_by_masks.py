"""Entries of arrays of the function that a mask chooses are written, and worked on, in place."""

import numpy as np
import pytest

import astad

V = np.array([0.7, 1.3, 0.9, 1.8, 1.1])
M = np.array([[0.7, 1.3, 0.9, 1.8], [1.1, 0.6, 1.4, 1.2], [0.8, 1.7, 0.5, 1.6]])


def is_fused(f, *args):
    return "nothing is left to the run time" in str(astad.explain(f, *args))


def differences(f, x, step=1e-6):
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        moved = np.zeros(x.shape)
        moved[at] = step
        out[at] = (f(x + moved) - f(x - moved)) / (2 * step)
    return out


def cut_off(v):
    w = v * v
    w[w > 2.0] = 2.0
    w[w < 0.6] = v[0]
    return np.sum(w**2)


def scaled_and_moved(v):
    w = v.copy()
    large = v > 1.0
    w[large] *= v[large] * w[0]
    w[~large] -= v[1] ** 2
    w[w > 1.5] /= v[0]
    return np.sum(w**2)


def in_pieces(v):
    out, low = np.zeros_like(v), v < 1.0
    out[low] = np.sin(v[low])
    out[~low] = v[~low] ** 2
    out[out > 3.0] = out[0]
    return np.sum(out * v)


def rows_and_columns(m):
    w = m * 1.0
    w[m[:, 0] > 0.75] *= m[0]
    w[:, 0] = m[:, 1]
    w[w < 0.93] += m[0, 0]
    return np.sum(w**2)


def round_after_round(v):
    w = np.zeros(5)
    for i in range(3):
        w[v > i * 0.46] += v[i]
        w[w > 2.1] = 2.0 * v[0]
        w[w < 0.5] *= w[1]
    return np.sum(w**2)


def the_same_mask_asked_twice(v):
    w = v * 1.0
    w[w > 1.0] *= 0.8
    w[w > 1.0] *= w[0]
    return np.sum(w**3)


CASES = [
    (cut_off, V),
    (scaled_and_moved, V),
    (in_pieces, V),
    (rows_and_columns, M),
    (round_after_round, V),
    (the_same_mask_asked_twice, V),
]


@pytest.mark.parametrize("f, x", CASES, ids=[f.__name__ for f, _ in CASES])
def test_they_are_written_out(f, x):
    assert is_fused(f, x)
    wanted = differences(f, x)
    wide = np.repeat(x, 2, axis=-1)[..., ::2]
    for given in (x, np.asfortranarray(x), wide, x.copy()):
        np.testing.assert_allclose(astad.gradient(f, given)[0], wanted, rtol=1e-5, atol=1e-7)
    assert astad.gradient(f, x.astype(np.float32))[0].dtype == np.float32
    change = astad.jvp(f, (x,), (np.ones_like(x),))[1]
    np.testing.assert_allclose(change, np.sum(wanted), rtol=1e-5)
    _, back = astad.pullback(f, x)
    np.testing.assert_allclose(back(2.0)[0], 2.0 * wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f, x", CASES, ids=[f.__name__ for f, _ in CASES])
def test_products_with_their_second_derivatives(f, x):
    by, step = np.cos(np.arange(x.size)).reshape(x.shape), 1e-5
    ends = [astad.gradient(f, x + way * step * by)[0] for way in (1, -1)]
    wanted = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(astad.hvp(f, x, by), wanted, rtol=1e-4, atol=1e-5)


def test_masks_that_choose_nothing():
    assert astad.gradient(cut_off, np.zeros(5) + 1.0)[0].tolist() == [4.0] * 5
    assert astad.gradient(lambda v: np.sum(written(v, v > 9.0)), V)[0].tolist() == [2.0] * 5
    assert astad.gradient(lambda v: np.sum(written(v, v > 9.0)), np.zeros(0))[0].shape == (0,)


def written(v, mask):
    w = v * 2.0
    w[mask] = 7.0
    return w


def test_a_place_that_ints_name_twice_takes_the_last():
    def last(v):
        w = np.zeros(2)
        w[np.array([0, 0, 1])] = v
        return w[0] + 3.0 * w[1]

    assert astad.gradient(last, np.array([1.0, 2.0, 3.0]))[0].tolist() == [0.0, 1.0, 3.0]


def test_a_view_that_was_taken_before_sees_what_is_written():
    def sees(v):
        w = v * 1.0
        u = w[1:]
        w[v > 1.0] = v[0]
        return np.sum(u**2)

    np.testing.assert_allclose(astad.gradient(sees, V)[0], differences(sees, V), rtol=1e-6)
