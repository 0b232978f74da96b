"""Callbacks of SciPy's solvers: derivatives by a text of the callback, and by records where a call
does more than to give a value. Each is compared with a formula or with central differences.
"""

import functools
import math
import threading

import numpy as np
import pytest

from astad import gradient, jvp
from astad.api.variants.seeded_callbacks import opened

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")

SCALE = [2.0]
TABLE = np.array([1.0, 3.0])
RATE = 2.0


def agrees(f, *args, rtol=1e-6, step=1e-5):
    """Gradients of numbers and arrays against central differences."""
    bars = gradient(f, *args)
    for at, (x, bar) in enumerate(zip(args, bars, strict=True)):
        flat = np.ravel(np.asarray(x, float))
        for k in range(flat.size):
            values = []
            for sign in (1, -1):
                moved = flat.copy()
                moved[k] += sign * step
                given = moved.reshape(np.shape(x)) if np.ndim(x) else float(moved[0])
                values.append(f(*args[:at], given, *args[at + 1 :]))
            slope = (values[0] - values[1]) / (2 * step)
            found = float(np.ravel(np.asarray(bar))[k])
            assert math.isclose(found, slope, rel_tol=rtol, abs_tol=1e-7)


def test_numbers_arrays_and_lists_that_an_integrand_has_captured():
    def f(w, a):
        pair = [a, a * a]
        bell = lambda t: pair[1] * np.exp(-pair[0] * t) * w[1] + w[0] * t
        return integrate.quad(bell, 0.0, 2.0)[0]

    agrees(f, np.array([0.3, 0.7]), 1.2)


def test_an_array_that_is_written_after_the_solver_has_run():
    def f(a):
        w = np.array([a, a])
        y = integrate.quad(lambda t: w[0] * w[1] * t, 0.0, 2.0)[0]
        w[0] = 5.0 * a
        return y + w[0]

    assert gradient(f, 1.5) == pytest.approx((2 * 2.0 * 1.5 + 5.0,))


def test_a_root_of_an_equation_whose_coefficients_are_written_afterwards():
    def f(a):
        w = np.array([a, 2.0])
        x = optimize.brentq(lambda t: w[0] * t * t - w[1], 0.1, 10.0)
        w[:] = 0.0
        return x

    assert gradient(f, 1.5) == pytest.approx((-0.5 * math.sqrt(2 / 1.5) / 1.5,))


def test_arguments_that_are_written_after_the_solver_has_run():
    times = np.linspace(0.0, 2.0, 5)

    def f(a):
        w = np.array([a, 2.0])
        x = optimize.brentq(lambda t, w: w[0] * t * t - w[1], 0.1, 10.0, args=(w,))
        y = integrate.odeint(lambda y, t, w: -w[0] * y, [1.0], times, args=(w,))[-1, 0]
        w[:] = 7.0
        return x + y + w[0]

    a = 1.5
    slope = -0.5 * math.sqrt(2 / a) / a - 2 * math.exp(-2 * a)
    assert gradient(f, a) == pytest.approx((slope,), rel=1e-6)


def test_an_array_under_two_names():
    def f(w):
        v = w
        return integrate.quad(lambda t: w[0] * v[1] * t + v[0], 0.0, 1.0)[0]

    agrees(f, np.array([1.5, 0.5]))


def test_arrays_of_which_one_comes_twice_now_here_and_now_there():
    def make(u, v, w):
        return lambda t: (u[0] + 10.0 * v[0] + 100.0 * w[0]) * t

    def f(a, b, first):
        g = make(a, b, b) if first else make(a, a, b)
        return integrate.quad(g, 0.0, 2.0)[0]

    a, b = np.array([1.0]), np.array([2.0])
    for first, slopes in ((True, (2.0, 220.0)), (False, (22.0, 200.0)), (True, (2.0, 220.0))):
        bars = gradient(lambda a, b: f(a, b, first), a, b)
        assert [float(bar[0]) for bar in bars] == pytest.approx(slopes)


def test_a_variable_that_is_bound_anew_after_the_call():
    def f(a):
        b = a
        g = lambda t: b * t
        y = integrate.quad(g, 0.0, 2.0)[0]
        b = a * a
        return y + integrate.quad(g, 0.0, 2.0)[0]

    assert gradient(f, 3.0) == pytest.approx((2 + 2 * 6.0,))


def test_lists_and_arrays_among_the_globals_keep_their_derivatives():
    def by_list(a):
        SCALE[0] = a
        try:
            return integrate.quad(lambda t: SCALE[0] * t, 0.0, 2.0)[0]
        finally:
            SCALE[0] = 2.0

    def by_array(a):
        TABLE[1] = a
        y = integrate.quad(lambda t: TABLE[1] * t * TABLE[1], 0.0, 2.0)[0]
        TABLE[1] = 3.0
        return y

    assert gradient(by_list, 3.0) == pytest.approx((2.0,))
    assert gradient(by_array, 3.0) == pytest.approx((12.0,))


def test_a_number_among_the_globals_that_the_program_binds():
    def f(a):
        global RATE
        RATE = a
        y = integrate.quad(lambda t: RATE * t, 0.0, 2.0)[0]
        RATE = 2.0
        return y

    assert gradient(f, 3.0) == pytest.approx((2.0,))


def test_methods_and_objects():
    class Model:
        def __init__(self, rate):
            self.rate = rate

        def value(self, t):
            return math.exp(-self.rate * t)

        def __call__(self, t):
            return self.rate * t

    def f(a):
        model = Model(a)
        by_method = integrate.quad(model.value, 0.0, 2.0)[0]
        return by_method + integrate.quad(model, 0.0, 1.0)[0]

    agrees(f, 1.3)


def test_partials_and_defaults():
    def curve(a, b, t, c=2.0):
        return a * math.exp(-b * t) + c

    def f(a, b):
        y = integrate.quad(functools.partial(curve, a, b), 0.0, 2.0)[0]
        named = integrate.quad(functools.partial(curve, b, c=a, t=1.0), 0.0, 1.0)[0]
        return y + named + integrate.quad(lambda t, k=a * b: k * t, 0.0, 2.0)[0]

    agrees(f, 1.3, 0.4)


def test_functions_that_a_callback_has_captured():
    def f(a, b):
        inner = lambda t: a * t * t
        outer = lambda t: inner(t) * inner(b) + b
        return integrate.quad(outer, 0.0, 2.0)[0]

    agrees(f, 1.3, 0.4)


def test_a_callback_that_counts_its_calls_is_called_as_often_as_without_a_derivative():
    def run(a, seen):
        def g(t):
            seen.append(t)
            return a * t * t

        return integrate.quad(g, 0.0, 2.0)[0]

    plain, seen = [], []
    run(1.5, plain)
    bars = gradient(lambda a: run(a, seen), 1.5)
    assert bars == pytest.approx((8 / 3,))
    assert seen[: len(plain)] == plain
    assert opened(lambda t: plain.append(t) or t, (0.5,)) is None


def test_what_is_printed_drawn_or_raised_is_left_to_records(capsys):
    rng = np.random.default_rng(0)
    assert opened(lambda t: print(t) or t, (0.5,)) is None
    assert opened(lambda t: t * rng.normal(), (0.5,)) is None
    assert opened(lambda t: np.random.normal() * t, (0.5,)) is None
    assert capsys.readouterr().out == ""


def test_an_integrand_that_branches_and_has_loops():
    def f(a):
        def g(t):
            y = 0.0
            for k in range(3):
                y = y + a**k * t if t > 1.0 else y + a
            return y

        return integrate.quad(g, 0.0, 2.0, points=[1.0])[0]

    agrees(f, 1.3)


def test_systems_that_give_lists_tuples_and_arrays():
    def solved(make):
        def f(a, b):
            v = optimize.fsolve(
                lambda v: make(v[0] ** 2 + v[1] ** 2 - a, v[0] - b * v[1]), [1.0, 1.0]
            )
            return v[0] * v[1]

        return f

    for make in (lambda *x: [*x], lambda *x: x, lambda *x: np.array(x)):
        f = solved(make)
        b = 0.5
        bars = gradient(f, 2.0, b)  # v = (b, 1) sqrt(a / (1 + b^2)): the product is a b / (1 + b^2)
        assert bars == pytest.approx((b / (1 + b * b), 2.0 * (1 - b * b) / (1 + b * b) ** 2))


def test_a_differential_equation_by_lists_and_by_a_matrix():
    times = np.linspace(0.0, 2.0, 9)

    def by_list(k, c):
        path = integrate.odeint(lambda y, t: [y[1], -k * y[0] - c * y[1]], [1.0, 0.0], times)
        return path[-1, 0] + path[4, 1]

    def by_matrix(k, c):
        matrix = np.array([[0.0, 1.0], [-k, -c]])
        path = integrate.odeint(lambda y, t: matrix @ y, [1.0, 0.0], times)
        return path[-1, 0] + path[4, 1]

    from scipy.linalg import expm

    def exact(k, c):
        step = np.array([[0.0, 1.0], [-k, -c]])
        return expm(2.0 * step)[0, 0] + expm(times[4] * step)[1, 0]

    h = 1e-5
    slopes = [
        (exact(0.9 + h, 0.4) - exact(0.9 - h, 0.4)) / (2 * h),
        (exact(0.9, 0.4 + h) - exact(0.9, 0.4 - h)) / (2 * h),
    ]
    assert gradient(by_list, 0.9, 0.4) == pytest.approx(slopes, rel=1e-5)
    assert gradient(by_matrix, 0.9, 0.4) == pytest.approx(slopes, rel=1e-5)


def test_arguments_that_are_arrays_and_limits():
    def f(w, b):
        return integrate.quad(lambda t, w, b: w[0] * t + w[1] * b, b, 2.0, args=(w, b))[0]

    agrees(f, np.array([0.5, 1.5]), 0.3)


def test_integrals_in_integrals():
    def f(a, b):
        inner = lambda x: integrate.quad(lambda y: a * x * y * y, 0.0, b * x)[0]
        return (
            integrate.quad(inner, 0.0, 1.0)[0]
            + integrate.dblquad(lambda y, x: a * x * y**b, 0.0, 1.0, 0.0, 2.0)[0]
        )

    agrees(f, 1.3, 1.5)


def test_minima():
    def f(a, b):
        x = optimize.minimize_scalar(
            lambda v: (v - a) ** 2 + b * v * v, bounds=(0, 9), method="bounded"
        )
        y = optimize.minimize(lambda v: (v[0] - a) ** 2 + b * v[0] ** 2, np.zeros(1))
        return x.x + y.x[0]

    a, b = 1.5, 0.3
    slopes = 2 / (1 + b), -2 * a / (1 + b) ** 2
    assert gradient(f, a, b) == pytest.approx(slopes, rel=1e-4)


def test_a_result_that_is_not_asked_for_and_one_that_has_no_derivative():
    def f(a):
        y, error = integrate.quad(lambda t: a * t, 0.0, 2.0)
        return a * a if error < 1.0 else y

    assert gradient(f, 3.0) == (6.0,)
    assert gradient(lambda a: integrate.quad(lambda t: 2.0, 0.0, 3.0)[0] + 0 * a, 1.0) == (0.0,)


def test_directions_and_threads():
    def f(a):
        return integrate.quad(lambda t: math.exp(-a * t), 0.0, 2.0)[0]

    slope = (math.exp(-2.0 * 1.3) * (2 * 1.3 + 1) - 1) / 1.3**2
    _, y_dot = jvp(f, (1.3,), (2.0,))
    assert math.isclose(y_dot, 2 * slope, rel_tol=1e-9)
    found = []
    threads = [threading.Thread(target=lambda: found.append(gradient(f, 1.3)[0])) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == pytest.approx([slope] * 4)


def helper(t):
    return t


def test_a_function_that_a_callback_calls_and_that_is_bound_anew(monkeypatch):
    def f(a):
        return integrate.quad(lambda t: a * helper(t), 0.0, 2.0)[0]

    assert gradient(f, 3.0) == pytest.approx((2.0,))
    root = lambda a: optimize.brentq(lambda t: a * helper(t) - 1.0, 0.1, 3.0)
    assert gradient(root, 2.0) == pytest.approx((-1 / 4,))
    monkeypatch.setitem(globals(), "helper", lambda t: t * t)
    assert gradient(f, 3.0) == pytest.approx((8 / 3,))
    assert gradient(root, 2.0) == pytest.approx((-0.5 * 2.0**-1.5,))
    seen = []
    monkeypatch.setitem(globals(), "helper", lambda t: seen.append(t) or t * t)
    root(2.0)
    plain, seen[:] = len(seen), []
    assert gradient(root, 2.0) == pytest.approx((-0.5 * 2.0**-1.5,))
    assert len(seen) <= plain + 1  # the recorded call at the root


def test_whole_numbers_and_truths_among_what_is_captured():
    def f(a):
        power, on = 2, True
        return integrate.quad(lambda t: a**power * t if on else 0.0, 0.0, 2.0)[0]

    assert gradient(f, 3.0) == pytest.approx((12.0,))
