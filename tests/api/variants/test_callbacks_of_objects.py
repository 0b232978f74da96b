"""Callbacks of SciPy's solvers that are methods, objects with a ``__call__``, or functions that
have captured objects: by a text, where the object only holds numbers, and by records else. Each
is compared with central differences, in several calls.
"""

import abc
import functools
import math

import numpy as np
import pytest

from astad import gradient
from astad.api.variants.seeded_callbacks import opened
from astad.runtime.core.variants import forget_all

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")

pytestmark = pytest.mark.order_matters

GRID = np.array([0.5, 1.5])


@pytest.fixture(autouse=True)
def _no_recordings_of_before():
    forget_all()


class Law:
    power = 2.0

    def __init__(self, rate, weights=(1.0, 2.0)):
        self.rate = rate
        self.weights = weights

    @property
    def doubled(self):
        return 2.0 * self.rate

    def value(self, t):
        return self.weights[0] * math.exp(-self.rate * t) + self.weights[1] * t**self.power

    def twice(self, t):
        return self.doubled * self.value(t)

    def __call__(self, t):
        return self.rate * t + self.power

    def slope(self, t, y):
        return -self.rate * y

    def loss(self, v):
        return (v[0] - self.rate) ** 2 + 0.5 * (v[1] + self.weights[1]) ** 2

    def off(self, t):
        return t**3 - self.rate - self.weights[0]


class Line:
    def __init__(self, rate):
        self.rate = rate

    def value(self, t):
        return self.rate * t


class Curve(abc.ABC):
    @abc.abstractmethod
    def value(self, t): ...


class Arch(Curve):
    def __init__(self, height):
        self.height = height

    def value(self, t):
        return self.height - t * t


class Steeper(Law):
    power = 3.0

    def value(self, t):
        return super().value(t) + self.rate


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def value(self, t):
        return self.first.value(t) * self.second.rate


class Counting(Law):
    def value(self, t):
        self.count = getattr(self, "count", 0) + 1
        return self.rate * t


class Lazy(Law):
    @functools.cached_property
    def cube(self):
        return self.rate**3

    def value(self, t):
        return self.cube * t


class WithData(Law):
    table = GRID

    def value(self, t):
        return self.table[0] * self.rate * t


class Guarded(Law):
    def __getattr__(self, name):
        if name == "extra":
            return self.rate * 3.0
        raise AttributeError(name)

    def value(self, t):
        return self.extra * t


def area(f, *more):
    return integrate.quad(f, 0.0, 2.0, args=more)[0]


def by_method(a, b):
    return area(Law(a).value) * b


def by_weights_in_an_array(a, b):
    return area(Law(a, np.array([a * b, b])).value)


def by_weights_in_a_list(a, b):
    return area(Law(a, [a * b, b]).value)


def by_a_property(a, b):
    return area(Law(a * b).twice)


def by_call(a, b):
    return area(Law(a * b)) + a


def by_a_function_that_captured_it(a, b):
    law = Law(a)
    return area(lambda t: law.value(b * t) + law.rate)


def by_a_function_that_reads_an_attribute(a, b):
    law = Law(a)
    return area(lambda t: law.rate * t * law.rate) * b


def by_a_class_with_bases(a, b):
    return area(Steeper(a, (b, a)).value)


def by_objects_in_an_object(a, b):
    return area(Pair(Law(a), Steeper(b)).value)


def by_one_object_twice(a, b):
    law = Law(a)
    return area(Pair(law, law).value) * b


def by_one_object_under_two_names(a, b):
    law = same = Law(a)
    return area(lambda t: law.rate * same.value(t)) * b


def by_one_that_is_written_after_the_call(a, b):
    law = Law(a)
    first = area(law.value)
    law.rate = a * b
    second = area(law.value)
    law.rate = 0.0
    return first * second


def by_weights_written_after_the_call(a, b):
    law = Law(a, [a, b])
    root = optimize.brentq(law.off, 0.0, 5.0)
    law.weights[0] = 7.0
    law.rate = 7.0
    return root * b


def by_one_that_counts(a, b):
    law = Counting(a)
    return area(law.value) * b + 0.0 * law.count


def by_one_that_keeps(a, b):
    law = Lazy(a)
    return area(law.value) * b + law.cube


def by_data_of_the_class(a, b):
    return area(WithData(a).value) * b


def by_data_of_the_class_that_is_written(a, b):
    before = WithData.table
    WithData.table = np.array([b, a])
    try:
        return area(WithData(a).value)
    finally:
        WithData.table = before


def by_a_number_of_the_class_that_is_written(a, b):
    law = Law(a)
    Law.power = b
    try:
        return area(law.value)
    finally:
        Law.power = 2.0


def by_a_class_made_here(a, b):
    class Own:
        factor = a

        def value(self, t, k=b):
            return self.factor * t * k + b

    return area(Own().value)


def by_a_method_of_the_object(a, b):
    law = Law(a)
    law.value = lambda t: b * t * law.rate
    return area(law.value)


def by_attributes_asked_for(a, b):
    return area(Guarded(a).value) * b


def by_a_partial_of_a_method(a, b):
    return area(functools.partial(Law(a).slope, b))


def by_an_equation(a, b):
    return optimize.brentq(Law(a, (b, 1.0)).off, 0.0, 5.0) * b


def by_a_minimum(a, b):
    return optimize.minimize(Law(a, (1.0, b)).loss, np.zeros(2), tol=1e-12).x @ np.array([b, 1.0])


def by_a_path(a, b):
    times = np.linspace(0.0, 1.0, 4)
    y = integrate.solve_ivp(Law(a).slope, (0.0, 1.0), [b], t_eval=times, rtol=1e-9, atol=1e-9).y
    return y[0, -1] * y[0, 1]


PROGRAMS = [each for name, each in list(globals().items()) if name.startswith("by_")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_gradient_is_that_of_differences(f):
    for a, b in ((1.3, 0.7), (1.1, 0.9), (1.3, 0.7), (0.8, 1.2), (1.6, 0.5), (1.3, 0.7)):
        h = 1e-4
        slopes = (
            (f(a + h, b) - f(a - h, b)) / (2 * h),
            (f(a, b + h) - f(a, b - h)) / (2 * h),
        )
        assert gradient(f, a, b) == pytest.approx(slopes, rel=1e-5, abs=1e-6)


def test_objects_of_numbers_have_texts_and_others_have_none():
    law = Law(2.0)
    pair = Pair(Line(1.0), Line(2.0))
    found = [
        law.value,
        law,
        pair.value,
        Arch(1.0).value,
        lambda t: law.value(t),
        lambda t: pair.value(t) * law.rate,
    ]
    assert all(opened(fn, (0.5,)) is not None for fn in found)
    none = [Counting(1.0), Lazy(1.0), WithData(1.0), Guarded(1.0), Pair(law, law)]
    assert all(opened(each.value, (0.5,)) is None for each in none)


def test_an_array_that_is_data_of_the_class_and_an_argument():
    f = lambda grid, a: integrate.quad(WithData(a).value, 0.0, 2.0)[0] * grid[1]
    for _ in range(5):
        bars = gradient(f, GRID, 1.5)
        assert bars[0] == pytest.approx(np.array([2 * 1.5 * 1.5, 2 * 1.5 * 0.5]))
        assert bars[1] == pytest.approx(2 * 0.5 * 1.5)


def test_an_object_that_is_an_argument_has_its_gradient():
    f = lambda law, b: integrate.quad(law.value, 0.0, b)[0]
    for _ in range(5):
        law = Law(1.5, np.array([0.5, 2.0]))
        bar, _ = gradient(f, law, 2.0)
        assert bar["rate"] == pytest.approx(0.5 * (math.exp(-3.0) * 4.0 - 1.0) / 1.5**2)
        assert bar["weights"] == pytest.approx([(1 - math.exp(-3.0)) / 1.5, 8 / 3])
