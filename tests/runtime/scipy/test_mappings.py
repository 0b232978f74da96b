"""Images filled by a function of the user's."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

ndimage = pytest.importorskip("scipy.ndimage")
IMAGE = np.cos(np.arange(12.0)).reshape(3, 4)


def test_a_mapping_that_captures_what_is_differentiated():
    def f(image, a, b):
        turned = ndimage.geometric_transform(
            image, lambda at: (at[0] * a, at[1] + b), (2, 3), order=1, mode="mirror"
        )
        return np.sum(turned**2)

    check_gradient(f, IMAGE, 0.83, 0.37)


def test_what_a_mapping_is_given_besides():
    def f(image, a, b):
        turned = ndimage.geometric_transform(
            image,
            lambda at, a, b: (at[0] * a, at[1] + b),
            extra_arguments=(a,),
            extra_keywords={"b": b},
        )
        return np.sum(turned**2)

    check_gradient(f, IMAGE, 0.83, 0.37)


def test_windows_seen_by_a_function():
    def f(image, a):
        filtered = ndimage.generic_filter(image, lambda w: np.sum(w**2) * a + w[0], 3, mode="wrap")
        return np.sum(filtered**2)

    check_gradient(f, IMAGE, 0.7)


def test_a_window_that_is_not_read():
    assert (
        gradient(lambda x: np.sum(ndimage.generic_filter(x, lambda w: 1.0, 3)), IMAGE)[0].sum() == 0
    )


def test_filter_written_over_its_image_is_refused():
    def f(x):
        y = x * 2
        ndimage.generic_filter(y, np.mean, 3, output=y)
        return np.sum(y)

    with pytest.raises(Unsupported, match="generic_filter"):
        gradient(f, IMAGE)
