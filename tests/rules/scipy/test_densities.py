"""Kernels behind scipy.stats."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

stats = pytest.importorskip("scipy.stats")


def test_the_last_step_of_a_binomial_distribution_function_is_flat():
    k = np.array([-1.0, 0.0, 4.0, 5.0, 6.0])
    (bar,) = gradient(lambda p: np.sum(stats.binom.cdf(k, 5, p) * np.array([1, 0, 0, 1, 1])), 0.3)
    assert bar == 0.0
    check_gradient(lambda p: np.sum(stats.binom.cdf(k, 5, p)), 0.3)


def test_beta_density_in_all_arguments():
    x = np.array([0.2, 0.5, 0.9])
    check_gradient(lambda x, a, b: np.sum(stats.beta.pdf(x, a, b)), x, 1.7, 0.6)
