"""Descriptors and hooks of Python that a program calls itself."""

import collections
import functools
import types

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from tests.programs.everywhere import right_everywhere


class Plain:
    def __init__(self, v):
        self.v = v

    @property
    def twice(self):
        return 2 * self.v


class loud(property):  # as property
    def __get__(self, o, t=None):
        return self if o is None else super().__get__(o, t) * 5


class Loud:
    def __init__(self, v):
        self.v = v

    @loud
    def five(self):
        return self.v


class Delegating:
    def __init__(self, p):
        self.p = p

    def __get__(self, o, t=None):
        return self.p.__get__(o, t) * 5


class Delegated(Plain):
    twice = Delegating(Plain.twice)


class Overriding(Plain):
    @property
    def twice(self):
        return Plain.twice.__get__(self) * 3


class Cached(Plain):
    @functools.cached_property
    def square(self):
        return self.v * self.v


class Doubling(collections.defaultdict):
    def __missing__(self, key):
        return super().__missing__(key) * 2


class Static:
    square = staticmethod(lambda q: q * q)


def by_class_attribute(x):
    return Static.__dict__["square"](x)


def by_loop_over_properties(x):
    found = [getattr(Plain, name).__get__(Plain(x)) for name in ("twice", "twice")]
    return sum(found) * x


def missing_array(x):
    table = Doubling(lambda: np.array([x, x * x]))
    return np.sum(table["a"]) + table["a"][1]


def missing_in_a_loop(x):
    table = collections.defaultdict(lambda: x * x)
    total = 0.0
    for key in "aba":
        total += table[key] if key in table else table.__missing__(key)
    return total


def square(q):
    return q * q


def scaled(self, k):
    return self * k


def bound_to_a_number(x):
    by = scaled.__get__(x)
    return by(2.0) + types.MethodType(scaled, x)(x)


class Passing:
    def __init__(self, f):
        self.f = f

    def __getattr__(self, name):
        return getattr(self.f, name)


PROGRAMS = [
    (lambda x: square.__call__(x), 6.0),
    (lambda x: type(square).__call__(square, q=x), 6.0),
    (lambda x: Plain(x).__init__.__call__(x) or x * x, 6.0),
    (lambda x: functools.partial(scaled, x).__call__(x), 6.0),
    (lambda x: abs.__call__(x * x), 6.0),
    (lambda x: sum(map(square.__call__, [x, x])), 12.0),
    (lambda x: Passing(square).__call__(x), 6.0),
    (bound_to_a_number, 8.0),
    (lambda x: Plain.twice.__get__(Plain(x)) * x, 12.0),
    (lambda x: Plain.twice.__get__(Plain(x), Plain) * x, 12.0),
    (lambda x: property.__get__(Plain.twice, Plain(x), Plain) * x, 12.0),
    (lambda x: Plain.twice.fget(Plain(x)) * x, 12.0),
    (lambda x: Loud(x).five * x, 30.0),
    (lambda x: Delegated(x).twice * x, 60.0),
    (lambda x: Overriding(x).twice * x, 36.0),
    (lambda x: Cached.square.__get__(Cached(x)) * x, 27.0),
    (lambda x: Plain.__init__.__get__(Plain(0.0))(x) or x * x, 6.0),
    (by_loop_over_properties, 24.0),
    (lambda x: staticmethod(lambda: x)() * x, 6.0),
    (lambda x: staticmethod(lambda q, *, k=1.0: q * k)(x, k=x), 6.0),
    (by_class_attribute, 6.0),
    (lambda x: Doubling(lambda: x * x)["q"] * 1.0, 12.0),
    (lambda x: collections.defaultdict(lambda: x * x).__missing__("q") * 1.0, 6.0),
    (missing_array, 20.0),
    (missing_in_a_loop, 18.0),
]


@pytest.mark.parametrize("case", range(len(PROGRAMS)))
def test_a_descriptor_called_by_hand(case):
    f, slope = PROGRAMS[case]
    h = 1e-6
    assert np.isclose((f(3.0 + h) - f(3.0 - h)) / (2 * h), slope)
    assert gradient(f, 3.0) == (slope,)


def test_a_defaultdict_without_a_factory_raises_its_own_error():
    with pytest.raises(KeyError, match="q"):
        gradient(lambda x: collections.defaultdict(None, a=x).__missing__("q"), 3.0)


# --- of slots, of C, and cells


class Point:
    __slots__ = ("x",)


class Doubled:
    __slots__ = ("y",)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


class Hidden(Point):
    __slots__ = ("x", "z")


def slots_written(x, y):
    p, kept = Point(), []
    Point.x.__set__(p, x * y)
    kept.append(Point.x.__get__(p))
    vars(Point)["x"].__set__(p, Point.x.__get__(p, Point) * x)
    Point.x.__delete__(p)
    Point.x.__set__(p, y * y)
    return p.x * kept[0]


def slots_past_a_setattr(x, y):
    d = Doubled()
    d.y = x
    before = d.y
    Doubled.y.__set__(d, y)
    return d.y * before


def slots_of_a_subclass(x, y):
    h = Hidden()
    h.z = x
    Hidden.z.__set__(h, h.z * y)
    Hidden.x.__set__(h, y)
    return h.z * h.x


def attributes_of_arrays_and_numbers(x, y):
    a = np.array([x, y])
    np.ndarray.real.__set__(a, np.array([y, y * x]))
    return a[0] * a[1] * complex.real.__get__(complex(x, y)) * float.real.__get__(x)


def cells(x, y):
    cell = types.CellType(x)

    def read():
        return cell.cell_contents * 2

    cell.cell_contents *= y
    empty = types.CellType()
    empty.cell_contents = read() * x
    return empty.cell_contents * cell.cell_contents


def cells_of_a_function(x, y):
    def scaled():
        return x * 2

    before = scaled() * scaled.__closure__[0].cell_contents
    scaled.__closure__[0].cell_contents = y * y
    return scaled() * before


@pytest.mark.parametrize(
    "program",
    [
        slots_written, slots_past_a_setattr, slots_of_a_subclass,
        attributes_of_arrays_and_numbers, cells, cells_of_a_function,
    ],
)  # fmt: skip
def test_descriptors_of_c(program):
    right_everywhere(program, 1.3, 0.8)


def test_a_slot_that_is_hidden_by_another_is_refused():
    def written(x):
        h = Hidden()
        Point.x.__set__(h, x)
        return h.x

    def read(x):
        h = Hidden()
        h.x = x
        Point.x.__set__(h, 2.0)
        return Point.x.__get__(h)

    for program in (written, read):
        with pytest.raises(Unsupported, match="under the same name"):
            gradient(program, 1.5)
    with pytest.raises(AttributeError):
        gradient(lambda x: Point.x.__get__(Point()) * x, 1.5)
    with pytest.raises(ValueError, match="empty"):
        gradient(lambda x: types.CellType().cell_contents * x, 1.5)
