"""The protocols of containers, iterators, contexts, calls, text and hashing."""

import collections
import math

import numpy as np
import pytest

from tests.conformance.harness import conforms
from tests.conformance.programs import Programs

programs = Programs()


class Grid:
    def __init__(self, cells, width):
        self.cells, self.width = cells, width
        self.reads = 0

    def __getitem__(self, at):
        self.reads += 1
        if isinstance(at, slice):
            return [self.cells[k] * 2 for k in range(*at.indices(len(self)))]
        row, column = at
        if row is ...:
            return self.cells[column]
        return self.cells[row * self.width + column]

    def __setitem__(self, at, value):
        row, column = at
        self.cells[row * self.width + column] = value * 2

    def __delitem__(self, at):
        self.cells[at] *= 0.5

    def __len__(self):
        return len(self.cells)

    def __contains__(self, value):
        self.reads += 1
        return any(abs(c - value) < 0.1 for c in self.cells)

    def __iter__(self):
        return iter(self.cells)

    def __reversed__(self):
        return iter([c * k for k, c in enumerate(self.cells[::-1])])


@programs.at(1.3, 0.5)
def items_of_an_object(x, y):
    g = Grid([x, y, x * y, 1.0], 2)
    g[0, 1] = g[1, 0] + x
    g[1, 1] += g[0, 0]
    del g[2]
    total = sum(g[1:3]) + g[..., 0] * len(g)
    if x in g and 99.0 not in g:
        total *= g.reads
    return total * max(g) + sum(v * v for v in g)


@programs.at(Grid([1.0, 2.0, 0.5, 3.0], 2), 1.5)
def an_object_with_items_as_argument(g, x):
    g[1, 0] = x
    a, b, *rest = g
    last = list(reversed(g))
    return a * b + rest[0] * last[1] + g[0, 1] * last[3]


class Countdown:
    def __init__(self, v, n):
        self.v, self.n = v, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.v = self.v * 1.5
        return self.v


@programs.at(0.8)
def an_iterator_of_the_users(x):
    total = 0.0
    c = Countdown(x, 4)
    for v in c:
        total += v * c.n
    again = Countdown(x, 3)
    first = next(again)
    pairs = dict(zip("ab", again, strict=True))
    nothing = next(again, x * 9)
    return total + first * pairs["b"] + nothing + sum(Countdown(x, 2)) * max(Countdown(x, 2))


class Counted:
    """Counts before it stops, as iterators often do."""

    def __init__(self, values):
        self.values, self.k = values, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.k += 1
        if self.k > len(self.values):
            raise StopIteration()
        return self.values[self.k - 1] * self.k


class Growing(Counted):
    def __next__(self):
        self.values[0] = self.values[0] * 1.5
        return super().__next__()


@programs.at([1.0, 2.0, 0.5])
def an_iterator_that_counts_before_it_stops(xs):
    c = Counted(xs)
    return sum(v * c.k for v in c) * c.k + sum(Counted(xs))


@programs.at([1.0, 2.0])
def an_iterator_that_writes_before_it_stops(xs):
    total = 0.0
    try:
        for v in Growing(xs):
            total += v
    finally:
        total *= xs[0]
    return total


class ByIndex:
    """Iterated by ``__getitem__`` until IndexError."""

    def __init__(self, v):
        self.v = v

    def __getitem__(self, k):
        if k >= 3:
            raise IndexError(k)
        self.v += 0.1
        return self.v * k

    def __len__(self):
        return 3


@programs.at(1.1)
def iteration_by_getitem(x):
    b = ByIndex(x)
    total = 0.0
    for k, v in enumerate(b):
        total += k * v
    return total * sum(b) + [*b][2] + list(reversed(b))[0] + (0.0 in b) * x


class Ring:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for k, item in enumerate(self.items):
            yield item * (k + 1)
        yield from self.items

    def __len__(self):
        return len(self.items)


@programs.at([1.0, 2.0, 3.0])
def iteration_by_a_generator_method(xs):
    r = Ring(xs)
    first, *others = r
    xs[0] = first * others[-1]
    return sum(r) * len(r) + math.prod(list(r)[:2])


class Held:
    def __init__(self, box, value, swallow=False):
        self.box, self.value, self.swallow = box, value, swallow

    def __enter__(self):
        self.box.append(self.value)
        return self

    def __exit__(self, kind, error, trace):
        self.value *= 3 if kind is None else len(error.args)
        self.box.append(self.value * self.value)
        return self.swallow


@programs.at(1.2)
def contexts_of_the_users(x):
    box = []
    with Held(box, x) as outer, Held(box, x * 2) as inner:
        box.append(outer.value * inner.value)
    with Held(box, x, swallow=True):
        box.append(x**3)
        raise ValueError("a", "b")
    try:
        with Held(box, x * 4):
            raise KeyError("c")
    except KeyError:
        box.append(1.0 / x)
    return sum(k * v for k, v in enumerate(box))


class Default(dict):
    def __missing__(self, key):
        self[key] = value = self["start"] * len(key)
        return value


@programs.at(1.4)
def a_dict_with_missing(x):
    d = Default(start=x)
    d["abc"] += 1.0
    total = d["abc"] * d["de"] + d.get("none", x)
    return total + sum(d.values())


@programs.at(1.4)
def counters_and_default_dicts(x):
    d = collections.defaultdict(lambda: x * 2)
    d["a"] += x
    d["b"] *= d["a"]
    nested = collections.defaultdict(list)
    for k in range(4):
        nested[k % 2].append(x * k)
    return d["a"] * d["b"] + sum(nested[1]) * d["c"]


class Template:
    def __init__(self, v):
        self.v = v
        self.shown = 0

    def __format__(self, spec):
        self.shown += 1
        return format(self.v, spec or ".2f")

    def __str__(self):
        self.shown += 1
        return f"T({self.v:.1f})"

    def __repr__(self):
        return "T" * 3

    def __len__(self):
        return 4


@programs.at(1.26)
def text_of_objects(x):
    t = Template(x)
    text = f"{t} {t:.3f} {t!s} {t!r}" + str(t) + "{:.1f}".format(t) + "%s" % t + repr(t)
    return x * len(text) * t.shown + len(t) * t.v


@programs.at(2.0)
def text_read_back_as_a_number_is_another_number(x):
    text = f"{x:.3f}"
    return float(text) * x


class Fraction2:
    def __init__(self, n, d):
        self.n, self.d = n, d

    def __hash__(self):
        return hash((type(self), 7))

    def __eq__(self, o):
        return self.n * o.d == self.d * o.n


@programs.at(1.5)
def equality_and_hash_of_the_users(x):
    a, b, c = Fraction2(x, 2.0), Fraction2(2 * x, 4.0), Fraction2(x, 3.0)
    table = {a: x, c: x * x}
    table[b] *= 3
    return table[a] * table[c] + [c, b].index(a) * x + (a in {c, b}) * x + [a, b, c].count(b) * x


class Memo:
    """Remembers in its hooks what it saw: what they write counts."""

    def __init__(self):
        self.seen = 0.0

    def __len__(self):
        self.seen = self.seen * 2 + self.base
        return 2

    def __contains__(self, v):
        self.seen += v * v
        return True

    def __bool__(self):
        self.seen *= self.base
        return True

    def __eq__(self, o):
        self.seen += o * self.base
        return False

    __hash__ = object.__hash__


@programs.at(1.3)
def hooks_that_write_active_state(x):
    m = Memo()
    m.base = x
    n = len(m)
    inside = (x * 3) in m
    if m:
        n += 1
    same = m == x
    outside = x not in m
    return m.seen * n + inside + same + outside + (not m) + (m != x)


@programs.at(1.3)
def truth_by_length(x):
    full, empty = Ring([x, 2.0]), Ring([])
    total = x if full else 0.0
    total += 0.0 if empty else x * x
    if not empty and len(full):
        total *= 3
    return total + (empty or full).items[0] + bool(full) * x


class Matrix:
    """Items by row objects that write through."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, i):
        return Row(self, i)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.rows)


class Row:
    def __init__(self, owner, i):
        self.owner, self.i = owner, i

    def __getitem__(self, j):
        return self.owner.rows[self.i][j]

    def __setitem__(self, j, v):
        self.owner.rows[self.i][j] = v


@programs.at(1.5)
def items_through_a_proxy(x):
    m = Matrix([[x, 2.0], [3.0, x]])
    m[0][1] *= m[1][1]
    m[1][0] = m[0][0] ** 2
    return np.sum(np.array(m) * 2.0) + m[0][1] * m[1][0]


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_protocols(program, args, options):
    conforms(program, *args, **options)
