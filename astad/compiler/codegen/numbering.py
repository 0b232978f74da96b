"""Number the temporaries that are written in the order in which they stand in the text.

Most of those that the passes have made stand inside expressions and have no name: ``t_7`` and
``t_19_bar`` alone become ``t_1`` and ``t_2_bar``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["number_temporaries"]

TEMPORARY = re.compile(r"^(minus_)?t_(\d+)(?=_|$)")


def number_temporaries(functions: Sequence[ast.FunctionDef], others: Iterable[str]) -> None:
    """Rename in place; ``others`` are the names which are not ours to change."""
    left = set(others)
    free = _free_numbers(left)
    new: dict[str, str] = {}
    for function in functions:
        for node in _in_order(function):
            name = node.id if isinstance(node, ast.Name) else node.arg
            found = TEMPORARY.match(name) if name not in left else None
            if found is None:
                continue
            number = found[2]
            if number not in new:
                new[number] = next(free)
            name = f"{name[: found.start(2)]}{new[number]}{name[found.end(2) :]}"
            if isinstance(node, ast.Name):
                node.id = name
            else:
                node.arg = name


def _free_numbers(names: Iterable[str]) -> Iterator[str]:
    used = {found[2] for name in names if (found := TEMPORARY.match(name))}
    number = 0
    while True:
        number += 1
        if str(number) not in used:
            yield str(number)


def _in_order(function: ast.FunctionDef) -> Iterator[ast.Name | ast.arg]:
    """Names and parameters in the order of the text."""
    left: list[ast.AST] = [function]
    while left:
        node = left.pop()
        if isinstance(node, ast.Name | ast.arg):
            yield node
        left += list(ast.iter_child_nodes(node))[::-1]
