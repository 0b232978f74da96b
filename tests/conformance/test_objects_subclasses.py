"""Subclasses of list, dict, tuple, float, set, str, exceptions and arrays."""

import collections
import math
from collections import UserDict, UserList, abc

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from tests.conformance.harness import conforms
from tests.conformance.programs import Programs, conforms_in_both_forms

programs = Programs()


class Path(list):
    scale = 2.0

    def __init__(self, items=(), unit=1.0):
        super().__init__(items)
        self.unit = unit

    def length(self):
        return sum(abs(a - b) for a, b in zip(self, self[1:], strict=False)) * self.unit

    def __getitem__(self, i):
        found = super().__getitem__(i)
        return found * self.scale if not isinstance(i, slice) else Path(found, self.unit)

    def append(self, v):
        super().append(v * self.unit)

    def __iadd__(self, others):
        self.extend(others)
        self.unit *= 2
        return self


@programs.at([1.0, 4.0, 2.0], 1.5)
def a_subclass_of_list(xs, x):
    p = Path(xs, x)
    p.append(x)
    same = p
    p += [x * x]
    p[0] = p[1] * p[-1]
    total = p.length() + sum(p) + same.unit
    p.sort()
    return total * p[0] + p.pop() + len(p) * p.index(min(p))


class Scaled(list):
    scale = 2.0

    def __getitem__(self, i):
        return super().__getitem__(i) * self.scale

    def append(self, v):
        super().append(v * self.scale)


@programs.at(Scaled([1.0, 3.0]))
def a_subclass_of_list_as_argument(p):
    p.append(p[0])
    p[1] += p[2] * p[0]
    return sum(p) * p[1]


def test_a_number_that_an_argument_has_beside_its_elements_is_refused():
    def longer(p):
        p.append(p[0])
        p.unit += p.length()
        return sum(p) * p.unit

    with pytest.raises(Unsupported, match="a derivative by the numbers in p"):
        gradient(longer, Path([1.0, 3.0], 0.5))


class Table(dict):
    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.writes = 0.0

    def __setitem__(self, key, value):
        self.writes += value
        super().__setitem__(key, value * 2)

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __contains__(self, key):
        return super().__contains__(key) or key == "any"

    def get(self, key, default=None):
        return super().get(key, default) if key in self else self.writes


@programs.at(1.5)
def a_subclass_of_dict(x):
    t = Table(a=x, b=2.0)
    t["c"] = t.a * t["b"]
    t.update(d=x)
    t["a"] += 1.0
    total = t.c * t.writes + t.get("nothing") * ("any" in t) + getattr(t, "zz", x)
    return total + sum(t.values()) * t.pop("d") + t.setdefault("e", x)


class Vector(tuple):
    __slots__ = ()

    def __new__(cls, *parts):
        return super().__new__(cls, [p * 2 for p in parts])

    def __add__(self, other):
        return Vector(*[(a + b) / 2 for a, b in zip(self, other, strict=True)])

    def __mul__(self, k):
        return Vector(*(a * k for a in self))

    @property
    def x(self):
        return self[0]


@programs.at(1.5, 0.5)
def a_subclass_of_tuple(x, y):
    a, b = Vector(x, y), Vector(y, 1.0)
    c = (a + b) * x
    first, second = c
    return first * second + c.x * a[-1] + sum(b) + (a == b) * x


class Celsius(float):
    def __new__(cls, value, shift=0.0):
        return super().__new__(cls, value + shift)

    def fahrenheit(self):
        return self * 1.8 + 32.0

    def __add__(self, other):
        return Celsius(float(self) + float(other) * 2)

    def __neg__(self):
        return float(self) * -3.0


@programs.at(20.0)
def a_subclass_of_float(x):
    c = Celsius(x, shift=x * 0.1)
    d = c + 1.0
    return c.fahrenheit() * 0.01 + -c + d * 2.0 + (d if d > c else x)


class Count(int):
    def times(self, v):
        return v * self

    def __add__(self, other):
        return Count(int(self) + int(other))


@programs.at(1.5)
def a_subclass_of_int(x):
    n = Count(2) + 1
    total = 0.0
    for k in range(n):
        total += n.times(x) ** k
    return total


class Tagged(set):
    def weigh(self, x):
        return sum(len(word) * x for word in sorted(self))

    def __or__(self, other):
        return Tagged(super().__or__(other))


@programs.at(1.5)
def a_subclass_of_set(x):
    tags = Tagged(["a", "bb"]) | {"ccc"}
    tags.add("dddd")
    return tags.weigh(x) * ("a" in tags)


class Name(str):
    weight = 2.0

    def __new__(cls, text, weight):
        made = super().__new__(cls, text)
        made.weight = weight
        return made


@programs.at(1.5)
def a_subclass_of_str(x):
    name = Name("abc", x)
    table = {name: x * 2, "other": 1.0}
    return table["abc"] * name.weight * len(name.upper())


class Failure(ValueError):
    def __init__(self, message, value):
        super().__init__(message)
        self.value = value

    @property
    def twice(self):
        return self.value * 2


@programs.at(1.5)
def an_exception_with_values(x):
    def risky(v):
        if v > 1.0:
            raise Failure("too large", v * v)
        return v

    try:
        return risky(x)
    except Failure as failure:
        failure.value += x
        return failure.twice * len(failure.args[0])


class Window(collections.deque):
    def __init__(self, n):
        super().__init__(maxlen=n)
        self.total = 0.0

    def add(self, v):
        if len(self) == self.maxlen:
            self.total -= self[0]
        self.append(v)
        self.total += v
        return self.total / len(self)


@programs.at([1.0, 3.0, 2.0, 5.0])
def a_subclass_of_deque(xs):
    w = Window(2)
    means = [w.add(x * x) for x in xs]
    return means[-1] * means[1] + w[0]


class Ordered(collections.OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.move_to_end(key, last=False)


@programs.at(1.5)
def a_subclass_of_ordered_dict(x):
    d = Ordered()
    d["a"] = x
    d["b"] = x * x
    d["a"] = d["a"] + d["b"]
    return sum((k + 1) * v for k, v in enumerate(d.values()))


class Bag(UserList):
    def total(self):
        return sum(self)


class Config(UserDict):
    def __missing__(self, key):
        return self["default"] * len(key)


@programs.at(1.5)
def user_list_and_user_dict(x):
    b = Bag([x, 2.0])
    b.append(x * x)
    b[0] *= 3
    c = Config(default=x)
    c["a"] = b.total()
    return c["a"] * c["abc"] + (b + [x]).total() + len(b) * b.pop()


class Range(abc.Sequence):
    def __init__(self, start, step, n):
        self.start, self.step, self.n = start, step, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if not 0 <= i < self.n:
            raise IndexError(i)
        return self.start + self.step * i


class Attributes(abc.MutableMapping):
    def __init__(self, **values):
        self.values_ = dict(values)

    def __getitem__(self, key):
        return self.values_[key]

    def __setitem__(self, key, value):
        self.values_[key] = value * 2

    def __delitem__(self, key):
        del self.values_[key]

    def __iter__(self):
        return iter(self.values_)

    def __len__(self):
        return len(self.values_)


@programs.at(1.5, 0.5)
def a_sequence_by_its_abstract_class(x, step):
    r = Range(x, step, 3)
    total = sum(v * k for k, v in enumerate(r)) + list(reversed(r))[0]
    return total + r.index(x) * x + (x in r) * step + math.prod(r)


@programs.at(1.5)
def a_mapping_by_its_abstract_class(x):
    a = Attributes(p=x)
    a["q"] = a["p"] * x
    total = a.get("q") + a.get("none", x) + a.setdefault("s", x)
    a.update(r=x)
    total *= a.pop("r")
    return total + sum(a.values()) + sum(v for _, v in a.items()) * ("p" in a)


class Field(np.ndarray):
    pass


@programs.at(np.array([1.0, 2.0, 3.0]))
def a_view_as_a_subclass_of_array(a):
    f = a.view(Field)
    b = f * 2.0 + a
    return np.sum(b * np.exp(-f))


@programs.at(np.array([1.0, 2.0, 3.0]), 1.5)
def attributes_of_a_subclass_of_array(a, x):
    f = a.view(Field)
    f.scale = x
    f.scale *= f.scale
    f[0] = f.scale
    return np.sum(f * f.scale) + vars(f)["scale"]


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_subclasses(program, args, options):
    conforms_in_both_forms(program, args, options)


class Early(dict):
    """A dict that is asked for its values only when it is ready."""

    def __init__(self, pairs):
        self.order = order = []
        self.fill(pairs)
        self.asked = lambda: iter(order)

    def fill(self, pairs):
        for key, value in pairs:
            dict.__setitem__(self, key, value)
            self.order.append(key)

    def values(self):
        return [self[key] for key in self.asked()]

    def __len__(self):
        return len(list(self.asked()))


def test_dict_that_is_not_ready_is_not_asked():
    def f(x):
        d = Early([("a", x), ("b", x * x)])
        return sum((k + 1) * v for k, v in enumerate(d.values())) * len(d)

    conforms(f, 1.3)
