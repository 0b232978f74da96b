"""Operators, displays, subscripts, attributes, f-strings: one call each, every operand a name.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     y = -x * (a[1:, 0] + 2.0) ** -1.5
... ''')))
t_1 = -x
t_2 = slice(1, None, None)
t_3 = (t_2, 0)
t_4 = a[t_3]
t_5 = t_4 + 2.0
t_6 = t_5 ** -1.5
y = t_1 * t_6
"""

from __future__ import annotations

from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Const, Operand, Star
from astad.compiler.ir.prims import SYNTAX
from astad.compiler.lower.builder import Builder, ClassNames, ExpressionTable

__all__ = ["EXPRESSIONS", "compare"]


def _constant(b: Builder, node: Any, target: str | None) -> Operand:
    return Const(node.value)


def _name(b: Builder, node: Any, target: str | None) -> Operand:
    if node.id == "__debug__":
        return Const(__debug__)
    return b.read(node.id, node.lineno, target)


def _binary(b: Builder, node: Any, target: str | None) -> Operand:
    args = b.operands((node.left, node.right))
    return b.prim(SYNTAX[type(node.op).__name__], args, node.lineno, target)


def _unary(b: Builder, node: Any, target: str | None) -> Operand:
    kind, operand = type(node.op).__name__, node.operand
    if (
        kind == "USub"
        and isinstance(operand, gast.Constant)
        and type(operand.value) in (int, float, complex)
    ):
        return Const(-operand.value)
    return b.prim(SYNTAX[kind], (b.operand(operand),), node.lineno, target)


def compare(
    b: Builder, op: Any, left: Operand, right: Operand, line: int, target: str | None
) -> Operand:
    """One comparison."""
    prim = SYNTAX[type(op).__name__]
    args = (right, left) if prim in ("contains", "not_contains") else (left, right)
    return b.prim(prim, args, line, target)


def _tuple(b: Builder, node: Any, target: str | None) -> Operand:
    return b.prim("tuple", b.operands(node.elts), node.lineno, target)


def _list(b: Builder, node: Any, target: str | None) -> Operand:
    return b.prim("list", b.operands(node.elts), node.lineno, target)


def _set(b: Builder, node: Any, target: str | None) -> Operand:
    """Elements up to the first star in one display; the others are put into it, as Python does: the
    order of a set depends on how it is filled.
    """
    stars = [k for k, each in enumerate(node.elts) if isinstance(each, gast.Starred)]
    if not stars:
        return b.prim("set", b.operands(node.elts), node.lineno, target)
    out = b.prim("set", b.operands(node.elts[: stars[0]]), node.lineno)
    for each in node.elts[stars[0] :]:
        if isinstance(each, gast.Starred):
            b.effect("method", (out, Const("update"), b.iterable(each.value)), each.lineno)
        else:
            b.effect("set_add", (out, b.operand(each)), each.lineno)
    return out


def _dict(b: Builder, node: Any, target: str | None) -> Operand:
    """Keys and values up to the first ``**`` in one display; the others are put into it."""
    if None not in node.keys:
        pairs = [part for pair in zip(node.keys, node.values, strict=True) for part in pair]
        return b.prim("dict", b.operands(pairs), node.lineno, target)
    first = node.keys.index(None)
    pairs = [part for i in range(first) for part in (node.keys[i], node.values[i])]
    out = b.prim("dict", b.operands(pairs), node.lineno)
    for key, value in list(zip(node.keys, node.values, strict=True))[first:]:
        if key is None:
            b.effect("dict_merge", (out, b.operand(value)), value.lineno)
        else:
            b.effect("setitem", (out, *b.operands((key, value))), key.lineno)
    return out


def _subscript(b: Builder, node: Any, target: str | None) -> Operand:
    return b.prim("getitem", b.operands((node.value, node.slice)), node.lineno, target)


def _slice(b: Builder, node: Any, target: str | None) -> Operand:
    parts = [
        gast.Constant(None, None) if p is None else p for p in (node.lower, node.upper, node.step)
    ]
    for part in parts:
        part.lineno = getattr(part, "lineno", node.lineno)
    return b.prim("slice", b.operands(parts), node.lineno, target)


def _attribute(b: Builder, node: Any, target: str | None) -> Operand:
    return b.prim("getattr", (b.operand(node.value), Const(node.attr)), node.lineno, target)


def _walrus(b: Builder, node: Any, target: str | None) -> Operand:
    """``(x := v)`` binds in the function, never in a comprehension around it."""
    innermost = [names for names in b.scopes[-1:] if isinstance(names, ClassNames)]
    with b.scoped(innermost):
        name = b.direct(node.target)
    if name is not None:
        b.into(node.value, name)
        return name
    value = b.operand(node.value)
    with b.scoped(innermost):
        b.bind(node.target.id, value, node.lineno)
    return value


def _f_string(b: Builder, node: Any, target: str | None) -> Operand:
    parts = [b.operand(part) for part in node.values]
    if all(isinstance(part, Const) for part in parts):
        return Const("".join(str(part.value) for part in parts if isinstance(part, Const)))
    return b.prim("join", parts, node.lineno, target)


def _formatted(b: Builder, node: Any, target: str | None) -> Operand:
    conversion = Const(None if node.conversion < 0 else chr(node.conversion))
    if node.format_spec is None:
        return b.prim("format", (b.operand(node.value), conversion, Const("")), node.lineno)
    value, spec = b.operands((node.value, node.format_spec))
    return b.prim("format", (value, conversion, spec), node.lineno)


def _starred(b: Builder, node: Any, target: str | None) -> Operand:
    """A lone ``*xs`` as an index, ``a[*xs]``: a tuple."""
    return b.prim("tuple", (Star(b.operand(node.value)),), node.lineno, target)


EXPRESSIONS: ExpressionTable = {
    "Constant": _constant,
    "Name": _name,
    "BinOp": _binary,
    "UnaryOp": _unary,
    "Tuple": _tuple,
    "List": _list,
    "Set": _set,
    "Dict": _dict,
    "Subscript": _subscript,
    "Slice": _slice,
    "Attribute": _attribute,
    "NamedExpr": _walrus,
    "JoinedStr": _f_string,
    "FormattedValue": _formatted,
    "Starred": _starred,
}
