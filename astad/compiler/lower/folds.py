"""reduce, and min and max with a key, of a lazy value: the function runs between two items.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     y = max((f(x) for x in xs), key=lambda p: p.norm())
... ''')))
t_1 = function(('<lambda>', 1, 0))
t_3 = False
for x in xs:
    t_4 = f(x)
    if t_3:
        t_5 = t_1(t_4)
        t_6 = t_5 > t_2
        if t_6:
            y = t_4
            t_2 = t_5
    else:
        t_3 = True
        y = t_4
        t_2 = t_1(y)
if t_3:
    pass
else:
    t_7 = global max
    y = t_7((), key=t_1)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Bind, Branch, Const, Operand
from astad.compiler.lower.builder import Builder
from astad.compiler.lower.called import is_quiet, known_name
from astad.compiler.lower.comprehensions import is_lazy, opened
from astad.compiler.lower.streams import Item, Stream, draw, operand_of

__all__ = ["extreme", "reduced"]

TakeOne = Callable[[Operand], None]


def reduced(b: Builder, node: Any, target: str | None) -> Operand | None:
    """``reduce(f, lazy)`` or ``reduce(f, lazy, start)``; None where a list serves."""
    if node.keywords or len(node.args) not in (2, 3) or not is_lazy(b, node.args[1]):
        return None
    function, lazy, *start = node.args
    if not start and is_quiet(b, function):
        return None
    line = node.lineno
    fn = b.kept(b.operand(function), line)
    stream = opened(b, lazy, start)
    out = b.fitting(node, target)

    def take(value: Operand) -> None:
        b.call(fn, (out, value), (), line, out)

    def none() -> None:
        b.call(b.operand(node.func), (fn, Const(())), (), line, out)

    if start:
        b.into(start[0], out)
        draw(b, stream, lambda item: take(operand_of(b, item, line)))
    else:
        _draw_from_first(b, stream, lambda value: b.copy(out, value, line), take, none)
    return out


def extreme(b: Builder, node: Any, target: str | None) -> Operand | None:
    """``min`` and ``max`` with a key; None where a list serves."""
    words = {word.arg: word.value for word in node.keywords}
    fits = len(node.args) == 1 and "key" in words and set(words) <= {"key", "default"}
    if not fits or is_quiet(b, words["key"]):
        return None
    line, later = node.lineno, list(words.values())
    stream = opened(b, node.args[0], later)
    named = zip(words, b.operands(later), strict=True)
    keywords = [(word, b.kept(value, line)) for word, value in named]
    key_of = _key(b, words["key"], dict(keywords)["key"])
    out, best = b.fitting(node, target), b.temp()
    prim = "lt" if known_name(b, node.func) == "builtins.min" else "gt"

    def first(value: Operand) -> None:
        b.copy(out, value, line)
        key_of(out, best)

    def take(value: Operand) -> None:
        found = key_of(value, b.temp())
        test = b.prim(prim, (found, best), line)

        def replace() -> None:
            b.copy(out, value, line)
            b.emit(Bind(best, found, line))

        b.emit(Branch(test, b.writing(replace), (), line))

    def none() -> None:
        b.call(b.operand(node.func), (Const(()),), keywords, line, out)

    _draw_from_first(b, stream, first, take, none)
    return out


def _key(b: Builder, node: Any, fn: Operand) -> Callable[[Operand, str], str]:
    """Writes the key of a value into a name; a variable may hold None, and the key is the value."""
    line = node.lineno

    def call(value: Operand, target: str) -> str:
        return b.call(fn, (value,), (), line, target)

    def call_unless_none(value: Operand, target: str) -> str:
        test = b.prim("is_", (fn, Const(None)), line)
        called = b.writing(lambda: b.call(fn, (value,), (), line, target))
        b.emit(Branch(test, (Bind(target, value, line),), called, line))
        return target

    return call if isinstance(node, gast.Lambda) or known_name(b, node) else call_unless_none


def _draw_from_first(
    b: Builder, stream: Stream, first: TakeOne, take: TakeOne, none: Callable[[], None]
) -> None:
    """Draw every item, the first one otherwise; ``none`` writes what is done if there is none."""
    found, line = b.temp(), stream.line
    b.emit(Bind(found, Const(False), line))

    def either(item: Item) -> None:
        value = operand_of(b, item, line)

        def begin() -> None:
            b.emit(Bind(found, Const(True), line))
            first(value)

        later = b.writing(lambda: take(value))
        b.emit(Branch(found, later, b.writing(begin), line))

    draw(b, stream, either)
    b.emit(Branch(found, (), b.writing(none), line))
