"""Integrals, derivatives and antiderivatives of the piecewise polynomials of scipy.interpolate."""

import numpy as np
import pytest

from astad import gradient, pullback
from tests.compiler.forms import only_generic

interpolate = pytest.importorskip("scipy.interpolate")

T = np.array([0.0, 0.4, 1.1, 1.9, 2.4, 3.0])
X = np.array([0.3, 1.7, 2.2])
KINDS = [
    interpolate.CubicSpline,
    interpolate.PchipInterpolator,
    interpolate.Akima1DInterpolator,
    lambda t, y: interpolate.CubicHermiteSpline(t, y, np.cos(y)),
    interpolate.make_interp_spline,
]


def curve(kind, x):
    return kind(T, np.sin(T) * x[0] + T * T * x[1])


def area(kind, x):
    return curve(kind, x).integrate(x[0], x[2])


def area_backwards(kind, x):
    return curve(kind, x).integrate(x[2], x[0]) * x[1]


def area_of_all(kind, x):
    return curve(kind, x).integrate(0, 3)


def growth(kind, x):
    return np.sum(curve(kind, x).derivative()(x) ** 2)


def bend(kind, x):
    return np.sum(curve(kind, x).derivative(2)(x[:2]))


def sums(kind, x):
    return np.sum(curve(kind, x).antiderivative()(x) ** 2)


def sums_of_sums(kind, x):
    return np.sum(curve(kind, x).antiderivative(2)(x) * x)


def there_and_back(kind, x):
    return np.sum(curve(kind, x).antiderivative().derivative()(x))


def area_of_growth(kind, x):
    return curve(kind, x).derivative().integrate(0.2, x[1]) ** 2


PROGRAMS = [
    area, area_backwards, area_of_all, growth, bend, sums, sums_of_sums, there_and_back,
    area_of_growth,
]  # fmt: skip


def check(f, x):
    expected = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(len(x))]
    np.testing.assert_allclose(gradient(f, x.copy())[0], expected, rtol=1e-6, atol=1e-7)
    with only_generic():
        y, back = pullback(f, x.copy())
    np.testing.assert_allclose(back(1.0)[0], expected, rtol=1e-6, atol=1e-7)
    assert y == f(x)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_of_an_interpolation(f, kind):
    check(lambda x: f(kind, x), X)


def outside(x):
    return curve(interpolate.CubicSpline, x).integrate(-x[0], 3 + x[1])


def periods(x):
    values = np.append(np.sin(T[:-1]) * x[0], 0.0)
    values[0] = values[-1]
    spline = interpolate.CubicSpline(T, values, bc_type="periodic")
    return spline.integrate(x[0], 5 + x[1]) + spline.integrate(x[1], x[2]) ** 2


def moved_breaks(x):
    steps = interpolate.PPoly(np.array([[1.0, x[0]], [x[1], -0.3]]), [0.0, x[1], 4.0])
    return steps.integrate(0.2, 3.1) * x[2] + steps.integrate(x[0], 3.0)


def moved_breaks_of_sums(x):
    steps = interpolate.PPoly(np.array([[1.0, x[0], 2.0], [x[1], -0.3, 1.0]]), [0, x[0], x[1], 4.0])
    return steps.antiderivative()(x[2]) + np.sum(steps.antiderivative(3)(x))


def columns(x):
    spline = interpolate.CubicSpline(T, np.outer(np.sin(T), x))
    return np.sum(spline.integrate(x[0], x[1]) * x) + np.sum(spline.antiderivative()(x) ** 2)


def of_complex_numbers(x):
    spline = interpolate.CubicSpline(T, np.sin(T) * (x[0] + 1j * x[1]))
    return abs(spline.integrate(0.1, x[1])) ** 2 + np.sum(np.abs(spline.antiderivative()(x)) ** 2)


def read_again(x):
    spline = curve(interpolate.CubicSpline, x)
    return np.sum(spline.antiderivative().c ** 2) + np.sum(spline.c**2) + spline(x[0])


def nothing_between(x):
    return curve(interpolate.CubicSpline, x).integrate(x[0], x[0]) + x[1]


@pytest.mark.parametrize(
    "f",
    [
        outside, periods, moved_breaks, moved_breaks_of_sums, columns, of_complex_numbers,
        read_again, nothing_between,
    ],
)  # fmt: skip
def test_of_others(f):
    check(f, X)


def test_outside_without_a_value():
    spline = interpolate.PchipInterpolator(T, np.sin(T), extrapolate=False)
    assert gradient(lambda b: 0.0 if np.isnan(spline.integrate(0.1, b)) else 1.0, 4.0)[0] in (
        0,
        None,
    )
