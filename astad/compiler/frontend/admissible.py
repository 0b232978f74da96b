"""What has no reverse stops here, at the user's line, with what to write in its place."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.frontend.parse import Tree
from astad.compiler.frontend.scope import Scope, own_nodes
from astad.errors import Location, Unsupported

__all__ = ["refuse_unsupported"]

Refusal = tuple[str, str, str]
"""What (``{}`` is the function's name), why, what instead."""

_ASYNC = (
    "asynchronous code in {}",
    "other code runs between its statements, which the reverse sweep cannot undo",
    "compute in an ordinary function and await only outside of it",
)

_REFUSED: dict[str, Refusal] = {
    "Await": _ASYNC,
    "TemplateStr": (
        "template string in {}",
        "its parts are not taken apart yet",
        "use an f-string or str.format",
    ),
}

_FRAME_READERS = {
    "locals": "the names it would show are those of the generated code",
    "vars": "without an argument it shows the names of the generated code",
    "dir": "without an argument it shows the names of the generated code",
    "eval": "the text it runs is unknown when the derivative is made",
    "exec": "the text it runs is unknown when the derivative is made",
}


def refuse_unsupported(tree: Tree, scope: Scope) -> None:
    """Raise Unsupported at the first construct through which nothing can be carried."""
    if isinstance(tree.node, gast.AsyncFunctionDef):
        raise _unsupported(tree, tree.line, _ASYNC)
    if _SUSPECT.isdisjoint(scope.sorts) and _FRAME_READERS.keys().isdisjoint(scope.taken):
        return
    for node in own_nodes(tree.node):
        kind = type(node).__name__
        refused = _REFUSED.get(kind)
        special = _SPECIAL.get(kind)
        if special is not None:
            refused = special(node, scope)
        if refused is not None:
            raise _unsupported(tree, getattr(node, "lineno", tree.line), refused)


def _unsupported(tree: Tree, line: int, refused: Refusal) -> Unsupported:
    what, why, instead = refused
    where = Location(tree.file, line)
    if tree.hook is not None and not _is_written(tree, line, what):
        what += f", put there by {tree.hook}"
        instead = "import the module without that hook, or declare a rule with astad.adjoint"
    return Unsupported(where, what.replace("{}", tree.name), why=why, instead=instead)


def _is_written(tree: Tree, line: int, what: str) -> bool:
    """Does the line of the file have the name of the call that is refused?"""
    return what.partition("(")[0] in linecache.getline(tree.file, line)


def _comprehension(node: Any, scope: Scope) -> Refusal | None:
    return _ASYNC if any(each.is_async for each in node.generators) else None


def _call(node: Any, scope: Scope) -> Refusal | None:
    name = getattr(node.func, "id", None)
    why = _FRAME_READERS.get(name) if isinstance(name, str) else None
    if why is None or name is None or name in scope.locals or name in scope.free:
        return None
    if len(node.args) > (name in ("eval", "exec")):
        return None  # with names of their own they are looked at when they run
    instead = "pass the names on explicitly" if name not in ("eval", "exec") else "write it as code"
    return f"{name}() in {{}}", why, instead


_SPECIAL: dict[str, Callable[[Any, Scope], Refusal | None]] = {
    "ListComp": _comprehension,
    "SetComp": _comprehension,
    "DictComp": _comprehension,
    "GeneratorExp": _comprehension,
    "Call": _call,
}
"""Nodes that are refused only in some cases."""
_SUSPECT = {*_REFUSED, *_SPECIAL} - {"Call"}
"""Where there is none of them, only a call that reads the names of its frame is refused."""
