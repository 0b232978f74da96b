"""Rules of the user's in gradients of gradients: each against the function without a rule, or
against a formula by hand.
"""

import math

import numpy as np
import pytest

from astad import adjoint, grad, gradient, hessian, hvp, value_and_grad
from astad.errors import AstadError, RuleError, Unsupported

LOG = []


def cube(x):
    return x * x * x


@adjoint(cube)
def cube_rule(x):
    LOG.append("rule")

    def back(y_bar):
        LOG.append("back")
        return (y_bar * 3 * x * x,)

    return x**3, back


def product(a, b):
    return a * b


@adjoint(product)
def product_rule(a, b):
    return a * b, lambda y_bar: (y_bar * b, y_bar * a)


def wave(x):
    return math.sin(x)


@adjoint(wave)
def wave_rule(x):
    y = math.sin(x)
    return y, lambda y_bar: (y_bar * math.cos(x),)


def straight(x):
    """Its rule says another slope than that of the value."""
    return x


@adjoint(straight)
def straight_rule(x):
    return 2.0 * x, lambda y_bar: (y_bar * math.sin(x),)


def squared_bar(x):
    return x


@adjoint(squared_bar)
def squared_bar_rule(x):
    return x, lambda y_bar: (y_bar * y_bar,)


def by_numpy(x):
    return x


@adjoint(by_numpy)
def by_numpy_rule(x):
    y = np.exp(x)
    return y, lambda y_bar: (y_bar * y,)


def blocked(x, n):
    return x * x * n


@adjoint(blocked)
def blocked_rule(x, n):
    return x * x * n, lambda y_bar: (2.0 * x * n * y_bar, None)


def test_a_rule_is_differentiated_as_it_is_written():
    assert hessian(cube, 2.0) == 12.0
    assert grad(grad(cube))(2.0) == 12.0
    assert hessian(lambda x: cube(x) + cube(x) * x, 2.0) == 60.0
    assert grad(lambda x: grad(straight)(x))(2.0) == pytest.approx(math.cos(2.0))
    assert hvp(cube, 2.0, 0.5) == 6.0


def test_the_cotangent_that_a_back_gets_is_its_own():
    # a_bar: (a**3)**2 + 3 a**3
    assert grad(lambda x: grad(lambda a: squared_bar(a) * a**3)(x))(2.0) == 6 * 2**5 + 9 * 2**2


def test_several_arguments():
    found = hessian(lambda v: product(v[0], v[1]) * v[0], np.array([2.0, 3.0]))
    assert found.tolist() == [[6.0, 4.0], [4.0, 0.0]]
    assert hessian(lambda v: product(v[0], v[1]) * v[0], [2.0, 3.0]) == [[6.0, 4.0], [4.0, 0.0]]
    assert hessian(lambda x: product(x, 3.0) * x, 2.0) == 6.0
    assert grad(lambda x: grad(lambda a: product(a, a * x))(x))(3.0) == 12.0
    assert hessian(lambda x: product(x, x), 5.0) == 2.0


def test_an_argument_without_cotangent():
    assert hessian(lambda x: blocked(x, 3.0) * x, 2.0) == 36.0
    assert grad(lambda x: grad(lambda n: blocked(x, n) + n)(x))(2.0) == 0.0


def loop(sine):
    def f(x):
        s = 1.0
        for _ in range(4):
            s = sine(s) * x
        return s

    return f


def waves(x):
    s = 1.0
    for _ in range(4):
        s = wave(s) * x
    return s


def sines(x):
    s = 1.0
    for _ in range(4):
        s = math.sin(s) * x
    return s


def test_in_loops_and_branches():
    assert hessian(waves, 1.3) == pytest.approx(hessian(sines, 1.3), rel=1e-13)

    def grown(x):
        y = x
        while y < 10.0:
            y = cube(y)
        return y if x > 1.0 else product(x, x)

    assert hessian(grown, 2.0) == 72.0 * 2.0**7
    step = 1e-5
    slope = (grad(waves)(1.3 + step) - grad(waves)(1.3 - step)) / (2 * step)
    assert hessian(waves, 1.3) == pytest.approx(slope, rel=1e-8)


def test_in_functions_that_the_inner_one_calls():
    def doubled(x):
        return inner(x) * 2.0

    assert grad(lambda x: grad(doubled)(x))(1.0) == 12.0


def inner(x):
    total = 0.0
    for _ in range(1):
        total = total + cube(x)
    return total


def test_values_of_numpy():
    assert hessian(lambda x: by_numpy(x) * x, 1.0) == pytest.approx(3.0 * math.e, rel=1e-14)


def test_how_often_rule_and_back_run():
    LOG.clear()
    assert value_and_grad(lambda x: grad(lambda y: cube(y) * y)(x))(2.0) == (32.0, 48.0)
    assert LOG == ["rule", "back"]
    LOG.clear()

    def unused(x):
        y = cube(x)
        y = x * x
        return y

    assert hessian(unused, 2.0) == 2.0
    assert LOG == ["rule"]


def test_the_rule_that_holds_now():
    def declare(factor):
        @adjoint(changing)
        def rule(x):
            return factor * x * x, lambda y_bar: (y_bar * 2 * factor * x,)

    for factor in (1.0, 5.0, 2.0):
        declare(factor)
        assert hessian(changing, 3.0) == 2.0 * factor
        assert hessian(lambda x: changing(x) * x, 3.0) == 18.0 * factor


def changing(x):
    return x


def arrays(x):
    return x * x


@adjoint(arrays)
def arrays_rule(x):
    return x * x, lambda y_bar: (2.0 * x * y_bar,)


def too_many(x):
    return x


@adjoint(too_many)
def too_many_rule(x):
    return x * x, lambda y_bar: (y_bar, y_bar)


def no_number(x):
    return x


@adjoint(no_number)
def no_number_rule(x):
    return [x], lambda y_bar: (y_bar,)


def test_a_rule_of_arrays():
    for _ in range(3):
        found = hessian(lambda x: np.sum(arrays(x)), np.ones(2))
        np.testing.assert_allclose(found, 2.0 * np.eye(2))


def test_what_is_refused():
    with pytest.raises(Unsupported, match="inside a function that is being differentiated"):
        grad(grad(grad(cube)))(2.0)
    with pytest.raises(AstadError, match="2 cotangents for 1 arguments") as found:
        gradient(lambda x: grad(lambda y: too_many(y) * y)(x), 2.0)
    assert type(found.value) in (Unsupported, RuleError)
    with pytest.raises(Unsupported, match="gave a list for numbers"):
        gradient(lambda x: grad(lambda y: no_number(y) * y)(x), 2.0)
