"""Items of NumPy's numbers."""

import numpy as np

from astad.testing import check_gradient


def test_a_number_under_a_mask():
    def parts(x):
        x = np.float64(x)
        inside = np.abs(x) < 2.0
        low, high = x[inside], x[~inside]
        return np.sum(low**2) + 3.0 * np.sum(high)

    check_gradient(parts, 1.5)
    check_gradient(parts, 2.5)


def test_a_number_with_more_axes():
    def table(x):
        x = np.float32(x) * np.float64(2.0)
        y = x[None, np.newaxis]
        y[0, 0] *= x[()]
        return np.sum(y * np.array([[1.0], [2.0]])) + x[...]

    check_gradient(table, 1.5, rtol=1e-3)


def test_a_result_that_is_an_array_without_axes():
    def bent(x):
        x = np.asarray(x)
        r = np.sqrt(x**2 + 1.0)
        bad = np.isclose(r, 0)
        out = np.empty_like(r)
        out[~bad] = np.arctan(r[~bad] / x[~bad])
        out[~bad] += np.sin(out[~bad])
        out[bad] = 0
        return out[()]

    check_gradient(bent, 1.5)
