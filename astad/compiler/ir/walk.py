"""Small ways to go through a Wengert list: what a node reads, binds, holds.

>>> node = Call("y", Prim("mul"), ("a", Const(2.0)), (), 1)
>>> binds(node), reads(node)
(('y',), ('a',))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Raise,
    Star,
    While,
)

__all__ = ["binds", "blocks", "breaks", "falls_through", "map_block", "operands", "reads", "walk"]


def operands(node: Node) -> tuple[Operand, ...]:
    """The operands the node itself reads, in order; those of its blocks are left out."""
    match node:
        case Call(_, fn, args, keywords):
            called: tuple[Operand, ...] = () if isinstance(fn, Prim) else (fn,)
            positional = tuple(arg.operand if isinstance(arg, Star) else arg for arg in args)
            return called + positional + tuple(value for _, value in keywords)
        case Bind(_, operand) | Branch(operand) | Loop(_, operand) | While(_, operand):
            return (operand,)
        case Exit(_, value):
            return () if value is None else (value,)
        case Raise(exc, cause):
            return tuple(part for part in (exc, cause) if part is not None)


def reads(node: Node) -> tuple[str, ...]:
    """The names among the operands; a ``While`` reads its test after its head ran."""
    return tuple(operand for operand in operands(node) if isinstance(operand, str))


def binds(node: Node) -> tuple[str, ...]:
    """The names the node itself binds."""
    if not isinstance(node, Bind | Call | Loop) or node.target is None:
        return ()
    return node.target if isinstance(node.target, tuple) else (node.target,)


def blocks(node: Node) -> tuple[Block, ...]:
    """The blocks inside a node, in the order they run."""
    match node:
        case Branch(_, body, orelse) | Loop(_, _, body, orelse):
            return (body, orelse)
        case While(head, _, body, orelse):
            return (head, body, orelse)
    return ()


def walk(block: Block) -> Iterator[Node]:
    """Every node of the block and of the blocks inside, in source order."""
    left = list(reversed(block))
    while left:
        node = left.pop()
        yield node
        for inner in reversed(blocks(node)):
            left.extend(reversed(inner))


def map_block(change: Callable[[Node], Node | Block | None], block: Block) -> Block:
    """The block with ``change`` applied to every node, inner blocks first.

    ``change`` gives the node to stand in its place, several, or None to drop it.
    """
    out: list[Node] = []
    for node in block:
        changed = change(_with_inner(change, node))
        if isinstance(changed, tuple):
            out.extend(changed)
        elif changed is not None:
            out.append(changed)
    return tuple(out)


def _with_inner(change: Callable[[Node], Node | Block | None], node: Node) -> Node:
    match node:
        case Branch() | Loop():
            body, orelse = map_block(change, node.body), map_block(change, node.orelse)
            return replace(node, body=body, orelse=orelse)
        case While():
            head = map_block(change, node.head)
            body, orelse = map_block(change, node.body), map_block(change, node.orelse)
            return replace(node, head=head, body=body, orelse=orelse)
    return node


def falls_through(block: Block) -> bool:
    """Whether the statement after the block can be reached from its end."""
    if not block:
        return True
    match block[-1]:
        case Exit() | Raise():
            return False
        case Branch(_, body, orelse):
            return falls_through(body) or falls_through(orelse)
        case While((), Const(test), body) if test:
            return breaks(body)
        case Loop(_, _, body, orelse) | While(_, _, body, orelse):
            return falls_through(orelse) or breaks(body)
    return True


def breaks(block: Block) -> bool:
    """Whether a ``break`` in the block leaves the loop whose body it is."""
    for node in block:
        if isinstance(node, Exit) and node.how == "break":
            return True
        if isinstance(node, Branch) and (breaks(node.body) or breaks(node.orelse)):
            return True
        if isinstance(node, Loop | While) and breaks(node.orelse):
            return True
    return False
