"""Compute in the arm of a branch what only that arm reads.

``t = -g; y = a if c else f(t)`` becomes ``y = a if c else f(-g)``. Arithmetic of the reverse sweep
alone, whose operands stay as they are between the two places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from astad.compiler.ir.dependence import Dependence
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import COMPOUND, Bind, Block, Branch, Call, Node, Prim
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import kept, walk, with_blocks

__all__ = ["sink_into_arms"]

Counts = Mapping[str, int]
PLAIN = {"add", "sub", "mul", "neg", "truediv"}
NEAR = 8
"""Statements between the two places at the most."""


def sink_into_arms(derived: Derived) -> Derived:
    """In every generated function that has branches in its reverse sweep."""
    dependence = Dependence.of(derived)
    return derived.with_bodies(lambda function: _function(function, dependence))


def _function(function: Function, dependence: Dependence) -> Block:
    found = outline(function)
    if Branch not in found.sorts or not any(
        type(node) is Branch and is_reverse(node) for node in found.nodes
    ):
        return function.body
    return _block(function.body, found.read, found.bound, dependence)


def _block(body: Block, read: Counts, bound: Counts, dependence: Dependence) -> Block:
    if COMPOUND.isdisjoint(map(type, body)):
        return body
    out: list[Node] = []
    for node in body:
        if isinstance(node, Branch) and is_reverse(node):
            node = _filled(node, out, read, bound, dependence)
        if type(node) in COMPOUND:
            node = with_blocks(node, lambda block: _block(block, read, bound, dependence))
        out.append(node)
    return kept(body, out)


def _filled(
    node: Branch, before: list[Node], read: Counts, bound: Counts, dependence: Dependence
) -> Branch:
    """The branch with those statements before it that only one of its arms reads."""
    between: list[Node] = []
    for at in range(len(before) - 1, max(len(before) - 1 - NEAR, -1), -1):
        part = before[at]
        if type(part) in COMPOUND:
            break
        moved = _moved(part, node, read) if _may_move(part, bound) else None
        if moved is None or not all(dependence.may_swap(part, other) for other in between):
            between.append(part)
        else:
            node = moved
            del before[at]
    return node


def _moved(part: Node, node: Branch, read: Counts) -> Branch | None:
    """The branch with the statement in the one arm that reads its result; None if it must stay."""
    name = part.bound[0]
    first, second = (_count(arm, name) for arm in (node.body, node.orelse))
    if not read[name] or sorted((first, second)) != [0, read[name]]:
        return None
    if first:
        return replace(node, body=(part, *node.body))
    return replace(node, orelse=(part, *node.orelse))


def _may_move(node: Node, bound: Counts) -> bool:
    if not isinstance(node, Bind | Call) or not is_reverse(node) or bound[str(node.target)] != 1:
        return False
    if isinstance(node, Bind):
        return isinstance(node.target, str) and isinstance(node.source, str)
    return isinstance(node.fn, Prim) and node.fn.name in PLAIN


def _count(block: Block, name: str) -> int:
    return sum(node.read.count(name) for node in walk(block))
