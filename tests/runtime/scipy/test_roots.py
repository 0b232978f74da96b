"""Roots in what the equation depends on: arguments, captured values, attributes."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

optimize = pytest.importorskip("scipy.optimize")
C = np.array([2.0, 3.0])


def cube(t, c):
    return t**3 - c


def pair(x, a, b):
    return [x[0] + 0.5 * (x[0] - x[1]) ** 3 - a, 0.5 * (x[1] - x[0]) ** 3 + x[1] - b[0]]


@pytest.mark.parametrize("name", ["brentq", "brenth", "bisect", "ridder", "toms748"])
def test_bracketed_roots(name):
    check_gradient(lambda c: getattr(optimize, name)(cube, 0, 3, args=(c,)), 2.0)
    check_gradient(lambda c: getattr(optimize, name)(cube, 0, 3, (c,), full_output=True)[0], 2.0)


def test_captured_values():
    def half_life(rate, part):
        return optimize.brentq(lambda t: math.exp(-rate * t) - part, 0.0, 100.0)

    check_gradient(half_life, 0.25, 0.5)


def test_an_attribute_of_the_object_that_a_method_belongs_to():
    class Cooling:
        def __init__(self, rate):
            self.rate = rate

        def rest(self, t):
            return math.exp(-self.rate * t) - 0.5

    bar = gradient(lambda rate: optimize.brentq(Cooling(rate).rest, 0.0, 100.0), 0.25)[0]
    assert math.isclose(bar, -math.log(2) / 0.25**2, rel_tol=1e-9)


def test_a_loop_of_equations_that_capture_its_variable():
    def f(a):
        total = 0.0
        for k in range(1, 4):
            total += optimize.brentq(lambda t: t**k - a, 0, 5)
        return total

    check_gradient(f, 2.0)


def test_newton_of_numbers_and_of_arrays():
    check_gradient(lambda c: optimize.newton(cube, 1.0, args=(c,)), 2.0)
    check_gradient(lambda c: np.sum(optimize.newton(cube, np.ones(2), args=(c,)) ** 2), C)
    slope = lambda t, c: 3 * t * t
    check_gradient(lambda c: optimize.newton(cube, 1.0, fprime=slope, args=(c,)), 2.0)


def test_root_scalar_with_all_it_takes():
    check_gradient(lambda c: optimize.root_scalar(cube, args=(c,), bracket=(0, 3)).root, 2.0)
    both = lambda t, c: (t**3 - c, 3 * t * t)
    check_gradient(lambda c: optimize.root_scalar(both, (c,), fprime=True, x0=1.0)["root"], 2.0)


def test_fixed_points():
    def f(c):
        return np.sum(optimize.fixed_point(lambda x: np.sqrt(c / (x + 1)), [1.2, 1.3]))

    check_gradient(f, np.array([10.0, 12.0]))


@pytest.mark.parametrize("method", ["hybr", "lm", "broyden1", "krylov"])
def test_systems(method):
    def f(a, b):
        found = optimize.root(lambda x: np.array(pair(x, a, b)), [0, 0.0], method=method)
        return found.x[0] + 2 * found.x[1]

    bars = gradient(f, 1.0, np.array([0.3]))
    exact = gradient(
        lambda a, b: optimize.fsolve(pair, [0, 0.0], (a, b)) @ C, 1.0, np.ones(1) * 0.3
    )
    again = gradient(lambda a, b: 2 * f(a, b) - f(a, b), 1.0, np.array([0.3]))
    assert np.allclose(bars[0], again[0]) and np.all(np.isfinite(exact[1]))
    check_gradient(lambda a, b: optimize.fsolve(pair, [0, 0.0], (a, b)) @ C, 1.0, np.array([0.3]))


def test_systems_with_a_given_jacobian():
    def line(x, a):
        return a * x - 1.0, np.diag(a)

    check_gradient(lambda a: np.sum(optimize.root(line, np.ones(2), args=a, jac=True).x), C)


def test_a_buffer_that_the_equation_writes():
    buffer = np.zeros(2)

    def fill(x, a):
        buffer[:] = x * x - a
        return buffer

    def f(a):
        first = optimize.fsolve(fill, np.ones(2), args=(a,))
        return np.sum(first * optimize.fsolve(fill, np.ones(2), args=(2 * a,)))

    check_gradient(f, C)


def test_an_equation_that_is_flat_at_its_root_is_refused():
    def f(a):
        return np.sum(optimize.fsolve(lambda x: a * 0 * x, np.ones(2)))

    with pytest.raises(Unsupported, match="singular"):
        gradient(f, 2.0)


def test_what_else_a_solver_reports_is_refused_where_it_is_asked_for():
    def f(a):
        return optimize.root(pair, [0, 0.0], args=(a, np.ones(1)))

    with pytest.raises(Unsupported, match="root: fun"):
        gradient(lambda a: f(a).fun[0], 2.0)


def test_a_solver_that_stopped_early_has_no_derivative():
    def f(a):
        return optimize.root(pair, [5.0, -4.0], args=(a, C), options={"maxfev": 3}).x[0]

    with pytest.raises(Unsupported, match="converged"):
        gradient(f, 2.0)


def test_a_result_whose_parts_are_overwritten():
    def f(a):
        found = optimize.root(lambda t: t**3 - a - 2, [1.0, 1.0])
        found.x = found.x * np.array([2.0, 1.0])
        found["fun"] = 1.0
        return found.x[0]

    assert gradient(f, 0.5)[0] == pytest.approx(2 / 3 * 2.5 ** (-2 / 3))
