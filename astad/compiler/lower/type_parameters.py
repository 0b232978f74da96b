"""Type parameters and `type` statements (Python 3.12): objects of `typing`, made at once.

The parameters are seen by the annotations, the bases and the bodies of what has them, and by
nothing else; Python evaluates bounds and aliases only when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Const, Operand, Ref
from astad.compiler.lower.builder import Builder, StatementTable
from astad.compiler.lower.places import Cell

__all__ = ["STATEMENTS", "parameters"]


@contextmanager
def parameters(b: Builder, node: Any) -> Iterator[str | None]:
    """What is written meanwhile sees the type parameters of a definition; a tuple of them."""
    given = getattr(node, "type_params", None)
    if not given:
        yield None
        return
    line, outer = node.lineno, {}
    made: list[Operand] = []
    for each in given:
        value = _parameter(b, each, line)
        cell = b.prim("cell_new", (value,), line, b.names.fresh(f"{each.name}_cell"))
        outer[each.name] = b.places.get(each.name)
        b.places[each.name] = Cell(cell)
        made.append(value)
    try:
        yield b.prim("tuple", made, line)
    finally:
        for name, place in outer.items():
            b.places[name] = place


def _parameter(b: Builder, node: Any, line: int) -> Operand:
    kind = type(node).__name__
    words: list[tuple[str | None, Operand]] = []
    if kind == "TypeVar":
        words.append(("infer_variance", Const(True)))
    bound = getattr(node, "bound", None)
    constraints = bound.elts if isinstance(bound, gast.Tuple) else []
    args = [Const(node.name), *b.operands(constraints)]
    if bound is not None and not constraints:
        words.append(("bound", b.operand(bound)))
    return b.call(Ref("typing", kind), args, words, line)


def _alias(b: Builder, node: Any) -> None:
    line = node.lineno
    with parameters(b, node) as given:
        value = b.operand(node.value)
        words = [] if given is None else [("type_params", given)]
        made = b.call(Ref("typing", "TypeAliasType"), (Const(node.name.id), value), words, line)
    b.bind(node.name.id, made, line)


STATEMENTS: StatementTable = {"TypeAlias": _alias}
