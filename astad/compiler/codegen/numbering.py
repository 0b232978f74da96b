"""Number the temporaries that are written in the order in which they stand in the text.

Most of those that the passes have made stand inside expressions and have no name: ``t_7`` and
``t_19_bar`` alone become ``t_1`` and ``t_2_bar``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from astad.compiler.codegen.trees import PLACES, names_in

__all__ = ["number_temporaries"]

TEMPORARY = re.compile(r"^(minus_)?t_(\d+)(?=_|$)")


def number_temporaries(functions: Sequence[ast.FunctionDef], others: Iterable[str]) -> None:
    """Rename in place; ``others`` are the names which are not ours to change."""
    left = set(others)
    free = _free_numbers(left)
    numbers: dict[str, str] = {}
    new = {name: name for name in left}
    for function in functions:
        for node in names_in(function):
            place = PLACES[type(node)]
            name = node.__dict__[place] or ""
            if name not in new:
                new[name] = _renumbered(name, numbers, free)
            if new[name] != name:
                setattr(node, place, new[name])


def _renumbered(name: str, numbers: dict[str, str], free: Iterator[str]) -> str:
    found = TEMPORARY.match(name)
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
