"""Filters of images as users meet them; the kernels are compared in test_registry.py."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

ndimage = pytest.importorskip("scipy.ndimage")


def test_ties_share():
    (g,) = gradient(lambda x: ndimage.maximum_filter(x, 3)[1], np.array([2.0, 5.0, 5.0, 1.0]))
    assert g.tolist() == [0.0, 0.5, 0.5, 0.0]
    (g,) = gradient(lambda x: ndimage.median_filter(x, 3)[1], np.array([5.0, 5.0, 7.0, 1.0]))
    assert g.tolist() == [0.5, 0.5, 0.0, 0.0]


def test_edges_that_are_seen_more_than_once():
    (g,) = gradient(lambda x: np.sum(ndimage.maximum_filter1d(x, 3)), np.array([4.0, 2.0, 1.0]))
    assert g.tolist() == [2.0, 1.0, 0.0]


def test_an_entry_that_is_not_a_number():
    (g,) = gradient(lambda x: ndimage.uniform_filter1d(x, 2)[1], np.array([1.0, 2.0, np.nan]))
    assert g.tolist() == [0.5, 0.5, 0.0]


def test_single_precision_selects_what_double_selects():
    x = np.array([0.1, 0.7, 0.3], np.float32)
    (g,) = gradient(lambda x: np.sum(ndimage.minimum_filter(x, 3, output=np.float64)), x)
    assert g.dtype == np.float32 and g.tolist() == [2.0, 0.0, 1.0]


def test_blur_with_a_width_to_learn():
    image = np.sin(np.arange(20.0)).reshape(4, 5)
    check_gradient(lambda s: np.sum(ndimage.gaussian_filter(image, s) ** 2), 0.9)
    check_gradient(lambda s: np.sum(ndimage.gaussian_filter(image, [s, 2 * s]) ** 2), 0.9)
