"""Which loops are written out round by round, and what each round takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from astad.compiler.ir.nodes import Const, Loop, Node, Operand, While
from astad.compiler.ir.walk import bound_inside, breaks, walk
from astad.compiler.specialise.known_values import Tree

if TYPE_CHECKING:
    from astad.compiler.specialise.known_walk import Walker

__all__ = ["MOST", "at_need", "parts_of_loop", "set_aside"]

MOST = 16
"""Parts of a container at one level, and rounds of a loop that is written out."""

LONGEST = 200
"""Statements that the rounds of loops may come to in all."""


def set_aside(
    walker: Walker, parts: Sequence[Operand | Tree], node: Loop, out: list[Node]
) -> list[Operand | Tree]:
    """What the rounds take, under names that no round binds."""
    moving = bound_inside(node) | set(walker.slots.values())
    copies: dict[str, str] = {}

    def copied(part: Operand | Tree) -> Operand | Tree:
        if isinstance(part, Tree):
            whole = part if part.name else None  # its attributes are as they are by then
            return whole or replace(part, parts=tuple(map(copied, part.parts)))
        if not isinstance(part, str) or part not in moving:
            return part
        if part not in copies:
            copies[part] = walker.names.numbered("t")
            walker.bind(copies[part], part, node.line, out)
        return copies[part]

    return [copied(part) for part in parts]


def parts_of_loop(walker: Walker, node: Loop) -> Sequence[Operand | Tree] | None:
    """What each round takes, where the loop can be written out."""
    known = walker.known(node.iterable)
    if isinstance(known, Tree):
        parts = known.items()
    elif isinstance(known, Const) and isinstance(known.value, tuple):
        parts = tuple(Const(item) for item in known.value)
    elif isinstance(known, Const) and isinstance(known.value, range):
        short = id(node) in walker.unrolled
        parts = tuple(Const(item) for item in known.value) if short else None
    else:
        return None
    if parts is None or len(parts) > MOST or breaks(node.body, ("break", "continue")):
        return None
    size = sum(1 for _ in walk(node.body)) * len(parts)
    return parts if walker.written + size <= LONGEST else None


def at_need(walker: Walker, node: Loop | While) -> list[int]:
    """A loop over a short literal range."""
    known = walker.known(node.iterable) if isinstance(node, Loop) else None
    if not isinstance(known, Const) or not isinstance(known.value, range):
        return []
    may = len(known.value) <= MOST and not breaks(node.body, ("break", "continue"))
    return [id(node)] if may and id(node) not in walker.unrolled else []
