"""try and with: one handler catches all and raises again what no clause of the user's fits.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     try:
...         y = f(x)
...     except ValueError as e:
...         y = e.args[0]
... ''')))
try:
    y = f(x)
except BaseException as t_1:
    t_2 = global ValueError
    t_3 = catches(t_1, t_2)
    if t_3:
        e = t_1
        t_4 = e.args
        y = t_4[0]
        e = None
        del e
    else:
        raise

``with`` is written out as the language reference defines it.

except*: each clause handles its part of the group; what is left is raised at the end.

While a clause runs, its part is the exception being handled: it is raised, caught at once, and put
back as it was before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any  # trees: gast ships no types

from astad.compiler.ir.nodes import Bind, Block, Branch, Const, Exit, Operand, Raise, Ref, Try
from astad.compiler.ir.walk import falls_through, walk
from astad.compiler.lower.assignments import assign
from astad.compiler.lower.builder import Builder, StatementTable

__all__ = ["STATEMENTS"]


def _try(b: Builder, node: Any) -> None:
    body = _watched(b, lambda: b.statements(node.body))
    caught = b.temp() if node.handlers else None
    handler: Block = ()
    with b.trying(bool(node.finalbody)):
        if caught is not None:
            handler = b.writing(lambda: _clauses(b, node.handlers, caught, node.lineno))
        orelse = b.block_of(node.orelse) if falls_through(body) else ()
    b.emit(Try(body, caught, handler, orelse, b.block_of(node.finalbody), node.lineno))


def _watched(b: Builder, write: Callable[[], None]) -> Block:
    with b.trying():
        return b.writing(write)


def _clauses(b: Builder, clauses: list[Any], caught: str, line: int) -> None:
    """The first clause that fits; after the last the exception goes on."""
    if not clauses:
        b.emit(Raise(None, None, line))
        return
    clause, *others = clauses
    if clause.type is None:
        clause_body(b, clause, caught)
        return
    line = clause.lineno
    fits = b.prim("catches", (caught, b.operand(clause.type)), line)
    body = b.writing(lambda: clause_body(b, clause, caught))
    orelse = b.writing(lambda: _clauses(b, others, caught, line))
    b.emit(Branch(fits, body, orelse, line))


def clause_body(b: Builder, clause: Any, caught: str) -> None:
    """Bind the name of a clause, run it, unbind the name."""
    name = clause.name
    if name is None:
        b.statements(clause.body)
        return
    line = clause.lineno
    assign(b, name, caught, line)

    def unbind() -> None:
        assign(b, name, Const(None), line)
        b.forget(name.id, line)

    body = b.block_of(clause.body)
    if any(isinstance(node, (Raise, Exit)) and not _returns(node) for node in walk(body)):
        b.emit(Try(body, None, (), (), b.writing(unbind), line))
        return
    for node in body:
        b.emit(node)
    if falls_through(body):
        unbind()


def _returns(node: Raise | Exit) -> bool:
    return isinstance(node, Exit) and node.how == "return"


def _with(b: Builder, node: Any) -> None:
    _entered(b, node.items, node)


def _entered(b: Builder, items: list[Any], node: Any) -> None:
    """``with`` its items one inside the other; after the last the body."""
    if not items:
        b.statements(node.body)
        return
    item, *others = items
    line = item.context_expr.lineno
    manager = b.kept(b.operand(item.context_expr), line)
    enter, leave = (
        b.prim("of_class", (manager, Const(name)), line) for name in ("__enter__", "__exit__")
    )
    value, normal, caught = b.call(enter, (), (), line), b.temp(), b.temp()
    b.emit(Bind(normal, Const(True), line))

    def body() -> None:
        if item.optional_vars is not None:
            assign(b, item.optional_vars, value, line)
        _entered(b, others, node)

    def handle() -> None:
        b.emit(Bind(normal, Const(False), line))
        parts = [b.prim("getattr", (caught, Const(name)), line) for name in PARTS]
        swallows = b.call(leave, (parts[0], caught, parts[1]), (), line)
        b.emit(Branch(swallows, (), (Raise(None, None, line),), line))

    def go_out() -> None:
        nothing: tuple[Operand, ...] = (Const(None),) * 3
        test = b.writing(lambda: b.call(leave, nothing, (), line))
        b.emit(Branch(normal, test, (), line))

    inner = Try(_watched(b, body), caught, b.writing(handle), (), (), line)
    b.emit(Try((inner,), None, (), (), b.writing(go_out), line))


PARTS = ("__class__", "__traceback__")


# --- except*


MODULE = "astad.runtime.control.exception_groups"
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
        handler = b.writing(lambda: _group_clauses(b, node, caught, out))
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


def _group_clauses(b: Builder, node: Any, caught: str, out: str) -> None:
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


STATEMENTS: StatementTable = {
    "Try": _try,
    "With": _with,
    "TryStar": _try_star,
}
