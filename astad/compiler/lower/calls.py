"""Calls: of functions, of methods, of ``super()``, of a builtin over a generator expression.

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

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Const, Operand, Prim, Star
from astad.compiler.lower.builder import Builder, ExpressionTable, holds_call
from astad.compiler.lower.comprehensions import collected, decided

__all__ = ["EXPRESSIONS"]

_CONSUMERS = {
    id(each): each
    for each in (
        sum, list, tuple, set, frozenset, dict, min, max, sorted, any, all, math.fsum, math.prod,
    )
}  # fmt: skip
"""What reads a generator to its end at once (``any``, ``all``: to where it is decided)."""


def _call(b: Builder, node: Any, target: str | None) -> Operand:
    if _is_bare_super(b, node):
        return _super(b, node, target)
    if node.args and isinstance(node.args[0], gast.GeneratorExp):
        return _over_generator(b, node, target)
    func = node.func
    if isinstance(func, gast.Attribute) and not any(map(holds_call, _values(node))):
        args, keywords = _arguments(b, [func.value], node)
        args.insert(1, Const(func.attr))
        return _method(b, args, keywords, node.lineno, target)
    args, keywords = _arguments(b, [func], node)
    fn = args.pop(0)
    assert not isinstance(fn, Star)
    return b.call(fn, args, keywords, node.lineno, target)


def _method(
    b: Builder,
    args: list[Any],
    keywords: list[tuple[str | None, Operand]],
    line: int,
    target: str | None,
) -> Operand:
    return b.call(Prim("method"), args, keywords, line, target)


def _values(node: Any) -> list[Any]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _arguments(
    b: Builder, first: Sequence[Any], node: Any
) -> tuple[list[Operand | Star], list[tuple[str | None, Operand]]]:
    """Evaluate ``first``, the positional and the keyword arguments, in this order."""
    start = len(first) + len(node.args)
    names = [keyword.arg for keyword in node.keywords]
    mappings = {start + i for i, name in enumerate(names) if name is None}
    values = b.operands([*first, *_values(node)], mappings)
    return values[:start], list(zip(names, values[start:], strict=True))


def _is_bare_super(b: Builder, node: Any) -> bool:
    """``super()`` in a method: Python finds the class and the instance by looking at the frame."""
    plain = isinstance(node.func, gast.Name) and node.func.id == "super"
    bare = not node.args and not node.keywords and b.place("super") is None
    return plain and bare and "__class__" in b.scope.free and bool(b.params)


def _super(b: Builder, node: Any, target: str | None) -> Operand:
    line = node.lineno
    comprehensions, b.comprehensions = b.comprehensions, []
    args = [b.read("super", line), b.read("__class__", line), b.read(b.params[0], line)]
    b.comprehensions = comprehensions
    return b.call(args[0], args[1:], (), line, target)


def _over_generator(b: Builder, node: Any, target: str | None) -> Operand:
    """``sum(f(x) for x in xs)`` collects first; ``any`` and ``all`` stop where they are decided."""
    generator, others = node.args[0], _values(node)[1:]
    consumer = _CONSUMERS.get(id(_resolved(b, node.func)))
    if consumer in (any, all) and not others:
        return decided(b, generator, consumer is any, target)
    joins = isinstance(node.func, gast.Attribute) and node.func.attr == "join" and not others
    if (consumer is None and not joins) or any(map(holds_call, others)):
        raise _lazy(b, generator)
    fn = b.operand(node.func)
    values = collected(b, generator, "list", None)
    args, keywords = _arguments(b, (), gast.Call(node.func, node.args[1:], node.keywords))
    return b.call(fn, [values, *args], keywords, node.lineno, target)


def _resolved(b: Builder, func: Any) -> object:
    """The function that ``sum`` or ``math.fsum`` means now, by the function's globals."""
    if isinstance(func, gast.Name):
        return b.scope.resolve(func.id) if b.place(func.id) is None else None
    if isinstance(func, gast.Attribute) and isinstance(func.value, gast.Name):
        module = _resolved(b, func.value)
        return vars(module).get(func.attr) if isinstance(module, ModuleType) else None
    return None


def _lazy(b: Builder, node: Any) -> Exception:
    return b.unsupported(
        node.lineno,
        f"generator expression in {b.name}",
        why="when its items are computed depends on who asks for them, and that is not recorded",
        instead="write a list, [... for ... in ...], in its place",
    )


def _generator(b: Builder, node: Any, target: str | None) -> Operand:
    raise _lazy(b, node)


EXPRESSIONS: ExpressionTable = {"Call": _call, "GeneratorExp": _generator}
