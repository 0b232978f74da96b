"""Which statements may be written inside others, though their names are bound or read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from astad.compiler.ir.nodes import Bind, Block, Branch, Call, Const, Node, Prim, While
from astad.compiler.ir.walk import blocks, reads, walk

__all__ = ["momentary", "only_tested"]


def momentary(body: Block, taken: frozenset[str], moves: Callable[[str], bool]) -> set[int]:
    """Statements, by ``id``, whose result the next one reads once and binds anew.

    ``x_bar = a * b; x_bar = x_bar + c`` is written ``x_bar = a * b + c``. Between the two may stand
    only what ``moves`` into another statement.
    """
    found: set[int] = set()
    last: Bind | Call | None = None
    for node in body:
        for block in blocks(node):
            found |= momentary(block, taken, moves)
        target = node.target if type(node) is Call or type(node) is Bind else None
        if last is not None and last.target in reads(node):
            if last.target == target and reads(node).count(target) == 1:
                found.add(id(last))
            last = None
        if not isinstance(target, str) or target in taken:
            last = None
        elif isinstance(node, Bind | Call) and (target.endswith("_bar") or not moves(target)):
            last = node
    return found


def only_tested(body: Block) -> set[str]:
    """Names that are read as tests, or kept to be tested later, and in no other way."""
    times: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for node in walk(body):
        for name in reads(node):
            times[name] += 1
        if type(node) is Branch or type(node) is While or _keeps(node):
            tests.update(reads(node))
    return {name for name, count in tests.items() if times[name] == count}


TUPLE, METHOD = Prim("tuple"), Prim("method")


def _keeps(node: Node) -> bool:
    """Is it a record of an iteration, or does it append one?"""
    if not isinstance(node, Call):
        return False
    return node.fn is TUPLE or (node.fn is METHOD and node.args[1] == Const("append"))
