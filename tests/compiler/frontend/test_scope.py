"""What the names of a function mean.

Private names inside classes.
"""

import types
import typing

import gast
import numpy.lib

from astad.compiler.frontend.parse import read
from astad.compiler.frontend.scope import MISSING, mangle

# ruff: noqa: F401, F821  names bound for the sake of binding them


def scope_of(fn):
    return read(fn)[1]


def test_parameters_locals_cells_and_captured_names():
    def make(k):
        def f(a, *rest, b=1, **more):
            c = a + k
            (d, *e), o.x = rest
            for i in e:
                pass
            import os.path
            from math import sin as s

            def g():
                return c, b, k

            if (w := a) and [w2 := 1 for j in e]:
                w += 1
            return g

        return f

    scope = scope_of(make(1))
    bound = {"a", "rest", "b", "more", "c", "d", "e", "i", "os", "s", "g", "w", "w2"}
    assert scope.locals == bound
    assert scope.cells == {"b", "c"}
    assert scope.free == ("k",)
    assert scope.walrus == {"w", "w2"}
    assert {"j", "o", "sin", "k", "x"} <= scope.taken


def test_global_and_nonlocal_names_are_not_local():
    def make(n):
        def f():
            global gg
            nonlocal n
            n = gg
            return n

        return f

    scope = scope_of(make(1))
    assert scope.locals == frozenset()
    assert scope.free == ("n",)


def test_variables_of_comprehensions_captured_inside_them():
    def f(xs, a):
        return [lambda: (x, a) for x in xs for y in [x]]

    scope = scope_of(f)
    assert scope.cells == {"a"}
    assert list(scope.captured.values()) == [{"x"}]


def test_names_resolve_as_the_function_would():
    def f(sum):
        return sum, max, types

    scope = scope_of(f)
    assert scope.resolve("sum") is MISSING
    assert scope.resolve("max") is max
    assert scope.resolve("types") is types
    assert scope.resolve("no_such_name") is MISSING


def test_locals_agree_with_those_of_python():
    checked = 0
    for module in (typing, types, numpy.lib._function_base_impl):
        for fn in vars(module).values():
            if not isinstance(fn, types.FunctionType) or fn.__code__.co_filename != module.__file__:
                continue
            scope, code = scope_of(fn), fn.__code__
            assert set(code.co_varnames) | set(code.co_cellvars) >= scope.locals, fn
            assert set(code.co_cellvars) >= scope.cells, fn
            assert scope.free == code.co_freevars
            checked += 1
    assert checked > 100


TEXT = """
def f(self, __a):
    global __g
    import __m, __p.q
    from m import __n
    def __h(): pass
    return self.__b, __a, f(__k=1), self.__init__, __n
"""


def test_every_private_name_but_keywords():
    tree = gast.parse(TEXT)
    mangle(tree, "_Walk")
    names = {getattr(node, "id", None) for node in gast.walk(tree)} - {None}
    assert names == {"self", "_Walk__a", "f", "_Walk__n"}
    call = next(node for node in gast.walk(tree) if isinstance(node, gast.Call))
    assert call.keywords[0].arg == "__k"
    body = tree.body[0].body
    assert body[0].names == ["_Walk__g"]
    assert [alias.name for alias in body[1].names] == ["_Walk__m", "__p.q"]
    assert [(alias.name, alias.asname) for alias in body[2].names] == [("__n", "_Walk__n")]
    assert body[3].name == "_Walk__h"


def test_outside_of_classes_nothing_changes():
    tree = gast.parse(TEXT)
    mangle(tree, None)
    assert gast.dump(tree) == gast.dump(gast.parse(TEXT))
