"""Small ways to go through a Wengert list: what a node reads, binds, holds.

>>> node = Call("y", Prim("mul"), ("a", Const(2.0)), (), 1)
>>> binds(node), reads(node)
(('y',), ('a',))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
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
    Target,
    While,
)

__all__ = [
    "binds", "blocks", "bound_inside", "breaks", "falls_through", "operands", "reads", "renamed",
    "walk", "with_blocks", "with_operands",
]  # fmt: skip


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
    """The names the node itself binds, or unbinds as ``del x`` does."""
    if isinstance(node, Call) and node.fn == Prim("forget"):
        return tuple(arg for arg in node.args if isinstance(arg, str))
    return tuple(_flat(node.target)) if isinstance(node, Bind | Call | Loop) else ()


def _flat(target: Target | None) -> Iterator[str]:
    if isinstance(target, str):
        yield target
    elif target is not None:
        for part in target:
            yield from _flat(part)


def blocks(node: Node) -> tuple[Block, ...]:
    """The blocks inside a node, in the order they run."""
    match node:
        case Branch(_, body, orelse) | Loop(_, _, body, orelse):
            return (body, orelse)
        case While(head, _, body, orelse):
            return (head, body, orelse)
    return ()


def walk(block: Iterable[Node]) -> Iterator[Node]:
    """Every node of the block and of the blocks inside, in source order."""
    left = list(block)[::-1]
    while left:
        node = left.pop()
        yield node
        for inner in reversed(blocks(node)):
            left.extend(reversed(inner))


def bound_inside(*nodes: Node) -> set[str]:
    """The names that the nodes, or statements inside them, bind."""
    return {name for node in walk(nodes) for name in binds(node)}


def with_operands(node: Node, change: Callable[[Operand], Operand]) -> Node:
    """The node with ``change`` applied to the operands it reads itself.

    >>> node = Call("y", "f", ("a", Star("b"), Const(2.0)), (("k", "a"),), 1)
    >>> with_operands(node, lambda operand: "z" if operand == "a" else operand).args
    ('z', Star(operand='b'), Const(value=2.0))
    """
    match node:
        case Call(_, fn, args, keywords):
            return replace(
                node,
                fn=fn if isinstance(fn, Prim) else change(fn),
                args=tuple(
                    Star(change(arg.operand)) if isinstance(arg, Star) else change(arg)
                    for arg in args
                ),
                keywords=tuple((word, change(value)) for word, value in keywords),
            )
        case Bind(_, source):
            return replace(node, source=change(source))
        case Branch(test) | While(_, test):
            return replace(node, test=change(test))
        case Loop(_, iterable):
            return replace(node, iterable=change(iterable))
        case Exit(_, value):
            return node if value is None else replace(node, value=change(value))
        case Raise(exc, cause):
            return replace(node, exc=exc and change(exc), cause=cause and change(cause))


def with_blocks(node: Node, change: Callable[[Block], Iterable[Node]]) -> Node:
    """The node with ``change`` applied to each block inside it, in the order they run."""
    match node:
        case Branch(_, body, orelse) | Loop(_, _, body, orelse):
            return replace(node, body=tuple(change(body)), orelse=tuple(change(orelse)))
        case While(head, _, body, orelse):
            first = tuple(change(head))
            return replace(node, head=first, body=tuple(change(body)), orelse=tuple(change(orelse)))
    return node


def renamed(node: Node, new: Mapping[str, str]) -> Node:
    """The node with new names for what it, or a statement inside it, reads.

    >>> renamed(Bind("y", "x", 1), {"x": "z", "y": "w"})
    Bind(target='y', source='z', line=1)
    """
    node = with_operands(node, lambda read: new.get(read, read) if isinstance(read, str) else read)
    return with_blocks(node, lambda block: [renamed(part, new) for part in block])


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


def breaks(block: Block, hows: Collection[str] = ("break",)) -> bool:
    """Whether a ``break`` (or another of ``hows``) in the block leaves the loop around it."""
    for node in block:
        if isinstance(node, Exit) and node.how in hows:
            return True
        inner = (node.orelse,) if isinstance(node, Loop | While) else blocks(node)
        if any(breaks(part, hows) for part in inner):
            return True
    return False
