"""A generator expression as the function that Python makes of it.

>>> import ast
>>> def f(xs):
...     return (x * n for x in xs if (n := x) > 0)
>>> code = next(c for c in f.__code__.co_consts if hasattr(c, "co_code"))
>>> node = ast.parse("(x * n for x in xs if (n := x) > 0)").body[0].value
>>> print(ast.unparse(as_function(node, code)))
def genexpr(items):
    nonlocal n
    for x in items:
        if (n := x) > 0:
            yield (x * n)
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, TypeVar

__all__ = ["as_function"]

Node = TypeVar("Node", bound=ast.AST)


def as_function(node: ast.GeneratorExp, code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """Its one parameter is the iterator that was made where the expression stands."""
    first, *others = node.generators
    taken = {*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars}
    param = "items"
    while param in taken:
        param += "_"
    inner: ast.stmt = _at(node.elt, ast.Expr(_at(node.elt, ast.Yield(node.elt))))
    for each in reversed(others):
        inner = _clause(each, each.iter, inner)
    given = _at(first.iter, ast.Name(param, ast.Load()))
    body = [*_declarations(node, code), _clause(first, given, inner)]
    kind = ast.FunctionDef
    if any(each.is_async for each in node.generators):
        # no program is known: the function that makes it is refused
        kind = ast.AsyncFunctionDef  # type: ignore[assignment]
    arguments = ast.arguments([], [_at(node, ast.arg(param))], None, [], [], None, [])
    return _at(node, kind("genexpr", arguments, body, [], None, None, **_type_params()))


def _clause(each: ast.comprehension, iterable: ast.expr, inner: ast.stmt) -> ast.stmt:
    for test in reversed(each.ifs):
        inner = _at(test, ast.If(test, [inner], []))
    return _at(each.target, ast.For(each.target, iterable, [inner], [], None))


def _declarations(node: ast.GeneratorExp, code: CodeType) -> list[ast.stmt]:
    """What ``:=`` binds belongs to the function around it, or to the module."""
    named = [each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
    free = [name for name in dict.fromkeys(named) if name in code.co_freevars]
    outer = [name for name in dict.fromkeys(named) if name in code.co_names]
    out: list[ast.stmt] = [_at(node, ast.Nonlocal(free))] if free else []
    return [*out, _at(node, ast.Global(outer))] if outer else out


def _type_params() -> dict[str, Any]:
    """Python 3.12 has a field more, which the type stubs know only there."""
    return {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}


def _at(place: ast.AST, node: Node) -> Node:
    return ast.copy_location(node, place)
