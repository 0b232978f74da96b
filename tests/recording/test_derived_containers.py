"""Classes derived from containers, whose methods find those of the container by ``super()``."""

import itertools
import math
from collections import Counter, OrderedDict, defaultdict, deque
from enum import IntEnum

import numpy as np
import pytest

from .recorded_runs import agree, opaque, recorded, recorded_backwards, refused

pytestmark = pytest.mark.order_matters


class Scaled(list):
    n = 0

    def append(self, v):
        self.n += 1
        super().append(2 * v)

    def __getitem__(self, i):
        return super().__getitem__(i) * 3

    def __len__(self):
        return super().__len__() + 10

    def __iter__(self):
        return (v * 5 for v in super().__iter__())

    def pop(self):
        self.n += 100
        return super().pop()

    def extend(self, vs):
        for v in vs:
            self.append(v)


def of_list(x):
    items = Scaled()
    items.append(x)
    items.append(opaque(x))
    items.extend([x])
    return items[0] * items.n + len(items) * x + sum(items) + items.pop() * items.n


class Tracked(list):
    def index(self, v):
        return super().index(v) + 1

    def remove(self, v):
        super().remove(v)

    def __delitem__(self, i):
        super().__delitem__(i)

    def sort(self, **keywords):
        super().sort(**keywords)


def of_list_searched(x):
    items = Tracked([3.0, 1.0, 2.0])
    items.sort(reverse=True)
    items.remove(2.0)
    del items[-1]
    return opaque(x) * (items.index(3.0) + len(items)) * items[0]


class CaseFree(dict):
    def __setitem__(self, k, v):
        super().__setitem__(k.lower(), v * 1.5)

    def __getitem__(self, k):
        return super().__getitem__(k.lower())

    def __contains__(self, k):
        return super().__contains__(k.lower())

    def __delitem__(self, k):
        super().__delitem__(k.lower())

    def items(self):
        return [(k, 2 * v) for k, v in super().items()]

    def values(self):
        return [v * v for v in super().values()]

    def get(self, k, default=None):
        return super().get(k, default) * 7

    def pop(self, k):
        return super().pop(k) + 1

    def setdefault(self, k, v):
        return super().setdefault(k.lower(), v * 4)

    def update(self, other):
        for k, v in other.items():
            self[k] = v


def of_dict(x):
    d = CaseFree()
    d["A"] = x
    d["B"] = opaque(x)
    total = d["a"] * d["B"] + sum(v for _, v in d.items()) + d.get("a") + sum(d.values())
    total = total + ("A" in d) * x + d.setdefault("Q", x) + d.setdefault("a", 0.0)
    return total + d.pop("a")


def of_dict_filled(x):
    d = CaseFree(P=x)  # which asks for no method of the class
    d.update({"Q": opaque(x), "R": x})
    del d["R"]
    return d["q"] * len(d) + x


class Vector(dict):
    def plus(self, other):
        made = Vector(self)
        for k, v in other.items():
            made[k] = made.get(k, 0.0) + v
        return made


def of_dict_copied(x):
    total = Vector(p=x, q=2 * x).plus(Vector([("q", opaque(x)), ("r", 3.0)]))
    spread = {**total, "z": x}
    return sum(dict(total).values()) + spread["q"] * len(spread) + by_keywords(**Vector(p=x, q=x))


def by_keywords(p, q):
    return p * q * q


class Env(dict):
    def __init__(self, names=(), values=(), outer=None):
        super().__init__(zip(names, values, strict=True))
        self.outer = outer

    def find(self, k):
        return self if k in self else self.outer.find(k)


GLOBAL = Env(["pi"], [3.0])


def of_dict_outside(x):
    env = Env(["a"], [opaque(x)], GLOBAL)
    return env.find("a")["a"] * env.find("pi")["pi"]


class Numbered(dict):
    def __missing__(self, k):
        return k * 1.0


def with_missing(x):
    d = Numbered({1: opaque(x)})
    return d[1] * d[3] + (2 in d)


class Doubled(OrderedDict):
    def __setitem__(self, k, v):
        super().__setitem__(k, v * 2)


def of_ordered_dict(x):
    d = Doubled(b=opaque(x))
    d["a"] = x
    d.move_to_end("b")
    return next(iter(d.values())) + 3 * d["b"] + d[next(reversed(d))]


class Grown(defaultdict):
    def __missing__(self, k):
        self[k] = v = self.default_factory() + 1.0
        return v


def of_default_dict(x):
    d = Grown(float)
    d["a"] += opaque(x)
    return d["a"] * x


class Window(deque):
    def append(self, v):
        super().append(v * 2)

    def popleft(self):
        return super().popleft() + 1


def of_deque(x):
    last = Window(maxlen=2)
    for v in (x, opaque(x), 3 * x):
        last.append(v)
    return last.popleft() * last[0]


class Shifted(set):
    def add(self, v):
        super().add(v + 1)


def of_set(x):
    places = Shifted()
    places.add(1)
    places.add(2)
    return opaque(x) * sum(places) * len(places)


class Point(tuple):
    __slots__ = ()

    def __new__(cls, *a):
        return super().__new__(cls, a)

    def __getitem__(self, i):
        return super().__getitem__(i) * 2

    def __add__(self, other):
        return Point(*[a + b for a, b in zip(self, other, strict=True)])


def of_tuple(x):
    moved = Point(x, opaque(x)) + Point(1.0, x)
    return moved[0] * moved[1] + sum(moved)


def keys_of_ordered(x):
    d = OrderedDict(a=x, b=opaque(x), c=3.0)
    d.move_to_end("a")
    filled = OrderedDict(c=1.0)
    filled.update(d)
    total = 0.0
    for table in (d, dict(d), filled, OrderedDict.fromkeys("bab", x)):
        for v in table.values():
            total = total * 1.5 + v
    return total * len(next(iter(d)))


class Item:
    def __init__(self, x):
        self.price = x
        self.rate = opaque(x)


def by_vars(x):
    item = Item(x)
    assert "rate" in vars(item)
    return sum(vars(item).values())


class Side(IntEnum):
    BUY = 1
    SELL = -1


def signs_of_members(x):
    return opaque(x) * -Side.SELL + x * +Side.BUY


def pairs(x):
    return sum(a * b for a, b in itertools.combinations_with_replacement([opaque(x), x, 3.0], 2))


def drawn_by_constants(x):
    rng = np.random.default_rng(3)
    z = rng.normal(size=(4, 3))
    waits = rng.exponential(np.exp(-z @ np.array([0.5, -0.5, 0.0])))
    counts = Counter("the cat the dog".split())
    p = np.array([n**0.75 for n in counts.values()])
    p /= p.sum()
    at = rng.choice(3, size=2, p=p)
    more = rng.normal(waits.mean(), waits.std(), size=3)
    return np.sum(waits * opaque(x)) + np.array([x, x * x, 1.0])[at].sum() + more.sum() * x


PROGRAMS = [
    of_list, of_list_searched, of_dict, of_dict_filled, of_dict_copied, of_dict_outside,
    with_missing, of_ordered_dict, of_default_dict, of_deque, of_set, of_tuple, keys_of_ordered,
    by_vars, signs_of_members, pairs, drawn_by_constants,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_recorded_and_right(f):
    assert recorded(f, 1.3)
    for x in (1.3, 0.7, 2.1, 0.4):
        agree(f, x)


def by_draws_that_count(x):
    rng = np.random.default_rng(3)
    scale = np.zeros(3)
    part = scale[1:]
    part += x
    return rng.exponential(scale).sum() * opaque(x)


def test_draws_by_numbers_that_count_are_not():
    assert "exponential of what is no constant" in refused(by_draws_that_count, 1.3)


class Config(dict):
    def __getattr__(self, k):
        try:
            v = self[k]
        except KeyError:
            raise AttributeError(k) from None
        return Config(v) if isinstance(v, dict) else v

    def merged(self, other):
        made = dict(self)
        for k, v in other.items():
            inner = isinstance(v, dict) and isinstance(made.get(k), dict)
            made[k] = Config(made[k]).merged(v) if inner else v
        return Config(made)


BASE = Config(rate=0.1, net={"width": 3, "kind": "tanh"})
ORDERED = OrderedDict(a=1.0, b=2.0)


def of_config_outside(x):
    made = BASE.merged({"net": {"width": 4}, "rate": opaque(x)})
    total = made.rate * made.net.width * sum(ORDERED.values()) + len(BASE)
    for k, v in ORDERED.items():
        total = total * v + len(k)
    for k in BASE:
        total = total * len(k)
    return total


class Frame:
    def __init__(self, columns):
        self.columns = {k: np.asarray(v) for k, v in columns.items()}

    def __getitem__(self, k):
        if isinstance(k, str):
            return self.columns[k]
        return Frame({name: column[k] for name, column in self.columns.items()})

    def groups(self, by):
        for k in np.unique(self[by]):
            yield k, self[self[by] == k]


def of_names(x):
    frame = Frame({"g": ["u", "v", "u"], "y": [x, opaque(x), x * x]})
    total = sum(g["y"].sum() * (at + len(k)) for at, (k, g) in enumerate(frame.groups("g")))
    for k in frame["g"]:
        total = total * 1.1 + (k == "u")
    return total


def of_list_in_array(x, birth):
    a = np.diag(np.array([opaque(x), 2 * x]), k=-1)
    a[0, :] = birth
    a[:, 2] = (x, 2.0, 3.0)
    return a.sum() * x


def axes_of_a_number(x):
    t = np.asarray(opaque(x))[..., None]
    k = np.arange(3)
    return (t**k * (1 - t) ** (2 - k)).sum() + np.array(x)[None, None][0, 0]


def by_drawn_sums(x):
    values = [x, opaque(x), 2.0]
    total = math.fsum(map(math.exp, values)) + math.fsum(v * v for v in values)
    return total * math.prod(v + 1.0 for v in values) + len(np.unique(np.array(["b", "a", "b"])))


@pytest.mark.parametrize("f", [of_config_outside, of_names, axes_of_a_number])
def test_what_lies_outside_and_what_is_in_tables(f):
    recorded(f, 1.3)
    for x in (1.3, 0.7, 2.1, 0.4):
        agree(f, x)


def test_sums_that_are_drawn():
    recorded_backwards(by_drawn_sums, 1.3)
    for x in (1.3, 0.7, 2.1, 0.4):
        agree(by_drawn_sums, x)


def test_lists_are_put_into_arrays():
    for x in (1.3, 1.3, 1.3, 0.7, 2.1):
        agree(of_list_in_array, x, [0.5, x, 2.0])


def test_a_config_that_has_changed_meanwhile_is_read_anew():
    recorded(of_config_outside, 1.3)
    ORDERED["b"] = 3.0
    agree(of_config_outside, 1.3)
    ORDERED.move_to_end("a")
    agree(of_config_outside, 0.7)
    BASE["more"] = 1.0
    agree(of_config_outside, 0.7)
    del BASE["more"]
    ORDERED.move_to_end("b")
    ORDERED["b"] = 2.0
    agree(of_config_outside, 1.3)
