"""Let go of arrays that nobody reads any more, so that they do not live to the end.

A gradient by hand binds one name again and again; here each value has a name of its own.

>>> import ast
>>> text = ["def f(x):"]
>>> text += ["a = x * x", "b = a + x", "c = b - a", "d = c * c", "e = d @ d", "n = e * e"]
>>> made = ast.parse("\\n    ".join([*text, "m = n + e", "return m * n"])).body[0]
>>> release_arrays(made, {"x"})
>>> print(ast.unparse(made))
def f(x):
    a = x * x
    b = a + x
    c = b - a
    d = c * c
    del a, b, c
    e = d @ d
    n = e * e
    m = n + e
    return m * n
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

__all__ = ["release_arrays"]

NUMBERS = ("shape", "size", "ndim", "dtype")
"""Attributes of arrays that are none."""
TOGETHER = 3
"""Names in one ``del``: a line for each would hide the program."""
NEAR_END = 3
"""The last statements: what is let go there would go anyhow."""


def release_arrays(
    function: ast.FunctionDef, arrays: Collection[str], numbers: Collection[str] = ()
) -> None:
    """Put ``del`` behind the statement that reads an array or a list of them for the last time.

    Only names that are bound for certain, outside of loops and branches; not the parameters, which
    the caller holds; not ``numbers`` and their cotangents.
    """
    holding = set(arrays)
    last: dict[str, int] = {}
    bound: dict[str, int] = {}
    for at, statement in enumerate(function.body):
        for name in _names(statement):
            last[name] = at
        for name in _bound(statement):
            bound.setdefault(name, at)
            is_number = name in numbers or name.partition("_bar")[0] in numbers
            if not is_number and _may_hold(statement.value, holding):  # type: ignore[attr-defined]
                holding.add(name)
    dead: dict[int, list[str]] = {}
    for name in bound:
        if name in holding and last[name] < len(function.body) - 1:
            dead.setdefault(last[name], []).append(name)
    function.body = list(_with_releases(function.body, dead))


def _with_releases(body: list[ast.stmt], dead: dict[int, list[str]]) -> Iterator[ast.stmt]:
    waiting: list[str] = []
    for at, statement in enumerate(body):
        yield statement
        waiting += dead.get(at, [])
        if len(waiting) >= TOGETHER and at < len(body) - NEAR_END:
            line = getattr(statement, "lineno", 0)
            yield ast.Delete([ast.Name(name, ast.Del()) for name in waiting], lineno=line)
            waiting = []


def _names(statement: ast.stmt) -> Iterator[str]:
    return (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Names that an assignment binds."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _names(target)  # type: ignore[arg-type]


def _may_hold(value: ast.expr, holding: Collection[str]) -> bool:
    """May this be an array, or a list of them? A name too many does no harm."""
    if isinstance(value, ast.Name):
        return value.id in holding
    if isinstance(value, ast.Attribute) and value.attr in NUMBERS:
        return False
    if isinstance(value, ast.List) and not value.elts:
        return True
    parts = ast.iter_child_nodes(value)
    return any(isinstance(part, ast.expr) and _may_hold(part, holding) for part in parts)
