"""return, raise, assert, and the statements that do nothing.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     assert x, "no x"
...     return x * x
... ''')))
if x:
    pass
else:
    t_1 = global AssertionError
    t_2 = t_1('no x')
    raise t_2
t_3 = x * x
return t_3
"""

from __future__ import annotations

from typing import Any  # trees: gast ships no types

from astad.compiler.ir.nodes import Branch, Const, Exit, Operand, Raise
from astad.compiler.lower.branches import tested
from astad.compiler.lower.builder import Builder, StatementTable

__all__ = ["STATEMENTS"]


def _return(b: Builder, node: Any) -> None:
    value: Operand = Const(None) if node.value is None else b.operand(node.value)
    b.emit(Exit("return", value, node.lineno))


def _raise(b: Builder, node: Any) -> None:
    nodes = [part for part in (node.exc, node.cause) if part is not None]
    exc, cause, *_ = [*b.operands(nodes), None, None]
    b.emit(Raise(exc, cause, node.lineno))


def _assert(b: Builder, node: Any) -> None:
    if not __debug__:
        return

    def fail() -> None:
        # looked up by name: Python takes the builtin even where a global hides it
        error = b.prim("global", (Const("AssertionError"),), node.lineno)
        if node.msg is not None:
            error = b.call(error, (b.operand(node.msg),), (), node.lineno)
        b.emit(Raise(error, None, node.lineno))

    test = tested(b, node.test)
    b.emit(Branch(test, (), b.writing(fail), node.lineno))


def _nothing(b: Builder, node: Any) -> None:
    """pass, global, nonlocal: the scope has taken note."""


STATEMENTS: StatementTable = {
    "Return": _return,
    "Raise": _raise,
    "Assert": _assert,
    "Pass": _nothing,
    "Global": _nothing,
    "Nonlocal": _nothing,
}
