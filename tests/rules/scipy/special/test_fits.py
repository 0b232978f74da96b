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


def test_distances_so_small_that_the_density_is_0():
    def slope(x):
        return gradient(lambda x: special.kolmogorov(x), x)[0]

    for x in (0.0, 1e-200, 0.01, 0.0301):
        assert slope(x) == 0 and gradient(slope, x) == (0.0,)
    rate = np.pi**2 / 8
    x = 0.2  # one term of the sum is left: sqrt(2 pi) / x * exp(-rate / x**2)
    at = -np.sqrt(2 * np.pi) * np.exp(-rate / x**2)
    wanted = at * (2 * rate / x**4 - 1 / x**2)
    curve = at * ((2 * rate / x**4 - 1 / x**2) * 2 * rate / x**3 - 8 * rate / x**5 + 2 / x**3)
    assert slope(x) == pytest.approx(wanted, rel=1e-12)
    assert gradient(slope, x) == (pytest.approx(curve, rel=1e-12),)


def test_distribution_of_tukey_where_it_is_the_logistic_one():
    x = 0.4
    p = special.expit(x)
    q = 1 - p
    gap = 0.5 * (np.log(p) ** 2 - np.log(q) ** 2)
    assert gradient(lambda e: special.tklmbda(x, e), 0.0) == (pytest.approx(-p * q * gap),)
    wanted = -p * q * ((q - p) * gap + q * np.log(p) + p * np.log(q))
    found = gradient(lambda x: gradient(lambda e: special.tklmbda(x, e), 0.0)[0], x)
    assert found == (pytest.approx(wanted, rel=1e-9),)
    assert special.tklmbda(x, 9e-5) == special.tklmbda(x, 0.0)  # SciPy's own
