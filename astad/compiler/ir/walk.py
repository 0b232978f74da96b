"""Small ways to go through a Wengert list: what a node reads, binds, holds.

>>> node = Call("y", Prim("mul"), ("a", Const(2.0)), (), 1)
>>> binds(node), reads(node)
(('y',), ('a',))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from operator import is_

from astad.compiler.ir.nodes import (
    COMPOUND,
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
    Try,
    While,
    blocks,
    walk,
)
from astad.slotted import replace

__all__ = [
    "binds", "blocks", "bound_inside", "breaks", "called_anew", "falls_through", "kept", "operands",
    "reads", "renamed", "substituted", "substituted_at", "walk", "with_blocks", "with_operands",
]  # fmt: skip


def operands(node: Node) -> tuple[Operand, ...]:
    """The operands the node itself reads, in order; those of its blocks are left out."""
    return node.operands


def reads(node: Node) -> tuple[str, ...]:
    """The names among the operands; a ``While`` reads its test after its head ran."""
    return node.read


def binds(node: Node) -> tuple[str, ...]:
    """The names the node itself binds, or unbinds as ``del x`` does."""
    return node.bound


def bound_inside(*nodes: Node) -> set[str]:
    """The names that the nodes, or statements inside them, bind."""
    found: set[str] = set()
    for node in nodes:
        found.update(node.all_bound if type(node) in COMPOUND else node.bound)
    return found


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
        return While(node.head, change(node.test), node.body, node.orelse, node.line)
    if type(node) is Loop:
        return Loop(node.target, change(node.iterable), node.body, node.orelse, node.line)
    if type(node) is Exit:
        value = None if node.value is None else change(node.value)
        return Exit(node.how, value, node.line)
    assert isinstance(node, Raise)
    return replace(node, exc=node.exc and change(node.exc), cause=node.cause and change(node.cause))


def kept(old: Block, new: Iterable[Node]) -> Block:
    """The new block; the old one itself where each of its statements is the same."""
    made = tuple(new)
    return old if len(made) == len(old) and all(map(is_, made, old)) else made


def with_blocks(node: Node, change: Callable[[Block], Iterable[Node]]) -> Node:
    """The node with ``change`` applied to each block inside it, in the order they run; itself where
    nothing changes.
    """
    if type(node) not in COMPOUND:
        return node
    old = blocks(node)
    new = [kept(block, change(block)) for block in old]
    if all(map(is_, new, old)):
        return node
    if type(node) is Branch:
        body, orelse = new
        return Branch(node.test, body, orelse, node.line)
    if type(node) is Loop:
        body, orelse = new
        return Loop(node.target, node.iterable, body, orelse, node.line)
    if type(node) is While:
        head, body, orelse = new
        return While(head, node.test, body, orelse, node.line)
    assert type(node) is Try
    body, handler, orelse, final = new
    return Try(body, node.caught, handler, orelse, final, node.line)


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
    return node if new.keys().isdisjoint(node.read) else substituted_at(node, new, node.line)


def substituted_at(node: Node, new: Mapping[str, Operand], line: int) -> Node:
    """The same at another line, in any case a new node."""
    if type(node) is Bind:
        source = node.source
        if isinstance(source, str):
            source = new.get(source, source)
        return Bind(node.target, source, line)
    if type(node) is Call and not node.keywords and Star not in map(type, node.args):
        fn = node.fn
        if isinstance(fn, str):
            fn = new.get(fn, fn)
        args = tuple([new.get(arg, arg) if isinstance(arg, str) else arg for arg in node.args])
        return Call(node.target, fn, args, (), line)
    made = with_operands(node, lambda read: new.get(read, read) if isinstance(read, str) else read)
    return made if made.line is line else replace(made, line=line)


def called_anew(node: Node, names: Mapping[str, str]) -> Node:
    """The statement with these names changed wherever they stand."""
    new = names.keys()
    if type(node) not in COMPOUND and new.isdisjoint(node.read) and new.isdisjoint(node.bound):
        return node
    node = with_operands(node, lambda o: names.get(o, o) if isinstance(o, str) else o)
    if isinstance(node, (Bind, Call)) and isinstance(node.target, str):
        node = replace(node, target=names.get(node.target, node.target))
    return with_blocks(node, lambda block: tuple(called_anew(part, names) for part in block))


def falls_through(block: Block) -> bool:
    """Whether the statement after the block can be reached from its end."""
    if not block or type(block[-1]) is Call or type(block[-1]) is Bind:
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
    assert isinstance(block[-1], Try)
    completes = falls_through(block[-1].body) and falls_through(block[-1].orelse)
    recovers = block[-1].caught is not None and falls_through(block[-1].handler)
    return falls_through(block[-1].final) and (completes or recovers)


def breaks(block: Block, hows: Collection[str] = ("break",)) -> bool:
    """Whether a ``break`` (or another of ``hows``) in the block leaves the loop around it."""
    for node in block:
        if isinstance(node, Exit) and node.how in hows:
            return True
        if type(node) not in COMPOUND:
            continue
        inner = (node.orelse,) if isinstance(node, (Loop, While)) else blocks(node)
        if any(breaks(part, hows) for part in inner):
            return True
    return False
