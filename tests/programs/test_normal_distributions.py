"""A distribution of the standard library as an argument: its mean and deviation have gradients."""

import math
from statistics import NormalDist

import pytest

from astad import gradient


def cdf(d, x):
    return d.cdf(x)


def pdf_times_mean(d, x):
    return d.pdf(x) * d.mean


def shifted(d, x):
    return (d * 2.0 + x).stdev * d.mean


def scored(d, x):
    return d.zscore(x) ** 2


def listed(d, x):
    return sum(each.variance * x for each in [d, d])


def differences(f, at, x):
    step, found = 1e-6, []
    for k in range(2):
        ends = [
            f(NormalDist(*(v + s * step * (i == k) for i, v in enumerate(at))), x) for s in (1, -1)
        ]
        found.append((ends[0] - ends[1]) / (2 * step))
    return found


@pytest.mark.parametrize("f", [cdf, pdf_times_mean, shifted, scored, listed])
def test_mean_and_deviation(f):
    bar, _ = gradient(f, NormalDist(2.4, 1.6), 3.49)
    expected = differences(f, (2.4, 1.6), 3.49)
    found = [bar._mu or 0.0, bar._sigma or 0.0]
    assert all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-8) for a, b in zip(found, expected))


def test_by_hand():
    bar, x_bar = gradient(cdf, NormalDist(2.4, 1.6), 3.49)
    density = NormalDist(2.4, 1.6).pdf(3.49)
    assert math.isclose(bar._mu, -density) and math.isclose(x_bar, density)
    assert math.isclose(bar._sigma, -density * 1.09 / 1.6)
