"""Filters of images as users meet them; the kernels are compared in test_registry.py."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import AstadError
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


INTS = np.array([[1, 5, 2, 3], [7, 1, 1, 9], [2, 2, 4, 6]])
WINDOW = np.array([[1, 2, 1], [0, 1, 3]])
SCALE = np.arange(12.0).reshape(3, 4)
EXACT = {
    "convolve": lambda a, k: ndimage.convolve(a, k, mode="constant"),
    "correlate": lambda a, k: ndimage.correlate(a, k, mode="wrap"),
    "convolve1d": lambda a, k: ndimage.convolve1d(a, k[0]),
    "correlate1d": lambda a, k: ndimage.correlate1d(a, k[1], axis=0),
    "sobel": lambda a, k: ndimage.sobel(a) * k[0, 0],
    "laplace": lambda a, k: ndimage.laplace(a) * k[0, 0],
    "maximum_filter": lambda a, k: ndimage.maximum_filter(a, 3) * k[0, 0],
    "median_filter": lambda a, k: ndimage.median_filter(a, 3) * k[0, 0],
    "rank_filter": lambda a, k: ndimage.rank_filter(a, 2, 3) * k[0, 0],
    "grey_dilation": lambda a, k: ndimage.grey_dilation(a, structure=k),
    "grey_erosion": lambda a, k: ndimage.grey_erosion(a, structure=k),
    "shift of order 0": lambda a, k: ndimage.shift(a, 1, order=0) * k[0, 0],
}


@pytest.mark.parametrize("name", EXACT)
def test_filters_of_ints_that_round_nothing(name):
    def f(a, k):
        return np.sum(EXACT[name](a, k) * SCALE)

    wanted = gradient(f, INTS * 1.0, WINDOW * 1.0)
    for found, like in zip(gradient(f, INTS, WINDOW), wanted, strict=True):
        np.testing.assert_allclose(found, like)


def test_filters_of_ints_that_round():
    for f in (lambda a: ndimage.uniform_filter(a, 3), lambda a: ndimage.gaussian_filter(a, 1.0)):
        assert not gradient(lambda a, f=f: np.sum(f(a) * SCALE), INTS)[0].any()
    broken = gradient(lambda a: np.sum(ndimage.convolve1d(a, [0.5, 0.5]) * SCALE), INTS)[0]
    assert not broken.any()


def test_weights_that_are_floats_move_whole_results_in_steps():
    def f(a, k):
        return np.sum(ndimage.convolve(a, k) * SCALE)

    a_bar, k_bar = gradient(f, INTS, WINDOW * 1.0)
    np.testing.assert_allclose(a_bar, gradient(f, INTS * 1.0, WINDOW * 1.0)[0])
    assert not k_bar.any()


def test_generic_filter_of_ints():
    def f(a, **words):
        return np.sum(ndimage.generic_filter(a, np.max, 3, **words) * SCALE)

    with pytest.raises(AstadError, match="give output=float"):
        gradient(f, INTS)
    of_floats = gradient(f, INTS * 1.0)[0]
    np.testing.assert_allclose(gradient(f, INTS, output=float)[0], of_floats)
    assert not gradient(f, INTS * 1.0, output=int)[0].any()
