"""for and while, with break, continue and else.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     while x > eps:
...         for a, b in pairs:
...             x = x - a * b
... ''')))
while:
    t_1 = x > eps
while t_1:
    for t_2 in pairs:
        t_3 = unpack(t_2, 2, None)
        a = t_3[0]
        b = t_3[1]
        t_4 = a * b
        x = x - t_4
"""

from __future__ import annotations

from typing import Any  # trees: gast ships no types

from astad.compiler.ir.nodes import Block, Const, Exit, Operand, While
from astad.compiler.lower.branches import tested
from astad.compiler.lower.builder import Builder, StatementTable
from astad.compiler.lower.comprehensions import opened
from astad.compiler.lower.streams import Item, assign_item, draw
from astad.slotted import replace

__all__ = ["STATEMENTS"]


def _for(b: Builder, node: Any) -> None:
    stream = replace(opened(b, node.iter), line=node.lineno)

    def body(item: Item) -> None:
        assign_item(b, node.target, item, node.lineno)
        b.statements(node.body)

    def orelse() -> None:
        b.statements(node.orelse)

    draw(b, stream, body, wanted=b.direct(node.target), orelse=orelse)


def _while(b: Builder, node: Any) -> None:
    found: list[Operand] = [Const(True)]

    def test() -> None:
        found[0] = tested(b, node.test)

    head: Block = b.writing(test)
    body, orelse = b.block_of(node.body), b.block_of(node.orelse)
    b.emit(While(head, found[0], body, orelse, node.lineno))


def _break(b: Builder, node: Any) -> None:
    b.emit(Exit("break", None, node.lineno))


def _continue(b: Builder, node: Any) -> None:
    b.emit(Exit("continue", None, node.lineno))


STATEMENTS: StatementTable = {"For": _for, "While": _while, "Break": _break, "Continue": _continue}
