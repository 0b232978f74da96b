"""Differential equations in start, parameters and times, against central differences."""

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import Unsupported

integrate = pytest.importorskip("scipy.integrate")
TIMES = np.linspace(0.0, 3.0, 7)
WEIGHTS = np.array([1.0, 2.0])
METHODS = ["RK45", "DOP853", "BDF", "Radau", "LSODA"]
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def hares(t, y, a, b):
    return np.array([y[0] * (a - y[1]), -y[1] * (b - y[0])])


def hares_turned(y, t, a, b):
    return [y[0] * (a - y[1]), -y[1] * (b - y[0])]


def agrees(f, *args, rtol=1e-5, step=1e-4):
    for place, bar in enumerate(gradient(f, *args)):
        found = np.ravel(np.asarray(bar))
        for k in range(found.size):
            ends = []
            for sign in (1, -1):
                moved = np.array(args[place], float)
                moved.reshape(-1)[k] += sign * step
                ends.append(f(*args[:place], moved[()], *args[place + 1 :]))
            assert np.isclose((ends[0] - ends[1]) / (2 * step), found[k], rtol=rtol, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_solve_ivp(method):
    words = {"method": method, **CLOSE}

    def outputs(a, b, y0):
        found = integrate.solve_ivp(hares, (0.0, 3.0), y0, t_eval=TIMES, args=(a, b), **words)
        return np.sum(WEIGHTS @ found.y)

    def last(a, start, end):
        right = lambda t, y: hares(t, y, a * t, 0.7)
        return WEIGHTS @ integrate.solve_ivp(right, (start, end), [1.0, 0.5], **words).y[:, -1]

    agrees(outputs, 1.1, 0.7, np.array([1.0, 0.5]))
    agrees(last, 1.1, 0.3, 2.0)


def test_odeint_in_all_that_it_takes():
    y0 = np.array([1.0, 0.5])

    def f(a, b, y0, t):
        return np.sum(integrate.odeint(hares_turned, y0, t, args=(a, b)) @ WEIGHTS)

    agrees(f, 1.1, 0.7, y0, TIMES.copy())
    agrees(lambda a: np.sum(integrate.odeint(hares, y0, TIMES, (a, 0.7), tfirst=True)), 1.1)
    agrees(
        lambda a, s: integrate.odeint(lambda y, t: hares_turned(y, t, a, 0.7), [s, 0.5], TIMES)[
            -1, 0
        ],
        1.1,
        1.0,
    )


def test_values_are_those_of_the_plain_call():
    plain = integrate.solve_ivp(hares, (0.0, 3.0), [1.0, 0.5], args=(1.1, 0.7), method="LSODA")
    f = lambda a: integrate.solve_ivp(hares, (0.0, 3.0), [1.0, 0.5], args=(a, 0.7), method="LSODA")
    y, _ = pullback(lambda a: f(a).y, 1.1)
    found, _ = pullback(f, 1.1)
    assert np.array_equal(y, plain.y)
    assert found.sol is None and found.keys() == plain.keys()


def test_a_stiff_equation():
    def reaction(t, y, k):
        rate = k * 1e4 * y[1] * y[2]
        return np.array(
            [-0.04 * y[0] + rate, 0.04 * y[0] - rate - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]
        )

    def f(k):
        words = {"method": "Radau", "rtol": 1e-8, "atol": 1e-8}
        return integrate.solve_ivp(reaction, (0, 40.0), [1.0, 0, 0], args=(k,), **words).y[0, -1]

    agrees(f, 1.0, rtol=1e-4)


def test_what_the_adjoint_does_not_know_is_refused():
    def f(a, **words):
        return integrate.solve_ivp(
            hares, (0.0, 3.0), [1.0, 0.5], args=(a, 0.7), method="LSODA", **words
        )

    with pytest.raises(Unsupported, match="sol"):
        gradient(lambda a: f(a, dense_output=True).sol(1.0)[0], 1.1)
    cross = lambda t, y, a, b: y[0] - 1
    with pytest.raises(Unsupported, match="events="):
        gradient(lambda a: f(a, events=cross).y[0, -1], 1.1)


@pytest.mark.slow
def test_a_result_whose_parts_are_overwritten():
    def f(k):
        found = integrate.solve_ivp(lambda t, y: -k * y, (0, 1), [1.5], rtol=1e-9, atol=1e-12)
        found.y = found.y * 2.0
        found.t = None
        return found.y[0, -1]

    assert gradient(f, 0.5)[0] == pytest.approx(-3 * np.exp(-0.5), rel=1e-6)
