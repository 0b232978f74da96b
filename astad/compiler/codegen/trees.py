"""Going through generated syntax trees: what is below a node, in the order of the text.

>>> tree = ast.parse("y = f(a + b, k=c)").body[0]
>>> [name.id for name in names_in(tree)]
['y', 'f', 'a', 'b', 'c']

Number the temporaries that are written in the order in which they stand in the text.

Most of those that the passes have made stand inside expressions and have no name: ``t_7`` and
``t_19_bar`` alone become ``t_1`` and ``t_2_bar``.

>>> written = Numbers({"t_2", "x"})
>>> written["t_7"], written["x"], written["t_2"], written["t_19_bar"], written["t_7_bar"]
('t_1', 'x', 't_2', 't_3_bar', 't_1_bar')
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["Numbers", "PLACES", "STATEMENTS", "children", "names_in"]

PLAIN = frozenset(["arg", "attr", "ctx", "id", "kind", "name", "op", "ops", "type_comment"])
"""Fields with words and signs; the rest of a node are trees."""


def children(node: ast.AST) -> list[ast.AST]:
    """Expressions, statements, arguments and keywords; operators and contexts are left out.

    A tenth of the time of ``ast.iter_child_nodes``, for nodes of the most frequent kinds.
    """
    kind = type(node)
    frequent = _FREQUENT.get(kind)
    if frequent is not None:
        return frequent(node)
    found: list[ast.AST] = []
    held = node.__dict__
    for name in _FIELDS.get(kind) or _fields(kind):
        value = held.get(name)
        if type(value) is list:
            found += value
        elif isinstance(value, ast.AST):
            found.append(value)
    return found if None not in found else [part for part in found if part is not None]


LEAVES = (ast.Name, ast.Constant)
_FREQUENT: dict[type[ast.AST], Callable[[Any], list[ast.AST]]] = {
    ast.Assign: lambda node: [*node.targets, node.value],
    ast.Attribute: lambda node: [node.value],
    ast.BinOp: lambda node: [node.left, node.right],
    ast.Call: lambda node: [node.func, *node.args, *node.keywords],
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.Tuple: lambda node: node.elts,
}
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    is_leaf = issubclass(kind, LEAVES)
    _FIELDS[kind] = tuple(name for name in kind._fields if not is_leaf and name not in PLAIN)
    return _FIELDS[kind]


def names_in(tree: ast.AST) -> list[ast.AST]:
    """Names, parameters, and handlers that have a name: what `PLACES` has."""
    found: list[ast.AST] = []
    left = [tree]
    while left:
        node = left.pop()
        kind = type(node)
        if kind is ast.Name:
            found.append(node)
        elif kind is not ast.Constant:
            if kind in PLACES:
                found.append(node)
            left += children(node)[::-1]
    return found


PLACES: dict[type[ast.AST], str] = {ast.Name: "id", ast.arg: "arg", ast.ExceptHandler: "name"}
"""Nodes that hold a name, and where."""
STATEMENTS = frozenset(
    [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.stmt)]
)


# --- numbers of temporaries


STARTS = ("t_", "minus_t_")
TEMPORARY = re.compile(r"^(minus_)?t_(\d+)(?=_|$)")


class Numbers(dict[str, str]):
    """Each name as it is written, asked for in the order of the text; ``others`` are the names
    which are not ours to change.
    """

    def __init__(self, others: Iterable[str]) -> None:
        super().__init__((name, name) for name in others)
        self._numbers: dict[str, str] = {}
        self._free = _free_numbers([*self])

    def __missing__(self, name: str) -> str:
        found = self[name] = _renumbered(name, self._numbers, self._free)
        return found


def _renumbered(name: str, numbers: dict[str, str], free: Iterator[str]) -> str:
    found = TEMPORARY.match(name) if name.startswith(STARTS) else None
    if found is None:
        return name
    number = found[2]
    if number not in numbers:
        numbers[number] = next(free)
    return f"{name[: found.start(2)]}{numbers[number]}{name[found.end(2) :]}"


def _free_numbers(names: Iterable[str]) -> Iterator[str]:
    used = {found[2] for name in names if (found := TEMPORARY.match(name))}
    number = 0
    while True:
        number += 1
        if str(number) not in used:
            yield str(number)
