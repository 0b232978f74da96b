"""properscoring (forecasts), SciPy's test functions and its distributions."""

import numpy as np
import pytest
from libraries import library

from astad.testing import check_gradient

properscoring = library("properscoring")
optimize = library("scipy.optimize")
stats = library("scipy.stats")

SEEN = np.array([0.3, -1.0, 2.2])


def score(x, mean, spread):
    return np.sum(properscoring.crps_gaussian(x, mean, spread))


def likelihood(mean, spread):
    return np.sum(stats.norm.logpdf(SEEN, mean, spread)) + stats.norm.cdf(mean, scale=spread)


OBJECTIVES = {
    "score": (score, (np.array([0.3, -1.0]), np.array([0.0, 0.2]), np.array([1.0, 0.6]))),
    "valley": (optimize.rosen, (np.array([0.1, 0.2, 0.3, 1.4]),)),
    "likelihood": (likelihood, (0.4, 1.3)),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradient_agrees_with_differences(name):
    objective, args = OBJECTIVES[name]
    check_gradient(objective, *args, rtol=1e-5)
