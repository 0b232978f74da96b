"""Derivatives inside a function that is differentiated, of programs whose inner derivative has no
text of its own: each against central differences of the derivative inside.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest

import astad
from astad import grad, gradient, hessian, hvp, jacobian, jvp, pullback, value_and_grad

pytestmark = [
    pytest.mark.order_matters,  # what is compiled of the run time is kept between them
    pytest.mark.slow,  # and takes seconds
]

X = np.array([0.3, 0.7, -0.4])
STEP = 1e-5


def by_differences(f, x):
    """The gradient of a function of one array, complex or real, or of one float."""
    if isinstance(x, float):
        return (f(x + STEP) - f(x - STEP)) / (2 * STEP)
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        for unit in (1.0, 1j) if np.iscomplexobj(x) else (1.0,):
            step = np.zeros_like(x)
            step[at] = STEP * unit
            found[at] += unit * (f(x + step) - f(x - step)) / (2 * STEP)
    return found


def check(f, x, rtol=1e-7):
    np.testing.assert_allclose(gradient(f, x)[0], by_differences(f, x), rtol=rtol, atol=1e-8)


# --- what the inner function is


def test_a_captured_function_of_the_users():
    def norm_of_slope(f):
        return lambda x: np.sum(grad(lambda u: np.sum(f(u) * u))(x) ** 2)

    check(norm_of_slope(lambda u: np.sin(u) * u), X)


def test_a_captured_function_that_captures_what_is_differentiated():
    def f(x):
        scale = x[0] * x[1]
        inner = lambda u: scale * np.exp(u)
        return np.sum(grad(lambda u: np.sum(inner(u) * u))(x))

    check(f, X)


def test_complex_arrays():
    def f(z):
        slope = gradient(lambda w: np.sum(np.abs(np.sin(w)) ** 2), z)[0]
        return np.sum(np.real(slope) * np.imag(slope))

    check(f, X + 1j * X[::-1])


def test_single_precision():
    x = X.astype(np.float32)
    found = gradient(lambda x: np.sum(grad(lambda u: np.sum(u**3))(x) ** 2), x)[0]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 36 * x**3, rtol=1e-5)


def test_a_set_of_numbers():
    def odd(x):
        return sum(x * x * v for v in {1.0, 2.0})

    assert gradient(lambda x: gradient(odd, x)[0] * x, 2.0) == pytest.approx((24.0,))


def test_starred_parameters_and_keywords():
    def f(x, *more, scale=2.0, **others):
        return np.sum(x**3) * scale * more[0] + others["shift"] * np.sum(x)

    check(lambda x: np.sum(grad(f)(x, x[0], scale=x[1], shift=x[2]) ** 2), X)


def test_writes_into_arrays_views_and_lists():
    def f(x):
        y = x.copy()
        y[0] = x[1] * x[2]
        y *= x
        rows = [y[1:], y[:2] * 2.0]
        rows.append(rows[0] * rows[1])
        return np.sum(np.concatenate(rows) ** 2)

    check(lambda x: np.sum(grad(lambda u: f(u))(x) ** 2), X)


def test_objects_and_methods():
    @dataclass
    class Well:
        depth: float
        width: float

        def energy(self, x):
            return self.depth * np.sum(np.exp(-((x / self.width) ** 2)))

    def f(x):
        well = Well(x[0], 1.0 + x[1] ** 2)
        force = grad(lambda u: well.energy(u) if u[0] > 0 else 0.0)(x)
        return np.sum(force**2)

    check(f, X)


def test_dicts_of_arrays_through_helpers():
    def loss(apply, params, x):
        return np.sum(apply(params, x) ** 2)

    def f(x):
        params = {"w": np.outer(x, x), "b": x[:2] @ x[1:]}
        slopes = grad(lambda p: loss(lambda p, u: np.tanh(p["w"] @ u) + p["b"], p, x))(params)
        return np.sum(slopes["w"] ** 2) + slopes["b"] ** 2

    check(f, X)


def test_a_loop_that_ends_by_what_it_computes():
    def root(a, f):
        x = a
        while abs(f(x) - a) > 1e-3:
            x = 0.5 * (x + a / x)
        return x

    check(lambda a: grad(lambda a: root(a, lambda x: x * x))(a) ** 2, 3.0, rtol=1e-6)


def test_a_rule_of_arrays_is_differentiated_as_it_is_written():
    def squared(x):
        return x * x

    @astad.adjoint(squared)
    def squared_rule(x):
        return x * x, lambda y_bar: (20.0 * x * y_bar,)

    slope = lambda x: np.sum(grad(lambda u: np.sum(squared(u)))(x) * x)
    np.testing.assert_allclose(gradient(slope, X)[0], 40.0 * X)


def test_one_array_in_two_arguments():
    def f(x):
        a, b = gradient(lambda a, b: np.sum(a * a * b) if len(a) else 0.0, x, x)
        return np.sum(a) + 3.0 * np.sum(b)

    check(f, X)


# --- the functions of astad inside


def test_a_pullback_inside():
    def f(x):
        y, back = pullback(lambda a, b: np.sin(a) * b, x, x[::-1])
        a_bar, b_bar = back(x * x)
        return np.sum(a_bar * b_bar) + np.sum(y)

    check(f, X)


def test_a_pullback_that_is_called_twice_and_after_its_result_was_written():
    def f(x):
        y, back = pullback(lambda a: np.exp(a) * a, x)
        y -= 3.0
        return np.sum(back(y)[0]) * np.sum(back(x)[0])

    check(f, X)


def test_a_direction_inside():
    check(lambda x: np.sum(jvp(lambda a: np.sin(a) * a[0], (x,), (x[::-1],))[1] ** 2), X)


def test_a_direction_of_structures_inside():
    def f(x):
        p, v = {"a": x, "b": x[0]}, {"a": x * x, "b": None}
        _, dot = jvp(lambda p: [p["a"] * p["b"], np.sum(p["a"] ** 3)], (p,), (v,))
        return np.sum(dot[0]) * dot[1]

    check(f, X)


def test_a_jacobian_inside():
    check(lambda x: np.sum(jacobian(lambda a: np.sin(a) * a[0], x) ** 2), X[:2])


@pytest.mark.slow  # a minute, for the same reason
@pytest.mark.parametrize("of", [hessian, lambda f, x: hvp(f, x, x)])
def test_second_derivatives_inside(of):
    check(lambda x: np.sum(of(lambda a: np.sum(a**4) * a[0], x) ** 2), X[:2])


def test_value_and_gradient_inside():
    def f(x):
        y, slope = value_and_grad(lambda u, *more: np.sum(np.cos(u) * more[0]))(x, x)
        return y * np.sum(slope)

    check(f, X)


def test_what_it_prints_and_appends_happens_once(capsys):
    seen = []

    def noisy(*args):
        print("inner")
        seen.append(1)
        return args[0] ** 3

    assert gradient(lambda x: grad(noisy)(x), 2.0) == pytest.approx((12.0,))
    assert (capsys.readouterr().out, seen) == ("inner\n", [1])


def test_an_exception_inside_is_the_programs_own():
    def f(x, *more):
        return math.log(x)

    with pytest.raises(ValueError):
        gradient(lambda x: grad(f)(x - 5.0), 2.0)


def test_forward_over_what_has_no_text():
    f = lambda x: grad(lambda u, *more: np.sum(np.sin(u) * u))(x)
    _, found = jvp(f, (X,), (np.ones(3),))
    np.testing.assert_allclose(found, 2 * np.cos(X) - X * np.sin(X), rtol=1e-12)


def test_a_derivative_of_starred_arguments_times_them():
    power = lambda *args: args[0] ** 4
    assert gradient(lambda x: grad(power)(x) * x, 2.0) == pytest.approx((4 * 4 * 2.0**3,))


# a minute: each level more compiles the run time once more
def test_a_third_derivative_whose_inner_ones_have_no_text():
    power = lambda *args: args[0] ** 4
    second = lambda x: grad(lambda u: grad(power)(u))(x)
    assert gradient(second, 2.0) == pytest.approx((48.0,))


def test_methods_partials_and_derivatives_of_captured_functions():
    class Model:
        def __init__(self, w):
            self.w = w

        def loss(self, w):
            return np.sum((w - 1.0) ** 2) * self.w[0]

        def step(self):
            _, bar = value_and_grad(self.loss)(self.w)
            self.w = self.w - 0.1 * bar
            return self

    check(lambda w: np.sum(Model(w).step().w ** 2), X)
    check(lambda x: gradient(functools.partial(lambda a, b: math.sin(a * b), b=x), x)[0], 1.3)
    check(lambda x: grad(grad(lambda z: math.sin(z * x) * z**3))(x), 1.3, rtol=1e-6)
