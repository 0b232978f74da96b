"""Results with attributes besides their fields."""

import numpy as np
import pytest

from astad.testing import check_gradient

stats = pytest.importorskip("scipy.stats")
X, W = np.array([0.3, 1.2, 0.7, 2.0]), np.array([1.0, 2.0, 3.5, 4.0])


@pytest.mark.parametrize("name", ["slope", "intercept", "rvalue", "stderr", "intercept_stderr"])
def test_a_field_and_an_attribute_of_a_regression(name):
    check_gradient(lambda x: getattr(stats.linregress(W, x), name), X)


@pytest.mark.slow
def test_a_field_by_its_number():
    check_gradient(lambda x: stats.linregress(x, W)[0] * 2.0, X)
    check_gradient(lambda x: stats.theilslopes(x, W)[1], X)
