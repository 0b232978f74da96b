"""np.unique along an axis: rows that NumPy sorts as structures have derivatives as numbers."""

import numpy as np
import pytest

from astad import gradient, pullback

from ..compiler.forms import only_generic

TABLE = np.array([[1.5, 0.2, 0.7], [0.3, 2.1, 1.1], [1.9, 0.4, 0.8]])
AGAIN = [1, 0, 1, 2]


def rows(x):
    return np.sum(np.unique(x[AGAIN], axis=0) ** 2 * np.arange(1, 4)[:, None])


def columns(x):
    return np.sum(np.unique(x[:, AGAIN], axis=1) ** 2 * np.arange(1, 4))


def with_all(x):
    v, i, j, n = np.unique(
        x[AGAIN], axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return np.sum(v[j.ravel()] * x[AGAIN] ** 2) + np.sum(v * n[:, None] * x[AGAIN][i])


def written_afterwards(x):
    v = np.unique(x[AGAIN], axis=0)
    first = v[0]
    v[1:] *= x[1, 1]
    return np.sum(v**2) + np.sum(first**3)


def in_three_dimensions(x):
    v = np.unique(np.stack([x, x * 2, x]), axis=0)
    return np.sum(v**2 * np.arange(9).reshape(3, 3))


def held(x):
    parts = [np.unique(x[AGAIN], axis=0), np.unique(x, axis=-1)]
    parts.append(parts[0].T @ parts[1])
    return sum(np.sum(part**2) for part in parts)


@pytest.mark.parametrize(
    "f", [rows, columns, with_all, written_afterwards, in_three_dimensions, held]
)
def test_derivatives(f):
    expected = np.zeros((3, 3))
    for at in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[at] = 1e-6
        expected[at] = (f(TABLE + step) - f(TABLE - step)) / 2e-6
    np.testing.assert_allclose(gradient(f, TABLE.copy())[0], expected, rtol=1e-6, atol=1e-6)
    with only_generic():
        np.testing.assert_allclose(
            pullback(f, TABLE.copy())[1](1.0)[0], expected, rtol=1e-6, atol=1e-6
        )


def test_numbers_without_a_derivative():
    assert gradient(lambda x: x * np.unique(np.array([[1, 2], [1, 2]]), axis=0).sum(), 3.0) == (3,)
