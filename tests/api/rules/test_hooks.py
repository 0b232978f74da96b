"""How deep a program is inside of differentiations, by astad and by the user's own rule."""

import subprocess
import sys

import numpy as np
import pytest

import astad
from astad import (
    adjoint,
    grad,
    gradient,
    hessian,
    isderiving,
    jacobian,
    jvp,
    nestlevel,
    pullback,
    value_and_grad,
)
from astad.errors import Unsupported


def level():
    return 0


@adjoint(level)
def level_rule():
    return level() + 1, lambda y_bar: ()


def by_astad(x):
    return nestlevel() * x * x


def by_module(x):
    return astad.nestlevel() * x * x


def by_user(x):
    return level() * x * x


BOTH = pytest.mark.parametrize("f", [by_astad, by_module, by_user])


@BOTH
def test_none_one_and_two(f):
    assert f(1.0) == 0
    assert gradient(f, 1.0) == (2.0,)
    assert hessian(f, 1.0) == 4.0
    assert grad(lambda x: x * grad(f)(x))(1.0) == 8.0
    assert value_and_grad(f)(3.0) == (9.0, 6.0)
    assert f(1.0) == 0


@BOTH
def test_a_gradient_at_a_constant_inside(f):
    assert grad(lambda x: x * grad(f)(2.0))(1.0) == 8.0


@BOTH
def test_the_other_derivatives(f):
    assert pullback(f, 3.0)[0] == 9.0
    assert jvp(f, (3.0,), (1.0,)) == (9.0, 6.0)
    assert jacobian(lambda x: f(x), np.array([1.0, 2.0])).tolist() == [[2.0, 0.0], [0.0, 4.0]]


@BOTH
def test_beside_an_inner_gradient(f):
    # outside of the inner gradient it is one level up
    assert grad(lambda x: f(x) + grad(f)(x))(1.0) == 2.0 + 4.0


def cubed(x):
    return by_module(x) * x


def fourth(x):
    return by_astad(x) * x * x


def test_three_and_four():
    assert grad(grad(grad(cubed)))(1.0) == 18.0  # 3 x**3
    assert grad(grad(grad(grad(fourth))))(1.0) == 96.0  # 4 x**4
    assert hessian(lambda x: x * grad(by_astad)(x), 1.0) == 12.0  # 6 x**2


def test_three_by_a_rule_of_the_user_is_an_error():
    with pytest.raises(Unsupported, match="inside a function that is being differentiated"):
        grad(grad(grad(by_user)))(1.0)


def test_under_other_names_and_in_callees():
    def alias(x):
        n = nestlevel
        return n() * x * x

    def summed(x):
        total = 0.0
        for _ in range(3):
            total += by_astad(x)
        return total

    for f, scale in ((alias, 1.0), (summed, 3.0)):
        assert gradient(f, 1.0) == (2.0 * scale,)
        assert hessian(f, 1.0) == 4.0 * scale


def test_captured():
    def told(tells):
        return lambda x: tells() * x * x

    assert hessian(told(nestlevel), 1.0) == 4.0
    assert gradient(told(level), 1.0) == (2.0,)


def test_isderiving_in_a_gradient_of_a_gradient():
    def f(x):
        return x * x * (2.0 if isderiving() else 1.0)

    assert (f(1.0), grad(f)(1.0), hessian(f, 1.0)) == (1.0, 4.0, 4.0)


def test_it_has_no_derivative_and_costs_none():
    assert gradient(lambda x, y: x * nestlevel(), 2.0, 3.0) == (1.0, None)
    found = []
    gradient(lambda x: found.append(nestlevel()) or x, 1.0)
    assert found == [1]


def test_texts_stay_known_when_the_module_of_hooks_is_read(tmp_path):
    """It is read when a hook, or a program that holds functions, first asks for it."""
    code = """
import sys
import astad
from astad.runtime.core.variants import variants_of
def cube(x):
    return x * x * x
astad.gradient(cube, 2.0)
assert "astad.api.rules.hooks" not in sys.modules
astad.hook
assert "astad.api.rules.hooks" in sys.modules
print(len(variants_of(cube).fused[(0,)]))
"""
    file = tmp_path / "known.py"
    file.write_text(code)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1\n", "")
