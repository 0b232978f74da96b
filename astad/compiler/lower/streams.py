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
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Block, Exit, Loop, Operand, immutable
from astad.compiler.ir.walk import breaks
from astad.compiler.lower.assignments import assign
from astad.compiler.lower.builder import Builder

__all__ = ["Item", "Stream", "Take", "assign_item", "collect", "draw", "operand_of"]

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
    if isinstance(item, tuple) and isinstance(target, gast.Tuple | gast.List):
        plain = not any(isinstance(part, gast.Starred) for part in target.elts)
        if plain and len(item) == len(target.elts):
            for part, value in zip(target.elts, item, strict=True):
                assign(b, part, value, line)
            return
    assign(b, target, operand_of(b, item, line), line)
