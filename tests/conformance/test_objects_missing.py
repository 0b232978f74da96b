"""When ``__getattr__`` is asked: for what is nowhere, and where a descriptor raises the error."""

import pytest

from tests.conformance.harness import conforms
from tests.conformance.programs import Programs

programs = Programs()


class Lazy:
    gain = None

    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name.startswith("no_"):
            raise AttributeError(name)
        return self.x * len(name)


@programs.at(2.0)
def an_attribute_of_the_class_is_none(x):
    o = Lazy(x)
    y = x if o.gain is None else o.gain * x
    return y * (2 if hasattr(o, "gain") else 3) + (x if getattr(o, "gain", 1) is None else 0)


class Doubling(Lazy):
    @property
    def doubled(self):
        self.x = self.x * 2
        return self.no_such

    @property
    def halved(self):
        return self.x / 2


@programs.at(2.0)
def a_property_that_raises_after_a_write(x):
    o = Doubling(x)
    return o.doubled * o.x + o.halved


@programs.at(2.0)
def getattr_and_hasattr_of_a_property_that_raises(x):
    o = Doubling(x)
    return getattr(o, "doubled", 1.0) * hasattr(o, "doubled") * o.x


class Refusing:
    def __get__(self, o, kind=None):
        raise AttributeError("refused")


class Behind(Lazy):
    described = Refusing()


@programs.at(2.0)
def a_descriptor_that_raises(x):
    return Behind(x).described ** 2


class Slotted:
    __slots__ = ("late", "x")

    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        self.late = self.x * 3
        return self.late


@programs.at(2.0)
def an_empty_slot(x):
    o = Slotted(x)
    return o.late + o.late**2


class Meta(type):
    unit = None

    def __getattr__(cls, name):
        return 7.0


class Made(metaclass=Meta):
    held = None


@programs.at(2.0)
def classes_of_which_an_attribute_is_none(x):
    y = x if Made.held is None else Made.held * x
    return y * (3 if Made.unit is None else Made.unit) + Made.other * x


class Closed:
    __contains__ = None

    def __iter__(self):
        return iter([1.0])


@programs.at(2.0)
def membership_taken_away(x):
    try:
        found = 1.0 in Closed()
    except TypeError:
        return x * x
    return x * found


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_missing(program, args, options):
    conforms(program, *args, **options)
