"""How generated text writes the operations of the language."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from astad.compiler.codegen.bindings import LOAD, STORE, Bindings, live_path
from astad.compiler.ir.nodes import Ref
from astad.compiler.ir.prims import (
    BINARY,
    CALLABLES,
    COMPARE,
    HOMES,
    IN_PLACE,
    SYNTAX,
    UNARY,
)
from astad.errors import Unsupported

__all__ = ["SliceCall", "expression_of_call", "statement_of_call"]

SIGNS: dict[str, Any] = {name: getattr(ast, sign) for sign, name in SYNTAX.items()}
"""Operations to classes of Python's syntax trees."""
INFIX = {name: SIGNS[name] for name in BINARY}
INFIX |= dict(zip(IN_PLACE, INFIX.values(), strict=True))
"""An operation in place is plain only for numbers, where it is the binary operation."""
STATEMENTS = frozenset([
    "leave_if_complex", "leave_if", "leave_unless_usual", "leave_if_empty", "leave_unless_finite",
    "setitem", "accumulate", "scatter", "augment", "update", "forget",
])  # fmt: skip
LANGUAGE = "astad.runtime.language"


def _inner_function(
    args: list[ast.expr], keywords: list[ast.keyword], bindings: Bindings
) -> ast.expr:
    """The user's own inner function, made from its code object and the cells it captures."""
    assert isinstance(args[0], ast.Tuple)
    name, line, number = (
        str(part.value) for part in args[0].elts if isinstance(part, ast.Constant)
    )
    stem = name if name.isidentifier() else "lambda"
    called = bindings.name("inner", f"{name} {line} {number}", f"make_{stem}")
    return ast.Call(ast.Name(called, LOAD), args[1:], keywords)


def expression_of_call(
    name: str, args: Sequence[ast.expr], keywords: list[ast.keyword], bindings: Bindings
) -> ast.expr:
    """The expression of an operation that gives a value."""
    infix = INFIX.get(name)
    if infix is not None:
        return ast.BinOp(args[0], infix(), args[1])
    if name in UNARY:
        return ast.UnaryOp(SIGNS[name](), args[0])
    if name in COMPARE:
        signs: list[ast.cmpop] = [SIGNS[name]() for _ in args[1:]]
        return ast.Compare(args[0], signs, list(args[1:]))
    if name in ("contains", "not_contains"):
        return ast.Compare(args[1], [SIGNS[name]()], [args[0]])
    if name == "slice":
        return SliceCall(bindings.reference(Ref("builtins", "slice")), list(args), [])
    if name == "yield":
        return ast.Yield(args[0])
    if name == "function":
        return _inner_function(list(args), keywords, bindings)
    written = _access(name, list(args), keywords, bindings) or _display(name, list(args), bindings)
    if written is not None:
        return written
    if name in ("setattr", "delattr", "delitem"):
        raise Unsupported(
            name, "a change of an object in a text of values and tangents",
            why="what it does to the object has no form there",
            instead="let the function change lists, dicts and arrays of its own alone",
        )  # fmt: skip
    if name in ("import", "namespace"):
        args = [bindings.user_globals(), *args]
    fn = Ref(HOMES.get(name, LANGUAGE), CALLABLES.get(name, name))
    return ast.Call(bindings.reference(fn), list(args), keywords)


def _access(
    name: str, args: list[ast.expr], keywords: list[ast.keyword], bindings: Bindings
) -> ast.expr | None:
    if name == "global":
        return live_path(_text(args[0]), bindings.user_globals)
    if name == "getattr" and isinstance(args[1], ast.Constant):
        return ast.Attribute(args[0], _text(args[1]), LOAD)
    if name == "method":
        return ast.Call(ast.Attribute(args[0], _text(args[1]), LOAD), args[2:], keywords)
    if name == "getitem":
        return ast.Subscript(args[0], subscript(args[1]), LOAD)
    return None


def _display(name: str, args: list[ast.expr], bindings: Bindings) -> ast.expr | None:
    if name == "tuple":
        return ast.Tuple(args, LOAD)
    if name == "list":
        return ast.List(args, LOAD)
    if name == "set" and args:
        return ast.Set(args)
    if name == "dict":
        return ast.Dict(args[0::2], args[1::2])  # type: ignore[arg-type]
    return None


class SliceCall(ast.Call):
    """A call of slice that is written ``a:b`` inside a subscript."""


def subscript(index: ast.expr) -> ast.expr:
    """The index as it stands between brackets."""
    if isinstance(index, SliceCall):
        parts = [None if isinstance(p, ast.Constant) and p.value is None else p for p in index.args]
        return ast.Slice(*parts)
    if isinstance(index, ast.Tuple):
        return ast.Tuple([subscript(part) for part in index.elts], LOAD)
    return index


def _text(constant: ast.expr) -> str:
    assert isinstance(constant, ast.Constant)
    return str(constant.value)


def statement_of_call(name: str, args: Sequence[ast.expr], bindings: Bindings) -> ast.stmt | None:
    """The statement of an operation that gives none."""
    if name not in STATEMENTS:
        return None
    if name == "leave_if_complex":
        its_type = ast.Call(bindings.reference(Ref("builtins", "type")), list(args), [])
        test = ast.Compare(its_type, [ast.Is()], [bindings.reference(Ref("builtins", "complex"))])
        return _leave_if(test)
    if name == "leave_if":
        return _leave_if(args[0])
    if name == "leave_unless_usual":
        ask = bindings.reference(Ref("astad.runtime.guarded", "passes_over_underflow"))
        return _leave_if(ast.UnaryOp(ast.Not(), ast.Call(ask, [], [])))
    if name == "leave_if_empty":
        return _leave_if(ast.UnaryOp(ast.Not(), args[0]))
    if name == "leave_unless_finite":
        is_finite = ast.Call(bindings.reference(Ref("math", "isfinite")), list(args), [])
        return _leave_if(ast.UnaryOp(ast.Not(), is_finite))
    if name == "setitem":
        return ast.Assign([ast.Subscript(args[0], subscript(args[1]), STORE)], args[2])
    if name == "accumulate":
        whole = isinstance(args[1], ast.Constant) and args[1].value is ...
        assert isinstance(args[0], ast.Name)
        target = (
            ast.Name(args[0].id, STORE)
            if whole
            else ast.Subscript(args[0], subscript(args[1]), STORE)
        )
        return ast.AugAssign(target, ast.Add(), args[2])
    if name == "scatter":
        return ast.Expr(ast.Call(bindings.reference(Ref("numpy.add", "at")), list(args), []))
    if name == "augment":
        assert isinstance(args[2], ast.Constant)
        place = ast.Subscript(args[0], subscript(args[1]), STORE)
        return ast.AugAssign(place, INFIX[str(args[2].value)](), args[3])
    assert isinstance(args[0], ast.Name)
    if name == "update":
        assert isinstance(args[1], ast.Constant)
        changed = ast.Name(args[0].id, STORE)
        return ast.AugAssign(changed, INFIX[str(args[1].value)](), args[2])
    return ast.Delete([ast.Name(args[0].id, ast.Del())])  # forget


def _leave_if(test: ast.expr) -> ast.stmt:
    return ast.If(test, [ast.Return(ast.Name("NotImplemented", LOAD), lineno=0)], [])
