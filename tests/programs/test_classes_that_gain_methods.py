"""A class gets an operator, a hook or a descriptor after functions that use it have been compiled:
what Python looks for first, and did not find by then.
"""

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import pytest

import astad
from astad.testing import check_gradient

pytestmark = pytest.mark.order_matters


class Held:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Held(self.v + (o if o > 0 else -o))

    def __sub__(self, o):
        return Held(self.v - (o if o > 0 else -o))

    def __mul__(self, o):
        return Held(self.v * o)

    def fixed(self=None):
        return 3.0 if self is not None else 7.0


class Base:
    def factor(self):
        return 3.0


class Derived(Base):
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Derived(self.v + o)


class Pair(NamedTuple):
    first: float
    second: float


@dataclass
class Record:
    v: float

    def __mul__(self, o):
        return Record(self.v * o)


OUTSIDE = Held(3.0)


def added(x):
    y = Held(x)
    y += 2.0
    return y.v * x


def taken_from_an_item(x):
    d = {"y": Held(x)}
    d["y"] -= 0.5
    return d["y"].v * x


def multiplied_in_a_loop(x):
    y = Held(1.0)
    for _ in (1, 2, 3):
        y *= x
    return y.v * x


def changed(held, x):
    held += x
    return held


def added_in_a_callee(x):
    return changed(Held(x), 3.0).v * x


def added_to_a_global(x):
    y = OUTSIDE
    y += x
    return y.v * x


def added_with_a_base(x):
    y = Derived(x)
    y += 2.0
    return y.v * x


def of_a_data_class(x):
    y = Record(x)
    y *= x
    return y.v


def of_an_attribute(x):
    y = Record(Held(x))
    y.v += 2.0
    return y.v.v * x


def called_as_a_method(x):
    return Held(x).fixed() * x


def of_a_base_that_is_another(x):
    y = Derived(x)
    return y.factor() * y.v * x


def items_of_a_pair(x):
    p = Pair(x, 2.0)
    return p[0] * p[1] * x


def parts_of_a_pair(x):
    first, second = Pair(x, 2.0)
    return first * second * x


def length_of_a_pair(x):
    p = Pair(x, 2.0)
    return len(p) * p.first * x


def field_of_a_pair(x):
    p = Pair(x, 2.0)
    return p.first * p.second * x


def pair_replaced(x):
    p = Pair(x, 2.0)._replace(second=x)
    return p.first * p.second * x


def area(a, b):
    return a * a * b


def pair_for_arguments(x):
    return area(*Pair(x, 2.0)) * x


def sum_of_a_pair(x):
    total = 0.0
    for part in Pair(x, 2.0):
        total += part * x
    return total


def sevenfold(self, *rest):
    return Held(self.v * 7.0)


def one(self, *rest):
    return 1.0


def seven(self):
    return 7


def two(self):
    return iter((7.0, 9.0))


def another(self, **words):
    return Pair(7.0, 9.0)


class OtherBase:
    def factor(self):
        return 9.0


CASES = [
    (added, Held, "__iadd__", sevenfold),
    (taken_from_an_item, Held, "__isub__", sevenfold),
    (multiplied_in_a_loop, Held, "__imul__", sevenfold),
    (added_in_a_callee, Held, "__iadd__", sevenfold),
    (added_to_a_global, Held, "__iadd__", sevenfold),
    (added_with_a_base, Base, "__iadd__", sevenfold),
    (of_a_data_class, Record, "__imul__", sevenfold),
    (of_an_attribute, Held, "__iadd__", sevenfold),
    (called_as_a_method, Held, "fixed", staticmethod(Held.fixed)),
    (items_of_a_pair, Pair, "__getitem__", one),
    (parts_of_a_pair, Pair, "__iter__", two),
    (length_of_a_pair, Pair, "__len__", seven),
    (field_of_a_pair, Pair, "first", property(one)),
    (pair_replaced, Pair, "_replace", another),
    (pair_for_arguments, Pair, "__iter__", two),
    (sum_of_a_pair, Pair, "__iter__", two),
]


def guarded(f):
    """The same in a function that no one text can hold."""

    def inner(x):
        try:
            return f(x)
        except ZeroDivisionError:
            return 0.0

    return inner


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("around", [lambda f: f, guarded], ids=["plain", "in a try"])
@pytest.mark.parametrize(("f", "cls", "name", "method"), CASES, ids=[c[0].__name__ for c in CASES])
def test_what_a_class_gets_later_is_asked(f, cls, name, method, around, times, monkeypatch):
    f = around(f)
    before = f(2.0)
    for _ in range(times):
        assert astad.value_and_grad(f)(2.0)[0] == before
    with monkeypatch.context() as patch:
        patch.setattr(cls, name, method, raising=False)
        assert f(2.0) != before
        for _ in range(times):
            assert astad.value_and_grad(f)(2.0)[0] == f(2.0)
            check_gradient(f, 2.0)
            assert astad.jvp(f, (2.0,), (1.0,))[0] == f(2.0)
    assert astad.value_and_grad(f)(2.0)[0] == before


def test_another_base_is_asked():
    f = of_a_base_that_is_another
    for _ in range(3):
        assert astad.value_and_grad(f)(2.0) == (12.0, 12.0)
    Derived.__bases__ = (OtherBase,)
    try:
        for _ in range(3):
            assert astad.value_and_grad(f)(2.0) == (f(2.0), 36.0)
    finally:
        Derived.__bases__ = (Base,)
    assert astad.value_and_grad(f)(2.0) == (12.0, 12.0)


# --- the method of a class derived from it goes before


class Length:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Length(self.v + o.v)


class Rounded(Length):
    def __radd__(self, o):
        return Length(7.0 * o.v * self.v)


ROUNDED = Rounded(3.0)


def longer(x):
    return (Length(x) + ROUNDED).v * x


def longer_by_what_is_picked(x):
    unit = [ROUNDED, None][0]
    return (Length(x) + unit).v * x


def picked():
    return ROUNDED


def longer_by_what_a_callee_gives(x):
    length = Length(x)
    length += picked()
    return length.v * x


def longer_in_a_loop(x):
    length = Length(x)
    for _ in range(2):
        length = length + ROUNDED
    return length.v


def longer_by_an_argument(x, unit):
    return (Length(x) + unit).v * x


@pytest.mark.parametrize(
    ("f", "rest"),
    [
        (longer, ()),
        (longer_by_what_is_picked, ()),
        (longer_by_what_a_callee_gives, ()),
        (longer_in_a_loop, ()),
        (longer_by_an_argument, (ROUNDED,)),
    ],
)
def test_the_reflected_method_of_a_derived_class_goes_before(f, rest):
    for _ in range(3):
        assert astad.value_and_grad(f)(2.0, *rest)[0] == f(2.0, *rest)
        check_gradient(lambda x: f(x, *rest), 2.0)


class Width:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Width(self.v + o.v)


MADE = [Width(3.0)]


def wider(x):
    return (Width(x) + MADE[0]).v * x


def test_a_class_derived_later_is_asked():
    assert astad.gradient(wider, 2.0) == (7.0,)

    class Snapped(Width):
        def __radd__(self, o):
            return Width(7.0 * o.v * self.v)

    MADE[0] = Snapped(3.0)
    assert wider(2.0) == 84.0
    for _ in range(3):
        assert astad.value_and_grad(wider)(2.0) == (84.0, 84.0)


# --- named tuples with methods of their own


class Turned(namedtuple("Turned", "first second")):
    def __iter__(self):
        return iter((self.second, 3.0))


class Shifted(namedtuple("Shifted", "first second")):
    def __getitem__(self, at):
        return 5.0 * tuple.__getitem__(self, at)


class Emptied(namedtuple("Emptied", "first second")):
    def __len__(self):
        return 7


class Covered(namedtuple("Covered", "first second")):
    @property
    def first(self):
        return 3.0 * self[0]


class Everywhere(namedtuple("Everywhere", "first second")):
    def __contains__(self, word):
        return True


def walked(x):
    first, second = Turned(x, x * x)
    return first * second


def walked_by_a_loop(x):
    total = 0.0
    for part in Turned(x, x * x):
        total += part
    return total


def indexed(x):
    return Shifted(x, 2.0)[0] * x


def measured(x):
    p = Emptied(x, 2.0)
    return len(p) * p.first * x


def read(x):
    p = Covered(x, 2.0)
    return p.first * p.second * x


def searched(x):
    return x * x if "w" in Everywhere(x, "u") else x


@pytest.mark.parametrize("f", [walked, walked_by_a_loop, indexed, measured, read, searched])
def test_named_tuples_with_methods_of_their_own(f):
    for _ in range(3):
        assert astad.value_and_grad(f)(2.0)[0] == f(2.0)
        check_gradient(f, 2.0)


# --- objects in classes that become descriptors


class Marker:
    pass


class Host:
    d = Marker()

    def __init__(self, v):
        self.__dict__["d"] = v

    def area(self, x):
        return self.d * x


class Below(Host):
    pass


HOST, BELOW = Host(2.0), Below(2.0)
FIELDS = {"host": HOST}


def of_a_global(x):
    return HOST.d * x * x


def of_a_base(x):
    return BELOW.d * x * x


def in_a_method(x):
    return HOST.area(x) * x


def in_a_dict(x):
    return FIELDS["host"].d * x * x


def made_inside(x):
    return Host(x).d * x


def of_an_argument(host, x):
    return host.d * x * x


def get(self, o, cls):
    return 9.0


def put(self, o, v):
    o.__dict__["d"] = v


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("f", [of_a_global, of_a_base, in_a_method, in_a_dict, made_inside])
def test_an_object_in_a_class_becomes_a_descriptor(f, times, monkeypatch):
    before = f(2.0)
    for _ in range(times):
        assert astad.value_and_grad(f)(2.0)[0] == before
    with monkeypatch.context() as patch:
        patch.setattr(Marker, "__get__", get, raising=False)
        patch.setattr(Marker, "__set__", put, raising=False)
        assert f(2.0) != before
        for _ in range(times):
            assert astad.value_and_grad(f)(2.0)[0] == f(2.0)
            check_gradient(f, 2.0)
    assert astad.value_and_grad(f)(2.0)[0] == before


def test_an_object_in_the_class_of_an_argument_becomes_a_descriptor(monkeypatch):
    for _ in range(3):
        assert astad.gradient(of_an_argument, HOST, 3.0)[1] == 12.0
    monkeypatch.setattr(Marker, "__get__", get, raising=False)
    monkeypatch.setattr(Marker, "__set__", put, raising=False)
    for _ in range(3):
        assert astad.gradient(of_an_argument, HOST, 3.0)[1] == 54.0
