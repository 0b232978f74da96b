"""What a called name stands for when the function is read: ``builtins.sum``, ``math.fsum``.

An object is known by where it is defined, so that nothing has to be imported to compare with it.

Keywords of a call or a class, in the order of the text.

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

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from types import ModuleType
from typing import Any  # trees: gast ships no types; and objects of any kind

import gast

from astad.compiler.ir.nodes import Const, Operand
from astad.compiler.lower.builder import Builder, holds_call
from astad.originals import builtins

__all__ = [
    "assume",
    "dict_of",
    "is_plain_container",
    "is_quiet",
    "keywords_of",
    "known_name",
    "needs_dict",
]

_CONTAINERS = (tuple, list, set, frozenset, dict)


def known_name(b: Builder, func: Any) -> str | None:
    """Module and name of the object that ``sum`` or ``np.fromiter`` means now, None for others."""
    found = _object(b, func)
    module, name = getattr(found, "__module__", None), getattr(found, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    home = builtins if module == "builtins" else sys.modules.get(module)
    return f"{module}.{name}" if home and vars(home).get(name) is found else None


def assume(b: Builder, func: Any) -> None:
    """Take note that the program is right only as long as the name stands for this object."""
    b.assumed[_path(func)] = None


def is_plain_container(b: Builder, func: Any) -> bool:
    """Whether it is a class of the user's that makes itself as a list, tuple, set or dict does."""
    found = _object(b, func)
    if not isinstance(found, type):
        return False
    base = next((base for base in _CONTAINERS if issubclass(found, base)), None)
    return base is not None and found.__new__ is base.__new__ and _init(found) is _init(base)


def _init(kind: type) -> object:
    return kind.__init__  # type: ignore[misc]  # only compared


def is_quiet(b: Builder, node: Any) -> bool:
    """Whether a function has no effects: a builtin, a getter, None, a lambda that calls nothing."""
    if isinstance(node, gast.Lambda):
        return not holds_call(node.body)
    if isinstance(node, gast.Call):
        return (known_name(b, node.func) or "").startswith("operator.")
    quiet = "builtins.", "_operator.", "math."
    return isinstance(node, gast.Constant) or (known_name(b, node) or "").startswith(quiet)


def _object(b: Builder, func: Any) -> object:
    """The object, by the function's globals; None where a local name hides it."""
    if isinstance(func, gast.Name):
        return b.scope.resolve(func.id) if b.place(func.id) is None else None
    if isinstance(func, gast.Attribute) and isinstance(func.value, (gast.Name, gast.Attribute)):
        module = _object(b, func.value)
        return vars(module).get(func.attr) if issubclass(type(module), ModuleType) else None
    return None


def _path(func: Any) -> str:
    if isinstance(func, gast.Name):
        return str(func.id)
    return f"{_path(func.value)}.{func.attr}"


# --- keywords


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
