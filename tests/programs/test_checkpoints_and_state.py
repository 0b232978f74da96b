"""Programs under `checkpoint` that fill a state of their own, wherever it lies."""

import collections
import contextlib
import functools
import heapq
import itertools
import sys
import threading
import types
import weakref
from array import array

import numpy as np
import pytest

import astad
from astad import checkpoint, gradient

# Each fills a memo that the next run would find; the derivative of x**3 at 3 is 27.


def in_default(x, memo={}):  # what is tested
    if "k" not in memo:
        memo["k"] = x * x
    return memo["k"] * x


def in_keyword_default(x, *, memo={}):  # what is tested
    return memo.setdefault("k", x * x) * x


class Model:
    def method(self, x, memo={}):  # what is tested
        return memo.setdefault("k", x * x) * x

    @classmethod
    def on_class(cls, x):
        if "found" not in vars(cls):
            cls.found = [x * x]
        return vars(cls)["found"][0] * x


def in_method_default(x):
    return Model().method(x)


def in_class(x):
    return getattr(sys.modules[__name__], "Mo" + "del").on_class(x)


def in_attribute(x):
    if not hasattr(in_attribute, "m"):
        in_attribute.m = x * x
    return in_attribute.m * x


def memo(fn):
    @functools.wraps(fn)
    def with_memo(x):
        if x not in with_memo.cache:
            with_memo.cache[x] = fn(x)
        return with_memo.cache[x]

    with_memo.cache = {}
    return with_memo


@memo
def square(x):
    return x * x


def in_memo_of_a_decorator(x):
    return square(x) * x


N = types.SimpleNamespace()


def in_namespace(x):
    vars(N).setdefault("q", x * x)
    return N.q * x


N2 = types.SimpleNamespace()


def by_setattr(x):
    if not hasattr(N2, "q"):
        setattr(N2, "q", x * x)  # what is tested
    return getattr(N2, "q") * x  # what is tested


N3 = types.SimpleNamespace()


def by_update(x):
    if not N3.__dict__:
        N3.__dict__.update(q=np.array([x * x, 1.0]))
    return N3.q[0] * x


def in_module(x):
    module = sys.modules[__name__]
    if not hasattr(module, "FOUND"):
        module.FOUND = x * x
    return module.FOUND * x


LOCAL = threading.local()


def in_thread(x):
    if not hasattr(LOCAL, "q"):
        LOCAL.q = x * x
    return LOCAL.q * x


class Key:
    pass


KEY, WEAK = Key(), weakref.WeakKeyDictionary()


def in_weak_dict(x):
    if KEY not in WEAK:
        WEAK[KEY] = x * x
    return WEAK[KEY] * x


class Meta(type):
    def __call__(cls, x):
        if "only" not in cls.__dict__:
            cls.only = super().__call__(x)
        return cls.only


class One(metaclass=Meta):
    def __init__(self, x):
        self.v = x * x


def by_metaclass(x):
    return One(x).v * x


def array_in_default(x, buffers={}):  # what is tested
    if "a" not in buffers:
        buffers["a"] = np.ones(3) * x
        buffers["a"] *= x
    return np.mean(buffers["a"]) * x


def queue_in_default(x, heap=[]):  # what is tested
    if not heap:
        heapq.heappush(heap, (x * x, "a"))
    return heap[0][0] * x


def counter_in_attribute(x):
    store = in_attribute.__dict__.setdefault("counter", collections.Counter())
    if not store:
        store.update(a=x * x)
    return store["a"] * x


def slots(x):
    return Slotted.held[0].square(x) * x


class Slotted:
    __slots__ = ("v",)
    held: list = []

    def square(self, x):
        if not hasattr(self, "v"):
            self.v = x * x
        return self.v


Slotted.held.append(Slotted())


class Table(dict):
    pass


TABLE = Table()


def attribute_of_a_dict(x):
    vars(TABLE).setdefault("q", x * x)
    return TABLE.q * x


def generator_in_default(x, memo={}):
    def squares():
        while True:
            yield x * x

    if "g" not in memo:
        memo["g"] = squares()
    return next(memo["g"]) * x


BUFFER = array("d", [0.0])


def buffer(x):
    if BUFFER[0] == 0.0:
        BUFFER[0] = x * x
    return BUFFER[0] * x


PROGRAMS = [
    attribute_of_a_dict, generator_in_default, buffer,
    in_default, in_keyword_default, in_method_default, in_class, in_attribute,
    in_memo_of_a_decorator, in_namespace, by_setattr, by_update, in_module, in_thread, in_weak_dict,
    by_metaclass, array_in_default, queue_in_default, counter_in_attribute, slots,
]  # fmt: skip


def forget():
    for kept in (
        in_default.__defaults__[0], in_keyword_default.__kwdefaults__["memo"], vars(in_attribute),
        Model.method.__defaults__[0], square.cache, vars(N), vars(N2), vars(N3), WEAK,
        vars(LOCAL), vars(TABLE), *generator_in_default.__defaults__,
        *array_in_default.__defaults__, *queue_in_default.__defaults__,
    ):  # fmt: skip
        kept.clear()
    BUFFER[0] = 0.0
    globals().pop("FOUND", None)
    for owner, name in ((Model, "found"), (One, "only"), (Slotted.held[0], "v")):
        if name == "v" or name in vars(owner):
            with contextlib.suppress(AttributeError):
                delattr(owner, name)


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_a_checkpoint_leaves_behind_is_not_found_by_a_second_run(f):
    forget()
    assert f(3.0) == 27.0
    forget()
    assert np.allclose(gradient(lambda x: checkpoint(f)(x), 3.0), 27.0, rtol=1e-14)
    forget()
    y, back = astad.pullback(checkpoint(f), 3.0)
    assert y == 27.0
    assert [back(1.0), back(2.0)] == [(27.0,), (54.0,)]
    forget()


def test_two_layers_share_a_memo_that_the_first_fills():
    def layer(x, memo):
        return memo.setdefault("scale", x * x) * x

    def f(x):
        shared = {}
        return checkpoint(layer)(x, shared) + checkpoint(layer)(x, shared)

    assert gradient(f, 3.0) == (54.0,)


def test_a_count_of_calls_in_a_default():
    def logged(x, seen=[]):  # what is tested
        seen.append(x)
        return sum(seen) * x

    assert gradient(lambda x: checkpoint(logged)(x), 3.0) == (6.0,)


@contextlib.contextmanager
def managed(k):
    yield k * k


def generated(k):
    yield k * k


def with_attribute(k):
    def g():
        return g.k

    g.k = k * k
    return g


class Tagged(list):
    pass


def tagged(k):
    made = Tagged()
    made.v = k * k
    return made


RESULTS = {
    "generator": (generated, next),
    "generator expression": (lambda k: (v for v in [k * k]), next),
    "list iterator": (lambda k: iter([k * k]), next),
    "map": (lambda k: map(lambda v: v * k, [k]), next),
    "zip": (lambda k: zip([k * k], strict=True), lambda z: next(z)[0]),
    "enumerate": (lambda k: enumerate([k * k]), lambda z: next(z)[1]),
    "reversed": (lambda k: reversed([k * k]), next),
    "chain": (lambda k: itertools.chain([k * k]), next),
    "values": (lambda k: {"a": k * k}.values(), sum),
    "items": (lambda k: {"a": k * k}.items(), lambda pairs: next(iter(pairs))[1]),
    "exception": (lambda k: ValueError(k * k), lambda error: error.args[0]),
    "class": (lambda k: type("T", (), {"v": k * k}), lambda cls: cls.v),
    "default of a lambda": (lambda k: lambda v=k * k: v, lambda call: call()),
    "attribute of a function": (with_attribute, lambda g: g.k),
    "array iterator": (lambda k: iter(np.array([k * k])), next),
    "flat": (lambda k: np.array([k * k]).flat, next),
    "nested": (lambda k: [{"a": iter([k * k])}], lambda held: next(held[0]["a"])),
    "context manager": (managed, lambda manager: manager.__enter__()),
    "set": (lambda k: {k * k}, sum),
    "list with attributes": (tagged, lambda made: made.v),
    "array of objects": (lambda k: np.array([k * k, None], object), lambda a: a[0]),
    "deque": (lambda k: collections.deque([k * k]), lambda d: d[0]),
    "partial": (lambda k: functools.partial(max, k * k), lambda p: p(0.0)),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_checkpoint_may_return_anything(name):
    make, use = RESULTS[name]
    assert gradient(lambda x: use(checkpoint(make)(x)) * 1.0, 2.0) == (4.0,)


def test_what_a_checkpoint_makes_for_itself_is_made_again(capsys):
    def layer(x, scale=(2.0, 3.0), options={"w": [1.0]}):  # only read
        print("run")
        parts = []
        table = {"a": np.ones(3) * x}
        for factor in scale:
            parts.append(table["a"] * factor)
        return {"y": sum(parts) * options["w"][0]}

    def total(x):
        return np.sum(checkpoint(layer)(x)["y"])

    assert gradient(total, 2.0) == (15.0,)
    assert capsys.readouterr().out == "run\nrun\n"
