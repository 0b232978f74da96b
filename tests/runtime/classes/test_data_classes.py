"""Dataclasses made inside of a function of numbers that count: defaults of their bases, those that
descriptors give, and classes that are made twice for their slots.
"""

import dataclasses
from dataclasses import dataclass, field

import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


class Default:
    """As in the documentation of `dataclasses`: descriptor-typed fields."""

    def __init__(self, *, default):
        self.default = default

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, o, owner):
        return self.default if o is None else getattr(o, self.name, self.default)

    def __set__(self, o, value):
        setattr(o, self.name, value * 2)


class Grown:
    def __init_subclass__(cls):
        cls.extra = getattr(cls, "extra", 1.0) * cls.base


def base_rewritten_by_init_subclass(x):
    @dataclass
    class Base:
        a: float = x

        def __init_subclass__(cls):
            cls.a = cls.a * 2

    @dataclass
    class Kid(Base):
        b: float = x * 5

    return Base().a + Kid().a * Kid.a + Kid().b


def attribute_without_annotation(x):
    @dataclass
    class Base:
        a: float = x

    @dataclass
    class Kid(Base):
        a = Base.a * 2

    return Kid.a * Kid().a + Base().a


def attribute_written_before(x):
    @dataclass
    class Base:
        a: float = x

    class Kid(Base):
        b: float = x * 5

    Kid.a = Kid.a * 2
    kid = dataclass(Kid)
    return kid.a * kid().a + kid().b


def inherited_fields(x):
    @dataclass
    class Base:
        a: float = field(default=x)

    @dataclass
    class Kid(Base):
        b: float = field(default=x * 2, kw_only=True)

    return Kid().a * Kid().b * Base().a * Base.a * Kid.a * Kid.b


def default_of_a_descriptor(x):
    @dataclass
    class Made:
        a: float = Default(default=x)
        b: float = Default(default=x * x)

    return Made().a * Made(b=x).b * x


def attribute_changed_before_the_fields(x):
    class Doubled:
        def __init_subclass__(cls):
            cls.a = cls.a * 2

    @dataclass(frozen=True)
    class Made(Doubled):
        a: float = x

    return Made().a * Made(a=x).a


def slots(x):
    @dataclass(slots=True, frozen=True, weakref_slot=True)
    class Made:
        a: float = x * 2
        b: float = field(default=x)
        base = x

        def total(self):
            return self.a * self.base * x

    return Made().total() * Made(x).b


def slots_of_a_class_that_is_told_twice(x):
    @dataclass(slots=True)
    class Made(Grown):
        a: float = x * 2
        base = x

    return Made().a * Made.extra


PROGRAMS = [
    base_rewritten_by_init_subclass, attribute_without_annotation, attribute_written_before,
    inherited_fields, default_of_a_descriptor, attribute_changed_before_the_fields, slots,
    slots_of_a_class_that_is_told_twice,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_dataclasses_made_in_a_function(program):
    check_gradient(program, 1.5)


def test_descriptor_that_counts_how_often_it_is_asked():
    class Counted(Default):
        asked = 0

        def __get__(self, o, owner):
            Counted.asked += 1
            return super().__get__(o, owner)

    def area(x):
        @dataclasses.dataclass
        class Made:
            a: float = Counted(default=x)

        return Made().a * x

    with pytest.raises(Unsupported, match="Made.a: a derivative through this: its __get__"):
        gradient(area, 3.0)
