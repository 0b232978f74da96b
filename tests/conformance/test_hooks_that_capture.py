"""What compiled code asks an object for may come from a captured variable, a class or a global: a
derivative through it is right, or an error, and never lost.
"""

import cmath
import math
from array import array

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

TABLE = {}
HEIGHT = 1.0


def concatenated(x):
    class Samples:
        def __array__(self, dtype=None, copy=None):
            return np.array([x, x**2])

    return np.concatenate([Samples(), [x]]).sum()


def numbers_of_an_array(x):
    class Weight:
        def __float__(self):
            return x * x

    return np.array([Weight(), Weight()], float).sum()


def by_another_method(x):
    class Weight:
        def square(self):
            return x * x

        def __float__(self):
            return self.square()

    return np.full(2, Weight(), dtype=float).sum()


def summed_exactly(x):
    class Weight:
        def __float__(self):
            return x * x

    return math.fsum([Weight(), x])


def one_number_of_numpy(x):
    class Weight:
        def __float__(self):
            return x * x

    return np.float64(Weight()) * x


def rows(x):
    class Row:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            if i > 1:
                raise IndexError
            return x ** (i + 1)

    return np.array([Row(), Row()]).sum()


def a_distance(x):
    class Point:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            if i > 1:
                raise IndexError
            return x ** (i + 1)

    return math.dist(Point(), [0.0, 0.0])


def a_complex_number(x):
    class Phasor:
        def __complex__(self):
            return complex(x, 2 * x)

    return cmath.exp(Phasor()).real


def an_element(x):
    class Weight:
        def __float__(self):
            return x * x

    a = np.zeros(2)
    a[0] = Weight()
    return a.sum()


def an_element_of_pythons_array(x):
    class Weight:
        def __float__(self):
            return x * x

    a = array("d", [1.0])
    a[0] = Weight()
    return a[0] * x


def looked_up():
    return TABLE["x"]


class ByAnotherFunction:
    def __array__(self, dtype=None, copy=None):
        return np.array([looked_up(), 2.0])


def by_a_function_of_the_module(x):
    TABLE["x"] = x * x
    return np.concatenate([ByAnotherFunction(), [x]]).sum()


@pytest.mark.parametrize(
    "f",
    [
        concatenated,
        numbers_of_an_array,
        by_another_method,
        summed_exactly,
        one_number_of_numpy,
        rows,
        a_distance,
        a_complex_number,
        an_element,
        an_element_of_pythons_array,
        by_a_function_of_the_module,
    ],
)
def test_what_is_captured_is_not_lost(f):
    with pytest.raises(Unsupported):
        gradient(f, 1.37)


def added_to_an_array(x):
    class Samples:
        def __array__(self, dtype=None, copy=None):
            return np.array([x, x**2])

    return (np.ones(2) + Samples()).sum()


def of_the_class(x):
    class Samples:
        values = x

        def __array__(self, dtype=None, copy=None):
            return np.array([self.values])

    return (Samples() * np.ones(1)).sum()


class OfATable:
    def __array__(self, dtype=None, copy=None):
        return np.array([TABLE["x"], 2.0])


class OfAGlobal:
    def __array__(self, dtype=None, copy=None):
        return np.array([HEIGHT])


class OfItself:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.array([2.0, 3.0]) * self.value


def of_a_table(x):
    TABLE["x"] = x * x
    return (np.ones(2) / OfATable()).sum()


def of_a_global(x):
    global HEIGHT
    HEIGHT = x * x
    return (np.ones(1) - OfAGlobal()).sum()


def of_itself(x):
    return (np.ones(2) * x @ OfItself(x)) * (np.float64(x) + OfItself(2.0)).sum()


@pytest.mark.parametrize("f", [added_to_an_array, of_the_class, of_a_table, of_a_global, of_itself])
def test_operators_of_arrays_ask_for_an_array(f):
    check_gradient(f, 1.37)


class Fixed:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value * SCALE


SCALE = 2.0


def test_what_is_constant_there_has_no_derivative():
    def f(x):
        return (np.array([Fixed(2.0), Fixed(3.0)], float) * x).sum()

    check_gradient(f, 1.37)
