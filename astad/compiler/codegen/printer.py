"""Print generated code with astunparse, mended where it cannot write today's Python.

>>> import ast
>>> print_tree(ast.parse("y = a[1:, :]")).strip()
'y = a[1:, :]'
"""

from __future__ import annotations

import ast
import io
from typing import TypeGuard

import astunparse
from astunparse.unparser import interleave

__all__ = ["print_tree"]


WIDTH = 100
"""Columns of a line, where it can be broken."""


class _Printer(astunparse.Unparser):  # type: ignore[misc]
    """astunparse 1.6.3 knows the grammar of Python 3.8; a few methods bring it up to ours."""

    def write(self, text: str) -> None:
        self.f.write(text)  # a string in any case

    def _tight(self, tree: ast.expr) -> None:
        """An expression before a dot or a bracket."""
        loose = isinstance(tree, ast.BinOp | ast.UnaryOp)
        self.write("(" * loose)
        self.dispatch(tree)
        self.write(")" * loose)

    def _Subscript(self, tree: ast.Subscript) -> None:
        self._tight(tree.value)
        self.write("[")
        index = tree.slice
        if isinstance(index, ast.Tuple) and index.elts:
            interleave(lambda: self.write(", "), self.dispatch, index.elts)
            if len(index.elts) == 1:
                self.write(",")
        else:
            self._bare_item(index) if is_negative(index) else self.dispatch(index)
        self.write("]")

    def _Constant(self, tree: ast.Constant) -> None:
        value = tree.value
        if isinstance(value, float) and value != value:
            self.write("(1e309 - 1e309)")
        elif (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and str(value).startswith("-")
        ):
            self.write(f"({value!r})".replace("inf", "1e309"))  # -2.0 ** x is -(2.0 ** x)
        else:
            super()._Constant(tree)

    def _Attribute(self, tree: ast.Attribute) -> None:
        self._tight(tree.value)
        if isinstance(tree.value, ast.Constant) and isinstance(tree.value.value, int):
            self.write(" ")  # 3 .real
        self.write(f".{tree.attr}")

    def _JoinedStr(self, tree: ast.JoinedStr) -> None:
        self.write(ast.unparse(tree))

    def _BinOp(self, tree: ast.BinOp) -> None:
        self._operand(tree.left, tree, right=False)
        self.write(f" {self.binop[type(tree.op).__name__]} ")
        self._operand(tree.right, tree, right=True)

    def _operand(self, child: ast.expr, parent: ast.BinOp, *, right: bool) -> None:
        """One pair of parentheses where the grammar asks for it, none where it does not."""
        if not isinstance(child, ast.BinOp):
            power = isinstance(child, ast.UnaryOp) and isinstance(parent.op, ast.Pow)
            self.write("(" * power)
            self.dispatch(child)
            self.write(")" * power)
            return
        mine, theirs = _STRENGTH[type(child.op)], _STRENGTH[type(parent.op)]
        bare = mine > theirs or (
            mine == theirs and not right and not isinstance(parent.op, ast.Pow)
        )
        self.write("(" * (not bare))
        self._BinOp(child)
        self.write(")" * (not bare))

    def _UnaryOp(self, tree: ast.UnaryOp) -> None:
        if isinstance(tree.op, ast.Not):
            self.write("(not ")
            self.dispatch(tree.operand)
            self.write(")")
            return
        self.write(self.unop[type(tree.op).__name__])
        if isinstance(tree.operand, ast.BinOp):
            self.write("(")
            self._BinOp(tree.operand)
            self.write(")")
        else:
            self.dispatch(tree.operand)

    def _Call(self, tree: ast.Call) -> None:
        self._tight(tree.func)
        self.write("(")
        interleave(lambda: self.write(", "), self._argument, [*tree.args, *tree.keywords])
        self.write(")")

    _SliceCall = _Call

    def _argument(self, item: ast.expr | ast.keyword) -> None:
        if isinstance(item, ast.BinOp):
            self._BinOp(item)
        else:
            self._bare_item(item) if is_negative(item) else self.dispatch(item)

    def _Assign(self, tree: ast.Assign) -> None:
        self.fill()
        for target in tree.targets:
            self._bare(target)
            self.write(" = ")
        self._bare(tree.value)

    def _Return(self, tree: ast.Return) -> None:
        self.fill("return")
        if tree.value is not None:
            self.write(" ")
            self._bare(tree.value)

    def _If(self, tree: ast.If) -> None:
        self._condition("if ", tree)
        orelse = tree.orelse
        while len(orelse) == 1 and isinstance(orelse[0], ast.If):
            self._condition("elif ", orelse[0])
            orelse = orelse[0].orelse
        if orelse:
            self.fill("else")
            self._block(orelse)

    def _condition(self, word: str, tree: ast.If) -> None:
        self.fill(word)
        self._bare(tree.test)
        self._block(tree.body)

    def _While(self, tree: ast.While) -> None:
        self.fill("while ")
        self._bare(tree.test)
        self._block(tree.body)
        if tree.orelse:
            self.fill("else")
            self._block(tree.orelse)

    def _For(self, tree: ast.For) -> None:
        self.fill("for ")
        self._bare(tree.target)
        self.write(" in ")
        self._bare(tree.iter)
        self._block(tree.body)
        if tree.orelse:
            self.fill("else")
            self._block(tree.orelse)

    def _block(self, body: list[ast.stmt]) -> None:
        self.enter()
        self.dispatch(body)
        self.leave()

    def _bare(self, tree: ast.expr) -> None:
        """An expression in a place that needs no parentheses round it."""
        if isinstance(tree, ast.Tuple) and tree.elts:
            interleave(lambda: self.write(", "), self._bare_item, tree.elts)
            if len(tree.elts) == 1:
                self.write(",")
        else:
            self._bare_item(tree)

    def _bare_item(self, tree: ast.expr) -> None:
        if isinstance(tree, ast.BinOp):
            self._BinOp(tree)
        elif isinstance(tree, ast.Compare):
            self._operand_of_comparison(tree.left)
            for operator, right in zip(tree.ops, tree.comparators, strict=True):
                self.write(f" {self.cmpops[type(operator).__name__]} ")
                self._operand_of_comparison(right)
        elif isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
            self.write("not ")
            self._tested(tree.operand)
        elif isinstance(tree, ast.BoolOp):
            self._tests(tree, " ")
        elif is_negative(tree):
            self.write(repr(tree.value).replace("inf", "1e309"))
        else:
            self.dispatch(tree)

    def _operand_of_comparison(self, tree: ast.expr) -> None:
        if isinstance(tree, ast.BinOp):
            self._BinOp(tree)
        else:
            self._bare_item(tree) if is_negative(tree) else self.dispatch(tree)

    # -- tests

    def _BoolOp(self, tree: ast.BoolOp) -> None:
        self.write("(")
        self._tests(tree, " ")
        self.write(")")

    def _tests(self, tree: ast.BoolOp, between: str) -> None:
        """Comparisons bare; lines as long as they may be where ``between`` breaks them."""
        word = self.boolops[type(tree.op)]
        width = 0
        for number, test in enumerate(tree.values):
            text = written(test)
            if number and (between == " " or width + len(text) + 5 <= WIDTH - len(between)):
                self.write(f" {word} {text}")
                width += len(text) + len(word) + 2
            elif number:
                self.write(f"{between}{word} {text}")
                width = len(text) + len(word) + 1
            else:
                self.write(text)
                width = len(text)

    def _tested(self, tree: ast.expr) -> None:
        """After ``not``: a long conjunction over several lines."""
        if not isinstance(tree, ast.BoolOp):
            self.dispatch(tree)
            return
        indent = "    " * self._indent
        is_long = len(indent) + len(written(tree)) + len("if not ():") > WIDTH
        self.write("(" + f"\n{indent}    " * is_long)
        self._tests(tree, f"\n{indent}    " if is_long else " ")
        self.write(f"\n{indent})" if is_long else ")")


def is_negative(tree: ast.AST) -> TypeGuard[ast.Constant]:
    """A literal with a minus before it."""
    value = tree.value if isinstance(tree, ast.Constant) else None
    return type(value) in (int, float) and repr(value).startswith("-")


def written(tree: ast.expr) -> str:
    """An expression between ``and`` or ``or``; what binds less than a comparison in brackets."""
    out = io.StringIO()
    is_bare = isinstance(tree, ast.Compare)
    _Printer(ast.Return(tree) if is_bare else ast.Expr(tree), file=out)
    return out.getvalue().strip().removeprefix("return " if is_bare else "")


_STRENGTH: dict[type[ast.operator], int] = {
    ast.BitOr: 0, ast.BitXor: 1, ast.BitAnd: 2, ast.LShift: 3, ast.RShift: 3, ast.Add: 4,
    ast.Sub: 4, ast.Mult: 5, ast.Div: 5, ast.FloorDiv: 5, ast.Mod: 5, ast.MatMult: 5, ast.Pow: 7,
}  # fmt: skip


def print_tree(tree: ast.AST) -> str:
    """Python source of a generated tree, equal to it when parsed again."""
    out = io.StringIO()
    _Printer(tree, file=out)
    return out.getvalue().strip("\n") + "\n"
