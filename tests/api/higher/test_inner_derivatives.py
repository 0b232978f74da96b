"""Derivatives of every kind inside functions that are differentiated in every way: each program
against a formula worked out by hand, or against differences of what it gives.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import astad
from astad import (
    forwarddiff,
    gradient,
    hessian,
    hessian_diag,
    hvp,
    jacobian,
    jvp,
    pullback,
    value_and_jacobian,
    vjp,
)
from astad.errors import AstadError, Unsupported, WrongCall

pytestmark = pytest.mark.order_matters  # composed texts are numbered

RATE = 3.0


def cube(x):
    return x * x * x


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def waves(x):
    return np.sin(x) * x[0]


def mixed(x):
    return np.array([x[0] * x[1], x[1] ** 2, x[0] ** 3])


def product(a, b):
    return a * b


def energy(q, p):
    return 0.5 * p * p + q**4


def powered(x, n):
    return x**3 if n == 0 else x * gradient(powered, x, n - 1)[0]


X, V = np.array([0.5, 1.5]), np.array([1.0, 2.0])


def differences(f, x, step=1e-5):
    if isinstance(x, float):
        return (f(x + step) - f(x - step)) / (2 * step)
    found = np.zeros_like(x)
    for at in range(x.size):
        unit = np.zeros_like(x)
        unit.flat[at] = step
        found.flat[at] = (f(x + unit) - f(x - unit)) / (2 * step)
    return found


def check(f, x, *, orders=2):
    """By every public way of the first order, and by the second."""
    expected = differences(f, x)
    one = 1.0 if isinstance(x, float) else np.ones_like(x)
    along = float(np.sum(expected))
    np.testing.assert_allclose(gradient(f, x)[0], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(pullback(f, x)[1](1.0)[0], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jacobian(f, x), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jvp(f, (x,), (one,))[1], along, rtol=1e-5, atol=1e-6)
    if orders == 2:
        slope = differences(lambda x: np.sum(gradient(f, x)[0]), x)
        np.testing.assert_allclose(hvp(f, x, one), slope, rtol=1e-5, atol=1e-5)
        whole = hessian(f, x)
        sums = whole @ one if np.ndim(whole) else whole
        np.testing.assert_allclose(sums, slope, rtol=1e-5, atol=1e-5)


# --- each of them, of functions of a module and of those that have captured something

OF_ARRAYS = {
    "hvp": lambda x: np.sum(hvp(rosenbrock, x, V) ** 2),
    "hvp along the argument": lambda x: np.sum(hvp(rosenbrock, x, x) ** 2),
    "hessian": lambda x: np.sum(hessian(rosenbrock, x) ** 2),
    "hessian_diag": lambda x: np.sum(hessian_diag(rosenbrock, x) ** 2),
    "jacobian": lambda x: np.sum(jacobian(mixed, x) ** 2),
    "jacobian of the module": lambda x: np.sum(astad.jacobian(waves, x) ** 2),
    "value_and_jacobian": lambda x: np.sum(np.dot(*value_and_jacobian(waves, x))),
    "jvp": lambda x: np.sum(jvp(waves, (x,), (V,))[1] ** 2),
    "jvp along what moves": lambda x: np.sum(jvp(mixed, (x,), (x * x,))[1] ** 2),
    "gradient": lambda x: np.sum(gradient(rosenbrock, x)[0] ** 2),
}
OF_NUMBERS = {
    "hvp": lambda a: hvp(lambda y: a * a * y**3, a, a),
    "hvp of arrays": lambda a: np.sum(hvp(lambda y: a * a * np.sum(y**3), X, V)),
    "hessian": lambda a: hessian(lambda y: a * a * y**3, a),
    "hessian of arrays": lambda a: np.sum(hessian(lambda y: a * a * np.sum(y**3), X * a)),
    "hessian_diag": lambda a: hessian_diag(lambda y: a * y**3, a),
    "jacobian": lambda a: jacobian(lambda y: a * y**3, a),
    "jacobian of arrays": lambda a: np.sum(jacobian(lambda y: a * y**3, a * X)),
    "value_and_jacobian": lambda a: product(*value_and_jacobian(lambda y: a * y**3, a)),
    "jvp": lambda a: jvp(lambda y: a * y**3, (a,), (a,))[1],
    "jvp and the value": lambda a: product(*jvp(lambda y: a * y**3, (a,), (a,))),
    "jvp of two": lambda a: jvp(lambda y, z: a * y**3 * z, (a, a * a), (a, None))[1],
    "gradient": lambda a: gradient(lambda y: a * y**3, a)[0],
    "forwarddiff": lambda a: forwarddiff(lambda y: a * y**3, a),
}


@pytest.mark.parametrize("f", OF_ARRAYS.values(), ids=OF_ARRAYS)
def test_of_arrays(f):
    check(f, X)


@pytest.mark.parametrize("f", OF_NUMBERS.values(), ids=OF_NUMBERS)
def test_of_numbers_with_what_is_captured(f):
    check(f, 2.0)


def pulled(x):
    y, back = pullback(waves, x)
    return np.sum(back(y * y)[0] ** 2)


def pulled_twice(a):
    _, back = pullback(lambda y: a * y**3, a)
    return back(a)[0] * back(1.0)[0]


def pulled_by_vjp(a):
    return vjp(lambda y: a * y**3, a)[1](a)[0]


def test_pullbacks():
    for f, x in ((pulled, X), (pulled_twice, 2.0), (pulled_by_vjp, 2.0)):
        check(f, x, orders=1)


def test_a_back_that_is_returned_and_called_outside():
    held = []

    def f(a):
        y, back = pullback(lambda z: a * z * z, a)
        held.append(back)
        return y * back(1.0)[0]

    assert gradient(f, 3.0)[0] == pytest.approx(10.0 * 3.0**4)  # a**3 * 2 a**2
    assert held[0](2.0) == (36.0,)


def test_a_back_has_the_arguments_as_they_were():
    def f(a):
        x = np.array([a, 2.0 * a])
        _, back = pullback(lambda v: np.sum(v**3), x)
        x *= 0.0
        return np.sum(back(1.0)[0])

    assert gradient(f, 2.0) == (pytest.approx(60.0),)  # 3 (a**2 + 4 a**2)


def test_by_formulas():
    assert gradient(lambda x: hessian(cube, x), 2.0) == (6.0,)
    assert gradient(lambda x: hvp(cube, x, x), 2.0) == (24.0,)  # 6 x**2
    assert gradient(lambda x: jvp(cube, (x,), (x,))[1], 2.0) == (36.0,)  # 3 x**3
    assert hessian(lambda x: jvp(cube, (x,), (x,))[1], 2.0) == 36.0
    assert gradient(lambda x: jacobian(cube, x), 2.0) == (12.0,)
    assert jvp(lambda x: hessian(cube, x), (2.0,), (0.5,)) == (12.0, 3.0)


# --- structures, arguments, auxiliary results


@dataclass
class Model:
    weight: float
    bias: float


STRUCTURES = {
    "a dict": lambda a: np.sum(
        hessian(lambda p: a * np.sum(p["w"] ** 3) * p["b"] ** 2, {"w": X * a, "b": a})["w"]["b"]
    ),
    "the hessian of a list": lambda a: hessian(lambda v: a * v[0] ** 2 * v[1], [a, 2.0])[0][1],
    "a vector that is a dict": lambda a: hvp(
        lambda p: p["a"] ** 3 * p["b"], {"a": a, "b": 2.0}, {"a": a, "b": None}
    )["b"],
    "a direction of a dict": lambda a: jvp(lambda p: a * p["w"] ** 3, ({"w": a},), ({"w": a * a},))[
        1
    ],
    "a result that is a dict": lambda a: jacobian(lambda x: {"s": x * a, "p": x**3}, a)["p"],
    "an object": lambda a: hessian(lambda m: a * m.weight**2 * m.bias, Model(a, 2.0)).weight.bias,
    "two arguments": lambda a: hessian(lambda x, y: a * x**2 * y, a, 2.0, argnums=(0, 1))[0][1],
    "the second argument": lambda a: jacobian(lambda x, y: x * y**3, a, a, argnums=1),
    "a matrix": lambda a: np.sum(hessian(lambda m: np.sum((m @ m) ** 2) * a, a * np.eye(2))),
    "rows of a matrix": lambda a: np.sum(jacobian(lambda m: m @ X * a, a * np.ones((2, 2)))),
}


@pytest.mark.parametrize("f", STRUCTURES.values(), ids=STRUCTURES)
def test_structures(f):
    check(f, 1.5, orders=1)


def test_what_is_returned_beside_the_value_has_its_derivative():
    def f(a):
        slope, beside = jacobian(lambda x: (a * x**2, a * x), a, has_aux=True)
        return slope * beside

    check(f, 1.5, orders=1)
    assert gradient(lambda a: hessian(lambda x: (a * x**3, a), a, has_aux=True)[0], 1.5) == (18.0,)

    def g(a):
        y, back, beside = vjp(lambda x: (a * x**2, a * x), a, has_aux=True)
        return y * back(1.0)[0] * beside

    check(g, 1.5, orders=1)


class Line:
    def __init__(self, slope):
        self.slope = slope

    def value(self, x):
        return self.slope * x**3

    def curvature(self, x):
        return hessian(self.value, x)


def test_defaults_and_methods():
    def with_default(a):
        def inner(x, scale=a):
            return scale * x**3

        return hvp(inner, a, 1.0)

    check(with_default, 2.0, orders=1)
    assert gradient(lambda a: Line(a).curvature(a), 2.0) == (24.0,)  # 6 a**2
    check(lambda a: jvp(Line(a).value, (a,), (1.0,))[1], 2.0, orders=1)


# --- the nesting list: no confusion of levels, in all pairs of modes


def by_reverse(f, x):
    return gradient(f, x)[0]


def by_forward(f, x):
    return jvp(f, (x,), (1.0,))[1]


def by_rows(f, x):
    return jacobian(f, x)


def by_pullback(f, x):
    return pullback(f, x)[1](1.0)[0]


WAYS = {"reverse": by_reverse, "forward": by_forward, "rows": by_rows, "pullback": by_pullback}


@pytest.mark.parametrize("outer", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("inner", ["gradient", "jvp", "jacobian", "pullback"])
def test_the_two_classic_cases(inner, outer):
    sums = {
        "gradient": lambda x: x * gradient(lambda y: x + y, x)[0],
        "jvp": lambda x: x * jvp(lambda y: x + y, (x,), (1.0,))[1],
        "jacobian": lambda x: x * jacobian(lambda y: x + y, x),
        "pullback": lambda x: x * pullback(lambda y: x + y, x)[1](1.0)[0],
    }
    products = {
        "gradient": lambda x: x * gradient(lambda y: x * y, x)[0],
        "jvp": lambda x: x * jvp(lambda y: x * y, (x,), (1.0,))[1],
        "jacobian": lambda x: x * jacobian(lambda y: x * y, x),
        "pullback": lambda x: x * pullback(lambda y: x * y, x)[1](1.0)[0],
    }
    assert outer(sums[inner], 1.0) == 1.0
    assert outer(products[inner], 3.0) == 6.0


def test_three_and_four_levels_with_what_each_has_captured():
    def f(x):
        return gradient(lambda y: y * gradient(lambda z: x * y * z, 1.0)[0], x)[0]

    assert gradient(f, 2.0) == (8.0,)  # 2 x**2
    assert jvp(f, (2.0,), (1.0,)) == (8.0, 8.0)
    assert hessian(f, 2.0) == 4.0

    def g(x):
        inner = lambda y: jvp(lambda z: x * y * z**3, (y,), (1.0,))[1]  # 3 x y**3
        return gradient(inner, x)[0]  # 9 x**3

    assert gradient(g, 2.0) == (pytest.approx(108.0),)
    assert hessian(g, 2.0) == pytest.approx(108.0)

    def h(x):
        return hessian(lambda y: gradient(lambda z: x * y**2 * z**3, y)[0], x)  # (3 x y**4)''

    assert gradient(h, 2.0) == (pytest.approx(36.0 * 3 * 4.0),)


def sine(x):
    return math.sin(x)


def sine_1(x):
    return jvp(sine, (x,), (1.0,))[1]


def sine_2(x):
    return gradient(sine_1, x)[0]


def sine_3(x):
    return jacobian(sine_2, x)


def test_four_derivatives_of_a_sine_in_mixed_modes():
    assert sine_3(0.5) == pytest.approx(-math.cos(0.5), rel=1e-14)
    assert gradient(sine_3, 0.5)[0] == pytest.approx(math.sin(0.5), rel=1e-14)
    assert jvp(sine_3, (0.5,), (1.0,))[1] == pytest.approx(math.sin(0.5), rel=1e-14)
    assert hessian(sine_2, 0.5) == pytest.approx(math.sin(0.5), rel=1e-14)


def test_four_levels_of_arrays():
    def product_with(x):
        return np.sum(hvp(rosenbrock, x, V) ** 2)

    expected = differences(lambda x: np.sum(gradient(product_with, x)[0]), X)
    found = gradient(lambda x: np.sum(gradient(product_with, x)[0]), X)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(hessian(product_with, X).sum(0), expected, rtol=1e-6)

    def rows(x):
        return np.sum(jacobian(lambda v: np.sin(v) * x[0], x) ** 2)

    expected = differences(lambda x: np.sum(gradient(rows, x)[0]), X)
    np.testing.assert_allclose(hessian(rows, X).sum(0), expected, rtol=1e-6, atol=1e-8)


def test_helpers_that_share_what_the_inner_function_has_captured():
    def f(x):
        def inner(y):
            scaled = lambda t: x * t * t
            return scaled(y) + scaled(2.0 * y)

        return gradient(inner, x)[0]  # 10 x**2

    assert gradient(f, 1.5) == (30.0,) and hessian(f, 1.5) == 20.0

    def counted(x):
        def inner(y):
            n = 0

            def more(u):
                nonlocal n
                n += 1
                return u * x * n

            return more(y) * more(y)

        return gradient(inner, x)[0]  # 4 x**3

    assert gradient(counted, 2.0) == (48.0,)

    def forward(x):
        return gradient(lambda y: forwarddiff(lambda t: t * t * x * y, y), x)[0]  # 3 x**3

    assert gradient(forward, 2.0) == (36.0,)


def test_a_variable_that_the_inner_function_writes():
    def f(x):
        held = x

        def inner(y):
            nonlocal held
            bump = lambda t: t * held
            held = held * 2.0
            return bump(y)

        return gradient(inner, 3.0)[0] + held

    with pytest.raises(Unsupported):
        gradient(f, 5.0)


def test_a_captured_variable_that_is_bound_anew():
    def f(x):
        held = x
        a = hessian(lambda y: held * y * y, 1.0)
        held = held * 2.0
        return a + hessian(lambda y: held * y * y, 1.0)

    assert gradient(f, 5.0) == (6.0,)


def test_in_loops_branches_try_and_comprehensions():
    def newton(a):
        x = 1.0
        for _ in range(6):
            x = x - jvp(lambda y: 0.5 * y**4 - a * y, (x,), (1.0,))[1] / hessian(
                lambda y: 0.5 * y**4 - a * y, x
            )
        return x  # 2 x**3 = a

    assert gradient(newton, 2.0)[0] == pytest.approx(1.0 / 6.0, rel=1e-9)

    def chosen(x):
        if x > 0:
            return hvp(cube, x, 1.0)
        return gradient(cube, x)[0]

    assert gradient(chosen, 2.0) == (6.0,) and gradient(chosen, -2.0) == (-12.0,)

    def tried(x):
        try:
            return hessian(lambda y: math.log(y) * x, -x)
        except ValueError:
            return hessian(lambda y: x * y**3, x)

    assert gradient(tried, 2.0) == (24.0,)  # 6 x**2
    assert gradient(lambda x: sum([hvp(cube, x * k, 1.0) for k in range(3)]), 2.0) == (18.0,)


@pytest.mark.parametrize("n", range(5))
def test_recursion_with_a_derivative_in_it(n):
    for x in (0.5, 1.3, 3.0):
        slope = 3 ** (n + 1) * x * x  # of 3**n x**3
        assert gradient(powered, x, n)[0] == pytest.approx(slope, rel=1e-12)
        assert gradient(lambda x: powered(x, n), x) == pytest.approx((slope,), rel=1e-12)


def test_a_gradient_penalty_and_meta_learning():
    def penalty(w):
        critic = lambda x: np.sum(np.tanh(w * x))
        return np.sum((np.sqrt(np.sum(gradient(critic, X)[0] ** 2)) - 1.0) ** 2)

    check(penalty, np.array([0.3, -0.7]), orders=1)

    def adapted(w):
        for _ in range(3):
            w = w - 0.1 * jacobian(lambda v: np.sum((v * X - V) ** 2), w)
        return np.sum((w * V - X) ** 2)

    check(adapted, np.array([0.3, -0.7]), orders=1)


def test_hamiltonian_flow_by_jvp():
    def flow(q):
        p = 0.0
        for _ in range(5):
            p = p - 0.05 * jvp(lambda q: energy(q, p), (q,), (1.0,))[1]
            q = q + 0.1 * jvp(lambda p: energy(q, p), (p,), (1.0,))[1]
        return q

    check(flow, 1.2, orders=1)


def test_a_cotangent_of_zero_that_moves():
    f = lambda c: jvp(lambda x: c * math.exp(x), (1.0,), (1.0,))[1]
    assert gradient(f, 0.0) == (pytest.approx(math.e),)
    assert gradient(lambda c: hessian(lambda x: c * math.exp(x), 1.0), 0.0) == (
        pytest.approx(math.e),
    )
    assert gradient(lambda c: vjp(cube, 2.0)[1](c)[0], 0.0) == (12.0,)


def test_rules_of_users_at_the_second_order():
    def fourth(x):
        return x**4

    @astad.adjoint(fourth)
    def rule(x):
        return x**4, lambda y_bar: (y_bar * 4 * x**3,)

    assert gradient(lambda x: jacobian(fourth, x), 2.0) == (48.0,)
    assert gradient(lambda x: pullback(fourth, x)[1](1.0)[0], 2.0) == (48.0,)


def test_levels_are_told():
    assert gradient(lambda x: hvp(lambda y: astad.nestlevel() * y**3, x, 1.0), 2.0)[0] > 0


def test_threads_at_two_orders():
    from concurrent.futures import ThreadPoolExecutor

    jobs = [lambda: gradient(lambda x: hessian(cube, x), 2.0), lambda: hessian(cube, 2.0)] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda job: job(), jobs))
    assert found == [(6.0,), 12.0] * 4


# --- what is refused


def test_what_cannot_be_is_refused_by_name():
    printed = []

    def writes(x):
        printed.append(x)
        return x**3

    def drawn(x):
        return x * np.random.default_rng(1).normal()

    with pytest.raises(Unsupported, match="astad.jacobian.*writes inside .*writes what outlives"):
        gradient(lambda x: jacobian(writes, x), 2.0)
    with pytest.raises(Unsupported, match="astad.pullback.*inside"):
        gradient(lambda x: pullback(lambda y: (printed.append(y), y * y)[1], x)[1](1.0)[0], 2.0)
    with pytest.raises(Unsupported, match="sparsity inside"):
        gradient(lambda x: np.sum(jacobian(np.sin, x, sparsity=np.eye(2))), X)
    with pytest.raises(Unsupported, match="astad.wirtinger"):
        gradient(lambda x: abs(astad.wirtinger(lambda z: z * z, x + 1j)[0]), 2.0)
    with pytest.raises(Unsupported, match="astad.jacobian: a call for .*inside"):
        gradient(lambda x: abs(jacobian(lambda z: z * z, x + 1j, holomorphic=True)), 2.0)


def in_place(x):
    x *= 2.0
    return np.sum(x**3)


LOGGED, SOURCE = [], np.random.default_rng(0)


def logged(x):
    LOGGED.append(1.0)
    return np.sum(x**3)


def drawn(x):
    return np.sum(x**3) * SOURCE.normal()


@pytest.mark.parametrize("f", [in_place, logged, drawn])
@pytest.mark.parametrize("inner", [hessian, hessian_diag, jacobian])
@pytest.mark.parametrize("outer", [gradient, hessian, jacobian])
def test_what_would_be_run_more_often_than_is_seen(f, inner, outer):
    with pytest.raises(AstadError, match="runs more than once|second derivatives"):
        outer(lambda x: np.sum(inner(f, x) ** 2), np.ones(2))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jvp(cube, (x,), (x, x))[1],
        lambda x: jvp(cube, (x,), (X,))[1],
        lambda x: hvp(cube, x, X),
        lambda x: jacobian(cube, x, has_aux=True)[0],
    ],
)
def test_wrong_calls_raise_as_outside(f):
    with pytest.raises(WrongCall):
        gradient(f, 2.0)
