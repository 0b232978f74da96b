"""Classes and modules as arguments: what the result reads from them has a gradient."""

import enum
import math
import types

import numpy as np
import pytest

from astad import Tangent, grad, gradient, pullback, value_and_grad
from astad.errors import Unsupported


def test_attribute_of_a_class():
    class Settings:
        k = 3.0
        name = "first"

        def unused(self):
            return self.k

    (bar,) = gradient(lambda c: c.k**2, Settings)
    assert bar == Tangent(k=6.0, name=None)


def test_attribute_of_a_module():
    settings = types.ModuleType("my_settings")
    settings.k, settings.weights = 3.0, np.array([1.0, 2.0])
    (bar,) = gradient(lambda m: m.k**2 * m.weights.sum(), settings)
    assert bar.k == 18.0
    assert bar.weights.tolist() == [9.0, 9.0]


def test_class_as_one_of_several_arguments():
    class Settings:
        k = 3.0

    assert gradient(lambda x, c: c.k**2 * x, 2.0, Settings) == (9.0, Tangent(k=12.0))
    assert gradient(lambda c, x: c.k**2 * x, Settings, 2.0) == (Tangent(k=12.0), 9.0)
    assert grad(lambda x, c: c.k**2 * x)(2.0, Settings) == 9.0
    assert value_and_grad(lambda x, c: c.k * x, argnums=1)(2.0, Settings) == (6.0, Tangent(k=2.0))


def test_class_within_containers_and_objects():
    class Settings:
        k = 3.0

    class Model:
        def __init__(self):
            self.settings, self.scale = Settings, 2.0

    assert gradient(lambda d: d["c"].k ** 2 * d["x"], {"c": Settings, "x": 2.0}) == (
        {"c": Tangent(k=12.0), "x": 9.0},
    )
    assert gradient(lambda d: d["c"].k ** 2, {"c": Settings}) == ({"c": Tangent(k=6.0)},)
    assert gradient(lambda d: d[0].k ** 2, [Settings]) == ([Tangent(k=6.0)],)
    (bar,) = gradient(lambda m: m.settings.k * m.scale, Model())
    assert bar.settings.k == 2.0
    assert bar.scale == 3.0


def test_inherited_attributes_lists_and_nested_classes():
    class Base:
        k, table = 3.0, [1.0, 5.0]

        class Inner:
            rate = 0.5

    class Derived(Base):
        k = 7.0

    (bar,) = gradient(lambda c, x: c.k * c.table[1] * c.Inner.rate * x, Derived, 2.0)[:1]
    assert bar.k == 5.0
    assert bar.table == [0.0, 7.0]
    assert bar.Inner == Tangent(rate=70.0)


def test_class_method_getattr_and_vars():
    class Settings:
        k = 3.0

        @classmethod
        def scaled(cls, x):
            return cls.k * x

    assert gradient(lambda c, x: c.scaled(x), Settings, 2.0) == (Tangent(k=2.0), 3.0)
    assert gradient(lambda c: getattr(c, "k") ** 2, Settings) == (Tangent(k=6.0),)
    assert gradient(lambda c: vars(c)["k"] ** 2, Settings) == (Tangent(k=6.0),)


def test_attribute_of_a_class_that_is_bound_anew():
    class Settings:
        k = 3.0

    def f(c, x):
        for _ in range(3):
            c.k = c.k * x
        return c.k

    bar, x_bar = gradient(f, Settings, 2.0)
    assert Settings.k == 24.0
    assert bar == Tangent(k=8.0)
    assert x_bar == 36.0


def test_members_of_an_enum():
    class Rate(enum.Enum):
        LOW, HIGH = 1.5, 2.5

    bar, x_bar = gradient(lambda rates, x: rates.LOW.value * x, Rate, 2.0)
    assert bar.LOW._value_ == 2.0
    assert bar.HIGH is None
    assert x_bar == 1.5


def test_classes_and_modules_as_code_have_none():
    class Circle:
        def __init__(self, r):
            self.r = r

        def area(self):
            return math.pi * self.r**2

    assert gradient(lambda cls, x: cls(x).area(), Circle, 2.0) == (None, 4 * math.pi)
    assert gradient(lambda xp, x: xp.sin(x) * xp.pi, np, 0.5) == (None, np.cos(0.5) * np.pi)
    assert gradient(lambda m, x: m.sin(x), math, 0.5) == (None, math.cos(0.5))
    assert gradient(lambda kind, x: kind(x) * 2, float, 0.5) == (None, 2.0)


def test_class_in_two_places_is_refused_where_it_counts():
    class Settings:
        k = 3.0

    with pytest.raises(Unsupported, match="it is passed twice"):
        gradient(lambda a, b: a.k * b.k, Settings, Settings)
    assert gradient(lambda a, b, x: x, Settings, Settings, 2.0) == (None, None, 1.0)


def test_pullback_may_be_called_again():
    class Settings:
        k = 3.0

    _, back = pullback(lambda c, x: c.k * x, Settings, np.ones(2))
    for seed in (1.0, 2.0):
        bar, x_bar = back(np.full(2, seed))
        assert bar == Tangent(k=2 * seed)
        assert x_bar.tolist() == [3 * seed] * 2
