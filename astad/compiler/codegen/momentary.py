"""Which statements may be written inside others, though their names are bound or read again."""

from __future__ import annotations

from collections import Counter

from astad.compiler.ir.derived import Function
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Node,
    Prim,
    While,
    blocks,
)
from astad.compiler.ir.outline import outline

__all__ = ["momentary", "only_tested"]


def momentary(body: Block, taken: frozenset[str]) -> set[int]:
    """Statements, by ``id``, that bind a cotangent which the next to read it binds anew.

    ``x_bar = a * b; x_bar = x_bar + c`` is written ``x_bar = a * b + c``, unless a statement that
    is printed stands between the two.
    """
    found: set[int] = set()
    last: Bind | Call | None = None
    for node in body:
        if type(node) in COMPOUND:
            for block in blocks(node):
                found |= momentary(block, taken)
        target = node.target if type(node) is Call or type(node) is Bind else None
        if last is not None and last.target in node.read:
            if last.target == target and node.read.count(target) == 1:
                found.add(id(last))
            last = None
        if not isinstance(target, str) or target in taken:
            last = None
        elif target.endswith("_bar"):
            last = node  # type: ignore[assignment]  # a target is that of a Bind or a Call
    return found


def only_tested(function: Function) -> set[str]:
    """Names that are read as tests, or kept to be tested later, and in no other way."""
    found = outline(function)
    tests = Counter(
        [
            name
            for node in found.nodes
            if type(node) is Branch or type(node) is While or _keeps(node)
            for name in node.read
        ]
    )
    return {name for name, count in tests.items() if found.read[name] == count}


TUPLE, METHOD = Prim("tuple"), Prim("method")


def _keeps(node: Node) -> bool:
    """Is it a record of an iteration, or does it append one?"""
    if type(node) is not Call:
        return False
    return node.fn is TUPLE or (node.fn is METHOD and node.args[1] == Const("append"))
