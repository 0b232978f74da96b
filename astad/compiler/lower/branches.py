"""if, conditional expressions, and/or, chained comparisons: all become Branch.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     y = a * b if 0.0 < a < b else a
... ''')))
t_2 = 0.0 < a
if t_2:
    t_1 = a < b
else:
    t_1 = False
if t_1:
    y = a * b
else:
    y = a

return, raise, assert, and the statements that do nothing.

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

import gast

from astad.compiler.ir.nodes import Bind, Block, Branch, Const, Exit, Operand, Raise
from astad.compiler.lower.builder import Builder, ExpressionTable, StatementTable
from astad.compiler.lower.expressions import compare

__all__ = ["EXPRESSIONS", "STATEMENTS", "tested"]


def tested(b: Builder, node: Any, target: str | None = None) -> Operand:
    """An operand to branch on, that holds as the expression does.

    Python asks each part of ``a and b`` once for its truth, so the parts are no values here.
    """
    if isinstance(node, gast.BoolOp):
        out = target or b.temp()
        _tested_parts(b, node.values, isinstance(node.op, gast.And), out)
        return out
    if isinstance(node, gast.Compare) and len(node.ops) > 1:
        return _tested_chain(b, node, target or b.temp())
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        return b.prim("not_", (tested(b, node.operand),), node.lineno, target)
    return b.operand(node, target)


def _tested_into(b: Builder, node: Any, out: str) -> None:
    b.copy(out, tested(b, node, out), node.lineno)


def _tested_parts(b: Builder, values: list[Any], is_and: bool, out: str) -> None:
    first, *others = values
    if not others:
        _tested_into(b, first, out)
        return
    test = tested(b, first)
    if isinstance(test, Const):
        _tested_parts(b, others if bool(test.value) is is_and else [first], is_and, out)
        return
    rest = b.writing(lambda: _tested_parts(b, others, is_and, out))
    known: Block = (Bind(out, Const(not is_and), first.lineno),)
    body, orelse = (rest, known) if is_and else (known, rest)
    b.emit(Branch(test, body, orelse, first.lineno))


def _tested_chain(b: Builder, node: Any, out: str) -> str:
    """``a < b < c`` is ``a < b and b < c``, where b is evaluated once."""
    left = b.guarded(b.operand(node.left), node.comparators, node.lineno)

    def rest(left: Operand, number: int) -> None:
        each, later = node.comparators[number], node.comparators[number + 1 :]
        right = b.guarded(b.operand(each), later, each.lineno)
        test = compare(b, node.ops[number], left, right, each.lineno, None if later else out)
        if later:
            body = b.writing(lambda: rest(right, number + 1))
            b.emit(Branch(test, body, (Bind(out, Const(False), each.lineno),), each.lineno))

    rest(left, 0)
    return out


def _if(b: Builder, node: Any) -> None:
    test = tested(b, node.test)
    if isinstance(test, Const):
        # Python compiles only the branch that can run, so functions in the other have no code
        b.statements(node.body if test.value else node.orelse)
        return
    b.emit(Branch(test, b.block_of(node.body), b.block_of(node.orelse), node.lineno))


def _conditional(b: Builder, node: Any, target: str | None) -> Operand:
    test = tested(b, node.test)
    if isinstance(test, Const):
        return b.operand(node.body if test.value else node.orelse, target)
    out = target or b.temp()
    body, orelse = (_block_into(b, part, out) for part in (node.body, node.orelse))
    b.emit(Branch(test, body, orelse, node.lineno))
    return out


def _block_into(b: Builder, node: Any, target: str) -> Block:
    return b.writing(lambda: b.into(node, target))


def _and_or(b: Builder, node: Any, target: str | None) -> Operand:
    """``a and b and c``: the result is the last operand that was evaluated."""
    first, *others = node.values
    out = b.fitting(node, target)
    b.into(first, out)
    _and_or_rest(b, others, isinstance(node.op, gast.And), out)
    return out


def _and_or_rest(b: Builder, values: list[Any], is_and: bool, out: str) -> None:
    def rest() -> None:
        b.into(values[0], out)
        if values[1:]:
            _and_or_rest(b, values[1:], is_and, out)

    block, line = b.writing(rest), values[0].lineno
    b.emit(Branch(out, block, (), line) if is_and else Branch(out, (), block, line))


def _comparison(b: Builder, node: Any, target: str | None) -> Operand:
    first, *others = node.comparators
    left = b.guarded(b.operand(node.left), node.comparators, node.lineno)
    right = b.guarded(b.operand(first), others, node.lineno)
    if not others:
        return compare(b, node.ops[0], left, right, node.lineno, target)
    out = b.fitting(node, target)
    b.copy(out, compare(b, node.ops[0], left, right, node.lineno, out), node.lineno)
    _comparison_rest(b, node.ops[1:], right, others, out)
    return out


def _comparison_rest(
    b: Builder, ops: list[Any], left: Operand, values: list[Any], out: str
) -> None:
    line = values[0].lineno

    def rest() -> None:
        right = b.guarded(b.operand(values[0]), values[1:], line)
        compare(b, ops[0], left, right, line, out)
        if values[1:]:
            _comparison_rest(b, ops[1:], right, values[1:], out)

    b.emit(Branch(out, b.writing(rest), (), line))


# --- return, raise, assert, and statements that do nothing


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


EXPRESSIONS: ExpressionTable = {"IfExp": _conditional, "BoolOp": _and_or, "Compare": _comparison}
STATEMENTS: StatementTable = {
    "If": _if,
    "Return": _return,
    "Raise": _raise,
    "Assert": _assert,
    "Pass": _nothing,
    "Global": _nothing,
    "Nonlocal": _nothing,
}
