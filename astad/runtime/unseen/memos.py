"""A memo of the user's: what a function stores under a number and finds again by it.

``if x not in memo: memo[x] = slow(x)`` finds at the second call what the first one stored. Where
the first call was another differentiation, or none, the way from `x` to the entry is not recorded,
and its derivative would be taken for 0. So what was found by a number is noted. Where a cotangent
has come to an entry that nobody stored in this run, it is in doubt: the sweep is done once more,
and the number by which it was found gets a cotangent that cannot be had. A constant drops that.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from astad.errors import AstadError, Location, Unsupported
from astad.runtime.core.full_rules import Record
from astad.runtime.cotangents.owners import owner_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import Node
from astad.runtime.unseen.debuggers import users_frame
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity

if TYPE_CHECKING:
    import ast

__all__ = ["Found", "doubted", "noted"]


class Found(NamedTuple):
    """An entry of a dict that was found by a number, and where."""

    store: Any
    key: Any
    value: Any
    file: str
    line: int


def noted(
    notes: dict[Any, Found],
    store: Any,
    key: Any,
    value: Any,
    record: Record,
    *,
    named: bool = False,
) -> Record:
    """The record of a lookup; where a number may have a derivative, it may be asked for one.

    named : whether the way back gives its cotangents by name.
    """
    if type(key) in (str, int) or not is_of_numbers(key):
        return record
    at = id(store), key
    if at not in notes:
        frame = users_frame(sys._getframe(1))
        if frame is None:
            return record
        notes[at] = Found(store, key, value, frame.f_code.co_filename, frame.f_lineno)
    return pull_found, at, value, record, named


def pull_found(
    shadows: Shadows, y_bar: Any, at: tuple[int, Any], value: Any, record: Record, named: bool
) -> Any:  # as the way back of the lookup gives it, in order or by name
    parts = None if record is None else record[0](shadows, y_bar, *record[1:])
    doubt = shadows.doubted.get(at)
    if doubt is None or (y_bar is None and not (has_identity(value) and shadows.has(value))):
        return parts
    key, refused = at[1], Refused(doubt)
    if _has_bytes(key):  # no way leads from them to the numbers that they were made of
        raise doubt
    if has_identity(key):
        shadows.add(key, refused)
        return parts
    return {**(parts or {}), "key": refused} if named else (None, refused)


def _has_bytes(key: Any) -> bool:
    return any(map(_has_bytes, key)) if type(key) is tuple else isinstance(key, bytes)


def is_of_numbers(key: Any) -> bool:
    """
    >>> [is_of_numbers(key) for key in (0.5, (1, 0.5), np.float32(1), (1, 2), "a", True)]
    [True, True, True, False, False, False]
    """
    if type(key) is tuple:
        return any(map(is_of_numbers, key))
    return isinstance(key, (float, np.inexact, complex, bytes))


def doubted(
    notes: dict[Any, Found], shadows: Shadows, arguments: Sequence[Any]
) -> dict[Any, AstadError]:
    """The entries to which a cotangent has come that an earlier run may have stored.

    What lies in arguments, of which the snapshots are given, has a gradient of its own.
    """
    if not notes:
        return {}
    come, given = shadows.ids(), _containers_in(arguments)
    return {
        at: _stored_before(note)
        for at, note in notes.items()
        if at[0] not in given and _has_come(note, shadows, come) and _is_filled(note)
    }


def _stored_before(note: Found) -> Unsupported:
    return Unsupported(
        Location(note.file, note.line),
        f"an entry that was found by the {_kind_of(note.key)} {note.key!r:.40}",
        why="it was stored before this differentiation, and how it came from that is not recorded",
        instead="empty the dict first or compute without it; for a constant, read "
        "astad.dropgrad(entry)",
    )


def _kind_of(key: Any) -> str:
    return "bytes" if isinstance(key, bytes) else "key" if type(key) is tuple else "number"


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
