"""Keywords of a call or a class, in the order of the text.

A ``**`` is asked for its entries before what follows it is evaluated.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     y = f(a=x, **words)
...     z = f(**words, a=x)
... ''')))
y = f(a=x, **words)
t_1 = {}
dict_merge(t_1, words, f)
t_2 = {'a': x}
dict_merge(t_1, t_2, f)
z = f(**t_1)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any  # trees: gast ships no types

from astad.compiler.ir.nodes import Const, Operand
from astad.compiler.lower.builder import Builder

__all__ = ["dict_of", "keywords_of", "needs_dict"]


def keywords_of(
    b: Builder, nodes: Sequence[Any], fn: Operand, line: int, *, at_once: bool = False
) -> list[tuple[str | None, Operand]]:
    """Evaluate the keywords of a call of ``fn``; a ``**`` is the last of them.

    ``at_once``: more is evaluated after them.
    """
    if needs_dict(nodes, at_once=at_once):
        return [(None, dict_of(b, nodes, fn, line))]
    values = b.operands([node.value for node in nodes])
    return [(node.arg, value) for node, value in zip(nodes, values, strict=True)]


def needs_dict(nodes: Sequence[Any], *, at_once: bool = False) -> bool:
    """Does anything follow a ``**``?"""
    return any(node.arg is None for node in (nodes if at_once else nodes[:-1]))


def dict_of(b: Builder, nodes: Sequence[Any], fn: Operand, line: int) -> str:
    """A fresh dict of the keywords; ``fn`` stands in the errors."""
    out: str | None = None
    for group in _groups(nodes):
        if group[0].arg is None:
            out = out or b.prim("dict", (), line)
            given = b.operand(group[0].value)
        else:
            values = b.operands([node.value for node in group])
            pairs = zip(group, values, strict=True)
            given = b.prim(
                "dict", [part for node, value in pairs for part in (Const(node.arg), value)], line
            )
        if out is None:
            out = str(given)
        else:
            b.effect("dict_merge", (out, given, fn), line)
    return out or b.prim("dict", (), line)


def _groups(nodes: Sequence[Any]) -> Iterator[list[Any]]:
    """Each ``**`` alone, and the names between two of them together: merged when all of them are
    evaluated.
    """
    for is_mapping, group in groupby(nodes, key=lambda node: node.arg is None):
        if is_mapping:
            yield from ([node] for node in group)
        else:
            yield list(group)
