"""Products with a multiple of the identity matrix, of all shapes."""

import numpy as np
import pytest

from astad.rules.identity import eye_times, times_eye


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4), (4, 2), (0, 2), (2, 0), (1, 1)])
def test_as_the_product_with_the_matrix(rows, columns):
    rng = np.random.default_rng(rows * 5 + columns)
    b, a = rng.normal(size=(columns, 3)), rng.normal(size=(3, rows))
    eye = 0.3 * np.eye(rows, columns)
    np.testing.assert_allclose(eye_times(0.3, rows, columns, b), eye @ b)
    np.testing.assert_allclose(times_eye(a, 0.3, rows, columns), a @ eye)
    np.testing.assert_allclose(eye_times(0.3, rows, columns, b[:, 0]), eye @ b[:, 0])
    np.testing.assert_allclose(times_eye(a[0], 0.3, rows, columns), a[0] @ eye)


def test_stacks():
    a = np.random.default_rng(1).normal(size=(2, 3, 4))
    np.testing.assert_allclose(times_eye(a, 2.0, 4, 5), a @ (2.0 * np.eye(4, 5)))
    np.testing.assert_allclose(times_eye(a, 2.0, 4, 4), a @ (2.0 * np.eye(4)))
