"""Gradients of methods and of objects that are called: the function with the object before it."""

import numpy as np
import pytest

from astad import adjoint, grad, gradient, value_and_grad
from astad.runtime.core.variants import variants_of


class Spring:
    scale = 0.5

    def __init__(self, k, weights=None):
        self.k = k
        self.weights = weights
        self.calls = 0

    def energy(self, x):
        return self.scale * self.k * x**2

    def bound_twice(self, x, y=2.0):
        return self.k * x * y + self.energy(x) * self.energy(y)

    def counted(self, x):
        self.calls += 1
        return self.k * x * x

    def weighted(self, x):
        return np.sum(self.weights * x) ** 2

    def __call__(self, x, n):
        y = x
        for _ in range(n):
            y = y * self.k
        return y * x

    @classmethod
    def made(cls, x):
        return cls(x).k * x * cls.scale

    @staticmethod
    def still(x):
        return x**3


def differences(f, x, step=1e-6):
    return (f(x + step) - f(x - step)) / (2 * step)


@pytest.mark.parametrize("name", ["energy", "bound_twice", "counted", "made", "still"])
def test_methods(name):
    f = getattr(Spring(3.0), name)
    expected = differences(f, 1.5)
    for _ in range(3):
        assert gradient(f, 1.5) == (pytest.approx(expected, rel=1e-7),)
        assert grad(f)(1.5) == pytest.approx(expected, rel=1e-7)
        assert value_and_grad(f)(1.5)[0] == f(1.5)


def test_they_are_fused_where_the_function_is():
    gradient(Spring(3.0).energy, 1.5)
    assert variants_of(Spring.energy).fused[1,]


def test_what_the_object_holds_is_read_anew():
    spring = Spring(3.0)
    assert gradient(spring.energy, 2.0) == (6.0,)
    spring.k = 5.0
    assert gradient(spring.energy, 2.0) == (10.0,)
    spring.scale = 1.0
    assert gradient(spring.energy, 2.0) == (20.0,)
    spring.k = np.float64(1.0)
    assert gradient(spring.energy, 2.0) == (4.0,)


def test_what_the_method_writes_is_written_once():
    spring = Spring(3.0)
    assert gradient(spring.counted, 2.0) == (12.0,)
    assert spring.calls == 1
    assert gradient(spring.counted, 2.0) == (12.0,)
    assert spring.calls == 2


def test_an_object_that_is_called():
    spring = Spring(2.0)
    assert gradient(spring, 1.5, 3) == (24.0, None)
    assert grad(spring)(1.5, 3) == 24.0
    assert value_and_grad(spring, argnums=0)(1.5, n=2) == (9.0, 12.0)


def test_several_arguments_in_any_order():
    spring = Spring(2.0)
    x_bar, y_bar = gradient(spring.bound_twice, 1.0, 3.0)
    assert grad(spring.bound_twice, argnums=(1, 0))(1.0, 3.0) == (y_bar, x_bar)
    assert x_bar == 2.0 * 3.0 + 2.0 * 9.0
    assert grad(spring.bound_twice)(1.0) == 2.0 * 2.0 + 2.0 * 4.0


def test_one_array_that_is_held_and_an_argument():
    """By the array, wherever it lies, as with what a function has captured."""
    x = np.array([1.0, 2.0])
    (bar,) = gradient(Spring(1.0, x).weighted, x)
    np.testing.assert_allclose(bar, 4 * np.sum(x * x) * x)
    (bar,) = gradient(Spring(1.0, x.copy()).weighted, x)
    np.testing.assert_allclose(bar, 2 * np.sum(x * x) * x)


def test_a_rule_for_the_object_itself():
    spring = Spring(2.0)

    @adjoint(spring)
    def rule(x, n):
        return x * spring.k**n * x, lambda y_bar: (100.0 * y_bar, None)

    assert gradient(spring, 1.5, 3)[0] == 100.0


class Doubling(Spring):
    def energy(self, x):
        return super().energy(x) * 2.0

    def __getattr__(self, name):
        if name == "found":
            return 7.0
        raise AttributeError(name)

    def asked(self, x):
        return self.found * x * x


def test_inheritance_and_attributes_that_are_made():
    assert gradient(Doubling(3.0).energy, 2.0) == (12.0,)
    assert gradient(Doubling(3.0).asked, 2.0) == (28.0,)


class Filled:
    def __init__(self):
        self.parts = [Spring(1.0), Spring(2.0)]
        self.sums = {"a": set()}

    def loss(self, x):
        return sum(part.energy(x) for part in self.parts) * x


def test_an_object_that_is_not_taken_apart_is_looked_through_once():
    filled, other = Filled(), Filled()
    assert gradient(filled.loss, 2.0) == (pytest.approx(3 * 1.5 * 4.0),)
    assert variants_of(Filled.loss).missed[0] == id(filled)
    assert gradient(filled.loss, 2.0) == (pytest.approx(3 * 1.5 * 4.0),)
    filled.parts.append(Spring(1.0))
    assert gradient(filled.loss, 2.0) == (pytest.approx(3 * 2.0 * 4.0),)
    assert gradient(other.loss, 2.0) == (pytest.approx(3 * 1.5 * 4.0),)
    assert gradient(Spring(3.0).energy, 2.0) == (6.0,)
