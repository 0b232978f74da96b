"""Records: dataclasses and namedtuples."""

import dataclasses
import enum
import math
from collections import namedtuple
from dataclasses import InitVar, dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

from tests.conformance.harness import conforms
from tests.conformance.programs import Programs

programs = Programs()


@dataclass
class Point:
    x: float
    y: float = 2.0
    label: str = "p"
    names: ClassVar[int] = 3

    def norm(self):
        return math.sqrt(self.x**2 + self.y**2) * self.names


@programs.at(1.5)
def a_dataclass(x):
    p, q = Point(x), Point(y=x, x=3.0, label="q")
    p.x *= q.y
    q.y += p.norm()
    return q.norm() * p.x + (p == q) * x + len(repr(p.label))


@programs.at(Point(1.5, 0.5))
def a_dataclass_as_argument(p):
    p.y = p.x * p.y
    q = dataclasses.replace(p, x=p.y * 2)
    return q.norm() * p.norm()


@dataclass(frozen=True)
class Fixed:
    x: float
    parts: tuple = ()

    def moved(self, dx):
        return dataclasses.replace(self, x=self.x + dx, parts=(*self.parts, dx))


@programs.at(1.5)
def frozen_dataclasses(x):
    a = Fixed(x).moved(x * x).moved(2.0)
    total = a.x * sum(a.parts)
    try:
        a.x = x
    except dataclasses.FrozenInstanceError:
        total *= x
    table = {a: x}
    return total + table[dataclasses.replace(a)]


@dataclass(slots=True)
class Slotted:
    x: float
    y: float = field(default=0.0, init=False)
    items: list = field(default_factory=list)

    def __post_init__(self):
        self.y = self.x * 2
        self.items.append(self.y)


@programs.at(1.5)
def dataclass_with_slots_and_post_init(x):
    s, t = Slotted(x), Slotted(x * x, items=[x])
    s.items.append(t.y)
    s.y *= t.items[1]
    return s.y * sum(s.items) + t.items[0]


@dataclass
class Scaled:
    x: float
    scale: InitVar[float]
    offset: InitVar[float] = 1.0
    made: float = field(init=False, default=3.0)

    def __post_init__(self, scale, offset):
        self.x = self.x * scale + offset
        self.made += self.x


@programs.at(1.5, 0.5)
def initvars(x, k):
    a, b = Scaled(x, k), Scaled(x, offset=k, scale=x)
    return a.x * b.made + a.made


@dataclass(kw_only=True, order=True)
class Keyword:
    rank: float
    weight: float = field(default=1.0, compare=False)


@dataclass(kw_only=True)
class MoreKeyword(Keyword):
    extra: float
    rank: float = 5.0


@programs.at(1.5)
def keyword_only_fields_and_order(x):
    ks = [Keyword(rank=x, weight=x * 2), Keyword(rank=0.5), MoreKeyword(extra=x)]
    low = min(ks[:2])
    return low.weight * x + max(ks[:2]).weight + ks[2].extra * ks[2].rank + (ks[0] > ks[1]) * x


@dataclass
class Base:
    a: float
    b: list = field(default_factory=lambda: [1.0, 2.0])

    def total(self):
        return self.a * sum(self.b)


@dataclass
class Derived(Base):
    c: float = 4.0

    def __post_init__(self):
        self.b = [v * self.c for v in self.b]

    def total(self):
        return super().total() + self.c


@programs.at(1.5)
def inherited_dataclasses(x):
    d, e = Derived(x, c=x), Derived(x, [x, x * x])
    return d.total() * e.total() + Base(x).total()


@programs.at(1.5)
def dataclasses_as_dicts_and_tuples(x):
    d = Derived(x, c=x * 2)
    table, parts = dataclasses.asdict(d), dataclasses.astuple(d)
    d.b[0] = 100.0
    names = [f.name for f in dataclasses.fields(d)]
    return table["a"] * parts[2] + table["b"][0] + parts[1][1] * getattr(d, names[2])


@programs.at(1.5)
def defaults_read_from_the_fields(x):
    @dataclass
    class Sized:
        width: float = x
        height: float = field(default=x * x)

    first, second = dataclasses.fields(Sized)
    return first.default * second.default + Sized().width * Sized(2.0).height


@programs.at(1.5)
def enums_made_by_a_call(x):
    table = {"LOW": x, "HIGH": x * x, "name": 3.0}
    levels = enum.Enum("Level", table)
    pairs = [("A", x * 2), ["B", 5.0]]
    letters = enum.Enum("Letter", names=iter(pairs))
    same = enum.Enum("Same", {"ONE": x, "OTHER": x})
    plain = enum.Enum("Plain", "RED GREEN")
    low = levels(x)
    total = sum(level.value for level in levels) * len(plain)
    return total * letters.A.value + low.value * letters["B"].value + same.OTHER.value * x


@dataclass
class Nested:
    at: Point
    history: list
    array: np.ndarray


@programs.at(Nested(Point(1.0, 2.0), [0.5, 1.5], np.array([1.0, 2.0, 3.0])))
def nested_dataclasses_as_argument(n):
    n.at.x += n.history[0]
    n.history.append(n.at.norm())
    n.array[1:] *= n.history[-1]
    return np.sum(n.array**2) + n.at.y * n.history[1]


@dataclass
class OwnInit:
    x: float
    y: float = 1.0

    def __init__(self, both):
        self.x, self.y = both, both * 2

    def __eq__(self, other):
        return self.x - other.x


@programs.at(1.5)
def a_dataclass_with_methods_of_its_own(x):
    a, b = OwnInit(x), OwnInit(x * x)
    return (a == b) * a.y + b.y


def doubled_default(cls):
    cls.__init__.__defaults__ = (20.0,)
    return cls


@doubled_default
@dataclass
class Rebound:
    x: float
    y: float = 1.0


@programs.at(1.5)
def defaults_of_init_bound_anew(x):
    return Rebound(x).y * x + Rebound(x, 3.0).y


Pair = namedtuple("Pair", "first second", defaults=(2.0,))


class Triple(NamedTuple):
    a: float
    b: float = 3.0
    c: list = ()

    @property
    def total(self):
        return self.a + self.b

    def scaled(self, k):
        return self._replace(a=self.a * k)

    @classmethod
    def of(cls, v):
        return cls(v, c=[v])

    def __mul__(self, k):
        return Triple(self.a * k, self.b, self.c)


@programs.at(1.5)
def namedtuples_with_methods(x):
    t = Triple.of(x).scaled(x)
    u = t * 2.0
    first, second, third = u
    third.append(u.total)
    p = Pair(first)._replace(second=x)
    d = u._asdict()
    made = Pair._make([x, d["b"]])
    return p.second * p[0] + sum(u.c) * made.first + made[-1] * len(u) + t.count(x) + u.index(3.0)


@programs.at(Triple(1.0, 2.0, [0.5]), Pair(2.0, 1.5))
def namedtuples_as_arguments(t, p):
    t.c.append(p.first * t.a)
    match t:
        case Triple(a=a, c=[_, last]):
            return a * last + p.second * t.total
    return 0.0


class Richer(Pair):
    __slots__ = ()

    def __new__(cls, first, second=5.0):
        return super().__new__(cls, first * 2, second)

    def __add__(self, other):
        return Richer(self.first + other.first, self.second * other.second)

    @property
    def ratio(self):
        return self.first / self.second


@programs.at(1.5)
def a_subclass_of_a_namedtuple(x):
    r = Richer(x) + Richer(x * x, x)
    return r.ratio * r.first + sum(r)


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_records(program, args, options):
    conforms(program, *args, **options)
