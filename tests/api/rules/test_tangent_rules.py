"""Tangent rules of users: forwards, backwards by transposition, at the second order, and what is
wrong with some. Each pair of modes is compared by ``<y_bar, J v> = <J^T y_bar, v>``.
"""

import math

import numpy as np
import pytest

import astad
from astad import gradient, hessian, hvp, jacobian, jvp, jvp_rule, pullback
from astad.errors import RuleError, Unsupported, WrongCall


def cube(x):
    return x * x * x


@jvp_rule(cube)
def cube_tangent(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return x**3, 3 * x**2 * x_dot


def product(a, b):
    return a @ b


@jvp_rule(product)
def product_tangent(primals, tangents):
    (a, b), (a_dot, b_dot) = primals, tangents
    return a @ b, a_dot @ b + a @ b_dot


def area(sides):
    return sides["a"] * sides["b"]


@jvp_rule(area)
def area_tangent(primals, tangents):
    (p,), (t,) = primals, tangents
    return p["a"] * p["b"], t["a"] * p["b"] + p["a"] * t["b"]


def split(x):
    return x * 2.0, np.sum(x)


@jvp_rule(split)
def split_tangent(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return (x * 2.0, np.sum(x)), (x_dot * 2.0, np.sum(x_dot))


def scaled(x, how, times=2.0):
    return x * times if how == "up" else x / times


@jvp_rule(scaled)
def scaled_tangent(primals, tangents):
    x, how, *more = primals
    times = more[0] if more else 2.0
    assert tangents[1] is None
    times_dot = tangents[2] if more else 0.0
    if how == "up":
        return x * times, tangents[0] * times + x * times_dot
    return x / times, tangents[0] / times - x * times_dot / times**2


A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])


def test_numbers_forwards_and_backwards():
    assert jvp(cube, (2.0,), (0.5,)) == (8.0, 6.0)
    assert gradient(cube, 2.0) == (12.0,)
    assert gradient(lambda x: cube(x) * x, 2.0) == (32.0,)
    assert jvp(lambda x: cube(x) * x, (2.0,), (1.0,)) == (16.0, 32.0)
    assert gradient(lambda x: sum(cube(x * k) for k in range(3)), 2.0) == (108.0,)


def test_arrays_are_transposed():
    found = gradient(lambda a, b: np.sum(product(a, b) ** 2), A, B)
    expected = gradient(lambda a, b: np.sum((a @ b) ** 2), A, B)
    for mine, plain in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, plain, rtol=1e-14)
    np.testing.assert_allclose(jacobian(product, A, B, argnums=1), A)


@pytest.mark.parametrize(
    ("f", "args", "moves"),
    [
        (product, (A, B), (np.ones((2, 2)), B)),
        (product, (A, B), (None, B)),
        (lambda a, b: product(a, b) * 2.0, (A, B), (A, B)),
        (lambda x: split(x)[0] * split(x)[1], (B + 3.0,), (B,)),
        (area, ({"a": 2.0, "b": 3.0},), ({"a": 1.0, "b": 0.5},)),
        (cube, (2.0,), (3.0,)),
        (lambda x: scaled(x, "down", 4.0), (3.0,), (1.0,)),
    ],
)
def test_the_two_modes_are_transposes_of_one_another(f, args, moves):
    y, y_dot = jvp(f, args, moves)
    y_bar = np.cos(np.arange(np.size(y)) + 0.5).reshape(np.shape(y))[()]
    bars = pullback(f, *args)[1](y_bar)
    whole = 0.0
    for bar, move in zip(bars, moves, strict=True):
        if isinstance(move, dict):
            whole += sum(bar[key] * move[key] for key in move)
        elif move is not None:
            whole += np.vdot(bar, move)
    assert np.vdot(y_bar, y_dot) == pytest.approx(whole, rel=1e-12)


def test_what_is_held_is_zero_and_what_carries_nothing_is_none():
    assert jvp(scaled, (3.0, "up", 2.0), (None, None, 1.0)) == (6.0, 3.0)
    assert gradient(scaled, 3.0, "down", 2.0) == (0.5, None, -0.75)
    assert gradient(lambda x: scaled(x, "up"), 3.0) == (2.0,)
    assert gradient(lambda x: scaled(x, "up", times=x), 3.0) == (6.0,)
    assert jvp(area, ({"a": 2.0, "b": 3.0},), ({"a": 1.0, "b": None},)) == (6.0, 3.0)


def test_the_second_order_is_that_of_the_rule():
    assert hessian(cube, 2.0) == 12.0 and hvp(cube, 2.0, 10.0) == 120.0
    assert gradient(lambda x: gradient(cube, x)[0], 2.0) == (12.0,)
    assert gradient(lambda x: jvp(cube, (x,), (1.0,))[1], 2.0) == (12.0,)
    assert gradient(lambda x: jvp(cube, (x,), (x,))[1], 2.0) == (36.0,)
    assert jvp(lambda x: gradient(cube, x)[0], (2.0,), (1.0,)) == (12.0, 12.0)
    assert gradient(lambda s: jvp(product, (A, B), (None, s * B))[1][0], 2.0) == (-1.0,)


def test_complex_numbers():
    def square(z):
        return z * z

    @jvp_rule(square)
    def rule(primals, tangents):
        return primals[0] ** 2, 2 * primals[0] * tangents[0]

    assert jvp(square, (1 + 2j,), (1j,)) == (-3 + 4j, -4 + 2j)
    assert jacobian(square, 1 + 2j, holomorphic=True) == 2 + 4j
    assert gradient(lambda x: abs(square(x + 1j)) ** 2, 2.0)[0] == pytest.approx(40.0)


def test_beside_a_rule_of_adjoint():
    calls = []

    def twice(x):
        return x + x

    @astad.adjoint(twice)
    def back(x):
        calls.append("back")
        return 2 * x, lambda y_bar: (2 * y_bar,)

    @jvp_rule(twice)
    def forth(primals, tangents):
        calls.append("forth")
        return 2 * primals[0], 2 * tangents[0]

    assert gradient(twice, 3.0) == (2.0,) and calls == ["back"]
    assert jvp(twice, (3.0,), (1.0,)) == (6.0, 2.0) and calls == ["back", "forth"]
    astad.nondifferentiable(twice)
    assert gradient(lambda x: twice(x) * x, 3.0) == (6.0,)
    jvp_rule(twice)(forth)
    assert gradient(twice, 3.0) == (2.0,)


def test_forward_mode_by_the_rules_of_adjoint():
    def root(x, n):
        return x ** (1.0 / n)

    @astad.adjoint(root)
    def rule(x, n):
        y = x ** (1.0 / n)
        return y, lambda y_bar: (y_bar * y / (n * x), -y_bar * y * math.log(x) / n**2)

    y, y_dot = jvp(lambda x, n: root(x, n) * x, (2.0, 3.0), (1.0, 0.5))
    expected = jvp(lambda x, n: x ** (1.0 / n) * x, (2.0, 3.0), (1.0, 0.5))
    assert (y, y_dot) == pytest.approx(expected, rel=1e-13)


def wrong(rule, **more):
    def f(x):
        return x * x

    jvp_rule(f)(rule)
    return f


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (lambda p, t: p[0], r"f: the rule declared with astad\.jvp_rule: it returned float, not a"),
        (lambda p, t: (p[0], np.ones(2)), r"a tangent of shape \(2,\) for a result of \(\)"),
        (lambda p, t: (p[0] * np.ones(2), 1.0), r"a tangent of shape \(\) for a result of \(2,\)"),
    ],
)
def test_rules_that_return_something_else(rule, text):
    f = wrong(rule)
    with pytest.raises(RuleError, match=text):
        jvp(f, (2.0,), (1.0,))
    with pytest.raises(RuleError, match=text):
        gradient(lambda x: np.sum(f(x)), 2.0)


def test_tangents_of_another_shape_are_refused_before_the_rule_runs():
    with pytest.raises(WrongCall, match="tangent of shape"):
        jvp(product, (A, B), (A, np.ones(3)))
    with pytest.raises(WrongCall, match="1 tangents for 2 arguments"):
        jvp(product, (A, B), (A,))


def test_what_no_rule_can_be_declared_for():
    with pytest.raises(RuleError, match="a rule that is a float"):
        jvp_rule(2.0)
    with pytest.raises(RuleError, match="the rule that is a int"):
        jvp_rule(math.sin)(3)


def test_an_argument_by_keyword_alone():
    def f(x, *, power):
        return x**power

    @jvp_rule(f)
    def rule(primals, tangents):
        raise AssertionError

    with pytest.raises(Unsupported, match="a call with power by keyword alone"):
        gradient(lambda x: f(x, power=2), 3.0)


def test_arrays_at_the_second_order_are_refused_by_name():
    with pytest.raises(Unsupported, match=r"astad\.gradient: a call for .* inside"):
        gradient(lambda a: np.sum(gradient(lambda a: np.sum(product(a, B) ** 2), a)[0]), A)
