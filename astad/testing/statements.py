"""The cotangents that generated text forms, statement by statement, in the order of the run.

Each text is made anew with a note after each statement that binds a cotangent.

>>> print(with_notes("def f_pullback(kept, y_bar):\\n    x_bar = y_bar * 2.0", {2: "walk.py:5"})[1])
def f_pullback(kept, y_bar):
    x_bar = y_bar * 2.0
    __note('walk.py:5', 'x_bar', x_bar)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from astad.api.variants.generated import Loaded

__all__ = ["Formed", "first_difference", "noting", "with_notes"]

MOST = 100_000
"""Notes of one run."""
LARGEST = 10_000
"""Elements of an array that is noted whole."""


class Formed(NamedTuple):
    """A cotangent: the user's line it belongs to, its name in the text, and its value."""

    line: str
    name: str
    value: Any  # a number, an array, or None


def noting(formed: list[Formed]) -> Callable[[Loaded], None]:
    """An observer of variants, after which their runs note each cotangent in ``formed``."""

    def note(line: str, name: str, value: Any) -> None:  # of any kind
        if len(formed) < MOST:
            formed.append(Formed(line, name, _worth(value)))

    def observe(loaded: Loaded) -> None:
        codes, _ = with_notes(loaded.source, _users_lines(loaded))
        for function, code in zip(loaded.functions, codes, strict=False):
            if isinstance(function, FunctionType):
                function.__globals__["__note"] = note
                function.__code__ = code

    return observe


def _users_lines(loaded: Loaded) -> dict[int, str]:
    """The user's line by the line of the text, the first where several were written as one."""
    found: dict[int, str] = {}
    for place in loaded.places:
        if place.user and place.is_reverse:
            code, line = place.user[-1]
            found.setdefault(place.line, f"{code.co_filename}:{line}")
    return found


def _worth(value: Any) -> Any:  # of any kind
    if isinstance(value, np.ndarray):
        return np.array(value) if value.size <= LARGEST and value.dtype != object else None
    return value if isinstance(value, (int, float, complex, np.number)) else None


def with_notes(source: str, lines: dict[int, str]) -> tuple[list[CodeType], str]:
    """The code of each function of a text, with the notes, and the text of it; ``lines``: what
    each line belongs to.
    """
    tree = ast.parse(source)
    for node in [each for each in ast.walk(tree) if hasattr(each, "body")]:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.Module):
                setattr(node, field, list(_noted(block, lines)))
    ast.fix_missing_locations(tree)
    made = compile(tree, "<astad, with notes>", "exec")
    codes = [part for part in made.co_consts if isinstance(part, CodeType)]
    return codes, ast.unparse(tree)


def _noted(block: list[ast.stmt], lines: dict[int, str]) -> Iterator[ast.stmt]:
    for statement in block:
        yield statement
        found = lines.get(statement.lineno)
        if found is None or not isinstance(statement, (ast.Assign, ast.AugAssign)):
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        for name in names:
            if name.endswith("_bar"):
                note = ast.parse(f"__note({found!r}, {name!r}, {name})").body[0]
                yield ast.copy_location(note, statement)


def first_difference(
    ours: list[Formed], theirs: list[Formed], equal: Callable[[Any, Any], bool]
) -> tuple[Formed, list[Any]] | None:
    """The first cotangent that the other run does not form under the same name at the same line,
    and those that it forms there; of what has no such name or line in the other nothing is told.
    """
    formed: dict[tuple[str, str], list[Any]] = {}
    for each in theirs:
        formed.setdefault((each.line, each.name), []).append(each.value)
    for each in ours:
        others = formed.get((each.line, each.name), [])
        if others and not any(_agree(each.value, other, equal) for other in others):
            return each, others
    return None


def _agree(a: Any, b: Any, equal: Callable[[Any, Any], bool]) -> bool:  # of any kind
    if a is None or b is None:  # nothing has come, or it is no number
        return True
    return np.shape(a) != np.shape(b) or equal(a, b)  # a sum that is spread later is none
