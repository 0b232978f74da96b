"""Inner functions: the user's own code object, with the cells it captures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.frontend.module_text import Inner, Position
from astad.compiler.ir.nodes import Call, Const, Operand, Prim
from astad.compiler.lower.assignments import noted
from astad.compiler.lower.builder import Builder, ExpressionTable, StatementTable
from astad.compiler.lower.places import Cell, without_classes
from astad.compiler.lower.type_parameters import parameters

__all__ = ["EXPRESSIONS", "STATEMENTS", "made_function"]


_NEVER_MADE = Inner(("<dead code>", 0, 0), ())
"""What Python has no code for, since it knows that it cannot run."""


def _lambda(b: Builder, node: Any, target: str | None) -> Operand:
    return _function(b, node, node.lineno, target)


def _definition(b: Builder, node: Any) -> None:
    decorators = b.operands(node.decorator_list)
    name = b.direct(gast.Name(node.name, gast.Store(), None, None))
    line = node.lineno
    value = _function(b, node, line, None if decorators else name)
    for index, decorator in enumerate(reversed(decorators)):
        last = index + 1 == len(decorators)
        value = b.call(decorator, (value,), (), line, name if last else None)
    b.bind(node.name, value, line)


def _function(b: Builder, node: Any, line: int, target: str | None) -> str:
    """One ``function`` operation; defaults are evaluated here, once."""
    args = node.args
    keywords: list[tuple[str | None, Operand]] = []
    named = [(arg.id, d) for arg, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
    values = b.operands([*args.defaults, *(default for _, default in named)])
    count = len(args.defaults)
    if args.defaults:
        keywords.append(("defaults", b.prim("tuple", values[:count], line)))
    if named:
        pairs = [
            part
            for (name, _), v in zip(named, values[count:], strict=True)
            for part in (Const(name), v)
        ]
        keywords.append(("kwdefaults", b.prim("dict", pairs, line)))
    place = node.lineno, node.col_offset
    with parameters(b, node) as given:
        annotations = noted(b, node)
        if annotations is not None:
            keywords.append(("annotations", annotations))
        made = made_function(b, place, keywords, line, target)
    if given is not None:
        b.effect("setattr", (made, Const("__type_params__"), given), line)
    return made


def made_function(
    b: Builder,
    place: Position,
    keywords: Sequence[tuple[str | None, Operand]],
    line: int,
    target: str | None,
) -> str:
    """The function whose text starts at this place, with the cells that it captures."""
    inner = b.scope.inner.get(place, _NEVER_MADE)
    cells = [_cell(b, name, line) for name in inner.free]
    target = target or b.temp()
    b.emit(Call(target, Prim("function"), (Const(inner.key), *cells), tuple(keywords), line))
    return target


def _cell(b: Builder, name: str, line: int) -> Operand:
    with b.scoped(without_classes(b.scopes)):
        place = b.place(name)
    if isinstance(place, Cell):
        return str(place)
    raise b.unsupported(  # no program is known: Python has made a cell of what it captures
        line,
        f"capture of {name} by a function inside {b.name}",
        why="the variable belongs to neither of the two",
        instead="pass it to the inner function as an argument",
    )


EXPRESSIONS: ExpressionTable = {"Lambda": _lambda}
STATEMENTS: StatementTable = {"FunctionDef": _definition, "AsyncFunctionDef": _definition}
