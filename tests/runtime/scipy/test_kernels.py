"""Compiled functions that write into an argument."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

ndimage = pytest.importorskip("scipy.ndimage")
IMAGE = np.cos(np.arange(12.0)).reshape(3, 4)
WEIGHTS = np.array([0.3, -0.2, 0.5])


def test_result_written_over_an_array_that_was_read_before():
    def f(x):
        out = x * x
        before = out * x
        ndimage.correlate1d(x, WEIGHTS, 0, out)
        return np.sum(before * out)

    check_gradient(f, IMAGE)


def test_result_written_over_its_own_image():
    def f(x, w):
        y = x * 2
        ndimage.correlate1d(y, w, 1, y, "wrap")
        return np.sum(y * x)

    check_gradient(f, IMAGE, WEIGHTS)


def test_result_written_into_a_view_twice():
    def f(x):
        whole = np.zeros((2, 3, 4))
        for k in range(2):
            ndimage.uniform_filter1d(x, 2 + k, output=whole[k], mode="constant", cval=x[0, 0])
        return np.sum(whole**2)

    check_gradient(f, IMAGE)


def test_gradient_is_that_of_the_kind_given():
    x = IMAGE.astype(np.float32)
    (g,) = gradient(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0) ** 2), x)
    (exact,) = gradient(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0) ** 2), IMAGE)
    assert g.dtype == np.float32
    np.testing.assert_allclose(g, exact, rtol=1e-4, atol=1e-4)


def test_result_of_ints_has_no_derivative():
    (g,) = gradient(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, output=int) * 1.0), IMAGE)
    assert g is None or not g.any()
