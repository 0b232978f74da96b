"""How attributes are found: ``__getattr__`` and its kin, descriptors, metaclasses, construction."""

import abc
import copy
import enum
import functools
import pickle
import sys
import types
import weakref
from typing import Generic, TypeVar

import pytest

from astad import gradient
from tests.conformance.harness import conforms
from tests.conformance.programs import Programs

programs = Programs()
T = TypeVar("T")


class Lazy:
    def __init__(self, x):
        self.x = x
        self.asked = []

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        self.asked.append(name)
        value = self.x * len(name)
        if name == "kept":
            self.kept = value
        return value


@programs.at(1.5)
def getattr_of_the_users(x):
    o = Lazy(x)
    total = o.abc * o.kept + o.kept
    o.x = total
    return o.ab + getattr(o, "abcd") * len(o.asked) + hasattr(o, "_no") * x + getattr(o, "_no", x)


class Watched:
    """Every read of a public name doubles a number, also when Python itself asks."""

    def __init__(self, x):
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "count", 0)

    def __getattribute__(self, name):
        if name == "x":
            object.__setattr__(self, "count", super().__getattribute__("count") + 1)
            return object.__getattribute__(self, "x") * 2
        return object.__getattribute__(self, name)

    def total(self):
        return self.x + self.x


@programs.at(1.5)
def getattribute_of_the_users(x):
    o = Watched(x)
    return o.x * o.total() + vars(o)["x"] * o.count + getattr(o, "x") + hasattr(o, "y") * x


class Unready:
    """Has an ``__getattribute__`` that fails until the object is complete."""

    ready = False

    def __init__(self, x):
        self.x = x
        self.ready = True

    def __getattribute__(self, name):
        if not object.__getattribute__(self, "ready"):
            raise RuntimeError(f"asked for {name} before it was ready")
        return object.__getattribute__(self, name)


@programs.at(1.5)
def getattribute_that_fails_before_the_end(x):
    o = Unready(x)
    pair = [o, x]
    pair[0].x *= x
    return pair[0].x + o.x * pair[1]


class Proxy:
    def __init__(self, target):
        object.__setattr__(self, "target", target)

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "target"), name)

    def __setattr__(self, name, value):
        setattr(self.target, name, value * 2)

    def __delattr__(self, name):
        setattr(self.target, name, getattr(self.target, name) * 0.5)


@programs.at(1.5)
def a_proxy(x):
    base = types.SimpleNamespace(x=x, y=2.0)
    p = Proxy(Proxy(base))
    p.x += x
    p.y = p.x * base.x
    del p.x
    return base.x * p.y + base.y


@programs.at(Proxy(types.SimpleNamespace(x=1.5)), 2.0)
def a_proxy_as_argument(p, k):
    p.x = p.x * k
    return p.x * p.x


class Strict:
    allowed = frozenset(["a", "b"])

    def __setattr__(self, name, value):
        if name not in self.allowed:
            raise AttributeError(f"no {name} here")
        super().__setattr__(name, value + 1.0)

    def __delattr__(self, name):
        super().__setattr__("b", self.__dict__.pop(name) * 3)


@programs.at(1.5)
def setattr_and_delattr_of_the_users(x):
    s = Strict()
    s.a = x
    setattr(s, "b", s.a * x)
    s.a *= 2
    try:
        s.c = x
    except AttributeError as error:
        s.b += len(str(error))
    before = s.b * s.a
    del s.a
    return before + s.b * ("a" in vars(s)) + s.b


class Positive:
    """A data descriptor with storage in the instance."""

    def __set_name__(self, owner, name):
        self.name = "_" + name
        self.owner = owner.__name__

    def __get__(self, o, cls=None):
        if o is None:
            return self
        return getattr(o, self.name) * 2

    def __set__(self, o, value):
        if value <= 0:
            raise ValueError(f"{self.owner}{self.name} must be positive")
        setattr(o, self.name, value + 1.0)

    def __delete__(self, o):
        setattr(o, self.name, 0.25 * getattr(o, self.name))


class Computed:
    """A non-data descriptor; what the instance holds goes first."""

    def __init__(self, f):
        self.f = f

    def __get__(self, o, cls=None):
        return self if o is None else self.f(o)


class Tank:
    level = Positive()
    width = Positive()

    def __init__(self, level, width):
        self.level = level
        self.width = width

    @Computed
    def volume(self):
        return self.level * self.width


class WideTank(Tank):
    width = Computed(lambda self: self.level * 100)


@programs.at(1.5, 0.5)
def data_and_non_data_descriptors(x, y):
    t = Tank(x, y)
    first = t.volume
    t.level += y
    t.volume = t.volume * x
    total = first * t.volume + Tank.width.__get__(t) * (Tank.volume.f(t))
    del t.level
    try:
        t.width = -x
    except ValueError as error:
        total += t.level * len(str(error))
    w = WideTank(x, y)
    w.width = w.width + 3.0
    return total + w.width + w.volume + type(w).__dict__["width"].__get__(w, WideTank)


class Registry:
    """State in the descriptor itself, by the instance."""

    def __init__(self):
        self.values = weakref.WeakKeyDictionary()

    def __get__(self, o, cls):
        return self.values.get(o, 0.0)

    def __set__(self, o, v):
        self.values[o] = v


class Registered:
    v = Registry()
    w = Registry()


@programs.at(1.5)
def descriptors_with_state_of_their_own(x):
    a, b = Registered(), Registered()
    a.v = x
    b.v = a.v * x
    a.v += b.v
    a.w = b.v
    return a.v * b.v + b.w + a.w


class Cached:
    def __init__(self, x):
        self.x = x
        self.runs = 0

    @functools.cached_property
    def square(self):
        self.runs += 1
        return self.x * self.x


@programs.at(1.5)
def cached_properties(x):
    c = Cached(x)
    first = c.square * c.square
    c.x = 100.0
    c.square *= x
    second = c.square
    del c.square
    return first + second + c.square * c.runs


class Method:
    """Binds as functions do, with something more."""

    def __init__(self, f, k):
        self.f, self.k = f, k

    def __get__(self, o, cls=None):
        return functools.partial(self.f, o, self.k)


class Bound:
    act = Method(lambda self, k, v: self.x * k * v, 3.0)
    part = functools.partialmethod(lambda self, k, v: self.x + k * v, 2.0)

    def __init__(self, x):
        self.x = x

    @functools.singledispatchmethod
    def kind(self, v):
        return self.x * v

    @kind.register
    def _(self, v: str):
        return self.x * len(v)


@programs.at(1.5)
def methods_by_other_descriptors(x):
    b = Bound(x)
    later = b.act
    b.x = x * x
    return later(x) * b.part(x) + b.kind(x) + b.kind("abc")


class Counting(type):
    made = 0

    def __new__(mcs, name, bases, space, scale=1.0):
        cls = super().__new__(mcs, name, bases, space)
        cls.scale = scale
        return cls

    def __init__(cls, name, bases, space, **options):
        super().__init__(name, bases, space)

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.x *= cls.scale
        return made

    def __getitem__(cls, k):
        return cls.scale * k

    def __len__(cls):
        return 3

    @property
    def double(cls):
        return cls.scale * 2


class Tripled(metaclass=Counting, scale=3.0):
    def __init__(self, x):
        self.x = x


@programs.at(1.5)
def classes_of_a_metaclass(x):
    t = Tripled(x)
    return t.x * x + Tripled[x] * len(Tripled) + Tripled.double * t.scale


class Plain(type):
    pass


class Made(metaclass=Plain):
    def __init__(self, x):
        self.x = x

    def twice(self):
        return self.x * 2


@programs.at(1.5)
def a_metaclass_that_does_nothing(x):
    m = Made(x)
    m.x += m.twice()
    return m.x * m.twice()


class Shape(abc.ABC):
    known = {}

    def __init_subclass__(cls, sides=0, **more):
        super().__init_subclass__(**more)
        Shape.known[cls.__name__.lower()] = cls
        cls.sides = sides

    @abc.abstractmethod
    def area(self): ...

    @property
    @abc.abstractmethod
    def size(self):
        return 2.0

    def both(self):
        return self.area() + self.size * self.sides


class Square(Shape, sides=4):
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2

    @property
    def size(self):
        return super().size * self.a


class Disk(Shape, sides=1):
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.25 * self.r**2

    size = property(lambda self: self.r)


@programs.at(1.5)
def abstract_classes_found_by_name(x):
    total = 0.0
    for name in ("square", "disk"):
        shape = Shape.known[name](x)
        total += shape.both() * isinstance(shape, Shape)
    try:
        Shape()
    except TypeError:
        total *= x
    return total


class Unique:
    """``__new__`` that hands out what is there, and sets attributes itself."""

    def __new__(cls, x, table):
        if cls.__name__ in table:
            return table[cls.__name__]
        made = super().__new__(cls)
        made.born = x * 2
        table[cls.__name__] = made
        return made

    def __init__(self, x, table):
        self.x = getattr(self, "x", 1.0) * x


class Factory:
    def __new__(cls, x):
        return Square(x) if cls is Factory else super().__new__(cls)


class SubFactory(Factory):
    def __init__(self, x):
        self.x = x**3


@programs.at(1.5)
def construction_by_new(x):
    table = {}
    a, b = Unique(x, table), Unique(x * 2, table)
    return a.x * b.born + (a is b) * x + Factory(x).area() + SubFactory(x).x


class Typed(Generic[T]):
    def __init__(self, v: T):
        self.v = v

    def __class_getitem__(cls, item):
        return super().__class_getitem__(item) if item is not float else cls


@programs.at(1.5)
def generic_classes(x):
    a = Typed[float](x)
    b = Typed[int](x * 2)
    return a.v * b.v + isinstance(b, Typed)


class Unit(enum.Enum):
    METER = 1.0
    FOOT = 0.25

    def to_meter(self, v):
        return v * self.value

    @classmethod
    def default(cls):
        return cls.FOOT

    @property
    def twice(self):
        return self.value * 2


class Weight(float, enum.Enum):
    LIGHT = 0.5
    HEAVY = 2.5


class Flag(enum.IntFlag):
    A = enum.auto()
    B = enum.auto()


@programs.at(1.5)
def enumerations(x):
    total = sum(unit.to_meter(x) for unit in Unit)
    total *= Unit.default().twice * Unit["METER"].value * Unit(0.25).value
    rates = {Unit.METER: x * x, Unit.FOOT: 1.0}
    if Flag.A in (Flag.A | Flag.B):
        total += rates[Unit.METER] * Weight.HEAVY + x * Weight.LIGHT.value
    return total * Flag.B


class Node:
    def __init__(self, v, others=()):
        self.v = v
        self.others = list(others)
        self.best = min(others, key=lambda o: o.v, default=None)


@programs.at(1.5)
def copies_of_objects(x):
    leaf = Node(x * 2)
    root = Node(x, [leaf, leaf, Node(x**2)])
    flat, deep = copy.copy(root), copy.deepcopy(root)
    leaf.v *= 5
    flat.v += 1.0
    deep.others[0].v += x
    return root.v * flat.v + flat.others[1].v * deep.others[1].v + deep.best.v * deep.others[2].v


class Copied:
    def __init__(self, x):
        self.x = x

    def __copy__(self):
        return Copied(self.x * 2)

    def __deepcopy__(self, memo):
        made = Copied(self.x * 3)
        memo[id(self)] = made
        return made


@programs.at(1.5)
def copies_by_the_users_own_methods(x):
    c = Copied(x)
    flat, deep = copy.copy(c), copy.deepcopy([c, c])
    deep[0].x += 1.0
    return flat.x * deep[1].x


class Stateful:
    def __init__(self, x):
        self.x = x

    def __getstate__(self):
        return {"x": self.x, "n": 2}

    def __setstate__(self, state):
        self.x = state["x"] * state["n"]


@programs.at(1.5)
def a_copy_by_its_state(x):
    return copy.copy(Stateful(x)).x * x


@programs.at(1.5)
def pickled_configuration(x):
    settings = pickle.loads(pickle.dumps({"rate": 0.5, "names": ["a"]}))
    return x * settings["rate"] * x


@programs.at(1.5)
def classes_made_by_type(x):
    space = {"v": x * x, "area": lambda self: self.x * self.v}
    made = type("Dynamic", (Typed,), space)
    return made(x).v * made.v + vars(made)["v"] * made.__dict__["v"]


@programs.at(1.5)
def numbers_of_a_class_by_its_dict(x):
    Plain.rate = x * 2.0
    try:
        return vars(Plain)["rate"] * Plain.__dict__["rate"] + Made(x).x * type(Made).rate
    finally:
        del Plain.rate


class Effects:
    def __init__(self, x):
        self.x = x

    @property
    def missing(self):
        self.x = self.x * 3
        raise AttributeError("missing")

    def __getattribute__(self, name):
        if name == "gone":
            object.__setattr__(self, "x", object.__getattribute__(self, "x") * 2)
            raise AttributeError(name)
        return object.__getattribute__(self, name)


@programs.at(1.5)
def look_ups_that_write_and_fail(x):
    e = Effects(x)
    total = hasattr(e, "missing") + getattr(e, "gone", x) * e.x
    return total + getattr(e, "missing", e.x) + e.x * (not hasattr(e, "gone")) + e.x


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_lookup(program, args, options):
    conforms(program, *args, **options)


class Gauge:
    scale = 2.0

    @classmethod
    @property
    def double(cls):
        return cls.scale * 2


class Finer(Gauge):
    @classmethod
    @property
    def double(cls):
        return super().double * 3


def with_scale(cls, x, read):
    before = cls.__dict__.get("scale", Gauge.scale)
    cls.scale = x
    try:
        return read(cls) * x
    finally:
        cls.scale = before


def made_inside(x):
    class Made:
        @classmethod
        @property
        def twice(cls):
            return x * 2

    return Made.twice * Made().twice


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python 3.13 has no such chain")
@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda x: with_scale(Gauge, x, lambda cls: cls.double), 6.0),
        (lambda x: with_scale(Gauge, x, lambda cls: cls().double), 6.0),
        (lambda x: with_scale(Finer, x, lambda cls: cls.double), 18.0),
        (lambda x: with_scale(Finer, x, lambda cls: getattr(cls(), "double", 0.0)), 18.0),
        (made_inside, 12.0),
    ],
)
def test_a_property_of_a_class(f, wanted):
    assert gradient(f, 1.5) == (wanted,)
