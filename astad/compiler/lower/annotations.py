"""Annotations: what Python evaluates where a function is made, or in a class body.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     def f(v: float) -> None: ...
... ''')))
t_1 = global float
t_2 = {'v': t_1, 'return': None}
f = function(('f', 1, 0), annotations=t_2)
"""

from __future__ import annotations
import __future__

from collections.abc import Iterator
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Const, Operand
from astad.compiler.lower.builder import Builder

__all__ = ["annotation", "noted"]

AS_TEXT = __future__.annotations.compiler_flag


def annotation(b: Builder, node: Any) -> Operand:
    """The value of one; under ``from __future__ import annotations`` its text."""
    if b.scope.fn.__code__.co_flags & AS_TEXT:
        return Const(gast.unparse(node))
    return b.operand(node.value if isinstance(node, gast.Starred) else node)


def noted(b: Builder, node: Any) -> str | None:
    """A dict of those of a function, None where there are none."""
    pairs: list[Operand] = []
    for name, each in _annotated(node):
        pairs += [Const(name), annotation(b, each)]
    return b.prim("dict", pairs, node.lineno) if pairs else None


def _annotated(node: Any) -> Iterator[tuple[str, Any]]:
    args = node.args
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    for arg in every:
        if arg is not None and getattr(arg, "annotation", None) is not None:
            yield arg.id, arg.annotation
    if getattr(node, "returns", None) is not None:
        yield "return", node.returns
