"""Let go of arrays that nobody reads any more, so that they do not live to the end.

A gradient by hand binds one name again and again; here each value has a name of its own.

>>> import ast
>>> text = ["def f(x):"]
>>> text += ["v = x[1:]", "a = x * x", "b = a + v", "c = b - a", "d = c @ c", "e = c * d"]
>>> made = ast.parse("\\n    ".join([*text, "y = e @ e", "return y * d"])).body[0]
>>> release_arrays(made, {"x"})
>>> print(ast.unparse(made))
def f(x):
    v = x[1:]
    a = x * x
    b = a + v
    c = b - a
    del a, b
    d = c @ c
    e = c * d
    y = e @ e
    return y * d
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from astad.compiler.codegen.trees import children, names_in

__all__ = ["release_arrays"]

NUMBERS = ("shape", "size", "ndim", "dtype")
"""Attributes of arrays that are none."""
NEAR_END = 3
"""The last statements: what is let go there would go anyhow."""


def release_arrays(
    function: ast.FunctionDef, arrays: Collection[str], numbers: Collection[str] = ()
) -> None:
    """Put ``del`` behind the statement that reads an array or a list of them for the last time.

    Only names that are bound for certain, outside of loops; not the parameters, which the caller
    holds, nor slices of them; not ``numbers`` and their cotangents.
    """
    holding = set(arrays)
    slices: set[str] = set()
    params = {arg.arg for arg in function.args.args}
    bound: dict[str, None] = {}
    for statement in function.body:
        for name, value in _bound(statement):
            bound[name] = None
            is_number = name in numbers or name.partition("_bar")[0] in numbers
            if _is_slice_of(value, params):
                slices.add(name)
            if not is_number and _may_hold(value, holding):
                holding.add(name)
    places = [node for node in names_in(function) if isinstance(node, ast.Name)]
    gone = {node.id for node in places if isinstance(node.ctx, ast.Del)}
    ours = [name for name in bound if name in holding and name not in slices | gone]
    last: dict[str, int] = {}
    for at, statement in enumerate(function.body) if ours else ():
        last.update(dict.fromkeys(_names(statement), at))
    dead: dict[int, list[str]] = {}
    for name in ours:
        if last[name] < len(function.body) - NEAR_END:
            dead.setdefault(last[name], []).append(name)
    function.body = list(_with_releases(function.body, dead))


def _with_releases(body: list[ast.stmt], dead: dict[int, list[str]]) -> Iterator[ast.stmt]:
    for at, statement in enumerate(body):
        yield statement
        if at in dead:
            line = getattr(statement, "lineno", 0)
            yield ast.Delete([ast.Name(name, ast.Del()) for name in dead[at]], lineno=line)


def _names(statement: ast.AST) -> list[str]:
    return [node.id for node in names_in(statement) if type(node) is ast.Name]


def _bound(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Names that an assignment, or one in either arm, binds, and what it binds them to."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from ((name, statement.value) for name in _names(target))
    elif isinstance(statement, ast.If):
        arms = [[pair for part in arm for pair in _bound(part)] for arm in _arms(statement)]
        both = {name for name, _ in arms[0]} & {name for name, _ in arms[1]}
        yield from (pair for arm in arms for pair in arm if pair[0] in both)


def _arms(statement: ast.If) -> tuple[list[ast.stmt], list[ast.stmt]]:
    return statement.body, statement.orelse


def _is_slice_of(value: ast.expr, params: Collection[str]) -> bool:
    """A view of a parameter, which takes no memory of its own."""
    if not isinstance(value, ast.Subscript) or not isinstance(value.value, ast.Name):
        return False
    parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
    return value.value.id in params and all(
        isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is None)
        for part in parts
    )


def _may_hold(value: ast.expr, holding: Collection[str]) -> bool:
    """May this be an array, or a list of them? A name too many does no harm."""
    if isinstance(value, ast.Name):
        return value.id in holding
    if isinstance(value, ast.Attribute) and value.attr in NUMBERS:
        return False
    if isinstance(value, ast.List) and not value.elts:
        return True
    parts = children(value)
    return any(isinstance(part, ast.expr) and _may_hold(part, holding) for part in parts)
