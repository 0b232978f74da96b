"""Custom rules and the tools built on them, from Zygote's manual: rows 001.15, .18 to .28."""

import math
from dataclasses import dataclass

import pytest

from astad import (
    adjoint,
    checkpoint,
    dropgrad,
    grad,
    gradient,
    hook,
    isderiving,
    nestlevel,
    pullback_self,
    showgrad,
)


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


def dist(p):
    return math.sqrt(p.x**2 + p.y**2)


def make_mul():
    def mul(a, b):
        return a * b

    return mul


def test_001_15_a_custom_rule():
    mul, calls = make_mul(), []

    @adjoint(mul)
    def _(a, b):
        calls.append((a, b))
        return mul(a, b), lambda y_bar: (y_bar * b, y_bar * a)

    assert gradient(mul, 2, 3) == (3, 2)
    assert calls == [(2, 3)]
    assert mul(2, 3) == 6
    assert len(calls) == 1


def test_001_15_a_wrong_rule_gives_its_own_numbers_at_once():
    mul = make_mul()

    def f(a, b):
        return mul(a, b)

    assert gradient(f, 2, 3) == (3, 2)

    @adjoint(mul)
    def _(a, b):
        return mul(a, b), lambda y_bar: (10 * y_bar * b, 10 * y_bar * a)

    assert gradient(f, 2, 3) == (30, 20)
    assert gradient(mul, 2, 3) == (30, 20)


def test_001_18_a_type_whose_gradient_is_the_type_itself():
    def width(p):
        return p.x

    def height(p):
        return p.y

    @adjoint(width)
    def _(p):
        return p.x, lambda y_bar: (Point(y_bar, 0),)

    @adjoint(height)
    def _(p):
        return p.y, lambda y_bar: (Point(0, y_bar),)

    def length(p):
        return math.sqrt(width(p) ** 2 + height(p) ** 2)

    assert gradient(height, Point(1, 2)) == (Point(0, 1),)
    (bar,) = gradient(length, Point(1, 2))
    assert type(bar) is Point
    assert (bar.x, bar.y) == pytest.approx((0.4472135954999579, 0.8944271909999159), rel=1e-15)


def test_001_19_a_rule_for_a_constructor():
    @dataclass
    class P:
        x: float
        y: float

    @adjoint(P)
    def _(x, y):
        return P(x, y), lambda bar: (bar.x, bar.y)

    assert gradient(lambda x: dist(P(x, 1)), 1) == pytest.approx((0.7071067811865475,), rel=1e-15)


def test_001_19_no_rule_at_all():
    slope = gradient(lambda x: dist(Point(x, 1)), 1)
    assert slope == pytest.approx((0.7071067811865475,), rel=1e-15)


def test_001_20_a_gradient_hook():
    assert gradient(lambda a, b: hook(lambda g: -g, a) * b, 2, 3) == (-3, 2)


def test_001_20_a_hook_that_the_user_defines():
    def my_hook(fn, x):
        return x

    @adjoint(my_hook)
    def _(fn, x):
        return x, lambda y_bar: (None, fn(y_bar))

    assert gradient(lambda a, b: my_hook(lambda g: -g, a) * b, 2, 3) == (-3, 2)


def test_001_21_a_hook_that_prints(capsys):
    def show(g):
        print(g)
        return g

    assert gradient(lambda a, b: hook(show, a) * b, 2, 3) == (3, 2)
    assert capsys.readouterr().out == "3\n"


def test_001_22_checkpoint():
    slope = gradient(lambda x: checkpoint(math.sin)(x), 1)
    assert slope == (0.5403023058681398,)
    assert gradient(checkpoint(math.sin), 1) == (0.5403023058681398,)


def test_001_22_a_checkpoint_that_the_user_defines():
    def my_checkpoint(f, x):
        return f(x)

    @adjoint(my_checkpoint)
    def _(f, x):
        return f(x), lambda y_bar: pullback_self(f, x)[1](y_bar)

    slope = gradient(lambda x: my_checkpoint(math.sin, x), 1)
    assert slope == (0.5403023058681398,)


def test_001_23_checkpoint_runs_the_forward_sweep_twice(capsys):
    def foo(x):
        print(x)
        return math.sin(x)

    assert gradient(lambda x: checkpoint(foo)(x), 1) == (0.5403023058681398,)
    assert capsys.readouterr().out == "1\n1\n"
    assert gradient(foo, 1) == (0.5403023058681398,)
    assert capsys.readouterr().out == "1\n"


def test_001_24_isderiving():
    log = []

    def f(x):
        log.append(isderiving())
        return x * 2

    f(1)
    gradient(f, 1)
    f(1)
    assert log == [False, True, False]


def test_001_24_isderiving_that_the_user_defines():
    def my_isderiving():
        return False

    @adjoint(my_isderiving)
    def _():
        return True, lambda y_bar: ()

    log = []

    def f(x):
        log.append(my_isderiving())
        return x * 2

    f(1)
    gradient(f, 1)
    f(1)
    assert log == [False, True, False]


def levels(x):
    return nestlevel() * x


def level():
    return 0


@adjoint(level)
def level_rule():
    return level() + 1, lambda y_bar: ()


def levels_of_the_user(x):
    return level() * x


@pytest.mark.parametrize("f", [levels, levels_of_the_user])
def test_001_25_nestlevel(f):
    assert f(1) == 0
    assert grad(f)(1) == 1
    assert grad(lambda x: x * grad(f)(x))(1) == 2


def test_001_26_showgrad_shows_what_is_about_to_be_added(capsys):
    assert gradient(lambda a: showgrad(a) * a, 2) == (4,)
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 1
    assert shown[0].endswith("= 2")


def test_001_27_showgrad_of_an_unused_value(capsys):
    def f(a, b):
        showgrad(a)
        return a * b

    assert gradient(f, 2, 3) == (3, 2)
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 1
    assert shown[0].endswith("= None")


def test_001_28_dropgrad():
    assert gradient(lambda a, b: dropgrad(a) * b, 2, 3) == (None, 2)
