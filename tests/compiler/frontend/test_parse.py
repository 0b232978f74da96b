"""The tree of a function is that of what runs, or there is an error.

Generator expressions that are handed to functions of the user's.

The tree that the compiler reads is the one gast makes.
"""

import ast
import functools
import importlib
import linecache
import statistics
import sys
from pathlib import Path

import gast
import pytest

from astad.compiler.frontend.parse import read, to_gast
from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function
from astad.errors import NoSource
from astad.testing import check_gradient


@pytest.fixture
def module_of(tmp_path, monkeypatch):
    """A module with a text; ``module_of.edit`` changes the file behind its back."""
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "parse_edited.py"

    def load(text):
        path.write_text(text)
        importlib.invalidate_caches()
        sys.modules.pop("parse_edited", None)
        sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
        try:
            return importlib.import_module("parse_edited")
        finally:
            sys.dont_write_bytecode = before

    def edit(text):
        path.write_text(text)
        linecache.clearcache()

    load.edit = edit
    yield load
    sys.modules.pop("parse_edited", None)
    linecache.clearcache()


FIRST = "def f(x):\n    return x + 2.0\n\n\ndef g(x):\n    return x * 3.0\n"


@pytest.mark.parametrize(
    "edited",
    [
        "# one\n# two\n# three\n# four\n" + FIRST,
        "def g(x):\n    return x * 3.0\n\n\ndef f(x):\n    return x + 2.0\n",
        FIRST.replace("+", "-"),
        FIRST.replace("2.0", "2"),
        FIRST.replace("2.0", "x"),
        FIRST.replace("def f(x)", "def f(x, y)"),
        FIRST.replace("return x + 2.0", "return x + 2.0 if x else x"),
        "def f(x:\n",
        "",
    ],
)
def test_edited_file_is_an_error_that_names_it(module_of, edited):
    module = module_of(FIRST)
    module_of.edit(edited)
    with pytest.raises(NoSource, match="f: source in .*parse_edited.py: .*: (import|put)"):
        read(module.f)


def test_edit_that_leaves_the_function_alone_does_not_matter(module_of):
    module = module_of(FIRST)
    module_of.edit(FIRST + "\n\nx = 1\n")
    assert read(module.f)[0].line == 1


def test_stale_linecache_is_refreshed(module_of):
    module = module_of("def f(x):\n    return x\n")
    read(module.f)
    path = module.__file__
    linecache.cache[path] = (3, 0, ["def f(x):\n", "    return x + 1\n"], path)
    assert show(lower_function(module.f)) == "return x"


def test_functions_of_one_name_are_told_apart():
    if True:

        def f(x):
            return x + 1

    first = f

    def f(x):
        return x + 2

    assert show(lower_function(first)).startswith("t_1 = x + 1")
    assert show(lower_function(f)).startswith("t_1 = x + 2")


def marked(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return fn(*args)

    return wrapper


def test_decorated_functions():
    @marked
    @marked
    def f(x):
        return x * 2

    inner = f.__wrapped__.__wrapped__
    tree, scope = read(inner)
    assert tree.name == "f"
    assert tree.line == inner.__code__.co_firstlineno
    assert read(f)[1].free == ("fn",)


def test_lambdas_in_calls_and_over_several_lines():
    fs = list(
        map(
            lambda k: (lambda x: x * k, lambda x: x - k), [1]
        )
    )[0]  # fmt: skip
    pair = (lambda x:
            x + 1, lambda x: x + 2)  # fmt: skip
    texts = [show(lower_function(f)).splitlines()[-2] for f in (*fs, *pair)]
    assert texts == ["t_2 = x * t_1", "t_2 = x - t_1", "t_1 = x + 1", "t_1 = x + 2"]


def test_equal_lambdas_on_one_line():
    fs = [lambda x: x, lambda x: x, lambda x: 1.0, lambda x: 1, lambda x: True, lambda x: -0.0]
    ends = [show(lower_function(f)) for f in fs]
    assert ends == [f"return {end}" for end in ("x", "x", "1.0", "1", "True", "-0.0")]


def test_default_of_a_lambda_is_another_lambda():
    f = lambda x, g=lambda y: y: g(x)
    assert show(lower_function(f)) == "t_1 = g(x)\nreturn t_1"
    assert show(lower_function(f.__defaults__[0])) == "return y"


def test_function_with_asserts_that_pytest_rewrote():
    def f(x, xs):
        y = x * 2.0
        assert y > 1 and x in xs, "small"
        assert all(v for v in xs) == len([x])
        return y

    assert "y = x * 2.0" in show(lower_function(f))


def test_methods_static_methods_and_properties():
    class Walk:
        def step(self, x):
            return self.__length * x

        @staticmethod
        def half(x):
            return x / 2

        @classmethod
        def make(cls, x):
            return cls(x)

        @property
        def length(self):
            return self.__length

    assert show(lower_function(Walk.step)).startswith("t_1 = self._Walk__length\n")
    assert show(lower_function(Walk.half)).startswith("t_1 = x / 2")
    assert show(lower_function(Walk.make.__func__)).startswith("t_1 = cls(x)")
    assert show(lower_function(Walk.length.fget)).startswith("t_1 = self._Walk__length")


def test_future_flags_of_the_module_are_carried_over(module_of):
    text = "from __future__ import annotations\n\n\ndef f(x: no_such_type) -> no_such_type:\n"
    text += "    def g(y: no_such_type): return x\n    return g(x)\n"
    module = module_of(text)
    assert "t_1 = {'y': 'no_such_type'}\ng = function(('g', 1, 0), x_cell" in show(
        lower_function(module.f)
    )


def test_methods_of_an_imported_module_in_a_module(module_of):
    text = "try:\n    import math\nexcept ImportError:\n    math = None\nfrom os import path\n\n\n"
    text += "def f(x):\n    return math.sin(x) + path.exists(x)\n"
    assert "math" in show(lower_function(module_of(text).f))


def test_module_that_mentions_super_at_its_top(module_of):
    text = "_super = super\n\n\nclass A:\n    def f(self):\n        return super().__repr__()\n"
    assert "super" in show(lower_function(module_of(text).A.f))


def test_reloaded_module_gives_the_new_function(module_of):
    module = module_of("def f(x):\n    return x\n")
    assert show(lower_function(module.f)) == "return x"
    module = module_of("def f(x):\n    return -x\n")
    assert show(lower_function(module.f)) == "t_1 = -x\nreturn t_1"


def squares_of(values):
    total = 0.0
    while True:
        v = next(values, None)
        if v is None:
            return total
        total = total + v * v


def test_names_that_the_compiler_would_take():
    def f(xs):
        items = xs[0]
        return squares_of(items * x for x in xs)

    def g(items):
        return squares_of(items * k for items in items for k in (1.0, 2.0))

    check_gradient(f, [1.0, 2.0])
    check_gradient(g, [1.0, 2.0])


HERE = Path(__file__)
TEXTS = {
    "this file": HERE.read_text(encoding="utf-8"),
    "a module of Python's own": Path(statistics.__file__).read_text(encoding="utf-8"),
    "patterns": "match x:\n    case [1, *r] if r: y = -1\n    case P(a=None) | {'k': _, **s}: pass",
    "asynchronous": "async def f(*a, k: int = 1, **m):\n    async for x in [y async for y in z]: w",
    "handlers": "try: a\nexcept (A, B) as e: raise C from e\nelse: b\nfinally: del c[0]",
    "operators": "x = a @ b ** -c if not d else (e and f or g) in h is not i < j <= k",
    "texts": "s = f'{a!r:>{w}} {b}'; t = b'\\0', 1j, ...",
    "slices": "a[1:, ::2, ...] += b[()]; (y := c[-1]); lambda p, /, q=2: p",
}  # fmt: skip


@pytest.mark.parametrize("title", TEXTS)
def test_it_is_the_tree_that_gast_makes(title):
    tree = ast.parse(TEXTS[title])
    expected = gast.dump(gast.ast_to_gast(tree), include_attributes=True)
    assert gast.dump(to_gast(tree), include_attributes=True) == expected
