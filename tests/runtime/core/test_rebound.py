"""What a program binds anew by code that nobody had read: the running text that took it for granted
is an error before anything is written, and after that it is looked up.
"""

import importlib
import types

import pytest

import astad
from astad.errors import Unsupported
from tests.programs.test_modules import _load

pytestmark = pytest.mark.order_matters

HEAD = """
from dataclasses import dataclass
from typing import NamedTuple
import tests.programs.modules.patched as hm
class A:
    def __init__(self, v=1.0): self.v = v
    def m(self, x): return x ** 2
    @property
    def p(self): return self.v * 3
    @classmethod
    def mk(cls, v): return v * 2
    def __len__(self): return 2
@dataclass
class P:
    v: float
class N(NamedTuple):
    v: float
def k(x, p=2.0): return x * p
def q(x, *, p=2.0): return x * p
W = q.__kwdefaults__
G = globals()
def new(self, x): return 5 * x
def f(x, change):
    r = {use}
    change(x)
    return r * ({use})
def still(x): pass
def change(x): {write}
"""
CASES = [
    ("A().m(x)", "A.m = new"),
    ("A().m(x)", "setattr(A, chr(109), new)"),
    ("A(x).p", "setattr(A, chr(112), 4.0)"),
    ("A.mk(x)", "setattr(A, chr(109) + chr(107), abs)"),
    (
        "P(x).v",
        "setattr(P, '__in' + chr(105) + 't__', lambda self, v: setattr(self, 'v', 9.0 * v))",
    ),
    ("hm.fn(x)", "vars(hm)[chr(102) + chr(110)] = lambda x: 7.0 * x"),
    ("A.m(None, x)", "A.m = new"),
    ("A(x).p", "A.p = 4.0"),
    ("A(x).p", "setattr(A, 'p', x)"),
    ("A.mk(x)", "A.mk = abs"),
    ("A.mk(x)", "A.mk = float"),
    ("len(A(x)) * x", "A.__len__ = lambda s: 5"),
    ("P(x).v", "P.__init__ = lambda self, v: setattr(self, 'v', 9.0 * v)"),
    ("P(x).v", "P.__setattr__ = lambda s, n, v: object.__setattr__(s, n, 9.0 * v)"),
    ("P(x).v", "P.v = property(lambda s: 4.0, lambda s, v: None)"),
    ("N(x).v", "N.v = property(lambda s: s[0] * 4.0)"),
    ("N(x)[0]", "N.__getitem__ = lambda s, i: 4.0"),
    ("N(x).v", "N.__new__ = lambda cls, v: tuple.__new__(cls, (v * 3.0,))"),
    ("k(x)", "k.__defaults__ = (x,)"),
    ("q(x)", "q.__kwdefaults__ = {'p': x}"),
    ("q(x)", "W['p'] = x"),
    ("k(x)", "G['k'] = lambda x: 7.0 * x"),
    ("max(x, 3.0 * x)", "G['max'] = min"),
    ("hm.fn(x)", "hm.fn = lambda x: 7.0 * x"),
    ("hm.A(x).m(x)", "hm.A = hm.D"),
    ("hm.A(x).m(x)", "vars(hm)['A'] = hm.D"),
]


@pytest.mark.parametrize(("use", "write"), CASES, ids=[f"{u} | {w}" for u, w in CASES])
def test_right_or_refused(use, write, tmp_path):
    def made():
        importlib.reload(importlib.import_module("tests.programs.modules.patched"))
        source = HEAD.replace("{use}", use).replace("{write}", write)
        return _load(source, tmp_path / "unseen.py")

    def plain(x):
        module = made()
        return float(module.f(x, module.change))

    y, slope = plain(1.3), (plain(1.3 + 1e-6) - plain(1.3 - 1e-6)) / 2e-6
    module = made()
    asked = astad.value_and_grad(module.f)
    for _ in range(4):  # the text is that of a program that binds nothing anew
        asked(1.3, module.still)
    try:
        value, bar = asked(1.3, module.change)
    except Unsupported as error:
        assert "a name bound anew while the function that reads it" in str(error)
    else:
        assert value == pytest.approx(y, rel=1e-13)
        assert (bar or 0.0) == pytest.approx(slope, rel=2e-6)


def test_nothing_is_written_before_the_error(tmp_path):
    source = HEAD.replace("{use}", "A().m(x)").replace("{write}", "setattr(A, chr(109), new)")
    module = _load(source, tmp_path / "unseen.py")
    asked, before = astad.value_and_grad(module.f), module.A.m
    asked(1.3, module.still)
    with pytest.raises(Unsupported, match=r"A\.m: a name bound anew"):
        asked(1.3, module.change)
    assert module.A.m is before
    assert asked(1.3, module.change) == pytest.approx((1.3**2 * 6.5, 3 * 5 * 1.3**2))


def test_a_number_of_a_class_is_written_without_ado(tmp_path):
    source = HEAD.replace("{use}", "A().m(x)").replace("{write}", "A.count = 3")
    module = _load(source, tmp_path / "unseen.py")
    asked = astad.value_and_grad(module.f)
    asked(1.3, module.still)
    assert asked(1.3, module.change) == pytest.approx((1.3**4, 4 * 1.3**3))
    assert isinstance(module.A, type) and isinstance(module.still, types.FunctionType)
