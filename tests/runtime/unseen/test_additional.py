"""What solvers' functions keep: in caches, and in what the plain run has as well."""

import functools

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.errors import Unsupported
from astad.runtime.unseen.additional import put_back

pytestmark = pytest.mark.order_matters

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")

FINE = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}
SOLVERS = {
    "quad": lambda g: integrate.quad(g, 0, 1)[0],
    "fixed_quad": lambda g: integrate.fixed_quad(lambda x: x * g(0.5), 0, 1)[0],
    "brentq": lambda g: optimize.brentq(g, 0, 3, xtol=1e-13),
    "newton": lambda g: optimize.newton(g, 1.0, tol=1e-13),
    "fsolve": lambda g: optimize.fsolve(lambda u: g(u[0]), [1.0])[0],
    "root": lambda g: optimize.root(lambda u: [g(u[0])], [1.0]).x[0],
    "least_squares": lambda g: optimize.least_squares(lambda u: [g(u[0])], [1.0], **FINE).x[0],
    "minimize_scalar": lambda g: optimize.minimize_scalar(lambda u: g(u) ** 2 + u * 0.1).x,
    "odeint": lambda g: integrate.odeint(lambda y, t: g(y[0]) * 0.1, [1.0], [0, 1.0])[-1, 0],
    "solve_ivp": lambda g: integrate.solve_ivp(lambda t, y: [g(y[0]) * 0.1], [0, 1], [1.0]).y[
        0, -1
    ],
}


class Model:
    last = 0.0


def in_a_dict(a):
    held = {}

    def asked(u):
        held["last"] = u * a
        return u * u - a

    return asked, lambda: held["last"]


def in_an_attribute(a):
    model = Model()

    def asked(u):
        model.last = u * a
        return u * u - a

    return asked, lambda: model.last


def in_a_variable(a):
    last = 0.0

    def asked(u):
        nonlocal last
        last = u * a
        return u * u - a

    return asked, lambda: last


def in_a_list(a):
    seen = []

    def asked(u):
        seen.append(u * a)
        return u * u - a

    return asked, lambda: seen[-1]


def in_an_array(a):
    work = np.zeros(2)

    def asked(u):
        work[0] = u * a
        return u * u - a

    return asked, lambda: work[0]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "keeping", [in_a_dict, in_an_attribute, in_a_variable, in_a_list, in_an_array]
)
def test_what_is_kept_is_read_right_or_refused(solver, keeping):
    def f(a):
        asked, kept = keeping(a)
        found = SOLVERS[solver](asked)
        return kept() * found + found

    h = 1e-5
    slope = (f(0.8 + h) - f(0.8 - h)) / (2 * h)
    try:
        value, found = value_and_grad(f)(0.8)
    except Unsupported as error:
        assert "what this call has stored" in str(error)
    else:
        assert value == f(0.8)
        assert found == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_counters_and_histories_are_those_of_the_plain_run(solver):
    def f(a):
        seen, count = [], [0]

        def asked(u):
            count[0] += 1
            seen.append(float(count[0]))
            return u * u - a

        return SOLVERS[solver](asked) + 0.0 * len(seen) + count[0]

    assert value_and_grad(f)(0.8)[0] == f(0.8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_functions_with_a_cache(solver):
    def f(a, cached=True):
        def power(n):
            return a**n

        power = functools.lru_cache(None)(power) if cached else power
        return SOLVERS[solver](lambda u: u * u * power(1) - power(2) + 0.1 * power(1))

    assert gradient(f, 0.8)[0] == pytest.approx(gradient(lambda a: f(a, False), 0.8)[0], rel=1e-9)


@pytest.mark.parametrize("x", [1.0, 2.0])
def test_nodes_that_move_with_the_limits_are_not_read_again(x):
    def f(x):
        seen = []

        def asked(t):
            seen.append(t * t)
            return seen[-1]

        return integrate.quad(asked, 0, x)[0] + sum(seen)

    with pytest.raises(Unsupported, match="has stored"):
        gradient(f, x)


def test_a_method_with_a_cache():
    class Powers:
        def __init__(self, a):
            self.a = a

        @functools.cache
        def at(self, n):
            return self.a**n

    def f(a):
        powers = Powers(a)
        return integrate.quad(lambda x: powers.at(2) * x, 0, 1)[0]

    assert gradient(f, 0.6)[0] == pytest.approx(0.6)


def test_names_of_a_module_without_builtins_stay():
    names = {"np": np, "last": 0.0, "other": [1.0]}
    text = "def asked(u):\n    global last\n    last = u\n    return u * u - 2.0\n"
    exec(compile(text, "names", "exec"), names)
    asked = names["asked"]
    del names["__builtins__"]
    with put_back(asked, ()):
        asked(3.0)
        assert names["last"] == 3.0
    assert names == {"np": np, "last": 0.0, "other": [1.0], "asked": asked}
