"""Classes made inside of a function of numbers that count, and what Python calls while it makes
them: metaclasses of the bases, ``__set_name__``, ``__init_subclass__``.
"""

import abc
import enum
import sys
import types
import typing

import pytest

from astad import gradient, value_and_grad
from astad.errors import Unsupported
from astad.testing import check_gradient

T = typing.TypeVar("T")


# --- the metaclass of the bases -------------------------------------------------------------------


class Unit(type):
    """Whatever the body says, the gain is 1."""

    def __new__(meta, name, bases, space):
        made = super().__new__(meta, name, bases, space)
        made.gain = 1.0
        return made


class Doubling(type):
    def __init__(cls, name, bases, space):
        super().__init__(name, bases, space)
        cls.gain = cls.gain * 2


class Squaring(type):
    def __new__(meta, name, bases, space):
        space = dict(space)
        space["gain"] = space.get("gain", 1.0) ** 2
        return type.__new__(meta, name, bases, space)


class Listing(type):
    def __new__(meta, name, bases, space, scale=1.0):
        made = type.__new__(meta, name, bases, space)
        made.gains = [scale * space.get("gain", 1.0)]
        return made

    def __init__(cls, name, bases, space, scale=1.0):
        super().__init__(name, bases, space)


class Checked(abc.ABCMeta):
    def __new__(meta, name, bases, space):
        made = super().__new__(meta, name, bases, space)
        made.gain = made.gain * 5
        return made


class Called(type):
    def __call__(cls, value):
        made = super().__call__(value)
        made.value = made.value * cls.gain
        return made


UnitBase = Unit("UnitBase", (), {})
DoublingBase = Doubling("DoublingBase", (), {"gain": 1.0})
SquaringBase = Squaring("SquaringBase", (), {})
ListingBase = Listing("ListingBase", (), {})


class CheckedBase(metaclass=Checked):
    gain = 1.0


class CalledBase(metaclass=Called):
    def __init__(self, value):
        self.value = value


def attribute_overwritten_by_new(x):
    return type("Made", (UnitBase,), {"gain": x})().gain * x


def attribute_changed_by_init(x):
    return type("Made", (DoublingBase,), {"gain": x})().gain * x


def namespace_changed_by_new(x):
    return type("Made", (SquaringBase,), {"gain": x}).gain * x


def number_kept_in_a_list(x):
    return type("Made", (ListingBase,), {"gain": x}, scale=x * x).gains[0]


def metaclass_of_the_second_base(x):
    class Plain:
        extra = x

    made = type("Made", (Plain, SquaringBase), {"gain": x})
    return made.gain * made.extra


def derived_from_the_abstract_one(x):
    made = abc.ABCMeta("Made", (CheckedBase,), {"gain": x})
    return made.gain + type("Made", (CheckedBase,), {"gain": x * x}).gain


def new_of_type_by_its_name(x):
    return type.__new__(type, "Made", (SquaringBase,), {"gain": x}).gain


def call_of_the_metaclass(x):
    return type("Made", (CalledBase,), {"gain": x})(x).value


def metaclass_of_a_metaclass(x):
    class Above(type):
        def __call__(meta, name, bases, space):
            return super().__call__(name, bases, {**space, "gain": x * 3})

    class Meta(type, metaclass=Above):
        pass

    class Made(metaclass=Meta):
        gain = 1.0

    return Made.gain * x


def function_in_its_place(x):
    def made(name, bases, space, scale):
        return scale * space["gain"]

    class Number(metaclass=made, scale=x):
        gain = x * x

    return Number


# --- __init_subclass__ ----------------------------------------------------------------------------


class Doubled:
    def __init_subclass__(cls, scale=2.0, **words):
        super().__init_subclass__(**words)
        cls.gain = cls.gain * scale


class WithSlots:
    __slots__ = ("value",)

    def __init_subclass__(cls, scale=2.0):
        cls.gain = cls.gain * scale


class Pair(tuple):
    __slots__ = ()

    def __init_subclass__(cls):
        cls.gain = cls.gain * 2


class Failure(ValueError):
    def __init_subclass__(cls):
        cls.gain = cls.gain * 2


class Abstract(abc.ABC):
    @abc.abstractmethod
    def run(self): ...

    def __init_subclass__(cls):
        cls.gain = cls.gain * 2


def by_a_statement(x):
    class Made(Doubled):
        gain = x

    return Made().gain * x


def by_type(x):
    return type("Made", (Doubled,), {"gain": x}, scale=x).gain


def by_new_class(x):
    made = types.new_class("Made", (Doubled,), {"scale": x}, lambda space: space.update(gain=x))
    return made.gain


def with_slots(x):
    class Made(WithSlots, scale=x):
        __slots__ = ("other",)
        gain = x

    made = Made()
    made.value = made.other = x
    return made.value * made.other * made.gain


def of_tuples(x):
    class Made(Pair):
        gain = x

    first, second = Made((x, 2.0))
    return first * second * Made.gain


def of_exceptions(x):
    class Made(Failure):
        gain = x

    try:
        raise Made(x)
    except Failure as failure:
        return failure.args[0] * failure.gain


def of_abstract_classes(x):
    class Made(Abstract):
        gain = x

        def run(self):
            return self.gain * x

    return Made().run()


def of_generic_classes(x):
    class Made(Doubled, typing.Generic[T]):
        gain = x

    return Made[int]().gain * x


def name_deleted(x):
    class Moving:
        def __init_subclass__(cls):
            cls.moved = cls.gain * 3
            del cls.gain

    return type("Made", (Moving,), {"gain": x}).moved * x


def numbers_of_the_body_collected(x):
    class Summing:
        def __init_subclass__(cls):
            cls.total = sum(v for v in vars(cls).values() if isinstance(v, float))

    class Made(Summing):
        first = x
        second = x * x

    return Made.total * Made.first


def base_written(x):
    class Base:
        total = 0.0

        def __init_subclass__(cls):
            Base.total += cls.cost

    for cost in (x, x * x, 2.0):
        type("Made", (Base,), {"cost": cost})
    return Base.total * x


# --- __set_name__ ---------------------------------------------------------------------------------


class Tripled:
    def __set_name__(self, owner, name):
        owner.extra = owner.gain * 3

    def __get__(self, o, owner):
        return owner.gain * 2


class Field:
    def __init__(self, default):
        self.default = default

    def __set_name__(self, owner, name):
        self.name = "_" + name
        owner.total = getattr(owner, "total", 0.0) + self.default

    def __get__(self, o, owner):
        return self if o is None else o.__dict__.get(self.name, self.default)

    def __set__(self, o, value):
        o.__dict__[self.name] = value * 2


class Replaced:
    def __init__(self, value):
        self.value = value

    def __set_name__(self, owner, name):
        setattr(owner, name, self.value * 2)


class Quantity(float):
    def __set_name__(self, owner, name):
        setattr(owner, f"twice_{name}", self * 2.0)


def owner_read_and_written(x):
    class Made:
        gain = x
        field = Tripled()

    return Made().field * Made.extra


def owner_of_a_call_of_type(x):
    made = type("Made", (), {"gain": x, "field": Tripled()})
    return made().field * made.extra


def owner_of_new_class(x):
    made = types.new_class("Made", (), {}, lambda s: s.update(gain=x, field=Tripled()))
    return made().field * made.extra


def sum_over_the_fields(x):
    class Made:
        width = Field(x)
        height = Field(x * 2)

    made = Made()
    made.width = made.height * 2
    return made.width * made.height + Made.total


def descriptor_that_puts_a_number_in_its_place(x):
    class Made:
        first = Replaced(x)
        second = Replaced(x * x)

    return Made.first * Made.second


def number_that_is_told_its_name(x):
    class Made:
        length = Quantity(x)

    return Made.twice_length * Made.length


def abstract_class_with_slots(x):
    class Made(abc.ABC):
        __slots__ = ("_field",)
        gain = x
        field = Tripled()

    return Made().field * Made.extra


def names_first_then_subclass(x):
    class Base:
        def __init_subclass__(cls):
            cls.total = cls.total * cls.gain

    class Made(Base):
        gain = x
        first = Field(x)
        second = Field(x * x)

    return Made.total * Made().first


PROGRAMS = [
    attribute_overwritten_by_new, attribute_changed_by_init, namespace_changed_by_new,
    number_kept_in_a_list, metaclass_of_the_second_base, derived_from_the_abstract_one,
    new_of_type_by_its_name, call_of_the_metaclass, metaclass_of_a_metaclass, function_in_its_place,
    by_a_statement, by_type, by_new_class, with_slots, of_tuples, of_exceptions,
    of_abstract_classes, of_generic_classes, name_deleted, numbers_of_the_body_collected,
    base_written, owner_read_and_written, owner_of_a_call_of_type, owner_of_new_class,
    sum_over_the_fields, descriptor_that_puts_a_number_in_its_place, number_that_is_told_its_name,
    abstract_class_with_slots, names_first_then_subclass,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_classes_made_in_a_function(program):
    check_gradient(program, 1.5)
    value, _ = value_and_grad(program)(3.0)
    assert value == program(3.0)


def test_bases_and_memory_are_those_of_the_plain_class():
    held = []

    def made(x):
        class Made(WithSlots):
            __slots__ = ()
            gain = x

        assert not hasattr(Made(), "__dict__")
        assert Made.__bases__ == (WithSlots,)
        held.append([*vars(Made)])
        assert type("Other", (WithSlots,), {"gain": x}).__module__ == __name__
        return Made.gain

    made(3.0)
    assert gradient(made, 3.0) == (2.0,)
    plain, *others = held
    assert "gain" in plain and others and all(each == plain for each in others)


def test_error_of_a_set_name():
    class Fussy:
        def __set_name__(self, owner, name):
            raise KeyError(name)

    def made(x):
        type("Made", (), {"gain": x, "field": Fussy()})
        return x

    kind = RuntimeError if sys.version_info < (3, 12) else KeyError
    for run in (made, lambda x: gradient(made, x)):
        with pytest.raises(kind) as caught:
            run(3.0)
        texts = [str(caught.value), *getattr(caught.value, "__notes__", ())]
        assert "Error calling __set_name__ on 'Fussy' instance 'field' in 'Made'" in texts


def test_enum_whose_bases_sum_its_members():
    class Summed(enum.Enum):
        def __init_subclass__(cls):
            cls.total = sum(member.value for member in cls)

    def total(x):
        class Rate(Summed):
            LOW = x
            HIGH = x * x

        return Rate.total

    with pytest.raises(Unsupported, match="class Rate: a derivative through what this call has"):
        gradient(total, 3.0)


def test_generic_base_before_one_that_is_told_of_subclasses():
    def gain(x):
        class Made(typing.Generic[T], Doubled):
            gain = x

        return Made.gain

    with pytest.raises(Unsupported, match="class Made: a derivative through what this call"):
        gradient(gain, 3.0)
