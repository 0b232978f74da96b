"""Objects: attributes read and written, slots, properties, inheritance, names, dynamic access."""

import types

import numpy as np
import pytest

from tests.conformance.harness import conforms
from tests.conformance.programs import Programs

programs = Programs()


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def norm2(self):
        return self.x * self.x + self.y * self.y


class Body:
    scale = 2.0

    def __init__(self, at, mass):
        self.at = at
        self.mass = mass
        self.trail = []

    def move(self, dt):
        self.trail.append(self.at.x)
        self.at.x += dt * self.mass
        self.at.y -= dt / self.mass


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class MoreSlots(Slotted):
    __slots__ = ("c", "__dict__")


@programs.at(1.3, 0.4)
def attributes_after_construction(x, y):
    p = Point(x, y)
    p.z = p.x * y
    p.x = p.z + p.y
    p.y *= 3
    return p.norm2() * p.z


@programs.at(Point(1.5, -0.5), 2.0)
def attributes_of_an_argument(p, s):
    before = p.x
    p.x = s * p.y
    p.y += before
    p.extra = p.x * before
    return p.norm2() + p.extra


@programs.at(Body(Point(0.5, 1.5), 3.0), 0.1)
def nested_augmented_attributes(body, dt):
    for _ in range(3):
        body.move(dt)
        body.at.x **= 2
    return body.at.norm2() + sum(body.trail) * body.scale


@programs.at(1.2, 3)
def an_attribute_as_loop_variable(x, n):
    p = Point(x, 1.0)
    total = 0.0
    for p.y in [x * k for k in range(n)]:
        total += p.norm2()
    with Closing(p) as p.opened:
        total *= p.opened
    p.x, (p.y, *p.rest) = p.y, [p.x, total, x]
    return p.x * p.y + p.rest[0] * p.rest[1]


class Closing:
    def __init__(self, p):
        self.p = p

    def __enter__(self):
        return self.p.x * 2

    def __exit__(self, *what):
        self.p.x *= 0.5


@programs.at(0.7)
def slots(x):
    s = Slotted(x)
    s.b = s.a * 2
    s.a, s.b = s.b, s.a * s.b
    m = MoreSlots(s.b)
    m.c = m.a * x
    m.free = m.c + 1.0
    del s.a
    if hasattr(s, "a"):
        return x
    s.a = m.free
    return s.a * m.c + s.b


@programs.at(Slotted(1.5))
def slots_of_an_argument(s):
    try:
        s.b
    except AttributeError:
        s.b = s.a * s.a
    s.a += s.b
    return s.a * s.b


class Celsius:
    def __init__(self, degrees):
        self._kelvin = degrees + 273.15
        self.reads = 0

    @property
    def degrees(self):
        """Computed."""
        self.reads += 1
        return self._kelvin - 273.15

    @degrees.setter
    def degrees(self, value):
        self._kelvin = value * 1.0 + 273.15

    @degrees.deleter
    def degrees(self):
        self._kelvin = self._kelvin * 0.5


@programs.at(20.0)
def properties_with_setter_and_deleter(x):
    c = Celsius(x)
    c.degrees += 5 * x
    d = c.degrees * c.degrees
    del c.degrees
    return d + c.degrees * c.reads


class Warm(Celsius):
    @property
    def degrees(self):
        return super().degrees * 2

    @degrees.setter
    def degrees(self, value):
        Celsius.degrees.fset(self, value / 3)

    @Celsius.degrees.getter
    def shown(self):
        return self._kelvin * 0.01


@programs.at(3.0)
def properties_overridden(x):
    w = Warm(x)
    w.degrees = x * x
    w.degrees -= 1.0
    return w.degrees + w.shown


class Circle:
    pi = 3.25
    made = 0.0

    def __init__(self, r):
        self.r = r

    @classmethod
    def of_diameter(cls, d):
        return cls(d / 2)

    @staticmethod
    def square(v):
        return v * v

    @classmethod
    def unit(cls):
        return cls.pi

    def area(self):
        return self.pi * self.square(self.r)


class Disk(Circle):
    pi = 3.0

    def area(self):
        return super().area() + Circle.area(self) + super(Disk, self).square(self.r)

    @classmethod
    def of_diameter(cls, d):
        made = super().of_diameter(d * 3)
        made.r += cls.unit()
        return made


@programs.at(1.4)
def class_and_static_methods(x):
    c, d = Circle.of_diameter(x), Disk.of_diameter(x)
    take = Circle.__dict__["square"].__func__
    return c.area() * d.area() + c.square(d.r) + Disk.square(x) * take(x) + d.unit()


class Base:
    def __init__(self, x):
        self.x = x
        super().__init__()

    def value(self):
        return self.x


class Twice(Base):
    def value(self):
        return 2 * super().value()


class Square(Base):
    def value(self):
        return super().value() ** 2


class Both(Twice, Square):
    def value(self):
        up = super()
        return up.value() + self.x

    def skipping(self):
        return super(Twice, self).value() * super(Both, self).x


class Plain:
    total = 1.5


@programs.at(1.1)
def a_diamond_of_classes(x):
    both = Both(x)
    try:
        return both.value() * both.skipping()
    except AttributeError:
        both.x = x * 3
    return both.value()


class Secret:
    __count = 2.0

    def __init__(self, x):
        self.__x = x
        self._Other__y = x * 2

    def get(self):
        return self.__x * self.__count

    def __hidden(self, v):
        self.__x += v
        return self

    def grow(self, v):
        return self.__hidden(v).__hidden(v * v)


class Other(Secret):
    def __init__(self, x):
        super().__init__(x)
        self.__y = self._Other__y * x
        self.__x = x**3

    def get(self):
        def inner():
            return self.__y + self.__x

        return inner() + super().get()


@programs.at(1.2)
def mangled_names(x):
    o = Other(x)
    return o.grow(x).get() * getattr(o, "_Secret__x") + o.__dict__["_Other__y"]


@programs.at(1.2, ["x", "y"])
def dynamic_access(x, names):
    p = Point(x, x * 2)
    total = 0.0
    for i, name in enumerate(names):
        setattr(p, name, getattr(p, name) * (i + 2))
        setattr(p, name + "2", getattr(p, name) ** 2)
        total += getattr(p, name + "2") + getattr(p, "missing", x * i)
    delattr(p, "x2")
    if not hasattr(p, "x2") and hasattr(p, "y2"):
        total *= p.y2
    for name, value in vars(p).items():
        total += value * len(name)
    return total


@programs.at(1.2)
def the_dict_of_an_instance(x):
    p = Point(x, 2.0)
    p.__dict__["x"] *= x
    p.__dict__.update(y=x * 3, z=x**3)
    vars(p)["w"] = p.z * p.x
    held = p.__dict__
    p.x += 1.0
    total = held["x"] * p.w + held.pop("y")
    p.__dict__ = {"x": total, "y": x}
    return p.norm2() + held["x"]


@programs.at(0.8)
def one_dict_for_all_instances(x):
    class Borg:
        shared = {"v": 1.0}

        def __init__(self):
            self.__dict__ = self.shared

    Borg.shared["v"] = x
    a, b = Borg(), Borg()
    a.v = a.v * x
    b.w = a.v + b.v
    return a.w * b.v


@programs.at(1.7)
def simple_namespace(x):
    ns = types.SimpleNamespace(a=x, b=[x, 2.0])
    ns.a *= ns.b[0]
    ns.b[1] += ns.a
    ns.inner = types.SimpleNamespace(**vars(ns))
    ns.inner.a += 1.0
    return ns.a * ns.inner.a + ns.inner.b[1]


@programs.at(types.SimpleNamespace(w=1.5, v=np.array([1.0, 2.0])), 2.0)
def simple_namespace_as_argument(ns, x):
    ns.w = ns.w * x
    ns.v = ns.v * ns.w
    ns.v[0] += ns.w
    return np.sum(ns.v**2) + ns.w


class Shared:
    weights = [1.0, 2.0]
    rate = 0.5


@programs.at(1.1)
def mutable_class_attributes(x):
    class Local(Shared):
        weights = [1.0, x]
        rate = x

    Local.weights.append(x * x)
    Local.rate = Local.rate * 3
    one, other = Local(), Local()
    one.weights[0] = x * 5
    one.rate += 1.0
    type(other).rate = other.rate * x
    return sum(other.weights) * one.rate + other.rate * Local.rate


@programs.at(1.3)
def class_attributes_written_and_put_back(x):
    before = Shared.rate
    Shared.rate = x * before
    try:
        return Shared().rate * x + Shared.rate
    finally:
        Shared.rate = before


@programs.at(1.3)
def a_method_replaced_on_class_and_instance(x):
    class Local(Point):
        pass

    p = Local(x, 2.0)
    first = p.norm2()
    Local.norm2 = lambda self: self.x * 7
    second = p.norm2()
    p.norm2 = lambda: p.y * x
    third = p.norm2()
    p.norm2 = types.MethodType(Point.norm2, p)
    del Local.norm2
    return first * second + third * p.norm2()


@programs.at(1.3)
def bound_methods_kept_and_called_later(x):
    p = Point(x, 2.0)
    later = [p.norm2, Point.norm2, p.norm2.__func__]
    p.x *= x
    ask = {"now": p.norm2}
    q = Point(x, x)
    later.append(q.norm2)
    p = None
    return later[0]() * ask["now"]() + later[1](q) + later[2](later[0].__self__) + later[3]()


@programs.at(1.3, 0.7)
def methods_as_arguments(x, y):
    def apply(f, *args):
        return f(*args) * 2

    class Acc:
        def __init__(self):
            self.total = 0.0

        def add(self, v, times=1):
            self.total += v * times
            return self.total

    acc = Acc()
    apply(acc.add, x)
    apply(acc.add, x * y, 2)
    got = list(map(acc.add, [x, y]))
    return apply(Acc.add, acc, y) + got[0] * got[1] + apply(Point(x, y).norm2)


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = list(coefficients)
        self.calls = 0

    def __call__(self, x, *, shift=0.0):
        self.calls += 1
        total = 0.0
        for c in reversed(self.coefficients):
            total = total * x + c
        self.coefficients[0] = total
        return total + shift


@programs.at(Polynomial(1.0, -2.0, 0.5), 1.5)
def callables_with_state(p, x):
    a = p(x)
    b = p(x, shift=a)
    return p(b) * p.calls


class Key:
    def __init__(self, name, weight):
        self.name = name
        self.weight = weight

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return isinstance(other, Key) and self.name == other.name


@programs.at(1.5)
def objects_as_dictionary_keys(x):
    table = {Key("a", x): x * 2, Key("b", 3.0): 1.0}
    table[Key("a", 100.0)] += x
    total = 0.0
    for key, value in table.items():
        total += key.weight * value
    return total * table.pop(Key("b", 0.0)) + (Key("a", 1.0) in table) * x


@programs.at([Point(1.0, 2.0), Point(0.5, -1.0)])
def objects_in_sets_and_as_keys_by_identity(points):
    weights = {p: p.x * 2 for p in points}
    seen = {points[0]}
    points[1].x = weights[points[0]]
    return sum(p.norm2() * weights[p] for p in points if p in seen or p.y < 0)


@programs.at(2.0)
def a_property_put_on_the_class_later(x):
    class Local:
        def __init__(self, v):
            self.v = v

    one = Local(x)
    first = one.v * x
    Local.v = property(lambda self: self.__dict__["v"] * 10)
    second = one.v
    Local.v = property(lambda self: x**3, lambda self, v: self.__dict__.update(v=v * x))
    one.v = second
    return first + second * one.v + one.__dict__["v"]


@programs.at(1.5)
def the_class_of_an_instance_changed(x):
    c = Circle(x)
    first = c.area()
    c.__class__ = Disk
    return first + c.area() * isinstance(c, Disk)


@programs.at(1.5)
def methods_and_attributes_by_the_class(x):
    p = object.__new__(Point)
    Point.__init__(p, x, x * 2)
    object.__setattr__(p, "y", p.y * x)
    return Point.norm2(p) * object.__getattribute__(p, "x") + type(p)(x, p.y).norm2()


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_objects(program, args, options):
    conforms(program, *args, **options)
