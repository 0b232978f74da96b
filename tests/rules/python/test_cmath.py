"""cmath where a slope is singular: 0 for a cotangent of 0, as for math and NumPy."""

import cmath
import math

import numpy as np
import pytest

import astad

pytestmark = pytest.mark.order_matters
AT_POINTS = [
    (lambda z: (cmath.sqrt(z) * 0).real + z.real, 0j, 1 + 0j),
    (lambda z: abs(cmath.sqrt(z)), 0j, 0j),
    (lambda z: abs(cmath.sqrt(z)) ** 2 + z.real, 0j, 1 + 0j),
    (lambda z: (cmath.asin(z) * 0).real + z.real, 1 + 0j, 1 + 0j),
    (lambda z: (cmath.acosh(z) * 0).real + z.real, 1 + 0j, 1 + 0j),
    (lambda z: abs(cmath.acos(z)) + z.real, 1 + 0j, 1 + 0j),
    (lambda z: np.sum(np.where(z != 0, np.array([cmath.sqrt(z)]), 0)).real + z.real, 0j, 1 + 0j),
    (lambda x: (cmath.sqrt(x) * 0).real + x, 0.0, 1.0),
    (lambda x: cmath.sqrt(x).real * 0.0 + x, 0.0, 1.0),
    (lambda x: abs(cmath.sqrt(x)), 0.0, 0.0),
    (lambda x: (cmath.asin(x) * 0).real + x, 1.0, 1.0),
    (lambda x: (cmath.acosh(x) * 0).real + x, 1.0, 1.0),
    (lambda x: abs(cmath.acos(x)) + x, 1.0, 1.0),
]


@pytest.mark.parametrize(("f", "point", "expected"), AT_POINTS)
def test_at_singular_points_a_cotangent_of_zero_is_zero(f, point, expected):
    for at in (point, point, point + 0.3, point, point):
        (bar,) = astad.gradient(f, at)
        if at == point:
            assert bar == expected
    direction = 1.0 if isinstance(point, float) else 1 + 0j
    assert astad.jvp(f, (point,), (direction,))[1] == expected.real


@pytest.mark.parametrize(
    ("f", "point"), [(lambda x: cmath.sqrt(x).real, 0.0), (lambda x: cmath.acos(x).real, 1.0)]
)
def test_other_cotangents_are_no_numbers_and_no_error_of_pythons(f, point):
    for _ in range(3):
        assert not math.isfinite(astad.gradient(f, point)[0])


@pytest.mark.parametrize(
    "fn", [cmath.sqrt, cmath.asin, cmath.acos, cmath.atan, cmath.asinh, cmath.acosh, cmath.atanh]
)
def test_slopes_beside_them(fn):
    def f(x):
        z = fn(x + 0.4j)
        return z.real * z.imag + abs(z)

    step = 1e-6
    for x in (0.3, 0.7, -0.6, 0.3):
        slope = (f(x + step) - f(x - step)) / (2 * step)
        assert astad.gradient(f, x) == (pytest.approx(slope, abs=1e-7),)
