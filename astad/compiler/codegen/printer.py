"""Print generated code with astunparse, mended where it cannot write today's Python.

>>> import ast
>>> print_tree(ast.parse("y = a[1:, :]")).strip()
'y = a[1:, :]'
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeGuard

import astunparse
from astunparse.unparser import interleave

from astad.spelling import spelled

__all__ = ["SAME", "Printed", "print_placed", "print_tree"]


WIDTH = 100
"""Columns of a line, where it can be broken."""


class Printed(NamedTuple):
    """Text without empty lines around it, and the line on which each statement and each operation
    went that has a line of the user's; of a statement all of one line, the statement.
    """

    text: str
    places: list[tuple[ast.stmt | ast.expr, int]]


class _Printer(astunparse.Unparser):  # type: ignore[misc]
    """astunparse 1.6.3 knows the grammar of Python 3.8; a few methods bring it up to ours, and say
    where what is printed comes to stand.
    """

    def __init__(self, names: Mapping[str, str]) -> None:  # that of astunparse prints at once
        self.names = names
        self.parts: list[str] = []
        self.write: Callable[[str], None] = self.parts.append
        self.line = 0
        self.places: list[tuple[ast.stmt | ast.expr, int]] = []
        self.future_imports: list[str] = []
        self._indent = 0

    def fill(self, text: str = "") -> None:
        self.line += 1
        self.write("\n" + "    " * self._indent + text)

    def dispatch(self, tree: ast.AST | list[ast.stmt]) -> None:
        kind = type(tree)
        if kind is ast.Name:
            self.write(self.names[tree.id])  # type: ignore[union-attr]
        elif kind is list:
            self._statements(tree)  # type: ignore[arg-type]
        else:
            if tree.__dict__.get("lineno"):
                self.places.append((tree, self.line))  # type: ignore[arg-type]
            (_METHODS.get(kind) or _method(kind))(self, tree)  # type: ignore[arg-type]

    def _print(self, tree: ast.AST) -> None:
        (_METHODS.get(type(tree)) or _method(type(tree)))(self, tree)

    def _place(self, tree: ast.AST) -> None:
        if tree.__dict__.get("lineno"):
            self.places.append((tree, self.line))  # type: ignore[arg-type]

    def _statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            line, number = self.line + 1, len(self.places)
            self.places.append((statement, line))
            self._print(statement)
            if getattr(statement, "is_of_one_line", False) and self.line == line:
                del self.places[number + 1 :]

    def _FunctionDef(self, tree: ast.FunctionDef) -> None:
        if tree.decorator_list or tree.returns:
            super()._FunctionDef(tree)
            return
        self.fill(f"def {tree.name}(")
        self.dispatch(tree.args)
        self.write(")")
        self._block(tree.body)

    def _Name(self, tree: ast.Name) -> None:
        self.write(self.names[tree.id])

    def _arg(self, tree: ast.arg) -> None:
        self.write(self.names[tree.arg])
        if tree.annotation is not None:
            self.write(": ")
            self.dispatch(tree.annotation)

    def _ExceptHandler(self, tree: ast.ExceptHandler) -> None:
        self.fill("except")
        if tree.type is not None:
            self.write(" ")
            self.dispatch(tree.type)
        self.write(f" as {self.names[tree.name]}" if tree.name else "")
        self._block(tree.body)

    def _tight(self, tree: ast.expr) -> None:
        """An expression before a dot or a bracket."""
        if type(tree) is ast.BinOp or type(tree) is ast.UnaryOp:
            self._bracketed(tree)
        else:
            self.dispatch(tree)

    def _bracketed(self, tree: ast.expr) -> None:
        self.write("(")
        self.dispatch(tree)
        self.write(")")

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
        is_number = isinstance(value, (int, float)) and type(value) is not bool
        if is_number and value != value:
            self.write("(1e309 - 1e309)")
        elif is_negative(tree):
            self.write(f"({spelled(value)})".replace("inf", "1e309"))  # -2.0 ** x is -(2.0 ** x)
        elif type(value) is int:
            self.write(spelled(value))
        else:
            super()._Constant(tree)

    def _Attribute(self, tree: ast.Attribute) -> None:
        if type(tree.value) is ast.Name:
            self.write(f"{self.names[tree.value.id]}.{tree.attr}")
            return
        self._tight(tree.value)
        if isinstance(tree.value, ast.Constant) and isinstance(tree.value.value, int):
            self.write(" ")  # 3 .real
        self.write(f".{tree.attr}")

    def _JoinedStr(self, tree: ast.JoinedStr) -> None:
        self.write(ast.unparse(tree))

    def _BinOp(self, tree: ast.BinOp) -> None:
        self._operand(tree.left, tree, right=False)
        self.write(_SIGNS[type(tree.op)])
        self._operand(tree.right, tree, right=True)

    def _operand(self, child: ast.expr, parent: ast.BinOp, *, right: bool) -> None:
        """One pair of parentheses where the grammar asks for it, none where it does not."""
        if type(child) is not ast.BinOp:
            power = isinstance(child, ast.UnaryOp) and isinstance(parent.op, ast.Pow)
            self._bracketed(child) if power else self.dispatch(child)
            return
        mine, theirs = _STRENGTH[type(child.op)], _STRENGTH[type(parent.op)]
        bare = mine > theirs or (
            mine == theirs and not right and not isinstance(parent.op, ast.Pow)
        )
        if bare:
            self.dispatch(child)
        else:
            self._bracketed(child)

    def _UnaryOp(self, tree: ast.UnaryOp) -> None:
        if isinstance(tree.op, ast.Not):
            self.write("(not ")
            self.dispatch(tree.operand)
            self.write(")")
            return
        self.write(self.unop[type(tree.op).__name__])
        if isinstance(tree.operand, ast.BinOp):
            self._bracketed(tree.operand)
        else:
            self.dispatch(tree.operand)

    def _Call(self, tree: ast.Call) -> None:
        self._tight(tree.func)
        write, names = self.write, self.names
        between = "("
        for item in (*tree.args, *tree.keywords):
            write(between)
            between = ", "
            if type(item) is ast.Name:
                write(names[item.id])
            else:
                self._bare_item(item) if type(item) is ast.Constant else self.dispatch(item)
        write(")" if between == ", " else "()")

    _SliceCall = _Call

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
            self.places.append((orelse[0], self.line + 1))
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
        if type(tree) is ast.Name:
            self.write(self.names[tree.id])
        elif isinstance(tree, ast.Tuple) and tree.elts:
            self._items(tree.elts)
            if len(tree.elts) == 1:
                self.write(",")
        else:
            self._bare_item(tree)

    def _items(self, trees: list[ast.expr]) -> None:
        write, names, between = self.write, self.names, ""
        for tree in trees:
            write(between)
            between = ", "
            write(names[tree.id]) if type(tree) is ast.Name else self._bare_item(tree)

    def _bare_item(self, tree: ast.expr | ast.keyword) -> None:
        kind = type(tree)
        if kind is ast.Constant and is_negative(tree):
            self.write(spelled(tree.value).replace("inf", "1e309"))
        elif kind not in (ast.Compare, ast.UnaryOp, ast.BoolOp, ast.IfExp):
            self.dispatch(tree)
        elif isinstance(tree, ast.Compare):
            self._place(tree)
            self._operand_of_comparison(tree.left)
            for operator, right in zip(tree.ops, tree.comparators, strict=True):
                self.write(f" {self.cmpops[type(operator).__name__]} ")
                self._operand_of_comparison(right)
        elif isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
            self._place(tree)
            self.write("not ")
            self._tested(tree.operand)
        elif isinstance(tree, ast.BoolOp):
            self._place(tree)
            self._tests(tree, " ")
        elif isinstance(tree, ast.IfExp):
            self._place(tree)
            self._choice(tree)
        else:
            self.dispatch(tree)

    def _operand_of_comparison(self, tree: ast.expr) -> None:
        self._bare_item(tree) if is_negative(tree) else self.dispatch(tree)

    # -- tests

    def _IfExp(self, tree: ast.IfExp) -> None:
        self.write("(")
        self._choice(tree)
        self.write(")")

    def _choice(self, tree: ast.IfExp) -> None:
        self.dispatch(tree.body) if type(tree.body) is ast.IfExp else self._bare_item(tree.body)
        self.write(" if ")
        self.dispatch(tree.test) if type(tree.test) is ast.IfExp else self._bare_item(tree.test)
        self.write(" else ")
        self._bare_item(tree.orelse)

    def _BoolOp(self, tree: ast.BoolOp) -> None:
        self.write("(")
        self._tests(tree, " ")
        self.write(")")

    def _tests(self, tree: ast.BoolOp, between: str) -> None:
        """Comparisons bare; lines as long as they may be where ``between`` breaks them."""
        word = self.boolops[type(tree.op)]
        width = 0
        for number, test in enumerate(tree.values):
            if number:
                long = len(self.written(test)) if between != " " else 0
                breaks = between != " " and width + long + 5 > WIDTH - len(between)
                self.write(f"{between if breaks else ' '}{word} ")
                self.line += breaks
                width = long + len(word) + (1 if breaks else width + 2)
            elif between != " ":
                width = len(self.written(test))
            self._test(test)

    def _test(self, tree: ast.expr) -> None:
        """Between ``and`` or ``or``; what binds less than a comparison in brackets."""
        self._bare(tree) if isinstance(tree, ast.Compare) else self.dispatch(tree)

    def written(self, tree: ast.expr) -> str:
        """What `_test` would write."""
        parts, line, number = self.parts, self.line, len(self.places)
        self.parts = []
        self.write = self.parts.append
        self._test(tree)
        text = "".join(self.parts)
        self.parts, self.line, self.write = parts, line, parts.append
        del self.places[number:]
        return text

    def _tested(self, tree: ast.expr) -> None:
        """After ``not``: a long conjunction over several lines."""
        if not isinstance(tree, ast.BoolOp):
            self.dispatch(tree)
            return
        indent = "    " * self._indent
        is_long = len(indent) + len(self.written(tree)) + len("if not ():") > WIDTH
        self.write("(" + f"\n{indent}    " * is_long)
        self.line += is_long
        self._tests(tree, f"\n{indent}    " if is_long else " ")
        self.write(f"\n{indent})" if is_long else ")")
        self.line += is_long


def is_negative(tree: ast.AST) -> TypeGuard[ast.Constant]:
    """A literal with a minus before it."""
    value = tree.value if isinstance(tree, ast.Constant) else None
    if isinstance(value, float):
        return repr(value).startswith("-")  # -0.0 too
    return isinstance(value, int) and type(value) is int and value < 0


_STRENGTH: dict[type[ast.operator], int] = {
    ast.BitOr: 0, ast.BitXor: 1, ast.BitAnd: 2, ast.LShift: 3, ast.RShift: 3, ast.Add: 4,
    ast.Sub: 4, ast.Mult: 5, ast.Div: 5, ast.FloorDiv: 5, ast.Mod: 5, ast.MatMult: 5, ast.Pow: 7,
}  # fmt: skip


_METHODS: dict[type[ast.AST], Callable[[_Printer, ast.AST], None]] = {}
_SIGNS = {kind: f" {_Printer.binop[kind.__name__]} " for kind in _STRENGTH}


def _method(kind: type[ast.AST]) -> Callable[[_Printer, ast.AST], None]:
    _METHODS[kind] = getattr(_Printer, "_" + kind.__name__)
    return _METHODS[kind]


class _Same(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name


SAME: Mapping[str, str] = _Same()
"""Every name is written as it is."""


def print_placed(tree: ast.AST, names: Mapping[str, str] = SAME) -> Printed:
    """Python source of a generated tree, and what stands where in it; ``names`` as they are
    written.
    """
    printer = _Printer(names)
    printer.dispatch(tree)
    return Printed("".join(printer.parts).strip("\n") + "\n", printer.places)


def print_tree(tree: ast.AST) -> str:
    """Python source of a generated tree, equal to it when parsed again."""
    return print_placed(tree).text
