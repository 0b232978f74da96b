"""Objects that a function makes for itself cost what their parts cost; others are left alone."""

import builtins
import collections
import dataclasses
import math
import types
import typing
from typing import NamedTuple

import numpy as np
import pytest

import astad
from astad.errors import NoSource
from astad.runtime.core.variants import variants_of
from astad.testing import check_gradient


def is_fused(f, *args):
    astad.gradient(f, *args)
    return any(variants_of(f).fused.values())


class Spring:
    def __init__(self, k, m, x=1.0):
        self.k = k
        self.m = m
        self.x = x
        self.v = 0.0

    def force(self):
        return -self.k * self.x

    def step(self, dt):
        a = self.force() / self.m
        self.v = self.v + dt * a
        self.x += dt * self.v

    @property
    def energy(self):
        return 0.5 * self.m * self.v**2 + 0.5 * self.k * self.x**2

    @staticmethod
    def of_mass(m):
        return 2.0 * m


def simulated(k, m):
    s = Spring(k, m)
    for _ in range(7):
        s.step(0.1)
    return s.energy * Spring.of_mass(m)


def two_springs(k, m):
    a, b = Spring(k, m), Spring(m, k, x=k)
    for _ in range(3):
        a.step(0.1)
        b.step(0.2)
        a.v, b.v = b.v, a.v
    return a.x * b.x + a.energy


def one_object_two_names(k, m):
    a = Spring(k, m)
    b = a
    b.step(0.5)
    a.step(0.1)
    b.x = b.x * k
    return a.x + b.v


class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def dot(self, other):
        return self.x * other.x + self.y * other.y


def vectors(x, y):
    p, v = Vec(x, y), Vec(y, 0.5)
    for i in range(4):
        p = p + v * (0.1 * x)
        if i > 1:
            v = -v
    return p.dot(p)


def swapped(x, y):
    p, q = Vec(x, y), Vec(y * y, x)
    for _ in range(3):
        p, q = q, p + q
    return p.dot(q)


def older_and_newer(x, y):
    old, new = Vec(x, y), Vec(y, x)
    for _ in range(3):
        made = old + new
        old = new
        new = made
    return old.x * new.y


@dataclasses.dataclass
class Point:
    x: float
    y: float = 2.0

    def norm2(self):
        return self.x**2 + self.y**2


def points(a, b):
    p = Point(a * b, a + b)
    q = Point(p.x - b, y=p.y * a)
    r = Point(a)
    return p.norm2() + q.norm2() * r.y + r.norm2()


class Dense:
    def __init__(self, w, b, act):
        self.w = w
        self.b = b
        self.act = act

    def __call__(self, x):
        return self.act(self.w @ x + self.b)


class Net:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def network(w1, b1, w2, b2, x):
    net = Net([Dense(w1, b1, np.tanh), Dense(w2, b2, np.tanh)])
    return np.sum(net(x) ** 2)


class Walk:
    def __init__(self, x):
        self.x = x
        self.parent = None

    def value(self):
        if self.parent is None:
            return self.x
        return self.x * self.parent.x


def linked(x):
    first = Walk(x)
    second = Walk(x * x)
    second.parent = first
    return second.value() + first.value()


class Account:
    def __init__(self, rate):
        if rate > 5.0:
            self.kind = "high"
        else:
            self.kind = "low"
        self.rate = rate
        self.total = 0.0

    def add(self, v):
        if v > 1.0:
            self.total = self.total + v * self.rate
        else:
            self.total = self.total - v


def accounts(rate, v):
    account = Account(rate)
    for i in range(3):
        account.add(v * i)
    return account.total


def helper(point, scale):
    return point.norm2() * scale


def handed_to_a_function(a, b):
    return helper(Point(a, b), a)


ARRAYS = [np.random.default_rng(1).normal(size=s) for s in ((4, 3), (4,), (2, 4), (2,), (3,))]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (simulated, (2.0, 1.5)),
        (two_springs, (2.0, 1.5)),
        (one_object_two_names, (2.0, 1.5)),
        (vectors, (0.3, 0.8)),
        (swapped, (0.3, 0.8)),
        (older_and_newer, (0.3, 0.8)),
        (points, (1.2, 0.7)),
        (network, ARRAYS),
        (linked, (1.3,)),
        (accounts, (2.0, 0.8)),
        (handed_to_a_function, (2.0, 0.8)),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_taken_apart(f, args, forms_agree):
    assert is_fused(f, *args)
    forms_agree(f, *args)


# --- left as they are ---------------------------------------------------------------------------


def escaping(x, y):
    held = []
    for i in range(3):
        held.append(Spring(x * (i + 1.0), y))
    for s in held:
        s.step(0.1)
    return held[0].x + held[2].v


def by_value_then_changed(x, y):
    p, q = Vec(x, y), Vec(y, x)
    for _ in range(2):
        p, q = q, p
        p.x = p.x * q.y
    return p.x + 2.0 * q.x


def previous_round(x):
    last = None
    total = 0.0
    for i in range(4):
        now = Walk(x * (i + 1.0))
        if last is not None:
            last.x = last.x * x
            total = total + last.x * now.x
        last = now
    return total


def two_of_one_line(x):
    both = [Walk(x * k) for k in (1.0, 2.0)]
    both[0].x = 5.0 * x
    return both[0].x * both[1].x


def unrolled(x):
    first = None
    for k in (1.0, 2.0, 3.0):
        w = Walk(k * x)
        if first is None:
            first = w
        w.x = w.x * x
    return first.x * w.x


class Guarded:
    def __init__(self, x):
        self.x = x

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)


def with_own_setattr(x):
    return Guarded(x).x * x


class Shadowing(Spring):
    def __init__(self, k):
        self.k = k
        self.force = lambda: k * k

    def pull(self):
        return self.force() * self.k


def shadowing(k):
    return Shadowing(k).pull()


class Reflected:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        if not isinstance(other, Reflected):
            return NotImplemented
        return Reflected(self.x + other.x)


class Wider(Reflected):
    def __radd__(self, other):
        return Wider(self.x * other.x * 3.0)


def reflected(x):
    return (Reflected(x) + Wider(2.0 * x)).x


class Counted:
    made = 0

    def __init__(self, x):
        Counted.made += 1
        self.x = x


def counted(x):
    return Counted(x).x * Counted(x).x


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (escaping, (2.0, 1.5)),
        (by_value_then_changed, (0.3, 0.8)),
        (previous_round, (1.1,)),
        (two_of_one_line, (1.1,)),
        (unrolled, (1.1,)),
        (with_own_setattr, (1.1,)),
        (shadowing, (1.1,)),
        (reflected, (1.1,)),
        (counted, (1.1,)),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_right_in_any_case(f, args, forms_agree):
    forms_agree(f, *args)


def handed_out(x):
    s = Spring(x, 2.0)
    s.step(0.1)
    return s


def test_an_object_that_is_handed_out_is_one():
    y, back = astad.pullback(handed_out, 2.0)
    assert type(y) is Spring
    assert y.x == handed_out(2.0).x


class Unset:
    def __init__(self, x):
        if x > 0.0:
            self.x = x


def unset(x):
    return Unset(x).x * 2.0


def test_an_attribute_that_was_never_set():
    assert astad.gradient(unset, 2.0) == (2.0,)
    with pytest.raises(AttributeError, match="'Unset' object has no attribute 'x'"):
        astad.gradient(unset, -2.0)


def strange(x):
    return Spring(x, 1.0).colour


def test_an_attribute_that_is_not_there():
    with pytest.raises(AttributeError, match="'Spring' object has no attribute 'colour'"):
        astad.gradient(strange, 1.0)


def too_many(x):
    return Point(x, x, x).x


def test_python_says_what_does_not_fit():
    with pytest.raises(TypeError, match="takes from 2 to 3 positional arguments but 4 were given"):
        astad.gradient(too_many, 1.0)


def test_a_method_bound_anew_counts(monkeypatch):
    assert is_fused(simulated, 2.0, 1.5)
    monkeypatch.setattr(Spring, "force", lambda self: -3.0 * self.x * self.k)
    found = astad.gradient(simulated, 2.0, 1.5)[0]
    h = 1e-6
    near = (simulated(2.0 + h, 1.5) - simulated(2.0 - h, 1.5)) / (2 * h)
    assert math.isclose(found, near, rel_tol=1e-6)


def test_a_class_bound_anew_counts(monkeypatch):
    assert is_fused(handed_to_a_function, 2.0, 0.8)

    class Other(Point):
        def norm2(self):
            return self.x * self.y

    monkeypatch.setitem(globals(), "Point", Other)
    assert astad.gradient(handed_to_a_function, 2.0, 0.5) == (2.0, 4.0)


class Circle:
    factor = 1.5

    def __init__(self, r):
        self.r = r

    @classmethod
    def of(cls, d):
        return cls(d / 2.0)

    @property
    def area(self):
        return math.pi * self.r**2 * self.factor


def circles(d):
    c = Circle.of(d)
    return c.area + Circle(c.r * d).area


def test_class_methods_and_numbers_of_a_class(forms_agree, monkeypatch):
    assert is_fused(circles, 1.5)
    forms_agree(circles, 1.5)
    before = astad.gradient(circles, 1.5)[0]
    monkeypatch.setattr(Circle, "factor", 3.0)
    assert math.isclose(astad.gradient(circles, 1.5)[0], 2.0 * before)


class Shape:
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def area(self):
        return self.scale * 1.0

    def doubled(self):
        return 2.0 * self.area()


class Square(Shape):
    def __init__(self, side, scale=2.0):
        super().__init__(scale)
        self.side = side

    def area(self):
        return super().area() * self.side**2


class Framed(Square):
    def area(self):
        return super().area() + self.side


def shapes(a, b):
    return Square(a).doubled() * Framed(b, scale=a).doubled() + Shape(b).doubled()


def test_methods_of_bases(forms_agree, monkeypatch):
    assert is_fused(shapes, 1.2, 0.7)
    forms_agree(shapes, 1.2, 0.7)
    monkeypatch.setattr(Shape, "area", lambda self: self.scale**3)
    forms_agree(shapes, 1.2, 0.7)


class Model:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def predict(self, x):
        return self.a * x + self.b

    def loss(self, xs, ys):
        total = 0.0
        for x, y in zip(xs, ys, strict=True):
            total = total + (self.predict(x) - y) ** 2
        return total

    def moved(self, x):
        self.a = self.a + x
        return self.predict(x)


def loss_of(model, xs, ys):
    return model.loss(xs, ys)


def loss_and_point(model, x):
    p = Point(model.predict(x), x)
    return p.norm2() * model.a


def moving(model, x):
    return model.moved(x) * model.moved(x)


def test_methods_of_an_argument():
    model = Model(1.5, 0.5)
    args = (model, [1.0, 2.0], [2.0, 3.0])
    assert is_fused(loss_of, *args)
    found = astad.gradient(loss_of, *args)
    residuals = [1.5 * x + 0.5 - y for x, y in zip(*args[1:], strict=True)]
    assert math.isclose(found[0].a, 2 * residuals[0] + 4 * residuals[1])
    assert math.isclose(found[0].b, 2 * residuals[0] + 2 * residuals[1])
    assert np.allclose(found[1], [2 * 1.5 * r for r in residuals])
    assert np.allclose(found[2], [-2 * r for r in residuals])
    assert is_fused(loss_and_point, model, 2.0)
    bar, x_bar = astad.gradient(loss_and_point, model, 2.0)
    assert math.isclose(bar.a, 3.5**2 + 4 + 1.5 * 2 * 3.5 * 2)
    assert math.isclose(x_bar, 1.5 * (2 * 3.5 * 1.5 + 4))


def test_a_method_that_writes_its_argument():
    found = astad.gradient(moving, Model(1.5, 0.5), 2.0)
    h = 1e-6
    near = (moving(Model(1.5 + h, 0.5), 2.0) - moving(Model(1.5 - h, 0.5), 2.0)) / (2 * h)
    assert math.isclose(found[0].a, near, rel_tol=1e-6)


def test_a_class_that_takes_the_place_of_that_of_an_argument(monkeypatch):
    model = Model(1.5, 0.5)
    before = astad.gradient(loss_and_point, model, 2.0)

    class Other(Model):
        def predict(self, x):
            return 0.0 * x

    monkeypatch.setitem(globals(), "Model", Other)
    assert astad.gradient(loss_and_point, model, 2.0) == before


class Pair(NamedTuple):
    x: float
    y: float = 3.0

    def product(self):
        return self.x * self.y


def pairs(a, b):
    p = Pair(a * b, a + b)
    q = Pair(p.x - b)
    u, v = p
    return p.product() + q.y * q[0] + u * v


def test_namedtuples(forms_agree):
    assert is_fused(pairs, 1.2, 0.7)
    forms_agree(pairs, 1.2, 0.7)


def carried(a, b):
    state = Pair(a, b)
    for _ in range(4):
        state = Pair(state.y * 0.5, state.x + a)
    return state.product()


def test_a_namedtuple_carried_through_a_loop(forms_agree):
    assert is_fused(carried, 1.2, 0.7)
    forms_agree(carried, 1.2, 0.7)


def other_name_later(x, y, n):
    v, u = Vec(x, y), Vec(y, x)
    if n > 2:
        u = v
    v.x = x * y
    return u.x * v.y


def other_name_in_a_loop(x, y, n):
    v = Vec(x, y)
    u = v
    for _ in range(n):
        u = v
        v.x = v.x * x
    return u.x * v.y


def name_bound_anew(x, y, n):
    v, u = Vec(x, y), Vec(x, y)
    u = v
    v.x = x * y * n
    return u.x * v.y


@pytest.mark.parametrize("fn", [other_name_later, other_name_in_a_loop, name_bound_anew])
def test_an_object_of_two_names_that_is_written_after_it_was_copied(fn, forms_agree):
    """A name that is bound several times has parts of its own, if nobody writes the object."""
    for n in (1, 3):
        forms_agree(fn, 1.3, 0.7, n)


Rate = collections.namedtuple("Rate", "value unit", defaults=(2.0,))


def rated(x, y):
    rate = Rate(x * y)
    return rate.value * rate.unit + rate[1] * y


Corner = collections.namedtuple("Corner", "x y z")
Corner.__new__.__defaults__ = (3.0, 4.0)


def cornered(x):
    a, b = Corner(x), Corner(x, z=x * x)
    return a.x * a.y * a.z + b.y * b.z


class Step(NamedTuple):
    size: float
    order: int = 2
    factor: float = 0.5

    def of(self, x):
        return self.factor * self.size * x**self.order


def stepped(x):
    step = Step(x * 3.0)
    return step.of(x)


def gripped(x, k):
    step = Step(size=x, factor=k)
    return step.of(x) + step[2] * x


def test_defaults_of_a_namedtuple_are_those_of_now(monkeypatch, forms_agree):
    forms_agree(cornered, 1.3)
    assert astad.gradient(cornered, 1.3) == (pytest.approx(12.0 + 6 * 1.3),)
    forms_agree(stepped, 1.3)
    forms_agree(gripped, 1.3, 0.7)
    assert astad.gradient(stepped, 2.0) == (0.5 * 9 * 4.0,)
    with monkeypatch.context() as patch:
        patch.setattr(Step.__new__, "__defaults__", (1, 4.0))
        forms_agree(stepped, 1.3)
        forms_agree(gripped, 1.3, 0.7)
        assert astad.gradient(stepped, 2.0) == (4.0 * 6 * 2.0,)
    with monkeypatch.context() as patch:
        patch.setattr(Corner.__new__, "__defaults__", (5.0, 1.0))
        assert astad.gradient(cornered, 1.3) == (pytest.approx(5.0 + 10 * 1.3),)
        patch.setattr(Corner.__new__, "__defaults__", None)
        with pytest.raises(TypeError):
            astad.gradient(cornered, 1.3)
    assert astad.gradient(stepped, 2.0) == (0.5 * 9 * 4.0,)


def test_a_namedtuple_whose_class_changes(monkeypatch):
    assert astad.gradient(rated, 1.3, 0.7) == (
        pytest.approx(0.7 * 2.0),
        pytest.approx(1.3 * 2.0 + 2.0),
    )
    with monkeypatch.context() as patch:
        patch.setattr(Rate.__new__, "__defaults__", (5.0,))
        assert astad.gradient(rated, 1.3, 0.7) == (
            pytest.approx(0.7 * 5.0),
            pytest.approx(1.3 * 5.0 + 5.0),
        )
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "Rate", lambda value: (value * value, 3.0))
        with pytest.raises(AttributeError):
            astad.gradient(rated, 1.3, 0.7)
    other = collections.namedtuple("Rate", "unit value", defaults=(7.0,))
    monkeypatch.setitem(globals(), "Rate", other)
    assert rated(1.3, 0.7) == pytest.approx(1.3 * 0.7 * 7.0 + 7.0 * 0.7)
    assert astad.gradient(rated, 1.3, 0.7) == (
        pytest.approx(0.7 * 7.0),
        pytest.approx(1.3 * 7.0 + 7.0),
    )


@dataclasses.dataclass
class Interval:
    unit: typing.ClassVar[float] = 3.0
    low: float
    high: float = 2.0

    def width(self):
        return (self.high - self.low) * self.high


@dataclasses.dataclass
class Ends:
    low: float
    bounds: tuple = (1.0, 2.0)


def test_dataclasses_with_more_than_fields():
    def of_interval(x):
        return Interval(x).width() * Interval(low=x, high=x * x).width()

    def of_ends(x):
        return Ends(x).bounds[1] * Ends(x).low * x

    assert is_fused(of_interval, 1.5)
    check_gradient(of_interval, 1.5)
    check_gradient(of_ends, 1.5)


def test_arguments_in_stars():
    def by_place(x, more):
        return Spring(x, *more).force() * x

    def by_name(x, more):
        return Spring(x, **more).force() * x

    assert astad.gradient(by_place, 1.5, [2.0, 3.0])[0] == -9.0
    assert astad.gradient(by_name, 1.5, {"m": 2.0, "x": 3.0}) == (-9.0, {"m": 0.0, "x": -2.25})


class Figure:
    unit = 2.0

    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


class Quadrat(Figure):
    unit = 4.0

    def scaled(self):
        return __class__.unit * self.side

    def doubled(self):
        return 2.0 * super(Quadrat, self).area()


def test_the_class_of_a_method_by_its_own_name():
    def f(x):
        return Quadrat(x).scaled() * x

    check_gradient(f, 1.5)


def test_another_super(monkeypatch):
    """As libraries for two versions of Python have it."""
    asked = []

    def backported(cls, self):
        asked.append(cls)
        return builtins.super(cls, self)

    def f(x):
        return Quadrat(x).doubled() * x

    monkeypatch.setitem(globals(), "super", backported)
    assert astad.gradient(f, 1.5)[0] == pytest.approx(13.5)
    assert asked == [Quadrat]


def test_a_method_without_source(monkeypatch):
    made = {"__name__": __name__}
    exec("def tell(self, n):\n    for i in range(n): self.told.append(i)", made)
    monkeypatch.setattr(Figure, "tell", types.FunctionType(made["tell"].__code__, globals()), False)

    def f(x):
        s = Figure(x)
        s.told = []
        s.tell(4)
        return s.area()

    with pytest.raises(NoSource, match="no text is found there"):
        astad.gradient(f, 1.5)


class Halving:
    def __init__(self, x, far):
        self.x = x
        if far:
            self.going = True

    def step(self):
        self.x = self.x * 0.5
        self.going = self.x > 1.0


def test_a_loop_that_asks_an_attribute_which_may_not_be_there():
    def f(x, far):
        walk = Halving(x, far)
        while walk.going:
            walk.step()
        return walk.x * walk.x

    assert astad.gradient(f, 5.0, True)[0] == 2 * 5.0 * 0.125**2
    with pytest.raises(AttributeError, match="going"):
        astad.gradient(f, 5.0, False)


def test_a_local_that_is_deleted_beside_an_object():
    def f(x):
        figure, t = Figure(x), x * 2.0
        y = figure.area() * t
        del t
        return y * figure.side

    check_gradient(f, 1.5)
