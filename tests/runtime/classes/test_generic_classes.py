"""Attributes of classes, read and written by an alias with parameters, and those of an Enum."""

import enum
import types
import typing

import pytest

from tests.called_again import agrees_when_called_again

pytestmark = pytest.mark.order_matters
T = typing.TypeVar("T")


class Store(typing.Generic[T]):
    rate = 1.0

    def __init__(self, v=0.0):
        self.v = v

    @classmethod
    def double(cls):
        return cls.rate * 2


class Kid(Store[float]):
    pass


class ByHand:
    rate = 1.0

    def __class_getitem__(cls, item):
        return types.GenericAlias(cls, item)

    @classmethod
    def double(cls):
        return cls.rate * 2


class Items(list):
    rate = 1.0


class Mode(enum.Enum):
    A = 1
    B = 2.5

    def scaled(self, x):
        return type(self).scale * self.value * x


class Number(enum.IntEnum):
    ONE = 1


Stored, Handled, Listed = Store[float], ByHand[int], Items[int]


def read_by_an_alias(x):
    Store.rate = x * x
    return Stored.rate * x


def written_by_an_alias(x):
    Stored.rate = x * x
    return Store.rate * Stored.rate


def by_getattr_and_setattr(x):
    setattr(Stored, "rate", x * x)
    return getattr(Stored, "rate", 2.0) * (x if hasattr(Stored, "rate") else 1.0)


def written_twice(x):
    Stored.rate = x
    Stored.rate *= x
    return Stored.rate * x


def by_a_class_method(x):
    Stored.rate = x * x
    return Stored.double() * Kid.double() * Kid(x).v


def by_the_class_of_an_object(x):
    made = Store[int](x)
    Store.rate = x * x
    return made.__orig_class__.rate * made.v


def by_an_alias_of_python(x):
    ByHand.rate = x * x
    return Handled.rate * Handled.double() * getattr(Handled, "missing", x)


def by_an_alias_made_by_hand(x):
    alias = types.GenericAlias(Items, (int,))
    Items.rate = x * x
    return alias.rate * Listed.rate * alias.__origin__.rate


def written_by_an_alias_of_python(x):
    try:
        Handled.rate = x
    except AttributeError:
        return x * x
    return ByHand.rate * Handled.rate * x


def what_an_alias_has_itself(x):
    Stored.__note__ = x * x
    return Stored.__note__ * (1.0 if hasattr(Store, "__note__") else x)


def what_none_has(x):
    try:
        return Stored.missing
    except AttributeError:
        return x * getattr(Stored, "missing", x)


def of_an_enum(x):
    Mode.scale = x * x
    return Mode.scale * x


def of_an_enum_by_its_members(x):
    setattr(Mode, "scale", x * x)
    return Mode.B.scaled(x) * Mode.A.scale


def written_again_in_an_enum(x):
    Mode.scale = x
    Mode.scale = Mode.scale * x
    y = Mode.scale * x
    del Mode.scale
    return y * (3.0 if hasattr(Mode, "scale") else x)


def of_an_enum_of_whole_numbers(x):
    Number.weight = x * x
    return Number.weight * Number.ONE * x


def a_member_is_not_written(x):
    try:
        Mode.A = x
    except AttributeError:
        return x * x
    return x


PROGRAMS = [
    read_by_an_alias, written_by_an_alias, by_getattr_and_setattr, written_twice,
    by_a_class_method, by_the_class_of_an_object, by_an_alias_of_python, by_an_alias_made_by_hand,
    written_by_an_alias_of_python, what_an_alias_has_itself, what_none_has, of_an_enum,
    of_an_enum_by_its_members, written_again_in_an_enum, of_an_enum_of_whole_numbers,
    a_member_is_not_written,
]  # fmt: skip


def restore():
    Store.rate = ByHand.rate = Items.rate = Mode.scale = Number.weight = 1.0


def left():
    return Store.rate, ByHand.rate, Items.rate, getattr(Mode, "scale", None), Number.weight


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_class_by_another_name(f):
    agrees_when_called_again(f, restore, left)
