"""Lazy values that are consumed where they are written: generator expressions, and zip,
enumerate, map, filter of such.

A stream is opened where Python evaluates the expression and drawn where it is consumed. What the
consumer does with an item is written behind what computes it, so that the order of effects is
Python's.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     for i, y in enumerate(f(x) for x in xs if x):
...         total = g(i, y)
... ''')))
t_1 = -1
for x in xs:
    if x:
        t_2 = f(x)
        t_1 = t_1 + 1
        i = t_1
        y = t_2
        total = g(i, y)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Bind, Block, Branch, Const, Exit, Loop, Operand
from astad.compiler.ir.walk import breaks
from astad.compiler.lower.assignments import assign
from astad.compiler.lower.builder import Builder, ExpressionTable
from astad.compiler.lower.known import assume, known_name

__all__ = [
    "EXPRESSIONS",
    "Item",
    "Stream",
    "assign_item",
    "collect",
    "draw",
    "is_lazy",
    "opened",
    "operand_of",
]

Item = Operand | tuple[Operand, ...]
"""One item: an operand, or the parts of a tuple that is built only where it is needed."""

Take = Callable[[Item], None]
"""Writes what the consumer does with an item."""

Items = Callable[[Operand, Take, str | None], None]
"""Given an item of the source, writes what makes items of it and hands each to a Take; the name is
the one wanted for the item, or None."""


@dataclass(frozen=True, slots=True)
class Stream:
    """An iterable, opened.

    Parameters
    ----------
    source : operand
        What the outermost loop goes over.
    items : Items, or None for an ordinary iterable
        What is written inside that loop.
    single : bool
        Whether each item of the source gives exactly one.
    name : str or None
        The name wanted for the loop's variable.
    """

    source: Operand
    items: Items | None
    single: bool
    name: str | None
    line: int


def is_lazy(b: Builder, node: Any) -> bool:
    """Whether the items of an expression are computed as they are drawn."""
    return isinstance(node, gast.GeneratorExp) or _adapter(b, node) is not None


def opened(b: Builder, node: Any) -> Stream:
    """Evaluate what Python evaluates where an iterable expression stands."""
    if isinstance(node, gast.GeneratorExp):
        return b.stream_of(node)
    adapter = _adapter(b, node)
    if adapter is not None:
        assume(b, node.func)
        return adapter(b, node)
    return Stream(b.operand(node), None, True, None, node.lineno)


def draw(
    b: Builder,
    stream: Stream,
    take: Take,
    *,
    wanted: str | None = None,
    orelse: Callable[[], None] | None = None,
    inside: bool = False,
) -> None:
    """Write the loops that draw every item; a ``break`` that ``take`` writes leaves them all.

    ``inside`` marks a loop whose ``break`` must leave the loop around it too.
    """
    scopes, line = b.comprehensions, stream.line

    def taken(item: Item) -> None:
        with b.scoped(scopes):
            take(item)

    items = stream.items
    if items is None:
        name = wanted or b.temp()
        body = b.writing(lambda: taken(name))
    else:
        name = stream.name or b.temp()
        body = b.writing(lambda: items(name, taken, wanted))
    if inside and breaks(body):
        b.emit(Loop(name, stream.source, body, (Exit("continue", None, line),), line))
        b.emit(Exit("break", None, line))
        return
    done: Block = b.writing(orelse) if orelse is not None else ()
    b.emit(Loop(name, stream.source, body, done, line))


def collect(b: Builder, stream: Stream, kind: str, line: int, target: str | None = None) -> str:
    """Draw every item into a new list, set or dict."""
    out = b.prim(kind, (), stream.line, target)

    def add(item: Item) -> None:
        if kind == "dict":
            assert isinstance(item, tuple)
            b.effect("setitem", (out, *item), line)
        else:
            prim = "list_append" if kind == "list" else "set_add"
            b.effect(prim, (out, operand_of(b, item, line)), line)

    draw(b, stream, add)
    return out


def operand_of(b: Builder, item: Item, line: int, target: str | None = None) -> Operand:
    """The operand that holds an item."""
    return b.prim("tuple", item, line, target) if isinstance(item, tuple) else item


def assign_item(b: Builder, target: Any, item: Item, line: int) -> None:
    """Bind an item to a target of any form; the parts of a tuple one by one."""
    if isinstance(item, tuple) and isinstance(target, gast.Tuple | gast.List):
        plain = not any(isinstance(part, gast.Starred) for part in target.elts)
        if plain and len(item) == len(target.elts):
            for part, value in zip(target.elts, item, strict=True):
                assign(b, part, value, line)
            return
    assign(b, target, operand_of(b, item, line), line)


def _read_out(b: Builder, node: Any, target: str | None) -> Operand:
    """An iterable whose items are all drawn before anything else runs: a list, if it is lazy."""
    if not is_lazy(b, node):
        return b.operand(node, target)
    return collect(b, opened(b, node), "list", node.lineno, target)


# What stands around a lazy value


_Adapter = Callable[[Builder, Any], Stream]


def _adapter(b: Builder, node: Any) -> _Adapter | None:
    """How to open zip, enumerate, map or filter of a lazy value; None for anything else."""
    if not isinstance(node, gast.Call) or not node.args:
        return None
    opens, fits = _ADAPTERS.get(known_name(b, node.func) or "", (None, None))
    if opens is None or fits is None or not fits(node):
        return None
    return opens if is_lazy(b, node.args[_PLACES.get(opens, -1)]) else None


def _copied(b: Builder, item: Item, line: int) -> Operand:
    """The item under a name that nothing binds before the next one is drawn."""
    value = operand_of(b, item, line)
    if not isinstance(value, str) or b.is_temp(value):
        return value
    copy = b.temp()
    b.emit(Bind(copy, value, line))
    return copy


def _enumerated(b: Builder, node: Any) -> Stream:
    inner, line = opened(b, node.args[0]), node.lineno
    number = b.temp()
    b.emit(Bind(number, Const(_start(node) - 1), line))

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        def numbered(item: Item) -> None:
            part = _copied(b, item, line)
            b.prim("add", (number, Const(1)), line, number)
            take((number, part))

        assert inner.items is not None
        inner.items(value, numbered, None)

    return Stream(inner.source, items, inner.single, inner.name, line)


def _start(node: Any) -> Any:
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    return given[0].value if given else 0


def _counts(node: Any) -> bool:
    """``enumerate(xs)``, with a literal start or none: the others count something unknown."""
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    named = all(keyword.arg == "start" for keyword in node.keywords)
    literal = all(isinstance(each, gast.Constant) and type(each.value) is int for each in given)
    return named and literal and len(given) < 2


def _mapped(b: Builder, node: Any) -> Stream:
    fn = _copied(b, b.operand(node.args[0]), node.lineno)
    inner, line = opened(b, node.args[1]), node.lineno

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        def called(item: Item) -> None:
            take(b.call(fn, (operand_of(b, item, line),), (), line, wanted))

        assert inner.items is not None
        inner.items(value, called, None)

    return Stream(inner.source, items, inner.single, inner.name, line)


def _filtered(b: Builder, node: Any) -> Stream:
    fn = _copied(b, b.operand(node.args[0]), node.lineno)
    inner, line = opened(b, node.args[1]), node.lineno

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        def passed(item: Item) -> None:
            part = operand_of(b, item, line)
            test = part if fn == Const(None) else b.call(fn, (part,), (), line)
            b.emit(Branch(test, b.writing(lambda: take(part)), (), line))

        assert inner.items is not None
        inner.items(value, passed, None)

    return Stream(inner.source, items, False, inner.name, line)


def _calls(node: Any) -> bool:
    """``map(f, xs)``, ``filter(f, xs)``: one function and one iterable."""
    plain = not any(isinstance(arg, gast.Starred) for arg in node.args)
    return plain and len(node.args) == 2 and not node.keywords


def _zipped(b: Builder, node: Any) -> Stream:
    """The lazy one comes last: its items are computed after the others are drawn, as in Python."""
    *plain, last = node.args
    count, line = len(node.args), node.lineno
    fn, *values = b.operands([node.func, *plain])
    inner = opened(b, last)
    keywords = [(keyword.arg, b.operand(keyword.value)) for keyword in node.keywords]
    source = b.call(fn, (*values, inner.source), keywords, line)

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        whole = b.prim("unpack", (value, Const(count), Const(None)), line)
        parts = [b.prim("getitem", (whole, Const(k)), line) for k in range(count - 1)]
        rest = b.prim("getitem", (whole, Const(count - 1)), line, inner.name)
        assert inner.items is not None
        inner.items(rest, lambda item: take((*parts, _copied(b, item, line))), None)

    return Stream(source, items, True, None, line)


def _zips(node: Any) -> bool:
    plain = not any(isinstance(arg, gast.Starred) for arg in node.args)
    strict = all(keyword.arg == "strict" for keyword in node.keywords)
    return plain and strict and _gives_one_each(node.args[-1])


def _gives_one_each(node: Any) -> bool:
    if isinstance(node, gast.GeneratorExp):
        first, *others = node.generators
        return not others and not first.ifs and not isinstance(first.iter, gast.GeneratorExp)
    return False


_ADAPTERS: dict[str, tuple[_Adapter, Callable[[Any], bool]]] = {
    "builtins.enumerate": (_enumerated, _counts),
    "builtins.map": (_mapped, _calls),
    "builtins.filter": (_filtered, _calls),
    "builtins.zip": (_zipped, _zips),
}
_PLACES: dict[_Adapter, int] = {_enumerated: 0}
"""Where the lazy argument stands; last in the others."""

EXPRESSIONS: ExpressionTable = {"Iterable": _read_out}
