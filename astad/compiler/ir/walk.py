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
    Try,
    While,
)

__all__ = [
    "binds", "blocks", "bound_inside", "breaks", "called_anew", "falls_through", "operands",
    "reads", "renamed", "substituted", "walk", "with_blocks", "with_operands",
]  # fmt: skip


# The functions below run some hundred times a statement: exact types, no patterns, and what they
# find of a node is noted in it.


def operands(node: Node) -> tuple[Operand, ...]:
    """The operands the node itself reads, in order; those of its blocks are left out."""
    try:
        return node.operands
    except AttributeError:
        found = _operands(node)
        object.__setattr__(node, "operands", found)  # a note: the node stays equal to itself
        return found


def _operands(node: Node) -> tuple[Operand, ...]:
    if type(node) is Call:
        found: list[Operand] = [] if type(node.fn) is Prim else [node.fn]  # type: ignore[list-item]
        for arg in node.args:
            found.append(arg.operand if type(arg) is Star else arg)  # type: ignore[arg-type]
        for _, value in node.keywords:
            found.append(value)
        return tuple(found)
    if type(node) is Bind:
        return (node.source,)
    if type(node) is Loop:
        return (node.iterable,)
    if type(node) is Branch or type(node) is While:
        return (node.test,)
    if type(node) is Exit:
        return () if node.value is None else (node.value,)
    if type(node) is Try:
        return ()
    assert type(node) is Raise
    return tuple(part for part in (node.exc, node.cause) if part is not None)


def reads(node: Node) -> tuple[str, ...]:
    """The names among the operands; a ``While`` reads its test after its head ran."""
    try:
        return node.read
    except AttributeError:
        found = tuple([operand for operand in operands(node) if isinstance(operand, str)])
        object.__setattr__(node, "read", found)
        return found


def binds(node: Node) -> tuple[str, ...]:
    """The names the node itself binds, or unbinds as ``del x`` does."""
    try:
        return node.bound
    except AttributeError:
        found = _binds(node)
        object.__setattr__(node, "bound", found)
        return found


def _binds(node: Node) -> tuple[str, ...]:
    if type(node) is Try:
        return () if node.caught is None else (node.caught,)
    if type(node) is Call and node.fn is FORGET:
        return tuple([arg for arg in node.args if isinstance(arg, str)])
    if type(node) is not Call and type(node) is not Bind and type(node) is not Loop:
        return ()
    target: Target | None = node.target
    if isinstance(target, str):
        return (target,)
    return () if target is None else tuple(_flat(target))


FORGET = Prim("forget")


def _flat(target: Target) -> Iterator[str]:
    if isinstance(target, str):
        yield target
    else:
        for part in target:
            yield from _flat(part)


def blocks(node: Node) -> tuple[Block, ...]:
    """The blocks inside a node, in the order they run."""
    kind = type(node)
    if kind is Branch or kind is Loop:
        return node.body, node.orelse  # type: ignore[union-attr]
    if kind is While:
        return node.head, node.body, node.orelse  # type: ignore[union-attr]
    if kind is Try:
        return node.body, node.handler, node.orelse, node.final  # type: ignore[union-attr]
    return ()


def walk(block: Iterable[Node]) -> Iterator[Node]:
    """Every node of the block and of the blocks inside, in source order."""
    left = list(block)[::-1]
    while left:
        node = left.pop()
        yield node
        if type(node) in COMPOUND:
            for inner in reversed(blocks(node)):
                left.extend(reversed(inner))


COMPOUND = frozenset([Branch, Loop, Try, While])


def bound_inside(*nodes: Node) -> set[str]:
    """The names that the nodes, or statements inside them, bind."""
    return {name for node in walk(nodes) for name in binds(node)}


def with_operands(node: Node, change: Callable[[Operand], Operand]) -> Node:
    """A new node with ``change`` applied to the operands it reads itself.

    >>> node = Call("y", "f", ("a", Star("b"), Const(2.0)), (("k", "a"),), 1)
    >>> with_operands(node, lambda operand: "z" if operand == "a" else operand).args
    ('z', Star(operand='b'), Const(value=2.0))
    """
    if type(node) is Call:
        fn = node.fn if type(node.fn) is Prim else change(node.fn)  # type: ignore[arg-type]
        args = tuple(
            [
                Star(change(arg.operand)) if type(arg) is Star else change(arg)  # type: ignore[arg-type]
                for arg in node.args
            ]
        )
        keywords = node.keywords and tuple([(word, change(value)) for word, value in node.keywords])
        return Call(node.target, fn, args, keywords, node.line)
    if type(node) is Bind:
        return Bind(node.target, change(node.source), node.line)
    if type(node) is Branch:
        return Branch(change(node.test), node.body, node.orelse, node.line)
    if type(node) is While:
        return replace(node, test=change(node.test))
    if type(node) is Loop:
        return replace(node, iterable=change(node.iterable))
    if type(node) is Exit:
        value = None if node.value is None else change(node.value)
        return Exit(node.how, value, node.line)
    if type(node) is Try:
        return node
    assert isinstance(node, Raise)
    return replace(node, exc=node.exc and change(node.exc), cause=node.cause and change(node.cause))


def with_blocks(node: Node, change: Callable[[Block], Iterable[Node]]) -> Node:
    """The node with ``change`` applied to each block inside it, in the order they run."""
    if type(node) not in COMPOUND:
        return node
    if isinstance(node, While):
        first = tuple(change(node.head))
        body, orelse = tuple(change(node.body)), tuple(change(node.orelse))
        return replace(node, head=first, body=body, orelse=orelse)
    if isinstance(node, Try):
        parts = (node.body, node.handler, node.orelse, node.final)
        body, handler, orelse, final = (tuple(change(part)) for part in parts)
        return Try(body, node.caught, handler, orelse, final, node.line)
    assert isinstance(node, (Branch, Loop))
    return replace(node, body=tuple(change(node.body)), orelse=tuple(change(node.orelse)))


def renamed(node: Node, new: Mapping[str, str]) -> Node:
    """The node with new names for what it, or a statement inside it, reads.

    >>> renamed(Bind("y", "x", 1), {"x": "z", "y": "w"})
    Bind(target='y', source='z', line=1)
    """
    node = substituted(node, new)
    if type(node) not in COMPOUND:
        return node
    return with_blocks(node, lambda block: [renamed(part, new) for part in block])


def substituted(node: Node, new: Mapping[str, Operand]) -> Node:
    """The node with other operands for the names that it reads itself; the same if it reads none.

    >>> substituted(Bind("y", "x", 1), {"x": Const(2.0)})
    Bind(target='y', source=Const(value=2.0), line=1)
    """
    if new.keys().isdisjoint(reads(node)):
        return node
    return with_operands(node, lambda read: new.get(read, read) if isinstance(read, str) else read)


def called_anew(node: Node, names: Mapping[str, str]) -> Node:
    """The statement with these names changed wherever they stand."""
    if not blocks(node) and names.keys().isdisjoint((*reads(node), *binds(node))):
        return node
    node = with_operands(node, lambda o: names.get(o, o) if isinstance(o, str) else o)
    if isinstance(node, Bind | Call) and isinstance(node.target, str):
        node = replace(node, target=names.get(node.target, node.target))
    return with_blocks(node, lambda block: tuple(called_anew(part, names) for part in block))


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
        case Try(body, caught, handler, orelse, final):
            completes = falls_through(body) and falls_through(orelse)
            recovers = caught is not None and falls_through(handler)
            return falls_through(final) and (completes or recovers)
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
