"""A ``try`` as a branch: what its body does either all happens, or nothing of it.

``t = attempt()`` and ``if t:`` are told apart from an ordinary branch by nothing but the operation
``attempt``: every pass takes the body and the handler for two arms, of which one runs.
``attempted()`` ends what is tried, ``t_1 = caught()`` stands at the head of the handler.
"""

from __future__ import annotations

from collections.abc import Iterator

from astad.compiler.ir.nodes import Block, Branch, Call, Node, Prim, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import blocks

__all__ = ["ATTEMPT", "ATTEMPTED", "CAUGHT", "attempts_in", "has_attempts", "tried"]

ATTEMPT, ATTEMPTED, CAUGHT = Prim("attempt"), Prim("attempted"), Prim("caught")


def has_attempts(program: Program) -> bool:
    return bool(outline(program).calls_of("attempt"))


def attempts_in(block: Block) -> Iterator[tuple[Call, Branch]]:
    """Each ``attempt`` of the block, and the branch that it is made for."""
    made: dict[str, Call] = {}
    for node in block:
        if type(node) is Call and node.fn is ATTEMPT:
            made[str(node.target)] = node
        elif type(node) is Branch and node.test in made:
            yield made.pop(str(node.test)), node
        for inner in blocks(node):
            yield from attempts_in(inner)


def tried(node: Branch) -> tuple[Block, Block]:
    """What is tried, and what comes after it where nothing was raised."""
    at = next((at for at, part in enumerate(node.body) if _ends(part)), len(node.body))
    return node.body[:at], node.body[at + 1 :]


def _ends(node: Node) -> bool:
    return type(node) is Call and node.fn is ATTEMPTED
