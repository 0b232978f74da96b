"""Comprehensions become loops; their variables are renamed where the name has another meaning.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     ys = [x * i for i in xs if i]
... ''')))
ys = []
for i in xs:
    if i:
        t_1 = x * i
        list_append(ys, t_1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any  # trees: gast ships no types

from astad.compiler.frontend.scope import target_names
from astad.compiler.ir.nodes import Bind, Block, Branch, Const, Exit, Loop, Operand
from astad.compiler.lower.assignments import assign
from astad.compiler.lower.builder import Builder, Cell, ExpressionTable, Place

__all__ = ["EXPRESSIONS", "collected", "decided"]

Write = Callable[[], None]


def collected(b: Builder, node: Any, kind: str, target: str | None) -> Operand:
    """The list, set or dict of a comprehension."""

    def add() -> None:
        if kind == "dict":
            b.effect("setitem", (out, *b.operands((node.key, node.value))), node.lineno)
        else:
            prim = "list_append" if kind == "list" else "set_add"
            b.effect(prim, (out, b.operand(node.elt)), node.elt.lineno)

    first = b.operand(node.generators[0].iter)
    out = b.fitting(node, target)
    b.prim(kind, (), node.lineno, out)
    _loops(b, node, first, add)
    return out


def decided(b: Builder, node: Any, wanted: bool, target: str | None) -> Operand:
    """``any`` (``wanted``) or ``all`` of a generator expression: a loop left once it is decided."""
    first = b.operand(node.generators[0].iter)
    out = b.fitting(node, target)
    b.emit(Bind(out, Const(not wanted), node.lineno))
    line = node.elt.lineno

    def test() -> None:
        value = b.operand(node.elt)
        found: Block = (Bind(out, Const(wanted), line), Exit("break", None, line))
        b.emit(Branch(value, found, (), line) if wanted else Branch(value, (), found, line))

    def leave() -> None:
        found: Block = (Exit("break", None, line),)
        b.emit(Branch(out, found, (), line) if wanted else Branch(out, (), found, line))

    _loops(b, node, first, test, leave)
    return out


def _loops(
    b: Builder, node: Any, first: Operand, innermost: Write, after: Write | None = None
) -> None:
    """The nested loops of a comprehension; ``after`` is written behind each inner loop."""
    b.comprehensions.append(_places(b, node))
    try:
        _loop(b, node.generators, 0, first, innermost, after)
    finally:
        b.comprehensions.pop()


def _loop(
    b: Builder,
    generators: list[Any],
    number: int,
    iterable: Operand,
    innermost: Write,
    after: Write | None,
) -> None:
    each = generators[number]
    line = each.target.lineno
    direct = b.direct(each.target)
    name = direct or b.temp()

    def inside() -> None:
        if number + 1 == len(generators):
            innermost()
            return
        _loop(b, generators, number + 1, b.operand(generators[number + 1].iter), innermost, after)
        if after is not None:
            after()

    def body() -> None:
        if direct is None:
            assign(b, each.target, name, line)
        _tests(b, list(each.ifs), inside)

    b.emit(Loop(name, iterable, b.writing(body), (), line))


def _tests(b: Builder, tests: list[Any], inside: Write) -> None:
    if not tests:
        inside()
        return
    test = b.operand(tests[0])
    b.emit(Branch(test, b.writing(lambda: _tests(b, tests[1:], inside)), (), tests[0].lineno))


def _places(b: Builder, node: Any) -> dict[str, Place]:
    """Where the variables of a comprehension live; captured ones in cells, made anew each run."""
    names = dict.fromkeys(_variables(node))
    captured = b.scope.captured.get((node.lineno, node.col_offset), frozenset())
    places: dict[str, Place] = {}
    for name in names:
        if name in captured:
            cell = Cell(b.names.fresh(f"{name}_cell"))
            b.prim("cell_new", (), node.lineno, cell)
            places[name] = cell
        elif b.place(name) is None:
            places[name] = name
        else:
            places[name] = b.names.fresh(name)
    return places


def _variables(node: Any) -> Iterable[str]:
    return (name for each in node.generators for name in target_names(each.target))


EXPRESSIONS: ExpressionTable = {
    "ListComp": lambda b, node, target: collected(b, node, "list", target),
    "SetComp": lambda b, node, target: collected(b, node, "set", target),
    "DictComp": lambda b, node, target: collected(b, node, "dict", target),
}
