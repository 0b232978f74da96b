"""``out.append(f(x))`` is one operation: the method of a list is there whatever ``f`` does.

Python looks the method up before it evaluates the argument; where the name stands for a list made
here, nobody can tell when.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(with_appends(program_of('''
... out = []
... out.append(f(x))
... '''))))
out = []
t_2 = f(x)
out.append(t_2)
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from dataclasses import replace

from astad.compiler.ir.nodes import COMPOUND, Bind, Block, Call, Const, Node, Prim, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, with_blocks

__all__ = ["with_appends"]

GETATTR, METHOD, LIST = Prim("getattr"), Prim("method"), Prim("list")
APPEND = Const("append")


def with_appends(program: Program) -> Program:
    """The program with the look-up of each such method where the method is called."""
    text = outline(program)
    found = [node for node in text.calls_of("getattr") if node.args[1] == APPEND]
    lookups = {
        str(node.target): str(node.args[0])
        for node in found
        if node.target in text.once and text.read[str(node.target)] == 1
    }
    if not lookups:
        return program
    return replace(program, body=_block(program.body, lookups, frozenset()))


def _block(block: Block, lookups: Mapping[str, str], lists: frozenset[str]) -> Block:
    """``lists``: names that for certain stand for one where the block begins."""
    called = {n.fn: at for at, n in enumerate(block) if type(n) is Call and n.fn in lookups}
    out: list[Node] = []
    pending: dict[str, str] = {}
    for at, node in enumerate(block):
        if isinstance(node, Call) and node.fn is GETATTR and node.target in called:
            name, end = lookups[str(node.target)], called[node.target]
            if name in lists and end > at and name not in bound_inside(*block[at:end]):
                pending[str(node.target)] = name
                continue
        if isinstance(node, Call) and isinstance(node.fn, str) and node.fn in pending:
            given = (pending[node.fn], APPEND, *node.args)
            node = Call(node.target, METHOD, given, node.keywords, node.line)
        lists, before = lists - bound_inside(node), lists
        if _is_list(node, before):
            lists |= set(node.bound)
        elif type(node) in COMPOUND:
            node = with_blocks(node, functools.partial(_block, lookups=lookups, lists=lists))
        out.append(node)
    return tuple(out)


def _is_list(node: Node, lists: Collection[str]) -> bool:
    """Is a new list bound, or one that another name stands for?"""
    if type(node) is Call:
        return node.fn is LIST
    return type(node) is Bind and node.source in lists
