"""Private names: inside ``class Walk``, ``__seed`` means ``_Walk__seed``.

>>> mangled("__seed", "_Walk"), mangled("__init__", "Walk"), mangled("a.__b", "Walk")
('_Walk__seed', '__init__', 'a.__b')
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any  # trees: gast ships no types

import gast

__all__ = ["mangle", "mangle_body", "mangled"]


def mangled(name: str, class_name: str) -> str:
    """The name as Python stores it inside a class."""
    stem = class_name.lstrip("_")
    if not name.startswith("__") or name.endswith("__") or "." in name or not stem:
        return name
    return f"_{stem}{name}"


def mangle(tree: Any, class_name: str | None) -> None:
    """Write the stored form of every private name into the tree, which must be the caller's own.

    Names of keywords in calls stay as they are, as in Python.
    """
    if class_name is None:
        return
    for node in _outside_of_classes(tree):
        if isinstance(node, gast.Name):
            node.id = mangled(node.id, class_name)
        elif isinstance(node, gast.Attribute):
            node.attr = mangled(node.attr, class_name)
        elif isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
            node.name = mangled(node.name, class_name)
        elif isinstance(node, gast.Global | gast.Nonlocal):
            node.names = [mangled(name, class_name) for name in node.names]
        elif isinstance(node, gast.ImportFrom):
            _mangle_aliases(node, class_name)
        elif isinstance(node, gast.Import):
            for alias in node.names:
                alias.name = mangled(alias.name, class_name)
                alias.asname = alias.asname and mangled(alias.asname, class_name)


def mangle_body(node: Any) -> None:
    """The same for the body of a class statement."""
    for each in node.body:
        mangle(each, node.name)


def _outside_of_classes(tree: Any) -> Iterator[Any]:
    """The nodes of a tree without those in the bodies of classes."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        inside = node.body if isinstance(node, gast.ClassDef) else []
        left.extend(child for child in gast.iter_child_nodes(node) if child not in inside)


def _mangle_aliases(node: Any, class_name: str) -> None:
    """Python asks the module for the name as written, and binds the stored form."""
    for alias in node.names:
        alias.asname = mangled(alias.asname or alias.name, class_name)
