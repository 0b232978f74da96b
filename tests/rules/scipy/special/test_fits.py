"""Statistics of Kolmogorov and Smirnov."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")


def test_small_and_large_distances():
    for x in (0.3, 0.79, 0.81, 3.0):
        check_gradient(lambda x: special.kolmogorov(x), x)
    assert gradient(lambda x: special.kolmogorov(x), 0.0) == (0.0,)
    check_gradient(lambda p: special.kolmogi(p), 0.2)


def test_sizes_of_samples_at_once():
    n = np.array([1, 4, 60])
    check_gradient(lambda d: np.sum(special.smirnov(n, d)), 0.21)
    check_gradient(lambda x, e: special.tklmbda(x, e), 0.4, 0.0)
    assert gradient(lambda x: special.tklmbda(x, 2.0), 3.0) == (0.0,)
