"""yield and yield from; the latter is written out as PEP 380 defines it.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     yield x * x
...     y = yield from more
... ''')))
t_1 = x * x
yield(t_1)
t_3 = builtins.iter(more)
t_5 = None
t_6 = True
try:
    t_4 = astad.runtime.iteration.generators.resume(t_3, None)
except BaseException as t_7:
    t_8 = catches(t_7, builtins.StopIteration)
    if t_8:
        t_5 = t_7.value
        t_6 = False
    else:
        raise
while t_6:
    try:
        t_9 = yield(t_4)
    except BaseException as t_10:
        try:
            t_4 = astad.runtime.iteration.generators.throw_in(t_3, t_10)
        except BaseException as t_11:
            t_12 = catches(t_11, builtins.StopIteration)
            if t_12:
                t_5 = t_11.value
                t_6 = False
            else:
                raise
    else:
        try:
            t_4 = astad.runtime.iteration.generators.resume(t_3, t_9)
        except BaseException as t_13:
            t_14 = catches(t_13, builtins.StopIteration)
            if t_14:
                t_5 = t_13.value
                t_6 = False
            else:
                raise
y = t_5
"""

from __future__ import annotations

from typing import Any  # trees: gast ships no types

from astad.compiler.ir.nodes import (
    GENERATORS,
    Bind,
    Branch,
    Call,
    Const,
    Operand,
    Prim,
    Raise,
    Ref,
    Try,
    While,
)
from astad.compiler.lower.builder import Builder, ExpressionTable
from astad.slotted import dataclass

__all__ = ["EXPRESSIONS"]

RESUME, THROW_IN = Ref(GENERATORS, "resume"), Ref(GENERATORS, "throw_in")
END = Ref("builtins", "StopIteration")


def _yield(b: Builder, node: Any, target: str | None) -> Operand:
    value: Operand = Const(None) if node.value is None else b.operand(node.value)
    return b.prim("yield", (value,), node.lineno, target)


def _yield_from(b: Builder, node: Any, target: str | None) -> Operand:
    line = node.lineno
    inner = b.call(Ref("builtins", "iter"), (b.operand(node.value),), (), line)
    each = _Delegation(b, inner, b.temp(), b.temp(), b.temp(), line)
    b.emit(Bind(each.result, Const(None), line))
    b.emit(Bind(each.more, Const(True), line))
    each.ask(RESUME, Const(None))
    b.emit(While((), each.more, b.writing(each.round), (), line))
    return each.result


@dataclass(frozen=True, slots=True)
class _Delegation:
    """``item`` is what goes out next, ``result`` what the inner generator returns, ``more`` whether
    it is to be asked again.
    """

    b: Builder
    inner: Operand
    item: str
    result: str
    more: str
    line: int

    def ask(self, how: Ref, value: Operand) -> None:
        """The next item, or the end."""
        b, caught = self.b, self.b.temp()

        def ask() -> None:
            b.call(how, (self.inner, value), (), self.line, self.item)

        def end() -> None:
            b.prim("getattr", (caught, Const("value")), self.line, self.result)
            b.emit(Bind(self.more, Const(False), self.line))

        def look() -> None:
            over = b.prim("catches", (caught, END), self.line)
            again = (Raise(None, None, self.line),)
            b.emit(Branch(over, b.writing(end), again, self.line))

        with b.trying():
            tried = b.writing(ask)
        b.emit(Try(tried, caught, b.writing(look), (), (), self.line))

    def round(self) -> None:
        """Hand the item out; what is sent or thrown in goes to the inner generator."""
        b, sent, caught = self.b, self.b.temp(), self.b.temp()
        out = Call(sent, Prim("yield"), (self.item,), (), self.line)
        handler = b.writing(lambda: self.ask(THROW_IN, caught))
        orelse = b.writing(lambda: self.ask(RESUME, sent))
        b.emit(Try((out,), caught, handler, orelse, (), self.line))


EXPRESSIONS: ExpressionTable = {"Yield": _yield, "YieldFrom": _yield_from}
