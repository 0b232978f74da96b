"""Calls: of functions, of methods, of ``super()``.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     y = o.scale(x, *rest, by=2.0)
...     z = o.scale(f(x))
... ''')))
y = o.scale(x, *rest, by=2.0)
t_1 = o.scale
t_2 = f(x)
z = t_1(t_2)
"""

from __future__ import annotations

from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Const, Operand, Prim, Star
from astad.compiler.lower.builder import Builder, ExpressionTable, holds_call
from astad.compiler.lower.called import keywords_of, needs_dict
from astad.compiler.lower.comprehensions import is_lazy, opened
from astad.compiler.lower.consumers import consumed
from astad.compiler.lower.streams import collect

__all__ = ["EXPRESSIONS"]


def _call(b: Builder, node: Any, target: str | None) -> Operand:
    if _is_bare_super(b, node):
        return _super(b, node, target)
    if any(is_lazy(b, arg) for arg in node.args):
        return consumed(b, node, target)
    func = node.func
    runs_code = needs_dict(node.keywords) or any(map(holds_call, _values(node)))
    if isinstance(func, gast.Attribute) and not runs_code:
        args, keywords = _arguments(b, func.value, node)
        args.insert(1, Const(func.attr))
        return b.call(Prim("method"), args, keywords, node.lineno, target)
    args, keywords = _arguments(b, func, node)
    fn = args.pop(0)
    assert not isinstance(fn, Star)
    return b.call(fn, args, keywords, node.lineno, target)


def _values(node: Any) -> list[Any]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _arguments(
    b: Builder, first: Any, node: Any
) -> tuple[list[Operand | Star], list[tuple[str | None, Operand]]]:
    """Evaluate ``first``, the positional and the keyword arguments, in this order."""
    if node.keywords and len(node.args) == 1 and isinstance(node.args[0], gast.Starred):
        return _lone_star(b, first, node)
    words = [keyword.value for keyword in node.keywords]
    later = [node] if needs_dict(node.keywords) else words  # a merge runs code, as a call does
    args = b.operands([first, *node.args], later)
    return args, keywords_of(b, node.keywords, args[0], node.lineno)


def _lone_star(
    b: Builder, first: Any, node: Any
) -> tuple[list[Operand | Star], list[tuple[str | None, Operand]]]:
    """``f(*xs, k=v)``: Python evaluates v before it draws the items of xs."""
    star, line = node.args[0], node.lineno
    words = [keyword.value for keyword in node.keywords]
    fn = b.guarded(b.operand(first), [star, *words], line)
    stream = opened(b, star.value, words)
    lazy = stream.items is not None
    keywords = keywords_of(b, node.keywords, fn, line, at_once=lazy)
    rest = collect(b, stream, "list", star.lineno) if lazy else stream.source
    return [fn, Star(rest)], keywords


def _is_bare_super(b: Builder, node: Any) -> bool:
    """``super()`` in a method: Python finds the class and the instance by looking at the frame."""
    plain = isinstance(node.func, gast.Name) and node.func.id == "super"
    bare = not node.args and not node.keywords and b.place("super") is None
    return plain and bare and "__class__" in b.scope.free and bool(b.params)


def _super(b: Builder, node: Any, target: str | None) -> Operand:
    line = node.lineno
    with b.scoped(()):
        args = [b.read("super", line), b.read("__class__", line), b.read(b.params[0], line)]
    return b.call(args[0], args[1:], (), line, target)


EXPRESSIONS: ExpressionTable = {"Call": _call}
