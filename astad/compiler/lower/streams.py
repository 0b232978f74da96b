"""Iterables as loops: opened where Python evaluates the expression, drawn where it is consumed.

What a consumer does with an item is written behind what computes it, so that the order of effects
is Python's, of lazy values too.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     for y in (f(x) for x in xs if x):
...         total = g(y)
... ''')))
for x in xs:
    if x:
        y = f(x)
        total = g(y)

zip, enumerate, map and filter of a lazy value: what they do with an item, written out.

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
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Bind, Block, Branch, Const, Exit, Loop, Operand, immutable
from astad.compiler.ir.walk import breaks
from astad.compiler.lower.assignments import assign
from astad.compiler.lower.builder import Builder
from astad.compiler.lower.called import keywords_of, known_name
from astad.slotted import dataclass

__all__ = ["Item", "Stream", "Take", "assign_item", "collect", "draw", "lazy_call", "operand_of"]

Item = Operand | tuple[Operand, ...]
"""One item: an operand, or the parts of a tuple that is built only where it is needed."""

Take = Callable[[Item], None]
"""Writes what the consumer does with an item."""


@immutable
class Stream:
    """An iterable, opened.

    Parameters
    ----------
    source : operand
        What the outermost loop goes over.
    items : callable, or None for an ordinary iterable
        Writes what is done inside that loop: given an item of the source, it writes what makes
        items of it and hands each to a Take. The last argument is a name wanted for the item.
    name : str or None
        The name wanted for the loop's variable.
    variables : frozenset of str
        Names that must keep their values from one item to the next.
    """

    source: Operand
    items: Callable[[Operand, Take, str | None], None] | None
    name: str | None
    variables: frozenset[str]
    line: int

    def each(self, value: Operand, take: Take, wanted: str | None = None) -> None:
        """Write what is done inside the outermost loop, whose variable is ``value``."""
        if self.items is None:
            take(value)
        else:
            self.items(value, take, wanted)


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

    ``wanted`` is the name wanted for the item; ``inside`` marks a loop whose ``break`` must leave
    the loop around it too.
    """
    scopes, line = b.scopes, stream.line

    def taken(item: Item) -> None:
        with b.scoped(scopes):
            take(item)

    name = (wanted if stream.items is None else stream.name) or b.temp()
    body = b.writing(lambda: stream.each(name, taken, wanted))
    if inside and breaks(body):
        b.emit(Loop(name, stream.source, body, (Exit("continue", None, line),), line))
        b.emit(Exit("break", None, line))
        return
    done: Block = b.writing(orelse) if orelse is not None else ()
    b.emit(Loop(name, stream.source, body, done, line))


def collect(
    b: Builder,
    stream: Stream,
    kind: str,
    line: int,
    target: str | None = None,
    *,
    by_value: bool = False,
) -> str:
    """Draw every item into a new list, set or dict; ``line`` is where the items are written.

    ``by_value``: what takes them reads each as it is drawn, before the next one is computed.
    """
    out = b.prim(kind, (), stream.line, target)

    def add(item: Item) -> None:
        if kind == "dict":
            assert isinstance(item, tuple)
            b.effect("setitem", (out, *item), line)
        else:
            prim = "value_append" if by_value else "list_append" if kind == "list" else "set_add"
            b.effect(prim, (out, operand_of(b, item, line)), line)

    draw(b, stream, add)
    return out


def operand_of(b: Builder, item: Item, line: int) -> Operand:
    """The operand that holds an item."""
    return b.prim("tuple", item, line) if isinstance(item, tuple) else item


def assign_item(b: Builder, target: Any, item: Item, line: int) -> None:
    """Bind an item to a target of any form; the parts of a tuple one by one."""
    if isinstance(item, tuple) and isinstance(target, (gast.Tuple, gast.List)):
        plain = not any(isinstance(part, gast.Starred) for part in target.elts)
        if plain and len(item) == len(target.elts):
            for part, value in zip(target.elts, item, strict=True):
                assign(b, part, value, line)
            return
    assign(b, target, operand_of(b, item, line), line)


# --- zip, enumerate, map and filter of a lazy value


Opened = Callable[[Builder, Any], Stream]


@dataclass(frozen=True, slots=True)
class LazyCall:
    """A call whose result is lazy where its argument is.

    ``open`` gets the builder, the call, and how to open the argument; ``one_each`` tells that the
    argument must give exactly one item for each of its source.
    """

    open: Callable[[Builder, Any, Opened], Stream]
    argument: Any
    one_each: bool = False


def lazy_call(b: Builder, node: Any) -> LazyCall | None:
    """How to open a call of zip, enumerate, map or filter; None for anything else."""
    if not isinstance(node, gast.Call) or not node.args:
        return None
    if any(isinstance(arg, gast.Starred) for arg in node.args):
        return None
    found = _KNOWN.get(known_name(b, node.func) or "")
    return found(node) if found is not None else None


def _enumerate(node: Any) -> LazyCall | None:
    """With a literal start or none: the others count something unknown."""
    given = _starts(node)
    named = all(keyword.arg == "start" for keyword in node.keywords)
    literal = all(isinstance(each, gast.Constant) and type(each.value) is int for each in given)
    fits = named and literal and len(given) < 2
    return LazyCall(_enumerated, node.args[0]) if fits else None


def _starts(node: Any) -> list[Any]:
    return [*node.args[1:], *(keyword.value for keyword in node.keywords)]


def _map(node: Any) -> LazyCall | None:
    fits = len(node.args) == 2 and not node.keywords
    return LazyCall(_mapped, node.args[1]) if fits else None


def _filter(node: Any) -> LazyCall | None:
    fits = len(node.args) == 2 and not node.keywords
    return LazyCall(_filtered, node.args[1]) if fits else None


def _zip(node: Any) -> LazyCall | None:
    """The lazy one comes last: its items are computed after the others are drawn, as in Python."""
    strict = all(keyword.arg == "strict" for keyword in node.keywords)
    return LazyCall(_zipped, node.args[-1], one_each=True) if strict else None


_KNOWN: dict[str, Callable[[Any], LazyCall | None]] = {
    "builtins.enumerate": _enumerate,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.zip": _zip,
}


def _enumerated(b: Builder, node: Any, opened: Opened) -> Stream:
    inner, line = opened(b, node.args[0]), node.lineno
    start = next((each.value for each in _starts(node)), 0)
    number = b.temp()
    b.emit(Bind(number, Const(start - 1), line))

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        def numbered(item: Item) -> None:
            part = b.kept(operand_of(b, item, line), line)
            b.prim("add", (number, Const(1)), line, number)
            take((number, part))

        inner.each(value, numbered)

    return Stream(inner.source, items, inner.name, inner.variables, line)


def _mapped(b: Builder, node: Any, opened: Opened) -> Stream:
    fn = b.kept(b.operand(node.args[0]), node.lineno)
    inner, line = opened(b, node.args[1]), node.lineno

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        inner.each(
            value,
            lambda item: take(b.call(fn, (operand_of(b, item, line),), (), line, wanted)),
        )

    return Stream(inner.source, items, inner.name, inner.variables, line)


def _filtered(b: Builder, node: Any, opened: Opened) -> Stream:
    fn = b.kept(b.operand(node.args[0]), node.lineno)
    inner, line = opened(b, node.args[1]), node.lineno

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        def passed(item: Item) -> None:
            part = operand_of(b, item, line)
            test = part if fn == Const(None) else b.call(fn, (part,), (), line)
            b.emit(Branch(test, b.writing(lambda: take(part)), (), line))

        inner.each(value, passed)

    return Stream(inner.source, items, inner.name, inner.variables, line)


def _zipped(b: Builder, node: Any, opened: Opened) -> Stream:
    *plain, last = node.args
    count, line = len(node.args), node.lineno
    fn, *values = b.operands([node.func, *plain])
    inner = opened(b, last)
    keywords = keywords_of(b, node.keywords, fn, line)
    source = b.call(fn, (*values, inner.source), keywords, line)

    def items(value: Operand, take: Take, wanted: str | None) -> None:
        whole = b.prim("unpack", (value, Const(count), Const(None)), line)
        parts = [b.prim("getitem", (whole, Const(k)), line) for k in range(count - 1)]
        rest = b.prim("getitem", (whole, Const(count - 1)), line, inner.name)
        inner.each(rest, lambda item: take((*parts, b.kept(operand_of(b, item, line), line))))

    return Stream(source, items, None, inner.variables, line)
