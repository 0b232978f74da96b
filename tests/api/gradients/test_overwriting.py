"""What the user writes between `pullback` and `back`: results are theirs, what is kept is seen."""

import copy
import itertools
import threading
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from astad import Tangent, adjoint, dropgrad, pullback, pullback_self
from astad.errors import Unsupported

Both = namedtuple("Both", "c d")
WEIGHTS = np.array([2.0, 3.0])
STORE = {}


@dataclass
class Result:
    c: np.ndarray
    d: np.ndarray


@dataclass(frozen=True)
class Frozen:
    c: np.ndarray
    d: np.ndarray


class Slots:
    __slots__ = ("c", "d")

    def __init__(self, c, d):
        self.c, self.d = c, d


class Chain:
    def __init__(self, c, d):
        self.c, self.rest = c, [{"d": (d, self)}]


def parts(a, b):
    c = a * b
    return c, np.exp(c)


def objects(c, d):
    made = np.empty(2, object)
    made[0], made[1] = c, d
    return made


def as_list(a, b):
    return list(parts(a, b))


def as_tuple(a, b):
    return parts(a, b)


def as_dict(a, b):
    c, d = parts(a, b)
    return {"c": c, "d": d}


def as_ordered(a, b):
    c, d = parts(a, b)
    return OrderedDict(c=c, d=d)


def as_deque(a, b):
    return deque(parts(a, b))


def as_namedtuple(a, b):
    return Both(*parts(a, b))


def as_dataclass(a, b):
    return Result(*parts(a, b))


def as_frozen(a, b):
    return Frozen(*parts(a, b))


def as_slots(a, b):
    return Slots(*parts(a, b))


def nested(a, b):
    c, d = parts(a, b)
    return [{"c": c, "more": (1.0, [d, "text"])}]


def views(a, b):
    c, d = parts(a, b)
    return [c[::-1], d.reshape(1, -1)]


def twice(a, b):
    c, d = parts(a, b)
    return [c, c, d]


def chain(a, b):
    return Chain(*parts(a, b))


ONES = np.ones(2)
CASES = [
    (as_list, [ONES, ONES]), (as_tuple, (ONES, ONES)), (as_dict, {"c": ONES, "d": ONES}),
    (as_ordered, {"c": ONES, "d": ONES}), (as_deque, [ONES, ONES]),
    (as_namedtuple, Both(ONES, ONES)), (as_dataclass, Tangent(c=ONES, d=ONES)),
    (as_frozen, Tangent(c=ONES, d=ONES)), (as_slots, Tangent(c=ONES, d=ONES)),
    (nested, [{"c": ONES, "more": (1.0, [ONES, None])}]), (views, [ONES, np.ones((1, 2))]),
    (twice, [ONES, 0 * ONES, ONES]),
    (chain, Tangent(c=ONES, rest=[{"d": (ONES, None)}])),
]  # fmt: skip


def arrays_in(value, seen):
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
    held = value if isinstance(value, (list, tuple, deque)) else []
    held = value.values() if isinstance(value, dict) else held
    for each in held or getattr(value, "__dict__", {}).values():
        yield from arrays_in(each, seen)
    for name in getattr(type(value), "__slots__", ()):
        if isinstance(value, Slots):
            yield from arrays_in(getattr(value, name), seen)


@pytest.mark.parametrize(("f", "seed"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_arrays_of_the_result_may_be_overwritten(f, seed):
    a, b = np.array([1.0, 2.0]), np.array([0.3, 0.4])
    y, back = pullback(f, a, b)
    plain = f(a, b)
    given = zip(arrays_in(y, set()), arrays_in(plain, set()), strict=True)
    assert type(y) is type(plain) and all(np.array_equal(p, q) for p, q in given)
    for each in arrays_in(y, set()):
        each[...] = -100.0
    for _ in range(2):
        a_bar, b_bar = back(seed)
        assert np.allclose(a_bar, b * (1 + np.exp(a * b)), rtol=1e-14)
        assert np.allclose(b_bar, a * (1 + np.exp(a * b)), rtol=1e-14)


def test_the_result_may_be_rebuilt_before_back():
    a, b = np.array([1.0, 2.0]), np.array([0.3, 0.4])
    y, back = pullback(as_list, a, b)
    y.clear()
    assert np.allclose(back([ONES, 0 * ONES])[0], b)
    y, back = pullback(as_dict, a, b)
    del y["c"]
    y["e"] = 3.0
    assert np.allclose(back({"c": ONES})[0], b)
    y, back = pullback(lambda x: [x, x * x], 3.0)
    y[0] = 100.0
    assert back([1.0, 1.0]) == (7.0,)


def test_what_the_result_holds_of_an_argument_stays_that():
    def f(a, b):
        return {"a": a, "p": a * b, "b": [b]}

    a, b = np.array([1.0, 2.0]), np.array([0.3, 0.4])
    y, back = pullback(f, a, b)
    assert y["a"] is a and y["b"][0] is b
    y["p"] += 5.0
    assert np.allclose(back({"p": ONES})[0], b)
    y["a"][0] = 50.0
    with pytest.raises(Unsupported, match="was overwritten before back was called"):
        back({"p": ONES})

    def g(layer, x):
        layer["h"] = np.tanh(x)
        return layer

    layer = {}
    y, back = pullback(g, layer, a)
    assert y is layer
    h = y["h"].copy()
    y["h"] *= 0.0
    assert np.allclose(back({"h": ONES})[1], 1 - h**2)


def by_argument(a):
    return lambda: (lambda x: np.sum(x**3), (a,), a)


def in_a_list(a):
    return lambda: (lambda p: np.sum(p["w"][0] ** 3), ({"w": [a]},), a)


def in_an_object(a):
    return lambda: (lambda o: np.sum(o.c**3), (Result(a, a),), a)


def captured(a):
    return lambda: (lambda x: np.sum(a**2 * x), (2.0,), a)


def by_default(a):
    def f(x, w=a):
        return np.sum(w * x * x)

    return lambda: (f, (2.0,), a)


def a_view(a):
    return lambda: (lambda x: np.sum(x[::-1] ** 3), (a,), a)


def of_a_view(a):
    return lambda: (lambda x: np.sum(x**3), (a[1:],), a)


@pytest.mark.parametrize(
    "case", [by_argument, in_a_list, in_an_object, captured, by_default, a_view, of_a_view]
)
def test_what_is_kept_and_overwritten_is_an_error(case):
    a = np.array([1.0, 2.0])
    f, args, held = case(a)()
    _, back = pullback(f, *args)
    first = back(1.0)
    assert back(1.0)[0] is not None and first is not None
    held[1] += 1e-12
    with pytest.raises(Unsupported, match="was overwritten before back was called"):
        back(1.0)
    held[1] = 2.0
    back(1.0)


def test_globals_and_what_was_stored_elsewhere():
    def f(x):
        STORE["h"] = np.exp(x)
        return np.sum(STORE["h"] * WEIGHTS * x)

    y, back = pullback(f, np.array([1.0, 2.0]))
    want = back(1.0)[0]
    WEIGHTS[0] = 7.0
    with pytest.raises(Unsupported, match="was overwritten"):
        back(1.0)
    WEIGHTS[0] = 2.0
    assert np.array_equal(back(1.0)[0], want)
    STORE["h"][0] = 7.0
    with pytest.raises(Unsupported, match="was overwritten"):
        back(1.0)


def test_by_keyword_and_by_the_callable_itself():
    w = np.array([1.0, 2.0])
    _, back = pullback(lambda x, *, w: np.sum(x * w), np.ones(2), w=w)
    w *= 2
    with pytest.raises(Unsupported, match="was overwritten"):
        back(1.0)

    class Model:
        def __init__(self):
            self.w = np.array([1.0, 2.0])

        def __call__(self, x):
            return np.sum(self.w * x)

    model = Model()
    _, back = pullback_self(model, np.ones(2))
    assert back(1.0)[0].w.tolist() == [1.0, 1.0]
    model.w += 1
    with pytest.raises(Unsupported, match="was overwritten"):
        back(1.0)


def test_what_the_reverse_sweep_does_not_read_may_be_overwritten():
    a = np.array([1.0, 2.0])
    _, back = pullback(lambda x: 2 * x, a)
    a[:] = 0.0
    assert back(ONES)[0].tolist() == [2.0, 2.0]

    def step(w, x):
        return np.sum((w - x) ** 2)

    w, x = np.array([1.0, 2.0]), np.array([0.0, 1.0])
    for _ in range(3):
        y, back = pullback(step, w, x)
        w -= 0.25 * back(1.0)[0]
    assert np.allclose(w - x, 0.125 * np.array([1.0, 1.0]))


def test_arrays_of_objects_closures_and_exceptions():
    a, want = np.array([1.0, 2.0]), np.exp([1.0, 2.0])

    def in_objects(x):
        made = np.empty(2, object)
        made[0], made[1] = np.exp(x), np.exp(x) * x
        return made

    y, back = pullback(in_objects, a)
    y[0][:] = 0.0
    y[1] = None
    seed = np.empty(2, object)
    seed[0], seed[1] = ONES, ONES
    assert np.allclose(back(seed)[0], want + want * (1 + a))

    def in_a_closure(x):
        e = np.exp(x)
        return lambda v: np.sum(e * v)

    y, back = pullback(in_a_closure, a)
    y.__closure__[0].cell_contents[:] = 0.0
    assert np.allclose(back(Tangent(e=ONES))[0], want)

    def in_an_exception(x):
        error = ValueError("far")
        error.at = np.exp(x)
        return error

    y, back = pullback(in_an_exception, a)
    y.at[:] = 0.0
    assert np.allclose(back(Tangent(at=ONES))[0], want)


def test_what_a_rule_handed_on_is_handed_out_as_itself():
    x = np.ones(2)
    y, back = pullback(lambda x: dropgrad(x), x)
    assert y is x and back(ONES) == (None,)
    (y, z), back = pullback(lambda x: (dropgrad(x), x * dropgrad(x)), x)
    assert y is x and z.flags.writeable
    assert back((None, ONES))[0].tolist() == [1.0, 1.0]


def test_large_arrays_swapped_entries_are_seen():
    a = np.linspace(0.0, 1.0, 20011)
    _, back = pullback(lambda x: np.sum(x**3), a)
    back(1.0)
    a[[5, 4101]] = a[[4101, 5]]
    with pytest.raises(Unsupported, match="was overwritten"):
        back(1.0)


def test_several_threads_go_back():
    a, b = np.array([1.0, 2.0]), np.array([0.3, 0.4])
    y, back = pullback(as_list, a, b)
    want, found = back([ONES, ONES])[0], []
    threads = [
        threading.Thread(target=lambda: found.append(back([ONES, ONES])[0])) for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 4 and all(np.array_equal(each, want) for each in found)


def test_a_list_that_a_rule_made_stays_as_the_rule_made_it():
    def plain(x):
        return [x * x, np.exp(x)]

    @adjoint(plain)
    def rule(x):
        y = [x * x, np.exp(x)]
        return y, lambda bars: (2 * x * bars[0] + y[1] * bars[1],)

    a = np.array([1.0, 2.0])
    y, back = pullback(lambda x: plain(x), a)
    y[1][:] = 0.0
    assert np.allclose(back([ONES, ONES])[0], 2 * a + np.exp(a))
    stacked = np.random.default_rng(0).normal(size=(2, 3, 3))
    (lu, _), back = pullback(np.linalg.qr, stacked)
    want = back((np.ones((2, 3, 3)), np.ones((2, 3, 3))))[0]
    lu[...] = 0.0
    assert np.array_equal(back((np.ones((2, 3, 3)), np.ones((2, 3, 3))))[0], want)


def test_iterators_that_are_handed_out_are_pythons():
    def twice(xs):
        first, second = itertools.tee(xs)
        next(second)
        return [x * x for x in first], second, {"cycle": itertools.cycle(xs)}

    plain = twice([2.0, 3.0])
    (squares, rest, more), back = pullback(twice, [2.0, 3.0])
    assert squares == plain[0] == [4.0, 9.0]
    assert type(rest) is type(plain[1]) and list(copy.copy(rest)) == list(rest) == [3.0]
    assert type(more["cycle"]) is itertools.cycle
    assert list(itertools.islice(more["cycle"], 5)) == [2.0, 3.0, 2.0, 3.0, 2.0]
    assert back(([1.0, 1.0], None, None)) == ([4.0, 6.0],)

    def kept(xs):
        pairs = itertools.pairwise(x * x for x in xs)
        next(pairs)
        return next(pairs)[1], pairs

    (value, pairs), back = pullback(kept, [1.0, 2.0, 3.0, 4.0])
    assert (value, type(pairs), list(pairs)) == (9.0, itertools.pairwise, [(9.0, 16.0)])
    assert back((1.0, None)) == ([0.0, 0.0, 6.0, 0.0],)

    class Reader:
        def __init__(self, xs):
            self.total, self.rest = sum(xs), itertools.tee(xs, 1)[0]

    reader, back = pullback(Reader, [1.0, 2.0])
    assert (type(reader.rest), list(reader.rest)) == (type(itertools.tee([])[0]), [1.0, 2.0])
    assert back(Tangent(total=3.0)) == ([3.0, 3.0],)
    assert type(pullback(itertools.cycle, [1.0])[0]) is itertools.cycle


class Metres(np.ndarray):
    """A class whose ``copy`` takes no order, and hands out the array itself."""

    def copy(self):
        return self


def element_overwritten(a):
    b = a * 2.0
    c = (b * b).sum()
    b[0] = 5.0
    return c + b.sum()


class Keeper:
    def run(self, a):
        self.b = a * 3.0
        s = (self.b**2).sum()
        self.b += 1.0
        return s


def kept_and_increased(a):
    return Keeper().run(a)


def doubled_in_a_loop(a):
    squares = []
    current = a * 1.0
    for _ in range(3):
        squares.append((current * current).sum())
        current *= 2.0
    return sum(squares)


def out_of_a_product(a):
    out = a * 0.0
    np.multiply(a, a, out=out)
    s = (out * out).sum()
    out[:] = 0.0
    return s


def sorted_in_place(a):
    b = a * a
    s = (b * b).sum()
    b.sort()
    return s + 3.0 * b[0]


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (element_overwritten, [8.0, 18.0]),
        (kept_and_increased, [18.0, 36.0]),
        (doubled_in_a_loop, [42.0, 84.0]),
        (out_of_a_product, [4.0, 32.0]),
        (sorted_in_place, [10.0, 32.0]),
    ],
)
def test_what_is_overwritten_is_copied_whatever_the_class_calls_a_copy(f, wanted):
    (bar,) = pullback(f, np.array([1.0, 2.0]).view(Metres))[1](1.0)
    assert bar.tolist() == wanted


def test_a_result_of_a_class_with_a_copy_of_its_own():
    def f(a):
        b = a * 2.0
        return [b, (b * b).sum()]

    y, back = pullback(f, np.array([1.0, 2.0]).view(Metres))
    y[0][:] = 7.0
    assert back([np.zeros(2), 1.0])[0].tolist() == [8.0, 16.0]


class Kinds(type):
    @property
    def __module__(cls):
        return 7


class Class(type, metaclass=Kinds):
    pass


class Length(metaclass=Class):
    def __init__(self, x):
        self.x = x


def made(x):
    kinds = [Length, Class]
    return {"y": kinds[0](x).x ** 2, "kinds": kinds}


def handed_in(x, kinds=(Length, Class)):
    return {"y": kinds[0](x).x ** 2}


def in_an_array(x):
    cells = np.array([Length, Class], object)
    return {"y": cells[0](x).x ** 2, "cells": cells}


def in_an_object(x):
    holder = Result(Class, Length)
    return {"y": holder.d(x).x ** 2, "holder": holder}


def in_a_closure(x):
    kind, of_kind = Length, Class
    return {"y": x * x, "make": lambda v: (kind(v), of_kind)}


def looked_up(x):
    table = {Class: Length}
    return {"y": table[type(Length)](x).x ** 2, "table": table}


@pytest.mark.parametrize("f", [made, handed_in, in_an_array, in_an_object, in_a_closure, looked_up])
def test_a_metaclass_that_makes_something_else_of_the_name_of_a_module(f):
    y, back = pullback(f, 3.0)
    seed = dict.fromkeys(y) | {"y": 1.0}
    assert (y["y"], back(seed)) == (9.0, (6.0,))
