"""Shapes that are put together of tuples and of parts of others are known by their lengths."""

import numpy as np
import pytest

import astad

V = np.array([0.7, 1.3, 0.9, 1.8, 1.1])
M = np.array([[0.7, 1.3, 0.9, 1.8], [1.1, 0.6, 1.4, 1.2], [0.8, 1.7, 0.5, 1.6]])


def is_fused(f, *args):
    return "nothing is left to the run time" in str(astad.explain(f, *args))


def one_axis_more(v):
    z = np.zeros((2,) + v.shape)
    z[0] = v
    z[1] = v**2
    return np.sum(z**2)


def behind_and_before(m):
    z = np.zeros(m.shape[:-1] + (m.shape[-1], 2))
    z[..., 0] = m
    z[..., 1] = m * m
    shape = (2,) + m.shape
    return np.sum(z) + np.sum(np.broadcast_to(m, shape) ** 2)


def reshaped(m):
    rows, columns = m.shape
    halves = m.reshape(m.shape[:1] + (2, 2))
    return np.sum(halves[:, 0] * halves[:, 1]) + np.sum(np.ones((rows,) + (columns,)) * m)


def turned_round(m):
    return np.sum(np.ones(m.shape[::-1]).T * m**2) + np.sum(np.full(m.shape[-1:], 2.0) * m)


def by_the_largest(v):
    i = np.argmax(v)
    return v[i] ** 2 + i * v[0] + np.sum(np.zeros(5) + v[int(i) - 1])


CASES = [
    (one_axis_more, V),
    (behind_and_before, M),
    (reshaped, M),
    (turned_round, M),
    (by_the_largest, V),
]


def differences(f, x, step=1e-6):
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        moved = np.zeros(x.shape)
        moved[at] = step
        out[at] = (f(x + moved) - f(x - moved)) / (2 * step)
    return out


@pytest.mark.parametrize("f, x", CASES, ids=[f.__name__ for f, _ in CASES])
def test_they_are_written_out(f, x):
    assert is_fused(f, x)
    wanted = differences(f, x)
    for given in (x, np.asfortranarray(x), x.copy()):
        np.testing.assert_allclose(astad.gradient(f, given)[0], wanted, rtol=1e-6, atol=1e-8)
    change = astad.jvp(f, (x,), (np.ones_like(x),))[1]
    np.testing.assert_allclose(change, np.sum(wanted), rtol=1e-6)


def test_a_number_of_numpy_is_added_to_each_length():
    def lengths(v):
        moved = np.argmax(v) + v.shape
        return moved[0] * v[0]

    assert astad.gradient(lengths, V)[0].tolist() == [8.0, 0.0, 0.0, 0.0, 0.0]


def test_shapes_of_several_lengths():
    def longer(m):
        shape = m.shape
        if m[0, 0] > 0.0:
            shape = shape + (2,)
        return np.sum(np.ones(shape)) * m[0, 0]

    assert astad.gradient(longer, M)[0][0, 0] == 24.0


def test_empty_arrays():
    assert astad.gradient(one_axis_more, np.zeros(0))[0].shape == (0,)
    assert astad.gradient(turned_round, np.zeros((0, 3)))[0].shape == (0, 3)
