"""Interpolation of images as users meet it; the kernels are compared in test_registry.py."""

import numpy as np
import pytest

from astad.testing import check_gradient

ndimage = pytest.importorskip("scipy.ndimage")
IMAGE = np.sin(np.arange(20.0)).reshape(4, 5)


def test_registration_by_an_affine_map():
    def misfit(matrix, offset):
        moved = ndimage.affine_transform(IMAGE, matrix, offset, mode="nearest")
        return np.sum((moved - IMAGE) ** 2)

    check_gradient(misfit, np.array([[0.93, 0.11], [-0.07, 1.08]]), np.array([0.21, -0.36]))


def test_angle_and_distance():
    check_gradient(lambda a: np.sum(ndimage.rotate(IMAGE, a, reshape=False) ** 2), 13.0)
    check_gradient(lambda d: np.sum(ndimage.shift(IMAGE, d, mode="grid-wrap") ** 2), 0.37)


def test_a_long_line():
    line = np.cos(np.arange(90.0) ** 1.1)
    check_gradient(lambda x: np.sum(ndimage.spline_filter(x, mode="reflect") ** 2), line)
    check_gradient(lambda x: np.sum(ndimage.spline_filter(x, 5) ** 2), line)
