"""except*: each clause handles its part of the group; what is left is raised at the end.

While a clause runs, its part is the exception being handled: it is raised, caught at once, and put
back as it was before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any  # trees: gast ships no types

from astad.compiler.ir.nodes import Bind, Branch, Const, Raise, Ref, Try
from astad.compiler.ir.walk import falls_through
from astad.compiler.lower.builder import Builder, StatementTable
from astad.compiler.lower.exceptions import clause_body

__all__ = ["STATEMENTS"]

MODULE = "astad.runtime.exception_groups"
SPLIT, LEFT, MARKS, PUT_BACK = (
    Ref(MODULE, name) for name in ("split_group", "left_of", "marks", "put_back")
)


def _try_star(b: Builder, node: Any) -> None:
    line = node.lineno

    def whole() -> None:
        out, caught = b.temp(), b.temp()
        b.emit(Bind(out, Const(None), line))
        with b.trying():
            body = b.writing(lambda: b.statements(node.body))
        handler = b.writing(lambda: _clauses(b, node, caught, out))
        orelse = b.block_of(node.orelse) if falls_through(body) else ()
        b.emit(Try(body, caught, handler, orelse, (), line))
        test = b.prim("is_not", (out, Const(None)), line)
        b.emit(Branch(test, b.writing(lambda: _raised(b, out, line, None)), (), line))

    if not node.finalbody:
        whole()
        return
    with b.trying():
        inside = b.writing(whole)
    b.emit(Try(inside, None, (), (), b.block_of(node.finalbody), line))


def _clauses(b: Builder, node: Any, caught: str, out: str) -> None:
    line, rest = node.lineno, caught
    raised = b.prim("list", (), line)
    for clause in node.handlers:
        at = clause.lineno
        pair = b.call(SPLIT, (rest, b.operand(clause.type)), (), at)
        found, rest = (b.prim("getitem", (pair, Const(i)), at) for i in (0, 1))
        test = b.prim("is_not", (found, Const(None)), at)
        taken = b.writing(functools.partial(_clause, b, clause, found, raised))
        b.emit(Branch(test, taken, (), at))
    b.effect("list_append", (raised, rest), line)
    b.call(LEFT, (caught, raised), (), line, out)


def _clause(b: Builder, clause: Any, found: str, raised: str) -> None:
    line, error = clause.lineno, b.temp()

    def handle(part: str) -> None:
        clause_body(b, clause, part)

    with b.trying():
        body = b.writing(lambda: _raised(b, found, line, handle))
    handler = b.writing(lambda: b.effect("list_append", (raised, error), line))
    b.emit(Try(body, error, handler, (), (), line))


def _raised(b: Builder, error: str, line: int, handle: Callable[[str], None] | None) -> None:
    """Raise an exception without a trace of that, and handle it, or let it go on."""
    caught, before = b.temp(), b.call(MARKS, (error,), (), line)

    def handler() -> None:
        b.call(PUT_BACK, (caught, before), (), line)
        if handle is None:
            b.emit(Raise(None, None, line))
        else:
            handle(caught)

    b.emit(Try((Raise(error, None, line),), caught, b.writing(handler), (), (), line))


STATEMENTS: StatementTable = {"TryStar": _try_star}
