"""Attributes of classes that lie in the metaclass, in its bases, or are computed there."""

import abc
import operator

import pytest

from tests.called_again import agrees_when_called_again

pytestmark = pytest.mark.order_matters


class Counting(type):
    total = 0.0
    rate = 1.0
    base = 2.0

    def __call__(cls, *args):
        if args:
            Counting.total += args[0] * args[0]
        return super().__call__(*args)

    @property
    def twice(cls):
        return cls.base * 2

    @classmethod
    def of_all(meta, v):
        return meta.rate * v

    def __getitem__(cls, v):
        return cls.rate * v

    def __contains__(cls, v):
        return cls.rate > v

    def __add__(cls, v):
        return cls.rate * v + v


class Counted(metaclass=Counting):
    def __init__(self, x=0.0):
        self.x = x

    @classmethod
    def so_far(cls):
        return cls.total * cls.rate

    def by_its_class(self):
        return self.__class__.total * type(self).rate * self.x


class Kid(Counted):
    pass


class Deep(Counting):
    @property
    def above(cls):
        return super().base * super().rate


class OfDeep(Counted, metaclass=Deep):
    pass


class Abstract(abc.ABCMeta):
    rate = 1.0


class Concrete(metaclass=Abstract):
    pass


class Fallback(type):
    rate = 1.0

    def __getattr__(cls, name):
        return cls.rate * len(name)

    @property
    def bad(cls):
        raise AttributeError("bad")


class WithFallback(metaclass=Fallback):
    pass


class First(type):
    slope = property(lambda cls: cls.own * 2)


class Hidden(metaclass=First):
    slope = 7.0
    own = 3.0


def by_the_call_of_the_metaclass(x):
    a = Counted(x)
    return Counted.total * a.x


def by_a_write_to_the_metaclass(x):
    Counting.rate = x * x
    return Counted.rate * x


def by_getattr(x):
    Counting.rate = x * x
    found = getattr(Counted, "rate") * getattr(Kid, "rate", 5.0)
    return found if hasattr(Kid, "rate") else x


def by_attrgetter(x):
    setattr(type(Counted), "rate", x * x)
    return operator.attrgetter("rate")(Counted) * x


def by_type_getattribute(x):
    Counting.rate = x * x
    return type.__getattribute__(Counted, "rate") * x


def in_a_class_method(x):
    Counting.rate = x
    Counted(x)
    return Counted.so_far()


def in_a_method(x):
    return Kid(x).by_its_class()


def in_a_property(x):
    Counting.base = x * x
    return Counted.twice * Kid.twice


def by_super_in_the_metaclass(x):
    Counting.base = x * x
    return OfDeep.above * OfDeep.base


def by_a_class_method_of_the_metaclass(x):
    Counting.rate = x * x
    return Counted.of_all(x) + OfDeep.of_all(x)


def by_operators(x):
    Counting.rate = x * x
    return Counted[x] * (Counted + x) * (x if 0.1 in Counted else 1.0)


def of_an_abstract_class(x):
    Abstract.rate = x * x
    return Concrete.rate * x


def of_classes_made_inside(x):
    class Made(type):
        rate = x * x

    class Own(metaclass=Made):
        pass

    return Own.rate * x


def shadowed_by_the_class(x):
    Counting.rate = x
    Counted.rate *= x
    y = Counted.rate * Kid.rate
    del Counted.rate
    return y * Counted.rate


def by_the_fallback(x):
    Fallback.rate = x * x
    return WithFallback.missing * x


def by_the_fallback_of_a_property(x):
    Fallback.rate = x * x
    return WithFallback.bad * x


def by_a_property_that_goes_first(x):
    Hidden.own = x * x
    return Hidden.slope * x


def of_a_list(x):
    Counting.weights = [x, x * x]
    return Counted.weights[1] * x


PROGRAMS = [
    by_the_call_of_the_metaclass, by_a_write_to_the_metaclass, by_getattr, by_attrgetter,
    by_type_getattribute, in_a_class_method, in_a_method, in_a_property, by_super_in_the_metaclass,
    by_a_class_method_of_the_metaclass, by_operators, of_an_abstract_class, of_classes_made_inside,
    shadowed_by_the_class, by_the_fallback, by_the_fallback_of_a_property,
    by_a_property_that_goes_first, of_a_list,
]  # fmt: skip


def restore():
    Counting.total, Counting.rate, Counting.base = 0.0, 1.0, 2.0
    Abstract.rate = Fallback.rate = 1.0
    Hidden.own = 3.0
    Counting.weights = None


def left():
    return Counting.total, Counting.rate, Counting.base, Abstract.rate, Fallback.rate, Hidden.own


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_class_has_what_its_metaclass_has(f):
    agrees_when_called_again(f, restore, left)


class Shared(type):
    rate = 2.0

    def scaled(cls, v):
        return cls.rate * v


class Sharing(metaclass=Shared):
    pass


def test_what_a_recorded_run_has_read_of_a_metaclass_is_read_again():
    def f(x):
        return Sharing.rate * Sharing.scaled(x)

    def put(n):
        Shared.rate = float(n)
        if n == 7:
            Sharing.scaled = lambda v: 5.0 * v

    try:
        for n in range(1, 9):
            put(n)
            agrees_when_called_again(f, points=(1.5,))
    finally:
        del Sharing.scaled
