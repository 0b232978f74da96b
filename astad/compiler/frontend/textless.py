"""A text for a function that has none: written from its instructions, statement by statement.

Code made by ``exec`` leaves no text behind. Most of it is short: an ``__init__`` that fills in
fields, a wrapper that hands its arguments on. What cannot be written here gives no text; and
whatever is written is compiled again and compared with the code that runs, as any text is, so that
a wrong one is never taken.

>>> space = {}
>>> exec("def area(box, scale=1.0):\\n    side = box['side']\\n    return side ** 2 * scale", space)
>>> print(next(texts_of(space["area"].__code__)), end="")
def area(box, scale):
    side = box['side']
    return side ** 2 * scale
"""

from __future__ import annotations

import ast
import dis
import re
from collections.abc import Callable, Iterator, Sequence
from types import CodeType

from astad.code_objects import MORE, REST
from astad.compiler.frontend.blocks import Block, Item, Unknown
from astad.compiler.frontend.instructions import WRITERS

__all__ = ["texts_of"]

LONGEST = 2000
"""Instructions of code that is tried."""


def texts_of(code: CodeType) -> Iterator[str]:
    """Texts of a module in which a function at the line of ``code`` may compile to it."""
    if len(code.co_code) > 2 * LONGEST or "__class__" in code.co_freevars:
        return
    body = _statements(code)
    if body is None:
        return
    doc = code.co_consts[0] if code.co_consts else None
    yield _module(code, body)
    if isinstance(doc, str):
        yield _module(code, [ast.Expr(ast.Constant(doc)), *body])


def _module(code: CodeType, body: list[ast.stmt]) -> str:
    """The text, with empty lines before it so that the function stands at its own line."""
    arguments = _arguments(code)
    made: ast.stmt
    if code.co_name == "<lambda>":
        made = ast.Expr(ast.Lambda(arguments, _returned(body)))
    else:
        made = ast.FunctionDef(code.co_name, arguments, body or [ast.Pass()], [])
    if code.co_freevars:  # captured names are arguments of a function around it
        captured = [ast.arg(name) for name in code.co_freevars]
        made = ast.FunctionDef(_AROUND, _signature(captured), [made], [])
    text = ast.unparse(ast.fix_missing_locations(made)) + "\n"
    own = next((k for k, line in enumerate(text.splitlines()) if _BEGINS.match(line)), 0)
    return "\n" * (code.co_firstlineno - 1 - own) + text


_AROUND = "captures"
_BEGINS = re.compile(rf"\s*(def (?!{_AROUND}\()|lambda)")
"""The line of the function itself."""


def _returned(body: list[ast.stmt]) -> ast.expr:
    """What a lambda returns; of other statements, nothing that compiles to the same code."""
    first, *rest = body
    if isinstance(first, ast.Return) and first.value is not None:
        return first.value
    if isinstance(first, ast.If) and first.body and (first.orelse or rest):
        return ast.IfExp(first.test, _returned(first.body), _returned(first.orelse or rest))
    return ast.Constant(None)


def _arguments(code: CodeType) -> ast.arguments:
    """The parameters; their defaults, which are the function's own, are left out."""
    names = [ast.arg(name) for name in code.co_varnames]
    first, count, only = code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount
    made = _signature(names[first:count], names[:first], names[count : count + only])
    rest = names[count + only :]
    made.vararg = rest.pop(0) if code.co_flags & REST else None
    made.kwarg = rest.pop(0) if code.co_flags & MORE else None
    return made


def _signature(
    names: list[ast.arg], first: Sequence[ast.arg] = (), only: Sequence[ast.arg] = ()
) -> ast.arguments:
    none: list[ast.expr | None] = [None] * len(only)
    return ast.arguments(
        posonlyargs=list(first), args=names, vararg=None, kwonlyargs=list(only), kw_defaults=none,
        kwarg=None, defaults=[],
    )  # fmt: skip


# --- statements


def _statements(code: CodeType) -> list[ast.stmt] | None:
    """The body of a function without loops, handlers and inner functions; None for others."""
    if code.co_exceptiontable or any(isinstance(const, CodeType) for const in code.co_consts):
        return None
    steps = list(dis.get_instructions(code))
    try:
        return _Writer(code, steps).block(0, len(steps)).statements
    except (Unknown, IndexError, KeyError):
        return None


class _Writer:
    """Blocks of one code object; a jump forwards makes a branch of what it jumps over."""

    def __init__(self, code: CodeType, steps: list[dis.Instruction]) -> None:
        self.code, self.steps = code, steps
        self.at = {step.offset: k for k, step in enumerate(steps)}

    def block(self, first: int, last: int, stack: list[Item] | None = None) -> Block:
        made = Block([] if stack is None else list(stack))
        k = first
        while k < last:
            step = self.steps[k]
            if step.opname in _JUMPS:
                k = self.branch(made, k, last)
            elif step.opname == "KW_NAMES":
                made.keywords = self.code.co_consts[step.arg or 0]
                k += 1
            else:
                WRITERS[step.opname](made, step)
                k += 1
        return made

    def branch(self, made: Block, k: int, last: int) -> int:
        """Write a branch that begins at a conditional jump; where to go on."""
        step = self.steps[k]
        target = self.at[step.argval]
        if not k < target <= last:
            raise Unknown
        if step.opname in _SHORT:
            return self.short_circuit(made, _SHORT[step.opname], k, target)
        test = _JUMPS[step.opname](made.pop())
        end, after = target, target
        if self.steps[target - 1].opname == "JUMP_FORWARD":
            end, after = target - 1, self.at[self.steps[target - 1].argval]
        if after > last:
            raise Unknown
        yes = self.block(k + 1, end, made.stack)
        no = self.block(target, after, made.stack)
        if len(yes.stack) == len(no.stack) == len(made.stack):
            made.say(ast.If(test, yes.statements or [ast.Pass()], no.statements))
        elif yes.statements or no.statements or len(yes.stack) != len(made.stack) + 1:
            raise Unknown
        else:
            made.push(ast.IfExp(test, yes.pop(), no.pop()))
        return after

    def short_circuit(self, made: Block, op: ast.boolop, k: int, target: int) -> int:
        """``a and b``, before Python 3.12."""
        left = made.pop()
        right = self.block(k + 1, target, made.stack).pop()
        made.push(ast.BoolOp(op, [left, right]))
        return target


def _is_none(node: ast.expr) -> ast.expr:
    return ast.Compare(node, [ast.Is()], [ast.Constant(None)])


def _is_not_none(node: ast.expr) -> ast.expr:
    return ast.Compare(node, [ast.IsNot()], [ast.Constant(None)])


_SHORT: dict[str, ast.boolop] = {"JUMP_IF_FALSE_OR_POP": ast.And(), "JUMP_IF_TRUE_OR_POP": ast.Or()}
_TESTS: dict[str, Callable[[ast.expr], ast.expr]] = {
    "IF_FALSE": lambda value: value,
    "IF_TRUE": lambda value: ast.UnaryOp(ast.Not(), value),
    "IF_NONE": _is_not_none,
    "IF_NOT_NONE": _is_none,
}
_JUMPS: dict[str, Callable[[ast.expr], ast.expr]] = {
    **{f"POP_JUMP_{which}": test for which, test in _TESTS.items()},
    **{f"POP_JUMP_FORWARD_{which}": test for which, test in _TESTS.items()},
    **dict.fromkeys(_SHORT, lambda value: value),
}
