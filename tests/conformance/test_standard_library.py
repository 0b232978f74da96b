"""The standard library, unmodified: colorsys, statistics, fractions, decimal."""

import colorsys
import math
import statistics
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

CONVERSIONS = [
    (name, point)
    for name in ("rgb_to_yiq", "rgb_to_hls", "hls_to_rgb", "rgb_to_hsv", "hsv_to_rgb")
    for point in ((0.31, 0.52, 0.23), (0.73, 0.45, 0.62))
] + [("yiq_to_rgb", (0.31, 0.12, 0.13))]


@pytest.mark.parametrize(("name", "point"), CONVERSIONS)
def test_colorsys(name, point):
    convert = getattr(colorsys, name)

    def weighted(a, b, c):
        x, y, z = convert(a, b, c)
        return x + 2.0 * y + 3.0 * z

    check_gradient(weighted, *point)


XS, YS = [1.0, 2.5, 4.0, 7.0], [2.0, 3.0, 1.0, 0.5]
OF_SAMPLES = ("fmean", "mean", "variance", "pvariance", "stdev", "harmonic_mean", "geometric_mean")
NORMAL = {
    "pdf": lambda x, m, s: NormalDist(m, s).pdf(x),
    "cdf": lambda x, m, s: NormalDist(m, s).cdf(x),
    "inv_cdf": lambda x, m, s: NormalDist(m, s).inv_cdf(x),
    "inv_cdf in the tail": lambda x, m, s: NormalDist(m, s).inv_cdf(x / 100.0),
    "overlap": lambda x, m, s: NormalDist(m, s).overlap(NormalDist(x, 1.0)),
    "zscore": lambda x, m, s: NormalDist(m, s).zscore(x),
    "quantiles": lambda x, m, s: NormalDist(m, s).quantiles(4)[0] * x,
    "scaled": lambda x, m, s: (NormalDist(m, s) * x + 3.0).variance,
    "difference": lambda x, m, s: (NormalDist(m, s) - NormalDist(x, 2.0)).stdev,
}


@pytest.mark.parametrize("name", OF_SAMPLES)
def test_statistics_of_samples(name):
    check_gradient(getattr(statistics, name), XS)


@pytest.mark.parametrize("name", NORMAL)
def test_normal_distribution(name):
    check_gradient(NORMAL[name], 0.3, 0.1, 1.2)


def test_distribution_from_samples_and_regression():
    check_gradient(lambda xs: NormalDist.from_samples(xs).stdev, XS)
    check_gradient(lambda xs, ys: statistics.linear_regression(xs, ys).slope, XS, YS)
    check_gradient(lambda xs, ys: statistics.linear_regression(xs, ys).intercept, XS, YS)
    check_gradient(statistics.correlation, XS, YS)


def test_exact_numbers():
    check_gradient(lambda x: float(Fraction(x) ** 2 / (Fraction(x) + 3)), 1.5)
    check_gradient(lambda x: float(statistics.stdev([Decimal(x), Decimal(2), Decimal(5)])), 1.5)
    check_gradient(lambda x: float(sum((Decimal(x) ** k for k in range(5)), Decimal(0))), 0.5)


def test_a_float_taken_apart_into_a_whole_number_is_refused():
    def doubled(x):
        mantissa, exponent = math.frexp(x)
        return (int(mantissa * 2**53) >> 1) * 2.0 ** (exponent - 51)

    with pytest.raises(Unsupported, match="taken apart into a whole number"):
        gradient(doubled, 0.7)
