"""Attributes that a recorded run has read are read again: of members of an Enum."""

import enum

import pytest

from tests.called_again import agrees_when_called_again

pytestmark = pytest.mark.order_matters


class Gain(enum.Enum):
    LOW = 1.0
    HIGH = 2.0

    def of(self, x):
        return self.value * x


class Level(enum.IntEnum):
    ONE = 1
    TWO = 2


class Pair(enum.Enum):
    FIRST = (1.0, 2.0)


class Word(enum.Enum):
    SHORT = "abc"


class Doubled(enum.Enum):
    A = 1.0

    @property
    def value(self):
        return self._value_ * 2


class Found(enum.Enum):
    A = 1.0
    B = 2.0

    @classmethod
    def _missing_(cls, key):
        return cls.A if low else cls.B


class Holder:
    gain = Gain.LOW


low = True


def by_value(x):
    return Gain.LOW.value * x


def by_the_attribute_behind(x):
    return Gain.LOW._value_ * x


def by_getattr(x):
    return getattr(Gain.LOW, "value") * x


def by_methods_of_all(x):
    return sum(gain.of(x) for gain in Gain)


def by_name(x):
    return Gain["LOW"].of(x)


def given(gain, x):
    return gain.value * x


def as_an_argument(x):
    return given(Gain.LOW, x)


def in_a_class(x):
    return Holder().gain.value * x


def by_a_part(x):
    return Pair.FIRST.value[0] * x


def by_a_text(x):
    return len(Word.SHORT.value) * x


def by_a_whole_number(x):
    return Level.ONE.value * x + Level.ONE * x


def by_the_name(x):
    return len(Gain.HIGH.name) * str(Gain.HIGH).count("+") * x + x


def in_an_order(x):
    return max(Gain, key=lambda gain: gain.value).value * x


def in_a_comprehension(x):
    return {gain.name: gain.value * x for gain in Gain if gain.value > 1.5}.get("LOW", x)


def by_a_pattern(x):
    match Gain.LOW:
        case Gain.LOW as gain:
            return gain.value * x


def by_a_property_of_its_own(x):
    return Doubled.A.value * x


def by_missing(x):
    return Found("any").value * x


OF_MEMBERS = [
    by_value, by_the_attribute_behind, by_getattr, by_methods_of_all, by_name, as_an_argument,
    in_a_class, by_a_part, by_a_text, by_a_whole_number, by_the_name, in_an_order,
    in_a_comprehension, by_a_pattern, by_a_property_of_its_own, by_missing,
]  # fmt: skip


def put(k):
    """Other values in the members."""
    global low
    Gain.LOW._value_ = Doubled.A._value_ = 1.0 + 2 * k
    Gain.HIGH._name_ = "HIGH" + "+" * k
    Level.ONE._value_ = 1 + k
    Pair.FIRST._value_ = (1.0 + k, 2.0)
    Word.SHORT._value_ = "abc" + "d" * k
    low = k == 0


@pytest.mark.parametrize("f", OF_MEMBERS, ids=lambda f: f.__name__)
def test_the_value_of_a_member_has_changed_between_calls(f):
    try:
        for k in range(3):
            put(k)
            agrees_when_called_again(f)
    finally:
        put(0)


def a_write_to_a_member(x):
    Gain.LOW._value_ = x * x
    return Gain.LOW.of(x) * Gain["LOW"].value


def test_a_member_that_is_written():
    agrees_when_called_again(a_write_to_a_member, lambda: put(0), lambda: Gain.LOW.value)
