"""astad.implicit against formulas by hand, differences, and gradients through the equation."""

import dataclasses
import math

import numpy as np
import pytest

import astad
from astad import grad, gradient, hessian, implicit, jacobian, jvp, pullback
from astad.errors import AstadError, RuleError, Unsupported, WrongCall


def anomaly(mean, eccentricity):
    """The root of Kepler's equation by Newton's method."""
    x = mean
    while abs(x - eccentricity * math.sin(x) - mean) > 1e-14:
        x -= (x - eccentricity * math.sin(x) - mean) / (1.0 - eccentricity * math.cos(x))
    return x


kepler = implicit(anomaly, lambda x, mean, e: x - e * math.sin(x) - mean)


def test_the_root_of_keplers_equation():
    x = kepler(1.0, 0.3)
    assert x == anomaly(1.0, 0.3)
    by_mean, by_e = gradient(kepler, 1.0, 0.3)
    assert by_mean == pytest.approx(1.0 / (1.0 - 0.3 * math.cos(x)), rel=1e-13)
    assert by_e == pytest.approx(math.sin(x) / (1.0 - 0.3 * math.cos(x)), rel=1e-13)
    assert type(by_mean) is float
    assert kepler.__name__ == "anomaly" and repr(kepler) == "astad.implicit(anomaly, <lambda>)"


def test_a_solution_in_a_loop_of_a_program():
    def phase(e, many):
        total = 0.0
        for k in range(many):
            total = total + kepler(0.5 + k, e) ** 2
        return total

    h = 1e-6
    want = (phase(0.3 + h, 3) - phase(0.3 - h, 3)) / (2 * h)
    assert gradient(phase, 0.3, 3)[0] == pytest.approx(want, rel=1e-8)


def test_a_linear_system_has_the_gradients_of_solve():
    a, b = np.array([[3.0, 1.0], [0.5, 2.0]]), np.array([1.0, 2.0])
    solve = implicit(np.linalg.solve, lambda x, a, b: a @ x - b)
    found = gradient(lambda a, b: np.sum(solve(a, b) ** 2), a, b)
    want = gradient(lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), a, b)
    np.testing.assert_allclose(found[0], want[0], rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(found[1], want[1], rtol=1e-13)
    np.testing.assert_allclose(jacobian(solve, a, b, argnums=1), np.linalg.inv(a), atol=1e-15)
    change = jvp(solve, (a, b), (None, np.array([1.0, 0.0])))[1]
    np.testing.assert_allclose(change, np.linalg.inv(a)[:, 0], rtol=1e-13)


def test_the_fixed_point_of_a_contraction():
    def settle(w, x0):
        x = x0
        for _ in range(200):
            x = np.tanh(w @ x + 0.1)
        return x

    find = implicit(settle, lambda x, w, x0: np.tanh(w @ x + 0.1) - x)
    w, x0 = np.array([[0.3, -0.2], [0.1, 0.4]]), np.array([1.0, -1.0])
    w_bar, x0_bar = gradient(lambda w, x0: np.sum(find(w, x0) ** 2), w, x0)
    through = gradient(lambda w, x0: np.sum(settle(w, x0) ** 2), w, x0)[0]
    np.testing.assert_allclose(w_bar, through, rtol=1e-12)
    np.testing.assert_array_equal(x0_bar, np.zeros(2))  # the first guess moves nothing


def test_the_argmin_of_a_regularised_least_squares():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(8, 3)), rng.normal(size=8)

    def objective(w, strength):
        return np.sum((x @ w - y) ** 2) + strength * np.sum(w**2)

    def descend(strength):
        w = np.zeros(3)
        for _ in range(3000):
            w = w - 0.02 * grad(objective)(w, strength)
        return w

    fit = implicit(descend, lambda w, strength: 2 * x.T @ (x @ w - y) + 2 * strength * w)
    found = jacobian(fit, 0.7)
    inverse = np.linalg.inv(x.T @ x + 0.7 * np.eye(3))
    np.testing.assert_allclose(found, -inverse @ inverse @ x.T @ y, rtol=1e-8)
    by_gradient = implicit(descend, lambda w, strength: grad(objective)(w, strength))
    np.testing.assert_allclose(jacobian(by_gradient, 0.7), found, rtol=1e-10)
    held_out = gradient(lambda s: np.sum(by_gradient(s) ** 2), 0.7)[0]
    assert held_out == pytest.approx(2 * found @ fit(0.7), rel=1e-10)


def test_what_the_residual_captures_keeps_its_derivative():
    def captured(theta):
        solve = implicit(lambda: math.sqrt(theta), lambda x: x * x - theta)
        return solve()

    assert gradient(captured, 4.0) == (0.25,)

    def made(theta):
        return implicit(lambda k: math.sqrt(theta * k), lambda x, k: x * x - theta * k)

    assert gradient(lambda t: 3.0 * made(t)(1.0), 4.0) == (0.75,)

    def of_array(theta):
        root = implicit(lambda k: np.sqrt(theta * k), lambda x, k: x * x - theta * k)
        return np.sum(root(2.0))

    found = gradient(of_array, np.array([2.0, 8.0]))[0]
    np.testing.assert_allclose(found, [0.5, 0.25], rtol=1e-14)


@dataclasses.dataclass
class Spring:
    stiffness: float
    load: np.ndarray


def test_objects_and_dicts_of_parameters():
    def stretch(s):
        return s.load / s.stiffness

    solve = implicit(stretch, lambda x, s: s.stiffness * x - s.load)
    found = gradient(lambda s: np.sum(solve(s)), Spring(2.0, np.array([1.0, 3.0])))[0]
    assert found.stiffness == pytest.approx(-1.0, rel=1e-14)
    np.testing.assert_allclose(found.load, [0.5, 0.5])

    def held(s):
        root = implicit(lambda k: math.sqrt(s.stiffness * k), lambda x, k: x * x - s.stiffness * k)
        return root(1.0)

    assert gradient(held, Spring(4.0, np.ones(1)))[0].stiffness == 0.25
    of_dict = implicit(lambda p: p["a"] ** 0.5, lambda x, p: x * x - p["a"])
    assert gradient(of_dict, {"a": 4.0}) == ({"a": 0.25},)


class Model:
    def __init__(self, gain):
        self.gain = gain
        self.solve = implicit(self.search, self.balance)

    def search(self, load):
        low, high = 0.0, 10.0
        while high - low > 1e-14 * (1 + low):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            low, high = (middle, high) if self.balance(middle, load) < 0 else (low, middle)
        return (low + high) / 2

    def balance(self, x, load):
        return x**3 + self.gain * x - load


def test_a_method_that_is_a_solver_and_its_object():
    def answer(model, load):
        return model.solve(load)

    model = Model(2.0)
    x = model.solve(5.0)
    bar, load_bar = gradient(answer, model, 5.0)
    assert load_bar == pytest.approx(1.0 / (3 * x**2 + 2.0), rel=1e-12)
    h = 1e-6
    want = (Model(2.0 + h).solve(5.0) - Model(2.0 - h).solve(5.0)) / (2 * h)
    assert bar.gain == pytest.approx(want, rel=1e-7)


def test_matrices_are_solutions_too():
    """The square root of a matrix, by the equation of Sylvester that its derivative solves."""
    a = np.array([[2.0, 0.5], [0.5, 1.0]])

    def root(a):
        values, vectors = np.linalg.eigh(a)
        return vectors @ np.diag(np.sqrt(values)) @ vectors.T

    solve = implicit(root, lambda x, a: x @ x - a)
    along = np.array([[0.3, -0.1], [-0.1, 0.7]])
    found = np.sum(gradient(lambda a: np.sum(solve(a) ** 3), a)[0] * along)
    h = 1e-6
    want = (np.sum(root(a + h * along) ** 3) - np.sum(root(a - h * along) ** 3)) / (2 * h)
    assert found == pytest.approx(want, rel=1e-8)


def test_a_solution_that_is_overwritten_and_used_twice():
    def f(a):
        x = solve(a)
        x[0] = x[0] * x[1]
        x *= 2.0
        return np.sum(x * solve(a))

    solve = implicit(np.sqrt, lambda x, a: x * x - a)

    def plain(a):
        x = np.sqrt(a)
        y = np.array([x[0] * x[1], x[1]]) * 2.0
        return np.sum(y * np.sqrt(a))

    a = np.array([4.0, 9.0])
    np.testing.assert_allclose(gradient(f, a)[0], gradient(plain, a)[0], rtol=1e-13)
    np.testing.assert_array_equal(a, [4.0, 9.0])


def test_a_solver_that_gives_back_its_argument():
    settled = implicit(lambda a: a, lambda x, a: x - a)
    fixed = implicit(lambda a: a, lambda x, a: x * x - 1.0)
    assert gradient(settled, 2.0) == (1.0,)
    assert gradient(fixed, 1.0)[0] in (0.0, None)
    for solve in (settled, fixed):  # one array under two names
        with pytest.raises(Unsupported, match="shares memory"):
            gradient(lambda a: np.sum(solve(a)), np.ones(2))


BUFFER = np.zeros(2)


def into_the_buffer(a):
    BUFFER[:] = np.sqrt(a)
    return BUFFER


class Settled:
    def __init__(self):
        self.last = None
        self.root = implicit(self.solve, lambda x, a: x * x - a)

    def solve(self, a):
        self.last = a**0.5
        return self.last + 0.0


def test_what_solver_or_residual_leave_behind_is_refused():
    """It would have no derivative, or change the value: the residual runs once more."""
    kept = []

    def keeping(x, a):
        kept.append(a * 5.0)
        return x * x - a

    settled = Settled()
    for solve, a in (
        (implicit(into_the_buffer, lambda x, a: x * x - a), np.array([4.0, 9.0])),
        (settled.root, 4.0),
        (implicit(lambda a: a**0.5, keeping), 4.0),
    ):
        with pytest.raises(Unsupported, match="leaves something behind|shares memory"):
            gradient(lambda a: np.sum(solve(a)), a)


def test_an_argument_that_the_residual_writes_is_what_it_was():
    def residual(x, a):
        a *= -2
        a += x
        return a

    a = np.array([1.0, 2.0])
    with pytest.raises(AstadError):
        gradient(lambda a: np.sum(implicit(lambda a: 2 * a, residual)(a)), a)
    assert a.tolist() == [1.0, 2.0]


def test_the_solver_runs_once_and_back_may_be_called_again(capsys):
    def search(a):
        print("searched")
        return math.sqrt(a)

    solve = implicit(search, lambda x, a: x * x - a)
    y, back = pullback(lambda a: solve(a) * a, 4.0)
    assert (y, back(1.0), back(2.0)) == (8.0, (3.0,), (6.0,))
    assert capsys.readouterr().out == "searched\n"


def test_nothing_flows_where_the_residual_asks_for_nothing():
    assert gradient(
        lambda a, g: a * implicit(lambda g: 2.0, lambda x, g: x - 2.0)(g), 3.0, 1.0
    ) in (
        (2.0, None),
        (2.0, 0.0),
    )


def slack(a):
    return a + 1.0


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: gradient(implicit(lambda a: a, lambda x, a: (x - a) ** 2), 1.0),
            Unsupported,
            "the residual by the solution is singular",
        ),
        (
            lambda: gradient(
                lambda a: np.sum(
                    implicit(
                        lambda a: np.array([a, a]), lambda x, a: np.array([x[0] - a, x[0] - a])
                    )(a)
                ),
                1.0,
            ),
            Unsupported,
            "as many independent equations as unknowns",
        ),
        (
            lambda: gradient(implicit(lambda a: 0.0, lambda x, a: math.sqrt(x) - 0.0 * a), 1.0),
            Unsupported,
            "singular|not finite",
        ),
        (
            lambda: gradient(implicit(slack, lambda x, a: x - a), 1.0),
            WrongCall,
            "slack.* no solution: a Newton step changes it by 1",
        ),
        (
            lambda: gradient(implicit(lambda a: a, lambda x, a: np.array([x - a])), 1.0),
            WrongCall,
            "one of the same shape",
        ),
        (
            lambda: gradient(implicit(lambda a: [a], lambda x, a: [x[0] - a]), 1.0),
            WrongCall,
            "a solution of kind list",
        ),
        (
            lambda: gradient(implicit(lambda a: a * 1j, lambda x, a: x - a * 1j), 1.0),
            WrongCall,
            "a real number or an array of floats",
        ),
        (lambda: gradient(lambda a: kepler(a, eccentricity=0.3), 1.0), WrongCall, "by position"),
        (
            lambda: gradient(
                lambda a: np.sum(implicit(lambda a: a.__iadd__(0.5), lambda x, a: x - a - 0.5)(a)),
                np.ones(2),
            ),
            RuleError,
            "a write to an argument",
        ),
        (lambda: implicit(3.0, slack), WrongCall, "hand over two functions"),
        (lambda: hessian(lambda e: kepler(1.0, e), 0.3), Unsupported, "second derivatives"),
        (
            lambda: gradient(lambda e: gradient(lambda e: kepler(1.0, e), e)[0], 0.3),
            Unsupported,
            "astad.gradient",
        ),
    ],
)
def test_what_is_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_a_looser_solver_asks_for_a_tolerance():
    def rough(a):
        return round(math.sqrt(a), 2)

    with pytest.raises(WrongCall, match="tolerance="):
        gradient(implicit(rough, lambda x, a: x * x - a, tolerance=1e-6), 2.0)
    found = gradient(implicit(rough, lambda x, a: x * x - a, tolerance=0.1), 2.0)[0]
    assert found == pytest.approx(0.5 / 1.41, rel=1e-12)


def test_errors_of_solver_and_residual_are_the_users():
    def fails(a):
        raise ValueError("did not converge")

    with pytest.raises(ValueError, match="did not converge"):
        gradient(implicit(fails, lambda x, a: x - a), 1.0)
    with pytest.raises(ZeroDivisionError):
        gradient(implicit(lambda a: a, lambda x, a: (x - a) / 0), 1.0)
    assert issubclass(WrongCall, AstadError)
    with pytest.raises(TypeError):
        astad.implicit(fails)
