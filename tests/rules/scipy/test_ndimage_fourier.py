"""Fourier filters as users meet them; the kernels are compared in test_registry.py."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import MissingRule
from astad.testing import check_gradient

ndimage = pytest.importorskip("scipy.ndimage")
IMAGE = np.sin(np.arange(20.0)).reshape(4, 5)


def test_smoothing_between_transforms():
    def f(x):
        spectrum = ndimage.fourier_shift(np.fft.fft2(x), (0.4, -1.2))
        return np.sum(np.fft.ifft2(spectrum).real ** 2 * IMAGE)

    check_gradient(f, IMAGE)


def test_the_distance_has_no_rule():
    with pytest.raises(MissingRule, match="distance"):
        gradient(lambda d: np.sum(ndimage.fourier_shift(IMAGE, d).real), 0.4)
