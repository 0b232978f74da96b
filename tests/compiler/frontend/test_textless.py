"""Texts written from instructions: right, or none."""

import dataclasses
import sys
import types

import numpy as np
import pytest

import astad
from astad.compiler.frontend.module_text import agrees
from astad.compiler.frontend.parse import read
from astad.compiler.frontend.textless import texts_of
from astad.errors import NoSource
from astad.testing import check_gradient

WRITTEN = {
    "hands on what it is given": "def f(self, loc=0, scale=1):\n    return (), loc, scale",
    "fills in fields": "def f(self, a, b):\n    self.a = a\n    self.b = b",
    "fills in private fields": "def f(self, a):\n    _o.__setattr__(self, 'a', a)",
    "takes a default": "def f(self, a=_d):\n    self.b = (_g() if a is _d else a) * 2",
    "hands arguments on by name": "def f(G, a, *, w='w'):\n    return g_1(G, a, w=w)",
    "hands everything on": "def f(*args, w=1, **words):\n    return g_1(2, *args, w=w, **words)",
    "calls what a call gives": "def f(x, y):\n    return x.m(y)(4, k=y).n()",
    "tuple, list, dict": "lambda x, y: ((x, 1), [1, 2, 3], [*y, x], {'a': x, 'b': y}, {x: 1})",
    "comparisons": "lambda x, y: (x < y, x is None, x is not y, x not in y, x in {1})",
    "operators": "lambda x, y: (-x + ~y) ** 2.5 % (x @ y) // (+x) << 1 if not y else x | y & 3 ^ x",
    "items and slices": "lambda x, y: x[0, 1:2, ...] + x[:, -1] + y[1:] + y[:2] + y[::2] + y[:]",
    "a branch of a lambda": "lambda x: x if x > 0 else -x",
    "a branch inside an expression": "lambda x, y: (x if x > 0 else -x) + y",
    "branches with a return": "def f(x):\n    if x > 3:\n        return 2\n    return x * 2",
    "a branch with an else": "def f(x):\n    if x > 3:\n        y = 1\n    else:\n        y = x\n"
    "    return y",
    "and": "def f(x, y):\n    if x is None:\n        raise ValueError(x) from y\n    return y",
    "attributes in place": "def f(x, y):\n    x.a -= x[1]\n    x[0, y].b *= 2\n    return x",
    "a docstring": "def f(x):\n    'Twice.'\n    return x + x",
    "a decorated function": "\n\n@g\ndef f(x):\n    x += 1\n    x[0] *= 2\n    return x",
    "a tuple taken apart": "def f(s, y):\n    a, s.b = y\n    c, d = g(a)\n    return d, c, a",
    "every kind of parameter": "def f(a, /, b, *c, d, e=2, **h):\n    return a, b, c, d, e, h",
    "nothing": "def f():\n    pass",
    "a default that is None": "def f(x, y=None):\n    if y is not None:\n        x = x * y\n"
    "    return x",
    "a set": "lambda x, y: len({x, y, 2.0})",
    "literals before stars": "def f(x):\n    return x.g(1.0, 2.0, **{'k': x, **x.words})",
}  # fmt: skip


def code_of(text):
    module = compile(text, "<string>", "exec")
    (code,) = [const for const in module.co_consts if isinstance(const, types.CodeType)]
    return code


@pytest.mark.sweep(of=1)
@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN.keys())
def test_compiles_to_the_same_code_at_the_same_line(text):
    code = code_of(text)
    again = [code_of(found) for found in texts_of(code)]
    assert any(
        agrees(found, code) and found.co_firstlineno == code.co_firstlineno for found in again
    )


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="compiled to other instructions")
@pytest.mark.parametrize("value", ["x and y", "x or y", "x and y.a + 1", "x > 1 and not y"])
def test_short_circuits(value):
    code = code_of(f"def f(x, y):\n    z = {value}\n    return z")
    assert any(agrees(code_of(found), code) for found in texts_of(code))


LEFT = {
    "a loop": "def f(x):\n    for i in range(3):\n        x = x * i\n    return x",
    "a handler": "def f(x):\n    try:\n        return x\n    except ValueError:\n        return 0",
    "an inner function": "def f(x):\n    return (lambda y: x * y)(2.0)",
    "two targets": "def f(x):\n    a = b = x\n    return a + b",
    "a swap": "def f(x, y):\n    x, y = y, x\n    return x - y",
    "a global": "def f(x):\n    global count\n    count = x\n    return x",
    "a long function": "def f(x):\n" + "    x = x * 1.5 + 2.5\n" * 400 + "    return x",
    "a lambda of and and or": "f = lambda x: (x > 1.0 and x * x) or x",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT.keys())
def test_what_cannot_be_written_is_refused(text):
    names = {}
    exec(text, names)
    with pytest.raises(NoSource):
        astad.gradient(names["f"], *[3.0] * names["f"].__code__.co_argcount)


def test_gradient_of_code_made_by_exec():
    names = {"np": np}
    exec("def f(x, y):\n    z = np.sin(x) * y\n    return z * x if z > 0 else z / y", names)
    check_gradient(names["f"], 0.5, 2.0)
    check_gradient(names["f"], 0.5, -2.0)


def test_captured_names_of_code_made_by_exec():
    names = {}
    exec("def outer(a):\n\n    def inner(x):\n        return x * a\n    return inner", names)
    inner = names["outer"](3.0)
    check_gradient(inner, 2.0)
    assert astad.pullback_self(inner, 2.0)[1](1.0)[1] == 3.0


def test_constructor_made_by_exec():
    names = {}
    exec("def __init__(self, side, height):\n    self.side = side\n    self.height = height", names)
    Box = type("Box", (), {"__init__": names["__init__"]})

    def volume(side, height):
        box = Box(side, height=height * 2)
        return box.side**2 * box.height

    check_gradient(volume, 1.5, 0.5)


def test_constructor_of_a_frozen_dataclass_stands_below_its_captured_names():
    @dataclasses.dataclass(frozen=True)
    class Box:
        side: float
        height: float = 2.0

    assert read(Box.__init__)[0].name == "__init__"
