"""Minima in what the objective depends on."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported

optimize = pytest.importorskip("scipy.optimize")
B = np.array([0.7])
T = np.linspace(0.0, 1.0, 8)
D = np.exp(-1.3 * T) + 0.1 * np.sin(9 * T)
WEIGHTS = np.arange(8.0)
TIGHT = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}


def bowl(x, a, b):
    return (x[0] - a) ** 2 + (x[1] - b[0]) ** 4 / 4 + (x[1] - a * x[0]) ** 2


def well(x, a):
    return (x - a) ** 2 + a * np.exp(x)


def decay(p, t, d):
    return p[0] * np.exp(-p[1] * t) - d


def curve(t, a, k):
    return a * np.exp(-k * t)


def close(f, *args, rtol=1e-4, step=1e-4):
    """Against central differences as coarse as a solver's tolerance allows."""
    for place, bar in enumerate(gradient(f, *args)):
        found = np.ravel(np.asarray(bar))
        for k in range(found.size):
            ends = []
            for sign in (1, -1):
                moved = np.array(args[place], float)
                moved.reshape(-1)[k] += sign * step
                ends.append(f(*args[:place], moved[()], *args[place + 1 :]))
            assert np.isclose((ends[0] - ends[1]) / (2 * step), found[k], rtol=rtol, atol=1e-4)


@pytest.mark.parametrize("method", [None, "Nelder-Mead", "CG", "L-BFGS-B", "SLSQP"])
def test_minimize(method):
    def f(a, b):
        x = optimize.minimize(bowl, [1.0, 0.5], args=(a, b), method=method, tol=1e-10).x
        return x[0] + 2 * x[1]

    close(f, 1.3, B)


def test_the_value_at_the_minimum():
    close(lambda a, b: optimize.minimize(bowl, [1.0, 0.5], args=(a, b)).fun, 1.3, B)


def test_a_component_at_its_bound_stays_there():
    def f(a, b, at):
        bounds = [(0, 1), (0, 5)]
        return optimize.minimize(bowl, [1.0, 0.5], args=(a, b), bounds=bounds, tol=1e-10).x[at]

    assert gradient(lambda a, b: f(a, b, 0), 1.9, B)[0] == 0.0
    close(lambda a, b: f(a, b, 1), 1.9, B)


def test_a_bound_that_holds_the_solution_is_refused_when_asked_for():
    def f(high):
        return optimize.minimize(bowl, [0.5, 0.5], args=(1.9, B), bounds=[(0, high), (0, 5)]).x[0]

    with pytest.raises(Unsupported, match="a bound or a constraint"):
        gradient(f, 1.0)
    assert gradient(f, 50.0)[0] in (None, 0.0)


def test_a_given_gradient_is_the_equation():
    def value(x, a):
        return (x[0] - a) ** 2 + x[1] ** 2 * a

    def slope(x, a):
        return np.array([2 * (x[0] - a), 2 * x[1] * a])

    f = lambda a: optimize.minimize(value, [1.0, 0.5], args=a, jac=slope).x[0] * 3
    assert np.isclose(gradient(f, 1.2)[0], 3.0)
    both = lambda x, a: (value(x, a), slope(x, a))
    g = lambda a: optimize.minimize(both, [1.0, 0.5], args=(a,), jac=True).x[0]
    assert np.isclose(gradient(g, 1.2)[0], 1.0)


def test_minima_of_one_variable():
    close(lambda a: optimize.minimize_scalar(well, args=(a,)).x, 1.2)
    close(lambda a: optimize.minimize_scalar(lambda x: well(x, a)).fun, 1.2)
    bounded = {"bounds": (-5, 5), "method": "bounded", "options": {"xatol": 1e-10}}
    close(lambda a: optimize.minimize_scalar(well, args=(a,), **bounded).x, 1.2)
    close(lambda a: optimize.brent(lambda x: well(x, a)), 1.2)


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan"])
def test_least_squares(loss):
    def f(t, d):
        words = {"loss": loss, "f_scale": 0.3, **TIGHT}
        return optimize.least_squares(decay, [1, 1.0], args=(t, d), **words).x @ np.array([1, 2])

    close(f, T, D, rtol=1e-3)


def test_residuals_and_cost_at_the_solution():
    def solved(t, d):
        return optimize.least_squares(decay, [1, 1.0], kwargs={"t": t, "d": d}, **TIGHT)

    close(lambda t, d: solved(t, d).cost, T, D)
    close(lambda t, d: np.sum(solved(t, d).fun * WEIGHTS), T, D, rtol=3e-3)


def test_a_curve_fitted_to_data():
    close(lambda t, d: optimize.curve_fit(curve, t, d)[0] @ np.array([1, 2]), T, D, rtol=1e-3)
    f = lambda t, d: optimize.curve_fit(curve, t, d, bounds=(0, 5))[0][1]
    close(f, T, D, rtol=1e-3)


def test_what_is_not_differentiated_is_refused():
    square = lambda x, a: (x[0] - a) ** 2
    wall = {"type": "ineq", "fun": lambda x: x[0] - 2}
    f = lambda a: optimize.minimize(square, [0.0], (a,), constraints=wall).x[0]
    with pytest.raises(Unsupported, match="constraints are not differentiated"):
        gradient(f, 1.3)
    with pytest.raises(Unsupported, match="hess_inv"):
        gradient(lambda a: optimize.minimize(square, [0.0], args=(a,)).hess_inv[0, 0], 1.3)
    flat = lambda a: optimize.minimize(lambda x: a + 0 * x[0], [0.0]).x[0]
    with pytest.raises(Unsupported, match="singular"):
        gradient(flat, 1.3)


def overwritten_minimum(a):
    found = optimize.minimize(lambda x: (x[0] - a) ** 2, [0.3], method="BFGS")
    found.x = found.x * 2.0
    del found["jac"]
    found.fun = 1.0
    return found.x[0]


def overwritten_fit(a):
    found = optimize.least_squares(lambda x: x - a, [0.3])
    found["x"] = np.copy(found["x"])
    return found.x[0]


def kept_by_basinhopping(a):
    """It stores a copy of the solution in the result of the minimiser."""
    bowl = lambda x: (x[0] - a) ** 2 + (x[0] - 0.1) ** 4
    return optimize.basinhopping(bowl, [0.3], niter=2, seed=1).x[0]


@pytest.mark.parametrize("f", [overwritten_minimum, overwritten_fit, kept_by_basinhopping])
def test_a_result_whose_parts_are_overwritten(f):
    close(f, 0.5)


PRECISE = {"xatol": 1e-11}
BOUNDED = {
    "a pair": lambda b: (
        optimize.minimize_scalar(
            lambda x: (x - b) ** 2, bounds=(0, b + 1), method="bounded", options=PRECISE
        ).x
    ),
    "a list, and the value": lambda b: (
        optimize.minimize_scalar(
            lambda x: (x - b) ** 2 + b * x, bounds=[b - 3, b + 1], method="bounded", options=PRECISE
        ).fun
    ),
    "fminbound": lambda b: optimize.fminbound(lambda x: (x - b) ** 4 - x, 0, 2 * b, xtol=1e-11),
    "a bracket": lambda b: (
        optimize.minimize_scalar(lambda x: (x - b) ** 2 + x, bracket=(b, b + 1), tol=1e-11).x
    ),
    "of a vector": lambda b: optimize.minimize(
        lambda x: np.sum((x - b) ** 2), [1.0], bounds=[(0, b + 1)], tol=1e-11
    ).x[0],
    "of a vector, on one side": lambda b: (
        optimize.minimize(
            lambda x: np.sum((x - b) ** 2), [1.0], bounds=[(None, b + 1)], tol=1e-11
        ).x
    ),
    "of least squares": lambda b: (
        optimize.least_squares(lambda x: x - b, [1.0], bounds=(0.0, b + 1), **TIGHT).x
    ),
}


def number_of(y):
    return np.sum(y) if isinstance(y, np.ndarray) else y


@pytest.mark.parametrize("kind", [float, np.array, lambda b: np.array([b])])
@pytest.mark.parametrize("solution", BOUNDED.values(), ids=BOUNDED)
def test_bounds_that_are_numbers_or_arrays_of_one(solution, kind):
    step = 1e-3
    plain = [float(np.sum(solution(kind(1.7 + s)))) for s in (step, -step)]
    (bar,) = gradient(lambda b: number_of(solution(b)), kind(1.7))
    assert np.allclose(bar, (plain[0] - plain[1]) / (2 * step), atol=1e-4)
    assert np.shape(bar) == np.shape(kind(1.7))


@pytest.mark.parametrize("kind", [float, np.array, lambda b: np.array([b])])
@pytest.mark.parametrize(
    "solution",
    [
        lambda b: (
            optimize.minimize_scalar(lambda x: (x - 9.0) ** 2, bounds=(0, b), method="bounded").x
        ),
        lambda b: (
            optimize.minimize_scalar(lambda x: (x - 9.0) ** 2, bounds=(0, b), method="bounded").fun
        ),
        lambda b: (
            optimize.minimize_scalar(
                lambda x: (x + 9.0) ** 2, bounds=[b, 5.0], method="bounded", options=PRECISE
            ).x
        ),
        lambda b: optimize.fminbound(lambda x: (x - 9.0) ** 2, 0, b),
        lambda b: optimize.minimize(lambda x: np.sum((x - 9.0) ** 2), [1.0], bounds=[(0, b)]).x,
        lambda b: optimize.least_squares(lambda x: x - 9.0, [1.0], bounds=(0, b)).x,
    ],
)
def test_a_bound_near_which_the_solver_stops_is_refused(solution, kind):
    with pytest.raises(Unsupported, match="the derivative of a solution"):
        gradient(lambda b: number_of(solution(b)), kind(1.7))
