"""Which attributes a program may bind anew, by its code: those, and no more."""

import itertools
import types

import pytest

from astad.api.variants.rebinding import note_rebinding
from astad.runtime.core.rebound import REBOUND
from astad.runtime.core.variants import WRITTEN
from tests.programs.test_modules import _load

HEAD = """
import functools
from dataclasses import dataclass
def new(self, x): return 5 * x
class Base:
    factor = 2.0
    def __init__(self, v): self.v = v
    def m(self, x): return x * self.v
    @property
    def p(self): return self.v
    @property
    def both(self): return self.v
    @both.setter
    def both(self, v): self.v = v
class A(Base):
    count = 0
    def n(self, x): return x
def k(x, p=2.0): return x * p
"""

NOTED = {
    "A.n = new": {"A.n"},
    "A.m = new": {"A.m"},
    "Base.m = new": {"Base.m"},
    "del A.n": {"A.n"},
    "A.n, A.m = A.m, A.n": {"A.n", "A.m"},
    "setattr(A, 'n', new)": {"A.n"},
    "type.__setattr__(A, 'n', new)": {"A.n"},
    "functools.partial(setattr, A)('n', new)": {"A.n"},
    "A.__len__ = lambda self: 3": {"A.__len__"},
    "A.p = 4.0": {"A.p"},
    "A.v = property(lambda self: 4.0)": {"A.v"},
    "c = A; c.n = new": {"A.n"},
    "(lambda c: setattr(c, 'n', new))(A)": {"A.n"},
    "k.__defaults__ = (x,)": {"k.__defaults__"},
    "k.__kwdefaults__.update(p=x)": {"k.__kwdefaults__"},
    "A.m.__defaults__ = (x,)": {"Base.m.__defaults__"},
    "vars(functools)['reduce'] = new; g = globals(); g['k'] = new": {"k"},
}
NOT_NOTED = [
    "A.count = 3",
    "A.count += 1",
    "a = A(x); a.v = 3.0; a.both = 4.0",
    "a = A(x); setattr(a, 'v', 3.0)",
    "A.cache = {}",
    "k.calls = 1",
    "new.__doc__ = ''",
    "global total; total = x",
]


def _noted(body, tmp_path, count=itertools.count()):
    source = f"{HEAD}\ndef f(x):\n    {body}\n    return k(x) * A(x).m(x)\n"
    module = _load(source, tmp_path / f"storing_{next(count)}.py")
    note_rebinding(module.f)
    found = {
        f"{owner().__qualname__}.{name}"
        for owner, names in REBOUND.values()
        for name in names
        if owner().__module__ == module.__name__
    }
    return found | WRITTEN.get(id(vars(module)), (None, set()))[1]


@pytest.mark.parametrize("body", NOTED)
def test_what_is_bound_anew_is_noted(body, tmp_path):
    assert _noted(body, tmp_path) == NOTED[body]


@pytest.mark.parametrize("body", NOT_NOTED)
def test_what_answers_for_nothing_is_not(body, tmp_path):
    assert _noted(body, tmp_path) == set()


def test_a_method_that_fills_its_object_binds_nothing_anew(tmp_path):
    source = """
class A:
    def __init__(self, m): self.m = m
    def use(self, n): self.n = n; setattr(self, "m", n)
    def m(self): return 1.0
    def n(self): return 2.0
def f(x):
    a = A(x)
    a.use(x)
    return a.m * a.n
"""
    module = _load(source, tmp_path / "filling.py")
    note_rebinding(module.f)
    assert not any(owner() is module.A for owner, _ in REBOUND.values())


def test_what_the_arguments_bring_along_is_looked_at(tmp_path):
    source = """
def made():
    class A:
        def m(self, x): return x
    return A
def f(x, o, new): type(o).m = new
"""
    module = _load(source, tmp_path / "bringing.py")
    cls = module.made()
    note_rebinding(module.f, (1.0, [cls()], len))
    assert [names for owner, names in REBOUND.values() if owner() is cls] == [{"m"}]


def test_deep_and_circular_arguments():
    deep, circular = (), []
    for _ in range(100_000):
        deep = (deep,)
    circular.append(circular)
    note_rebinding(types.FunctionType((lambda x: x).__code__, {}), (deep, circular))
