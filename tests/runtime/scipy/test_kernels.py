"""Compiled functions that write into an argument."""

import subprocess
import sys

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


READ_LATE = """
import numpy as np
import scipy.interpolate
from astad.testing import check_gradient
x = np.array([0.3, 1.1, 0.7, 2.0])
spline = lambda x: scipy.interpolate.CubicSpline(np.arange(4.0), x)(1.5)
assert check_gradient(spline, x).outcome == "right"
import scipy.signal, scipy.ndimage
for f in (
    lambda x: scipy.ndimage.uniform_filter1d(x, 3)[1] ** 2,
    lambda x: scipy.signal.correlate(x, x[:2])[1],
):
    assert check_gradient(f, x).outcome == "right"
"""


@pytest.mark.slow
def test_a_library_imported_after_others_has_its_kernels_as_well(tmp_path):
    program = tmp_path / "read_late.py"
    program.write_text(READ_LATE)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
