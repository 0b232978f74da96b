"""Comprehensions become loops; their variables are renamed where the name has another meaning.

A generator expression is a comprehension without a result of its own: what consumes it at once says
what is done with each item. Where nothing does, it is the generator that Python makes of it.

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

from collections.abc import Callable, Sequence
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.frontend.scope import target_names
from astad.compiler.ir.nodes import Branch, Const, Operand
from astad.compiler.lower.branches import tested
from astad.compiler.lower.builder import Builder, Cell, ExpressionTable, Place, without_classes
from astad.compiler.lower.called import assume
from astad.compiler.lower.definitions import made_function
from astad.compiler.lower.streams import Item, Stream, Take, assign_item, collect, draw, lazy_call
from astad.slotted import replace

__all__ = ["EXPRESSIONS", "is_lazy", "opened"]

Write = Callable[[], None]


def is_lazy(b: Builder, node: Any) -> bool:
    """Whether it is a generator expression, or a zip, enumerate, map or filter of one."""
    if isinstance(node, gast.GeneratorExp):
        return (node.lineno, node.col_offset) not in b.scope.detached
    call = lazy_call(b, node)
    if call is None or not is_lazy(b, call.argument):
        return False
    return not call.one_each or _gives_one_each(b, call.argument)


def _gives_one_each(b: Builder, node: Any) -> bool:
    if not isinstance(node, gast.GeneratorExp) or not is_lazy(b, node):
        return False
    first, *others = node.generators
    return not others and not first.ifs and not is_lazy(b, first.iter)


def opened(b: Builder, node: Any, later: Sequence[Any] = ()) -> Stream:
    """Evaluate what Python evaluates where an iterable expression stands.

    ``later`` are the expressions that are evaluated before it is drawn.
    """
    stream = _opened(b, node)
    return replace(stream, source=b.guarded(stream.source, later, node.lineno))


def _opened(b: Builder, node: Any) -> Stream:
    if isinstance(node, gast.GeneratorExp) and is_lazy(b, node):
        return _comprehension(b, node)
    call = lazy_call(b, node)
    if call is None or not is_lazy(b, node):
        return Stream(b.operand(node), None, None, frozenset(), node.lineno)
    assume(b, node.func)
    return call.open(b, node, opened)


def _comprehension(b: Builder, node: Any) -> Stream:
    first, *others = node.generators
    inner, line = opened(b, first.iter), first.target.lineno
    with b.holding(inner.variables):
        places = _places(b, node)
    scopes, variables = (*without_classes(b.scopes), places), frozenset(map(str, places.values()))
    with b.scoped(scopes):
        direct = b.direct(first.target)

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        def result() -> None:
            item = _element(b, node, wanted)
            with b.holding(variables):
                take(item)

        def clause(item: Item) -> None:
            with b.scoped(scopes):
                assign_item(b, first.target, item, line)
                _tests(b, first.ifs, lambda: _clauses(b, others, result))

        inner.each(value, clause, direct)

    name = direct if inner.items is None else inner.name
    return Stream(inner.source, items, name, variables | inner.variables, line)


def _element(b: Builder, node: Any, wanted: str | None) -> Item:
    if isinstance(node, gast.DictComp):
        key, value = b.operands((node.key, node.value))
        return key, value
    return b.operand(node.elt, wanted)


def _clauses(b: Builder, generators: list[Any], result: Write) -> None:
    """The loops of the ``for`` clauses behind the first one."""
    if not generators:
        result()
        return
    each, *others = generators
    line = each.target.lineno

    def take(item: Item) -> None:
        assign_item(b, each.target, item, line)
        _tests(b, each.ifs, lambda: _clauses(b, others, result))

    draw(b, opened(b, each.iter), take, wanted=b.direct(each.target), inside=True)


def _tests(b: Builder, tests: list[Any], inside: Write) -> None:
    if not tests:
        inside()
        return
    test = tested(b, tests[0])
    b.emit(Branch(test, b.writing(lambda: _tests(b, tests[1:], inside)), (), tests[0].lineno))


def _places(b: Builder, node: Any) -> dict[str, Place]:
    """Where the variables of a comprehension live; captured ones in cells, made anew each run."""
    captured = b.scope.captured.get((node.lineno, node.col_offset), frozenset())
    places: dict[str, Place] = {}
    for each in node.generators:
        for name in target_names(each.target):
            if name not in places:
                places[name] = _place(b, name, name in captured, node.lineno)
    return places


def _place(b: Builder, name: str, captured: bool, line: int) -> Place:
    if captured:
        cell = Cell(b.names.fresh(f"{name}_cell"))
        b.prim("cell_new", (), line, str(cell))
        return cell
    return name if b.place(name) is None and name not in b.held else b.names.fresh(name)


def _collected(b: Builder, node: Any, target: str | None) -> Operand:
    stream = _comprehension(b, node)
    kind = {"ListComp": "list", "SetComp": "set", "DictComp": "dict"}[type(node).__name__]
    line = node.lineno if kind == "dict" else node.elt.lineno
    return collect(b, stream, kind, line, b.fitting(node, target))


def _generator(b: Builder, node: Any, target: str | None) -> Operand:
    """A function of its own, called with the iterator of what it goes over."""
    place, line = (node.lineno, node.col_offset), node.lineno
    if place not in b.scope.detached:
        b.lazy.add(place)
        return Const(None)
    fn = made_function(b, place, (), line, None)
    items = b.prim("iterator", (b.operand(node.generators[0].iter),), line)
    return b.call(fn, (items,), (), line, target)


def _read_out(b: Builder, node: Any, target: str | None) -> Operand:
    """An iterable whose items are all drawn before anything else runs: a list, if it is lazy."""
    if not is_lazy(b, node):
        return b.operand(node, target)
    return collect(b, opened(b, node), "list", node.lineno, target)


EXPRESSIONS: ExpressionTable = {
    "ListComp": _collected,
    "SetComp": _collected,
    "DictComp": _collected,
    "GeneratorExp": _generator,
    "Iterable": _read_out,
}
