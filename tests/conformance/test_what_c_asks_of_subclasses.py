"""Subclasses of list, dict and the like: which of their own methods compiled code calls, and which
it passes by."""

import bisect
import collections
import copy
import heapq
import math
import statistics

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from tests.conformance.harness import raises
from tests.conformance.programs import Programs, conforms_in_both_forms

programs = Programs()


def weighted(values):
    return sum((k + 1) * v for k, v in enumerate(values))


# --- operators in place ---------------------------------------------------------------------------


class Vector(list):
    """Adds number by number; ``+=`` is still that of list, which extends."""

    def __add__(self, other):
        return Vector(a + b for a, b in zip(self, other, strict=False))

    def __mul__(self, factor):
        return Vector(a * factor for a in self)


class Reserved(list):
    """Leaves both operators to the other operand."""

    def __add__(self, other):
        return NotImplemented

    def __mul__(self, other):
        return NotImplemented


class Window(collections.deque):
    def __add__(self, other):
        return Window([1.0])

    def __mul__(self, factor):
        return Window(a * factor for a in self)


class Offer:
    """An iterable that would answer ``xs + offer`` and ``xs * offer`` itself."""

    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return iter([self.x, 2.0])

    def __radd__(self, other):
        return [self.x * 7]

    def __rmul__(self, other):
        return [self.x * 9]


class Named(set):
    def __or__(self, other):
        return Named([100.0])


class Settings(dict):
    def __or__(self, other):
        return Settings(z=1.0)


@programs.at(3.0)
def vector_extended(x):
    v = same = Vector([x, 2.0])
    v += [x, 1.0]
    return weighted(v) + weighted(same) + (v is same)


@programs.at(3.0)
def vector_scaled_anew(x):
    v = same = Vector([x, 2.0])
    v *= x
    return weighted(v) + weighted(same) + (v is same)


@programs.at(3.0)
def vector_under_a_key_and_in_an_attribute(x):
    class Box:
        v = Vector([x])

    d = {"v": Vector([x, 2.0])}
    d["v"] += [x * x]
    Box.v += (k * x for k in range(3))
    return weighted(d["v"]) * weighted(Box.v)


@programs.at(3.0)
def list_and_subclass_with_an_offer(x):
    v, plain = Vector([x]), [x]
    v += Offer(x * x)
    plain += Offer(x * x)
    return weighted(v) + 10 * weighted(plain)


@programs.at(3.0)
def subclass_with_an_array(x):
    v = Reserved([x])
    v += np.array([x, x * x])
    return weighted(v)


@programs.at(3.0)
def repeated_where_the_method_declines(x):
    v = same = Reserved([x, 2.0])
    v *= 2
    w = Reserved([x])
    w *= Offer(x)
    return weighted(v) + weighted(same) + weighted(w)


@programs.at(3.0)
def deque_of_the_same_kind(x):
    q = same = Window([x])
    q += [x * 2, x * x]
    total = weighted(q) + weighted(same)
    q *= x
    return total + weighted(q)


@programs.at(3.0)
def sets_and_dicts_in_place(x):
    s, d = Named([x]), Settings(a=x)
    s |= {x * 2}
    d |= {"b": x * x}
    d |= [("c", x)]
    return sum(s) + weighted(d.values())


# --- dicts that store by a method of their own ----------------------------------------------------


class Doubling(collections.OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class DoublingByDefault(collections.defaultdict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class Logged(collections.OrderedDict):
    """Adds up what its methods are asked for."""

    def __init__(self, *args, **keywords):
        self.log = len(args)
        super().__init__(*args, **keywords)

    def __setitem__(self, key, value):
        self.log = self.log * 2 + value
        super().__setitem__(key, value)

    def __getitem__(self, key):
        found = super().__getitem__(key) * 1.5
        self.log = self.log * 3 + found
        return found

    def __contains__(self, key):
        self.log = self.log * 5
        return super().__contains__(key)


class Totalled(collections.defaultdict):
    def __init__(self, factory, *args, **keywords):
        super().__init__(factory, *args, **keywords)
        self.total = weighted(self.values())


class Marked(collections.OrderedDict):
    def __or__(self, other):
        return Marked(super().__or__(other), w=7.0)

    def __ror__(self, other):
        return Marked(super().__ror__(other), u=6.0)


class Plain(dict):
    default_factory = float


@programs.at(3.0)
def defaults_are_stored_by_the_method(x):
    d = Doubling(a=x)
    there, new = d.setdefault("a", 1.0), d.setdefault("z", x)
    log = Logged(a=x)
    log.setdefault("a", 1.0)
    log.setdefault("b", x * x)
    return weighted(d.values()) + there * new + log.log


@programs.at(3.0)
def ordered_dicts_united(x):
    d = Doubling(a=x, b=x * x)
    right, left = d | {"b": x, "q": x}, {"z": x, "a": 1.0} | d
    log = Logged(a=x)
    both = log | {"c": x}
    return weighted(right.values()) + weighted(left.values()) * both.log + log.log


@programs.at(3.0)
def ordered_dicts_copied_and_updated(x):
    d = Logged(a=x, b=x * x)
    e = d.copy()
    d |= {"c": x}
    d.update([("e", x)], f=x * x)
    total = weighted(d.values()) + d.log
    d.clear()
    return weighted(e.values()) * e.log + total + len(d)


@programs.at(3.0)
def missing_items_are_stored_by_the_method(x):
    d = DoublingByDefault(lambda: x * x)
    made = d["a"]
    d["b"] += x
    return made * weighted(d.values())


@programs.at(3.0)
def default_dicts_united_and_copied(x):
    d = Totalled(lambda: x, a=x)
    e, f = d | {"b": x * x}, {"c": x} | d
    g = f.copy()
    return e["none"] * e.total + f.total * weighted(g.values()) + g.total


@programs.at(3.0)
def unions_in_methods_of_a_subclass(x):
    d = Marked(a=x)
    e, f = d | {"b": x * x}, {"c": x} | d
    plain = dict.__or__(d, {"b": x})
    return weighted(e.values()) * weighted(f.values()) + weighted(plain.values()) * len(e)


@programs.at(3.0)
def kinds_of_unions(x):
    ordered, default = collections.OrderedDict(a=x), collections.defaultdict(float, b=x)
    pairs = [ordered | default, default | ordered, {"c": x} | ordered, Plain(c=x) | ordered]
    pairs += [Plain(c=x) | default, {"c": x} | default, ordered | Doubling(q=x)]
    kinds = [collections.OrderedDict, collections.defaultdict, dict]
    return sum(weighted(y.values()) * (1 + kinds.index(type(y))) for y in pairs)


@programs.at(3.0)
def keys_that_are_numbers(x):
    d = Doubling()
    d[x] = 2.0
    d.setdefault(x * x, x)
    e, f = d.copy(), d | {x**3: x}
    return weighted(e) + weighted(e.values()) + weighted(f) * weighted(f.values())


@programs.at(3.0)
def counts_united_with_a_dict(x):
    c = collections.Counter(a=x)
    left, right = {"b": x * x} | c, c | {"z": x}
    return weighted(left.values()) * weighted(right.values())


@programs.at(3.0)
def a_factory_of_a_dict_without_one(x):
    try:
        return Plain()["q"] + x
    except KeyError:
        return x * x


# --- copies of deques and default dicts -----------------------------------------------------------


class Measured(collections.deque):
    def __init__(self, items=(), maxlen=None):
        super().__init__((v * 2 for v in items), maxlen)
        self.total = weighted(self)

    def append(self, v):
        super().append(v * 3)


@programs.at(3.0)
def deques_copied_by_their_class(x):
    d = Measured([x, x * x], 3)
    e, f = copy.copy(d), d.copy()
    e.append(x)
    d[0] = 1.0
    return (weighted(e) + weighted(f)) * e.total + e.maxlen + weighted(d)


@programs.at(3.0)
def deques_copied_deeply_by_their_class(x):
    d, short = Measured([x, x * x]), Measured([x, x * x], 2)
    e, f = copy.deepcopy(d), copy.deepcopy(short)
    d[0] = 1.0
    return weighted(e) * e.total + weighted(d) + weighted(f) * f.maxlen


@programs.at(3.0)
def default_dict_copied_past_its_methods(x):
    d = DoublingByDefault(lambda: x, a=x)
    e = copy.copy(d)
    return weighted(e.values()) * e["q"] + len(e) + len(d)


# --- subscripts that are asked for an int ---------------------------------------------------------


class Cursor:
    """Gives the next place each time that it is asked."""

    def __init__(self):
        self.place, self.asked = -1, 0

    def __index__(self):
        self.place += 1
        self.asked += 1
        return self.place


class FromBehind:
    asked = 0

    def __index__(self):
        self.asked += 1
        return -self.asked


@programs.at(3.0)
def places_read(x):
    c, b = Cursor(), FromBehind()
    xs, ys = [x, x * x, x**3], (x, x * x, x**3)
    return xs[c] + 10 * xs[c] + 100 * ys[c] + c.asked * x + xs[b] * ys[b]


@programs.at(3.0)
def places_written(x):
    c, b = Cursor(), FromBehind()
    xs = [x, x * x, x**3]
    xs[c] = x * 7
    xs[c] += x
    xs[b] = x * xs[b]
    return weighted(xs) * c.asked


@programs.at(3.0)
def slices_read_and_written(x):
    c = Cursor()
    xs = [x, x * x, x**3, x * 5]
    total = weighted(xs[c:]) + weighted(xs[c:c])
    xs[c:c] = [x, 2.0]
    xs[: -len(xs) : FromBehind()] = [x] * (len(xs) - 1)
    return (total + weighted(xs)) * c.asked


@programs.at(3.0)
def places_deleted(x):
    c = Cursor()
    xs, d = [x, x * x, x**3, x * 5], collections.deque([x, x * x, x**3])
    del xs[c]
    del xs[c:c]
    del d[FromBehind()]
    return weighted(xs) * c.asked + weighted(d)


@programs.at(3.0)
def places_in_a_subclass(x):
    c = Cursor()
    v = Vector([x, x * x, x**3])
    v[c] = x * 8
    v[c] *= x
    return weighted(v) * c.asked


@programs.at(np.array([1.0, 2.0, 3.0]), 1.5)
def places_of_an_array(a, x):
    c = Cursor()
    total = a[c] + 10 * a[c]
    grid = np.ones((4, 4)) * x
    grid[c, c] = x * x
    grid[FromBehind(), :2] += x**3
    return total + np.sum(grid * np.arange(16.0).reshape(4, 4)) * c.asked


# --- functions of C that read what lies in a list or tuple ----------------------------------------


class Odd(tuple):
    __slots__ = ()

    def __getitem__(self, i):
        return super().__getitem__(i) * 3

    def __len__(self):
        return 5


class Twice(tuple):
    __slots__ = ()

    def __iter__(self):
        return (v * 2 for v in tuple.__iter__(self))


class Heap(list):
    """Hands out others than it holds, and says of itself that it is longer."""

    def __iter__(self):
        return (v * 2 for v in list.__iter__(self))

    def __len__(self):
        return super().__len__() + 2

    def __getitem__(self, i):
        return super().__getitem__(i) * 3

    def held(self):
        return weighted(list.__iter__(self))


class Sorted(list):
    def insert(self, i, v):
        super().insert(i, v * 2)


@programs.at(1.3)
def products_and_sums_of_a_tuple(x):
    t = Odd((x, x * x, 2.0))
    return math.prod(t, start=x) + math.fsum(t) * statistics.fmean(t) + np.polyval(t, x)


@programs.at(1.3)
def distances_of_tuples(x):
    p, q = Twice((x, 2.0)), [1.0, x * x]
    return math.dist(p, q) + 10 * math.dist(q, Odd((x, x))) + math.fsum(p)


@programs.at(1.3)
def heap_of_a_subclass(x):
    h = Heap([x * 4, x, x * x, x * 3])
    heapq.heapify(h)
    heapq.heappush(h, x * 0.5)
    total = h.held() * heapq.heappop(h)
    total += h.held() * heapq.heapreplace(h, x * 2)
    return total + h.held() * heapq.heappushpop(h, x * 5) + h.held()


@programs.at(1.3)
def inserted_by_a_method(x):
    s = Sorted([x, x * 2, x * 30])
    bisect.insort(s, x * 1.5, hi=2)
    bisect.insort_left(s, x * 4, key=lambda v: v * x)
    return weighted(s)


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_program(program, args, options):
    conforms_in_both_forms(program, args, options)


def extended_by_a_number(x):
    v = Vector([x])
    v += x
    return v


def united_with_a_list(x):
    s = {x}
    s |= [x]
    return s


@pytest.mark.parametrize("program", [extended_by_a_number, united_with_a_list])
def test_exception(program):
    raises(program, 3.0)


@pytest.mark.parametrize("kind", [Twice, Heap])
def test_other_items_than_it_holds_within_a_list_for_numpy(kind):
    """A cotangent of what the class hands out is not one of what lies in it."""

    def stacked(x):
        return np.sum(np.stack([kind([x, 2.0]), [x, x]]))

    with pytest.raises(Unsupported, match=f"derivative with respect to a {kind.__name__} in"):
        gradient(stacked, 1.3)


def a_place_that_is_no_int(x):
    xs, place = [x, x], (FromBehind(),)
    return xs[place]


def a_place_too_far(x):
    class Far:
        def __index__(self):
            return 10**30

    return [x, x][Far()]


@pytest.mark.parametrize("program", [a_place_that_is_no_int, a_place_too_far])
def test_wrong_place(program):
    raises(program, 3.0)
