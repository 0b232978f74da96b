"""Private names: inside ``class Walk``, ``__seed`` means ``_Walk__seed``.

>>> mangled("__seed", "_Walk"), mangled("__init__", "Walk"), mangled("a.__b", "Walk")
('_Walk__seed', '__init__', 'a.__b')
"""

from __future__ import annotations

from typing import Any  # trees: gast ships no types

import gast

__all__ = ["mangle", "mangled"]


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
    for node in gast.walk(tree):
        if isinstance(node, gast.Name):
            node.id = mangled(node.id, class_name)
        elif isinstance(node, gast.Attribute):
            node.attr = mangled(node.attr, class_name)
        elif isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef):
            node.name = mangled(node.name, class_name)
        elif isinstance(node, gast.Global | gast.Nonlocal):
            node.names = [mangled(name, class_name) for name in node.names]
        elif isinstance(node, gast.ImportFrom):
            _mangle_aliases(node, class_name)
        elif isinstance(node, gast.Import):
            for alias in node.names:
                alias.name = mangled(alias.name, class_name)
                alias.asname = alias.asname and mangled(alias.asname, class_name)


def _mangle_aliases(node: Any, class_name: str) -> None:
    """Python asks the module for the name as written, and binds the stored form."""
    for alias in node.names:
        alias.asname = mangled(alias.asname or alias.name, class_name)
