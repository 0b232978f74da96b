"""`dropgrad`, `hook` and rules of one's own, given values of every kind."""

import collections
import contextlib
import functools
import itertools
import operator
import types

import numpy as np
import pytest

import astad
from astad import dropgrad, gradient, hook
from astad.errors import Unsupported


class Scale:
    def __init__(self, v):
        self.v = v

    def apply(self, q):
        return self.v * q


def with_attribute(v):
    def g():
        return g.v

    g.v = v
    return g


@contextlib.contextmanager
def managed(v):
    yield v


HIDDEN = {
    "generator": (lambda v: (q for q in [v]), next),
    "list iterator": (lambda v: iter([v]), next),
    "map": (lambda v: map(lambda q: q, [v]), next),
    "map with a captured variable": (lambda v: map(lambda q: v * q, [1.0]), next),
    "chain": (lambda v: itertools.chain([v]), next),
    "values": (lambda v: {"a": v}.values(), sum),
    "items": (lambda v: {"a": v}.items(), lambda pairs: next(iter(pairs))[1]),
    "exception": (lambda v: ValueError(v), lambda error: error.args[0]),
    "class": (lambda v: type("T", (), {"k": v}), lambda cls: cls.k),
    "default of a lambda": (lambda v: lambda q=v: q, lambda call: call()),
    "attribute of a function": (with_attribute, lambda g: g()),
    "nested": (lambda v: [{"a": v}.values()], lambda held: sum(held[0])),
    "context manager": (managed, lambda manager: manager.__enter__()),
    "flat": (lambda v: np.array([v]).flat, next),
}
SEEN = {
    "bound method": (lambda v: Scale(v).apply, lambda method: method(1.0)),
    "partial": (lambda v: functools.partial(operator.mul, v), lambda p: p(1.0)),
    "partial with a keyword": (lambda v: functools.partial(dict, a=v), lambda p: p()["a"]),
    "deque": (lambda v: collections.deque([v]), lambda d: d[0]),
    "closure": (lambda v: lambda: v, lambda call: call()),
    "namespace": (lambda v: types.SimpleNamespace(v=v), lambda n: n.v),
    "list of methods": (lambda v: [Scale(v).apply], lambda ms: ms[0](1.0)),
    "ordered dict": (lambda v: collections.OrderedDict(a=v), lambda d: d["a"]),
}


def dropped(make, use):
    return lambda x: use(dropgrad(make(x))) * x


def hooked(make, use):
    return lambda x: use(hook(lambda g: g, make(x))) * x


@pytest.mark.parametrize("name", HIDDEN)
def test_a_rule_refuses_what_it_cannot_see(name):
    for f in (dropped(*HIDDEN[name]), hooked(*HIDDEN[name])):
        assert f(3.0) == 9.0
        with pytest.raises(Unsupported, match=r"a result that is or holds a \w+: what has"):
            gradient(f, 3.0)


@pytest.mark.parametrize("name", SEEN)
def test_a_rule_acts_on_what_holds_numbers(name):
    assert gradient(dropped(*SEEN[name]), 3.0) == (3.0,)
    assert gradient(hooked(*SEEN[name]), 3.0) == (6.0,)


def test_a_set_is_dropped_and_not_hooked():
    assert gradient(lambda x: sum(dropgrad({x})) * x, 3.0) == (3.0,)
    with pytest.raises(Unsupported, match="hook: a result that is or holds a set"):
        gradient(lambda x: sum(hook(lambda g: g, {x})) * x, 3.0)


def test_a_rule_that_returns_an_iterator_is_refused():
    def each(x):
        yield x

    @astad.adjoint(each)
    def rule(x):
        return iter([x]), lambda bar: (77.0,)

    def view(x):
        return {"a": x}.values()

    @astad.adjoint(view)
    def rule_of_view(x):
        return {"a": x}.values(), lambda bar: (77.0,)

    for make in (each, view):
        with pytest.raises(Unsupported, match="a result that is or holds a"):
            gradient(lambda x: sum(make(x)), 2.0)  # called at once


def test_what_carries_no_derivative_passes_as_it_is():
    @astad.nondifferentiable
    def names(table):
        return iter(sorted(table))

    def double(v, eps=0):
        return 2.0 * v

    def f(x):
        table = {"b": x, "a": x * x}
        total = 0.0
        for name in names(table):
            total += table[name]
        for name in dropgrad(iter(["b", "a"])):
            total += table[name]
        for name in dropgrad(table.keys()):
            total += table[name]
        settings = dropgrad({"apply": double, "kind": float, "path": "a", "of": Scale})
        return settings["apply"](total) * settings["kind"](2)

    assert f(3.0) == 144.0
    assert gradient(f, 3.0) == (84.0,)


def test_a_generator_without_derivative_hands_out_places():
    @astad.nondifferentiable
    def order(values):
        for i in np.argsort(values):
            yield int(i)

    def f(x):
        values = [x * x, x, 3.0 * x * x]
        total = 0.0
        for rank, i in enumerate(order(values)):
            total += (rank + 1) * values[i]
        return total

    assert f(2.0) == 2.0 + 8.0 + 36.0
    assert gradient(f, 2.0) == (1.0 + 8.0 + 36.0,)

    @astad.nondifferentiable
    def ascending(values):
        yield from sorted(values)

    def g(x):
        return sum(v * x for v in ascending([x, 2.0 * x]))

    with pytest.raises(Unsupported, match=r"an element of .*ascending"):
        gradient(g, 2.0)
