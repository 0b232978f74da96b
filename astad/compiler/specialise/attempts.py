"""Write each ``try`` as a branch, to be specialised like any other, where its text allows that.

What is raised is looked at by ``except`` clauses alone: no derivative comes out of it. Whether the
body does nothing that is seen where it fails is told later, by `analysis/attempts.py`.

>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> made = with_attempts(program_of('''
...     try:
...         y = x / n
...     except ZeroDivisionError:
...         y = 0.0
... '''), Names(("t_1", "t_2", "t_3")))
>>> print(show(made))
t_4 = attempt()
if t_4:
    y = x / n
    attempted()
else:
    t_1 = caught()
    t_2 = global ZeroDivisionError
    t_3 = catches(t_1, t_2)
    if t_3:
        y = 0.0
    else:
        raise
"""

from __future__ import annotations

from collections import Counter

from astad.compiler.ir.attempts import ATTEMPT, ATTEMPTED, CAUGHT
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Exit,
    Loop,
    Node,
    Prim,
    Program,
    Try,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import falls_through, walk, with_blocks
from astad.slotted import replace

__all__ = ["with_attempts"]

FORGET = Prim("forget")


def with_attempts(program: Program, names: Names) -> Program | None:
    """The program without ``try``; None where one of them must stay, or where there are yields."""
    if Try not in outline(program).sorts:
        return None
    program = _without_unread(program)
    text = outline(program)
    tries = [node for node in text.nodes if type(node) is Try]
    if not tries or text.calls_of("yield") or not all(map(_may_be_branch, tries)):
        return None
    caught = {node.caught for node in tries}
    reads = [name for node in text.nodes for name in node.read if name in caught]
    clauses = [node for node in text.calls_of("catches") if node.args[0] in caught]
    if len(reads) != len(clauses) or not _ends_with_returns(program.body):
        return None

    def changed(block: Block) -> Block:
        out: list[Node] = []
        for node in block:
            node = with_blocks(node, changed)
            out += _branch(node, names) if type(node) is Try else (node,)
        return tuple(out)

    return replace(program, body=changed(program.body))


def _without_unread(program: Program) -> Program:
    """Without the names of clauses that nobody reads: ``except ValueError as e``."""
    text = outline(program)
    caught = {node.caught for node in text.nodes if type(node) is Try}
    named = {node.target for node in text.nodes if type(node) is Bind and node.source in caught}
    gone = Counter([name for node in text.calls_of("forget") for name in node.read])
    unread = {name for name in named if text.read.get(name, 0) == gone[name]}
    unread -= {param.name for param in program.params}
    if not unread:
        return program

    def is_left(node: Node) -> bool:
        binds = type(node) is Bind or (type(node) is Call and node.fn is FORGET)
        return not binds or unread.isdisjoint(node.bound)

    def cleaned(block: Block) -> Block:
        out: list[Node] = []
        for node in block:
            node = with_blocks(node, cleaned)
            is_empty = type(node) is Try and node.caught is None and not node.final
            out += node.body if is_empty and type(node) is Try else (node,) * is_left(node)
        return tuple(out)

    return replace(program, body=cleaned(program.body))


def _may_be_branch(node: Try) -> bool:
    """Is it a body without loops and other ``try``, with ``except`` clauses and nothing else?"""
    inside = {type(part) for part in walk(node.body)}
    return node.caught is not None and not node.final and inside.isdisjoint((Loop, While, Try))


def _ends_with_returns(body: Block) -> bool:
    """Does nothing follow a ``try`` from which a return leaves, outside of loops?"""
    for at, node in enumerate(body):
        if type(node) is Try and body[at + 1 :] and _returns(node):
            return False
        if type(node) is Branch and _returns(node) and any(type(n) is Try for n in walk((node,))):
            return False
    return True


def _returns(node: Node) -> bool:
    return any(type(part) is Exit and part.how == "return" for part in walk((node,)))


def _branch(node: Try, names: Names) -> tuple[Node, ...]:
    test, line = names.numbered("t"), node.line
    body = node.body
    if falls_through(body):
        body = (*body, Call(None, ATTEMPTED, (), (), line), *node.orelse)
    handler = (Call(node.caught, CAUGHT, (), (), line), *node.handler)
    return Call(test, ATTEMPT, (), (), line), Branch(test, body, handler, line)
