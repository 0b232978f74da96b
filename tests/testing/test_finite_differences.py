"""Central differences: right within their own error estimate, and honest at kinks and jumps."""

import dataclasses
import functools
import math

import numpy as np
import pytest

from astad import pullback
from astad.testing import compare
from astad.testing.finite_differences import derivative, directional
from astad.testing.leaves import entries_of, leaves_of

EPS = np.finfo(float).eps


def along(f, x):
    def line(t):
        there = f(x + t)
        return there - f(x), EPS * abs(there)

    return derivative(line, abs(x) or 1.0)


@pytest.mark.parametrize(
    ("f", "df", "x", "rtol"),
    [
        (math.exp, math.exp, 1.3, 1e-10),
        (lambda x: math.sin(50 * x), lambda x: 50 * math.cos(50 * x), 0.37, 1e-9),
        (lambda x: 1e6 + math.sin(x), math.cos, 0.7, 1e-7),
        (math.log, lambda x: 1 / x, 1e-8, 1e-9),
        (math.sqrt, lambda x: 0.5 / math.sqrt(x), 1e8, 1e-9),
        (math.sin, math.cos, 1e-12, 1e-9),
        (lambda x: x**3, lambda x: 3 * x**2, -2.0, 1e-12),
        (math.tan, lambda x: 1 + math.tan(x) ** 2, 1.55, 1e-9),
        (lambda x: abs(x - 1.001), lambda x: -1.0, 1.0, 1e-9),
    ],
)
def test_difference_is_right_and_its_error_estimate_holds(f, df, x, rtol):
    found = along(f, x)
    true_error = abs(found.value - df(x))
    assert true_error <= rtol * abs(df(x))
    assert true_error <= 3 * found.error
    assert found.error <= 100 * rtol * abs(df(x))


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (abs, 0.0),
        (lambda x: max(x, 1.0), 1.0),
        (math.floor, 2.0),
        (lambda x: 1.0 if x > 0.3 else 0.0, 0.3),
        (math.sqrt, 0.0),
        (math.log, 0.0),
    ],
)
def test_kink_jump_or_edge_of_the_domain_shows_in_the_error(f, x):
    def line(t):
        return f(x + t) - f(x), 0.0

    assert not derivative(line).error < 0.4


def test_constant_function_has_derivative_zero():
    found = along(lambda x: 3.0, 0.5)
    assert found.value == 0.0
    assert found.error < 1e-10


def gradient_by_differences(f, *args):
    return [
        directional(f, args, {}, 1.0, [(entry, 1.0)]).value
        for i, arg in enumerate(args)
        for leaf in leaves_of(arg)
        for entry in entries_of(i, leaf)
    ]


@dataclasses.dataclass
class Body:
    mass: float
    place: np.ndarray


def test_nested_arguments_are_differentiated_by_every_number_in_them():
    def f(bodies, options, k):
        total = bodies[0].mass * bodies[1].place[1] ** 2
        return float(total * k * options["gain"][0])

    bodies = (Body(2.0, np.array([1.0, 2.0])), Body(3.0, np.array([0.5, 1.5])))
    found = gradient_by_differences(f, bodies, {"gain": [0.5, 0.25], "name": "x"}, 3)
    expected = [3.375, 0, 0, 0, 0, 9.0, 13.5, 0, 2.25]
    assert found == pytest.approx(expected, abs=1e-9)


def test_each_evaluation_has_its_own_copies():
    def f(a):
        a *= 2.0
        a[0] += a[1]
        return float(a[0] * a[1])

    a = np.array([1.0, 2.0])
    assert gradient_by_differences(f, a) == pytest.approx([8.0, 20.0])
    assert a.tolist() == [1.0, 2.0]


def test_complex_argument_has_two_degrees_of_freedom_each():
    z = np.array([1 + 2j])
    assert gradient_by_differences(lambda z: float(abs(z[0]) ** 2), z) == pytest.approx([2.0, 4.0])


def test_float32_is_differenced_in_float64():
    x = np.array([1.3], np.float32)
    found = gradient_by_differences(lambda x: float(np.exp(x[0])), x)
    assert found == pytest.approx([math.exp(float(x[0]))], rel=1e-9)


def test_random_numbers_are_the_same_in_every_evaluation():
    def noisy(x):
        return float(x * np.random.normal())

    before = np.random.get_state()[1].copy()
    found = gradient_by_differences(noisy, 2.0)
    assert found == pytest.approx([noisy(1.0)])
    np.random.seed(0)
    assert before.shape == (624,)


def test_a_sum_that_cancels_its_digits_does_not_contradict_a_slope():
    def sidereal(day, century):  # 1e-7 is the last digit of the sum
        return (360.98564736629 * (day - 2451545.0) + 0.000387933 * century * century) % 360.0

    result = compare(functools.partial(pullback, sidereal), sidereal, (0.3084, 0.7211))
    assert result.rows[0].verdict == "right" and result.outcome == "inconclusive"


def test_a_step_or_a_kink_nearby_still_contradicts_a_slope():
    for f in (math.floor, lambda x: max(x - 1.30001, 0.0), lambda x: 1e3 + 0.01 * round(x)):
        result = compare(lambda x: (f(x), lambda y_bar: (y_bar,)), f, (1.3,))
        assert result.outcome == "wrong", f
