"""Tests that instances of a class still hold their attributes themselves.

A property, a slot or a hook may be put on a class at any time. Each class but ``object`` that an
instance is of has a dict, which is looked into: 20 ns a name.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from astad.compiler.codegen.bindings import Bindings

__all__ = ["HOOKS", "class_tests", "tests_of_record"]

HOOKS = ("__getattribute__", "__setattr__")


def tests_of_record(path: str, names: Iterable[str], bindings: Bindings) -> list[ast.expr]:
    """The same of a class by its module and its name there, of which instances come in."""
    module, _, inner = path.partition(":")
    cls: object = sys.modules[module]
    for name in inner.split("."):
        cls = getattr(cls, name)
    assert isinstance(cls, type)
    return class_tests(cls, path, (*names, *HOOKS), bindings)


def class_tests(cls: type, path: str, names: Iterable[str], bindings: Bindings) -> list[ast.expr]:
    """``'x' not in of_Point``; what was there already must be the same object.

    ``path`` is where the class is found: ``module:Point``, or a path of the user's globals.
    """
    tests: list[ast.expr] = []
    for place, base in enumerate(cls.__mro__):
        if base in (object, tuple):
            continue
        held = bindings.name("names", f"{path}#{place}", f"of_{base.__name__}")
        for name in names:
            store = ast.Name(held, ast.Load())
            if name not in vars(base):
                tests.append(ast.Compare(ast.Constant(name), [ast.NotIn()], [store]))
                continue
            wish = f"{base.__name__}_{name.strip('_')}"
            known = bindings.name("held", f"{path}#{place}#{name}", wish)
            found = ast.Subscript(store, ast.Constant(name), ast.Load())
            tests.append(ast.Compare(found, [ast.Is()], [ast.Name(known, ast.Load())]))
    return tests
