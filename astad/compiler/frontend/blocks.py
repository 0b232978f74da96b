"""A stretch of instructions on its way to statements: expressions in the place of values.

>>> block = Block([])
>>> block.push(ast.Name("x", ast.Load()))
>>> block.assign(ast.Name("y", ast.Store()))
>>> print(ast.unparse(ast.fix_missing_locations(block.statements[0])))
y = x
"""

from __future__ import annotations

import ast
import sys

__all__ = ["Block", "InPlace", "Item", "Null", "Piece", "Unknown"]

_NULL_ABOVE = sys.version_info >= (3, 13)
"""Whether what a call has beside its function lies above it."""


class Unknown(Exception):
    """An instruction, or a jump, that is not written here.

    Where one is raised of a stack, Python writes other instructions than these today: what holds
    no statement is a text less, and never a wrong one.
    """


class Null:
    """What calls have on the stack beside the function."""


class InPlace(ast.BinOp):
    """The value of an operation such as ``+=`` before it is stored."""


class Piece:
    """One of the values of a tuple that is taken apart."""

    def __init__(self, value: ast.expr, count: int, targets: list[ast.expr]) -> None:
        self.value, self.count, self.targets = value, count, targets


Item = ast.expr | Null | Piece


class Block:
    """The statements of a stretch of instructions, and the stack they leave."""

    def __init__(self, stack: list[Item]) -> None:
        self.stack = stack
        self.statements: list[ast.stmt] = []
        self.keywords: tuple[str, ...] = ()

    def push(self, item: Item) -> None:
        self.stack.append(item)

    def pop(self) -> ast.expr:
        item = self.stack.pop()
        if not isinstance(item, ast.expr):
            raise Unknown
        return item

    def take(self, count: int) -> list[ast.expr]:
        """The topmost so many, in the order in which they were put there."""
        return [self.pop() for _ in range(count)][::-1]

    def say(self, statement: ast.stmt) -> None:
        self.statements.append(statement)

    def assign(self, target: ast.expr) -> None:
        """Of what lies on top; ``x += v`` and ``a, b = v`` are seen by what that is."""
        item = self.stack.pop()
        if isinstance(item, InPlace):
            assert isinstance(target, ast.Name | ast.Attribute | ast.Subscript)
            self.say(ast.AugAssign(target, item.op, item.right))
        elif isinstance(item, Piece):
            item.targets.append(target)
            if len(item.targets) == item.count:
                self.say(ast.Assign([ast.Tuple(item.targets, ast.Store())], item.value))
        elif isinstance(item, ast.expr):
            self.say(ast.Assign([target], item))
        else:
            raise Unknown

    def push_function(self, fn: ast.expr) -> None:
        """With what calls have beside it."""
        self.stack += [fn, Null()] if _NULL_ABOVE else [Null(), fn]

    def pop_function(self) -> ast.expr:
        first, second = self.stack.pop(), self.stack.pop()
        null, fn = (first, second) if _NULL_ABOVE else (second, first)
        if not isinstance(null, Null) or not isinstance(fn, ast.expr):
            raise Unknown
        return fn
