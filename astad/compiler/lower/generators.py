"""yield and yield from.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     yield x * x
...     yield from more
... ''')))
t_1 = x * x
yield(t_1)
for t_3 in more:
    t_4 = yield(t_3)
    nothing_sent(t_4)
"""

from __future__ import annotations

from typing import Any  # trees: gast ships no types

from astad.compiler.ir.nodes import Call, Const, Loop, Operand, Prim
from astad.compiler.lower.builder import Builder, ExpressionTable

__all__ = ["EXPRESSIONS", "yield_from"]


def _yield(b: Builder, node: Any, target: str | None) -> Operand:
    value: Operand = Const(None) if node.value is None else b.operand(node.value)
    return b.prim("yield", (value,), node.lineno, target)


def _value_of_yield_from(b: Builder, node: Any, target: str | None) -> Operand:
    raise b.unsupported(
        node.lineno,
        f"the value of yield from in {b.name}",
        why="what the inner generator returns is not recorded",
        instead="let the inner generator append it to a list, and write yield from as a statement",
    )


def yield_from(b: Builder, node: Any) -> None:
    """As a loop; what is sent in would have to go to the inner generator."""
    iterable, line = b.operand(node.value), node.lineno
    item, sent = b.temp(), b.temp()
    body = (
        Call(sent, Prim("yield"), (item,), (), line),
        Call(None, Prim("nothing_sent"), (sent,), (), line),
    )
    b.emit(Loop(item, iterable, body, (), line))


EXPRESSIONS: ExpressionTable = {"Yield": _yield, "YieldFrom": _value_of_yield_from}
