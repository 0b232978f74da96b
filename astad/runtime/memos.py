"""A memo of the user's: what a function stores under a number and finds again by it.

``if x not in memo: memo[x] = slow(x)`` finds at the second call what the first one stored. Where
the first call was another differentiation, or none, the way from `x` to the entry is not recorded,
and its derivative would be taken for 0. So what was found by a number is noted, and where a
cotangent has come to it that nobody stored in this run, it is refused.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from astad.errors import Location, Unsupported
from astad.runtime.debuggers import users_frame
from astad.runtime.owners import owner_of
from astad.runtime.shadows import Shadows
from astad.runtime.snapshots import Node

if TYPE_CHECKING:
    import ast

__all__ = ["Found", "note_found", "refuse_found"]


class Found(NamedTuple):
    """An entry of a dict that was found by a number, and where."""

    store: Any
    key: Any
    value: Any
    file: str
    line: int


def note_found(notes: dict[Any, Found], store: Any, key: Any, value: Any) -> None:
    """Note an entry, where its key is a number that may have a derivative, or made of such."""
    if type(key) in (str, int):
        return
    if is_of_numbers(key) and (id(store), key) not in notes:
        frame = users_frame(sys._getframe(1))
        if frame is not None:
            place = frame.f_code.co_filename, frame.f_lineno
            notes[id(store), key] = Found(store, key, value, *place)


def is_of_numbers(key: Any) -> bool:
    """
    >>> [is_of_numbers(key) for key in (0.5, (1, 0.5), np.float32(1), (1, 2), "a", True)]
    [True, True, True, False, False, False]
    """
    if type(key) is tuple:
        return any(map(is_of_numbers, key))
    return isinstance(key, (float, np.inexact, complex, bytes))


def refuse_found(notes: dict[Any, Found], shadows: Shadows, arguments: Sequence[Any]) -> None:
    """Raise where a cotangent has come to an entry that the program stored in an earlier run.

    What lies in arguments, of which the snapshots are given, has a gradient of its own.
    """
    if not notes:
        return
    come, given = shadows.ids(), _containers_in(arguments)
    for note in notes.values():
        if id(note.store) not in given and _has_come(note, shadows, come) and _is_filled(note):
            raise Unsupported(
                Location(note.file, note.line),
                f"an entry that was found by the number {note.key!r:.40}",
                why="it was stored before this differentiation, and how it came from that number "
                "is not recorded",
                instead="empty the dict first or compute without it; for a constant, read "
                "astad.dropgrad(entry)",
            )


def _containers_in(snapshots: Sequence[Any]) -> set[int]:
    found: set[int] = set()
    waiting = [each for each in snapshots if type(each) is Node]
    while waiting:
        node = waiting.pop()
        if id(node.value) not in found:
            found.add(id(node.value))
            waiting += [each for each in node.children() if type(each) is Node]
    return found


def _has_come(note: Found, shadows: Shadows, come: Collection[int]) -> bool:
    g = shadows.key_of(note.store, note.key)
    if g is not None:
        return bool(np.any(g))
    value = note.value
    return id(owner_of(value) if isinstance(value, np.ndarray) else value) in come


def _is_filled(note: Found) -> bool:
    """Does the function that found the entry store such entries as well? A table of constants is
    filled elsewhere.
    """
    import ast  # for the rare program that comes here

    try:
        tree = ast.parse("".join(linecache.getlines(note.file)))
    except SyntaxError:
        return False
    nodes = [each for each in ast.walk(tree) if hasattr(each, "lineno")]
    around = [each for each in nodes if _is_function(each) and _spans(each, note.line)]
    if not around:
        return False
    read = {_read_from(each) for each in nodes if _spans(each, note.line)} - {None}
    innermost = max(around, key=lambda each: each.lineno)
    return any(_filled(each) in read for each in ast.walk(innermost))


def _spans(node: Any, line: int) -> bool:
    return bool(node.lineno <= line <= node.end_lineno)


def _is_function(node: ast.AST) -> bool:
    return type(node).__name__ in ("FunctionDef", "Lambda")


def _read_from(node: ast.AST) -> str | None:
    """The name of what a node reads an entry of: ``memo[key]``, ``self.memo.get(key)``."""
    return _entry_of(node, "Load", ("get", "pop", "setdefault"))


def _filled(node: ast.AST) -> str | None:
    """The name of what a node stores an entry in: ``memo[key] = v``."""
    return _entry_of(node, "Store", ("setdefault", "update", "__setitem__"))


def _entry_of(node: ast.AST, context: str, methods: Collection[str]) -> str | None:
    kind: Any = node
    if type(node).__name__ == "Subscript" and type(kind.ctx).__name__ == context:
        return None if type(kind.slice).__name__ == "Constant" else _last_name(kind.value)
    if type(node).__name__ == "Call" and getattr(kind.func, "attr", None) in methods:
        return _last_name(kind.func.value)
    return None


def _last_name(node: ast.AST) -> str | None:
    return getattr(node, "attr", None) or getattr(node, "id", None)
