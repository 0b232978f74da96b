"""Enums made inside of a function of numbers that count: right, or refused where the number went
into an object that Python makes in passing.
"""

import enum

import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


def rates(x):
    class Rate(float, enum.Enum):
        LOW = x
        HIGH = 2.0

    return Rate


def by_name(x):
    return rates(x).LOW * x


def by_item(x):
    return rates(x)["LOW"] * x


def by_value(x):
    return rates(x)(x) * x


def by_iteration(x):
    return sum(rate * x for rate in rates(x))


def by_the_value_of_a_member(x):
    rate = rates(x)
    return rate.LOW.value * rate.HIGH.value + float(rate.LOW)


def by_the_largest(x):
    rate = rates(x)
    return max(rate) * x + sorted(rate)[0] * x + list(rate)[0]


def made_by_a_call(x):
    rate = enum.Enum("Rate", {"LOW": x, "HIGH": 2 * x}, type=float)
    return rate.LOW * rate.HIGH + sum(rate)


def made_by_a_call_of_pairs(x):
    rate = enum.Enum("Rate", [("LOW", x), ("HIGH", 2.0)])
    return rate.LOW.value * x


def methods(x):
    class Level(enum.Enum):
        LOW = x
        HIGH = x * x

        def scaled(self, k):
            return self.value * k

    return sum(level.scaled(x) for level in Level)


def containers_as_values(x):
    class Level(enum.Enum):
        PAIR = (x, 2.0)
        TABLE = {"w": x}

    return Level.PAIR.value[0] * Level.TABLE.value["w"]


def constants(x):
    class Planet(enum.Enum):
        EARTH = (5.9, 6.4)
        MARS = (0.64, 3.4)

        def __init__(self, mass, radius):
            self.mass, self.radius = mass, radius

        @property
        def gravity(self):
            return self.mass / self.radius**2

    return Planet.EARTH.gravity * x**2 + Planet["MARS"].mass * x


def counts(x):
    class Kind(enum.IntEnum):
        ONE = enum.auto()
        TWO = enum.auto()

    return x**Kind.TWO * Kind.ONE


RIGHT = [
    by_name, by_item, by_value, by_iteration, by_the_value_of_a_member, by_the_largest,
    made_by_a_call, made_by_a_call_of_pairs, methods, containers_as_values, constants, counts,
]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_agrees_with_differences(f):
    check_gradient(f, 1.7)


def tuples(x):
    class Pair(tuple, enum.Enum):
        ONE = (x, 2.0)

    return Pair.ONE[0] * x


def attributes(x):
    class Planet(enum.Enum):
        EARTH = (x, 6.4)

        def __init__(self, mass, radius):
            self.mass, self.radius = mass, radius

    return Planet.EARTH.mass * x


def another_number(x):
    class Own(float):
        pass

    class Rate(Own, enum.Enum):
        LOW = x

    return Rate.LOW * x


def computed(x):
    class Rate(enum.Enum):
        LOW = 2.0

        def __new__(cls, v):
            made = object.__new__(cls)
            made._value_ = v * x
            return made

    return Rate.LOW.value * x


@pytest.mark.parametrize(
    "f", [tuples, attributes, another_number, computed], ids=lambda f: f.__name__
)
def test_what_python_makes_of_it_in_passing_is_refused(f):
    with pytest.raises(Unsupported, match=r"^test_enum_calls.py:\d+: class \w+: .*has stored"):
        gradient(f, 1.7)


def test_a_class_made_by_a_call_is_of_the_module_of_the_caller():
    seen = []

    def f(x):
        seen.append(enum.Enum("Level", {"LOW": x}).__module__)
        return x

    f(1.0)
    gradient(f, 1.0)
    assert seen[0] == seen[1] == __name__
