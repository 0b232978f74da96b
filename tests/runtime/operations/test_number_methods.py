"""Methods of numbers called by their names, and numbers of classes of the user's."""

import numbers
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient


def signs(x):
    return 3.0 * x.__neg__() * x.__abs__() + x.__pos__() * x.__float__()


def operators(x):
    return x.__add__(2.0) * x.__mul__(x) - x.__truediv__(3.0) + x.__pow__(2) + x.__mod__(2.0)


def reflected(x):
    return x.__rsub__(2.0) * x.__rtruediv__(3.0) + (2.0).__sub__(x) + x.__rpow__(2.0)


def parts(x):
    return x.__divmod__(2.0)[1] + (7.5).__divmod__(x)[1] + x.__int__() * x + x.__round__(1) * x


@pytest.mark.parametrize("f", [signs, operators, reflected, parts])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_methods_by_name(f, kind):
    check_gradient(lambda x: f(kind(x)), 2.73)


def test_methods_of_exact_numbers():
    assert gradient(lambda x: float(x.__neg__() * x.__add__(Decimal(1))), Decimal(2)) == (-5,)
    assert gradient(lambda x: x.__neg__() * x, Fraction(3, 2)) == (-3,)
    assert gradient(lambda n: n.__index__() * n.__trunc__() * 1.0, 3) == (6.0,)
    assert gradient(lambda n: n.__floordiv__(2) * n * 1.0, 3) == (1.0,)


def test_method_of_a_number_beside_an_array():
    def f(x, a):
        x = np.float64(x)
        return x.__mul__(a).sum() + np.sum(x.__rsub__(a) ** 2)

    check_gradient(f, 1.5, np.array([1.0, 2.0, 4.0]))


def test_what_is_not_implemented():
    def f(x):
        if x.__add__("a") is NotImplemented:
            x = x * 2.0
        return x

    assert gradient(f, 3.0) == (2.0,)


class Length(float):
    def __add__(self, other):
        found = super().__add__(other)
        return found if found is NotImplemented else Length(found)

    def __neg__(self):
        return Length(super().__neg__())

    def squared(self):
        return self * self

    @property
    def half(self):
        return self / 2


class Longer(Length):
    def squared(self):
        return 3.0 * super().squared()


def test_numbers_of_a_class_of_ones_own():
    def f(x):
        y = Length(x) + 3.0
        return (-(y + Length(x))) * y.squared() + y.half + max(y, 1.0) + float(y) * y.real

    def refused_sum(x):
        try:
            return Length(x) + "a"
        except TypeError as error:
            return x * len(str(error))

    check_gradient(f, 1.5)
    check_gradient(refused_sum, 1.5)


def test_bound_methods_of_such_numbers():
    def f(x):
        square = Longer(x).squared
        return square() * x

    check_gradient(f, 1.5)


class Quantity(float):
    def __new__(cls, value, rate):
        made = super().__new__(cls, value)
        made.rate = rate
        return made


class Halved(float):
    def __init__(self, value):
        self.half = value / 2


def test_attributes_of_such_numbers():
    def f(x):
        q = Quantity(x, x * x)
        q.rate = q.rate * q
        return q.rate + Halved(x).half * Halved(x)

    check_gradient(f, 1.5)


class Count(int):
    def __mul__(self, other):
        return Count(super().__mul__(other))


def test_whole_numbers_of_a_class_of_ones_own():
    assert gradient(lambda n: Count(n) * Count(n) * 1, 3) == (6,)


class Written(numbers.Number):
    """Made by `object.__new__` and written by slot, as the numbers of mpmath are."""

    __slots__ = ("v",)

    def __new__(cls, v):
        made = object.__new__(cls)
        made.v = v
        return made

    def __add__(self, other):
        made = object.__new__(Written)
        made.v = self.v + (other.v if isinstance(other, Written) else other)
        return made

    __radd__ = __add__

    def __mul__(self, other):
        return Written(self.v * (other.v if isinstance(other, Written) else other))

    def __float__(self):
        return float(self.v)


def test_objects_that_are_registered_as_numbers():
    """What was written into them was lost."""

    def f(x):
        q = Written(x)
        return float(q * q + q * 3.0) + sum([q, Written(2.0 * x)]).v

    assert gradient(f, 0.5) == (7.0,)
    assert gradient(lambda q: (q * q).v, Written(3.0))[0].v == 6.0
