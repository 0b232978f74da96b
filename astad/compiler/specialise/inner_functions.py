"""Functions that a function makes, known where they are called: lambdas, closures, inner ``def``.

>>> def outer(a):
...     return lambda x: a * x
>>> known = Inners(outer, outer.__globals__)
>>> path = known.path("", ("<lambda>", 1, 0))
>>> path, known.function(path).__code__.co_freevars
('|<lambda> 1 0', ('a',))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import CellType, CodeType, FunctionType
from typing import Any

from astad.code_objects import inner_codes
from astad.compiler.ir.nodes import Call, Const, Operand
from astad.slotted import dataclass

__all__ = ["Inner", "Inners"]

Codes = Callable[[CodeType], Iterator[CodeType]]


@dataclass(frozen=True, slots=True)
class Inner:
    """One that a statement made: its path, the cells it was given, and the tuple of its defaults,
    if it has some.
    """

    path: str
    cells: tuple[Operand, ...]
    defaults: Operand | None

    @classmethod
    def made_by(cls, node: Call, path: str) -> Inner | None:
        """By this ``function`` operation; None where it has defaults of keywords alone."""
        words = dict(node.keywords)
        if "kwdefaults" in words:
            return None
        cells = tuple(arg for arg in node.args[1:] if isinstance(arg, str))
        return cls(path, cells, words.get("defaults"))


class Inners:
    """The inner functions of one function, and of those written out in it.

    A path names the function that makes it, by its own path or, empty, the first one; then, behind
    a bar each, name, line and number as the operation ``function`` has them. ``held`` has those
    that the first one has captured, by their paths.
    """

    def __init__(
        self,
        fn: FunctionType,
        namespace: Mapping[str, Any],
        held: Mapping[str, FunctionType] | None = None,
    ) -> None:
        self.namespace = namespace
        self.codes: dict[str, CodeType] = {"": fn.__code__}
        self.held = held or {}

    def path(self, home: str, key: Any) -> str:
        if len(key) == 1:  # of a captured function
            return str(key[0])
        if len(key) == 2:  # moved here from the text of another
            home, key = key
        name, line, number = key
        return f"{home}|{name} {line} {number}"

    def function(self, path: str) -> FunctionType | None:
        """One with this code and empty cells."""
        root = self.held.get(path.partition("|")[0])
        if root is not None and "|" not in path:
            return root
        code = self.codes.get(path) or self._code(path)
        if code is None:
            return None  # no program is known: code that is replaced while it is compiled
        self.codes[path] = code
        cells = tuple(CellType() for _ in code.co_freevars)
        space = self.namespace if root is None else root.__globals__
        made = FunctionType(code, dict_of(space), code.co_name, None, cells)
        made.__qualname__ = code.co_qualname
        return made

    def _code(self, path: str) -> CodeType | None:
        home, _, last = path.rpartition("|")
        outer = self.codes.get(home)
        if outer is None:
            return None
        name, line, number = last.rsplit(" ", 2)
        first = outer.co_firstlineno + int(line)
        fits = [c for c in inner_codes(outer) if (c.co_name, c.co_firstlineno) == (name, first)]
        return fits[int(number)] if int(number) < len(fits) else None


def moved_key(key: Const, home: str) -> Const:
    """The key of a ``function`` operation that is written out in another function's text."""
    assert isinstance(key.value, tuple)
    return Const((home, key.value)) if len(key.value) == 3 else key


def dict_of(namespace: Mapping[str, Any]) -> dict[str, Any]:
    assert isinstance(namespace, dict)
    return namespace
