"""Generated functions that run: a module of their own, its text, and where in the user's text each line comes from."""

from __future__ import annotations

import builtins
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from astad.importing.entry import relocate

__all__ = ["KEY", "Loaded", "Place", "module_of"]

KEY = "__astad__"
"""Global name under which generated functions know their `Loaded`."""

_files: dict[str, str] = {}


class Place(NamedTuple):
    """Where generated text comes from: a line of it, and file and line of the user's program, callers before callees."""

    line: int
    is_reverse: bool
    user: tuple[tuple[CodeType, int], ...]


@dataclass(slots=True)
class Loaded:
    """A variant ready to run; ``places`` is numbered as the code's last lines are (`compiler/codegen/build.py`)."""

    functions: tuple[Callable[..., Any], ...]
    local_result: bool
    reaches: tuple[bool, ...]
    guarded: bool
    file: str
    source: str
    places: tuple[Place, ...]
    code: CodeType
    globals: dict[str, Any]

    def get_source(self, name: str) -> str:
        """The generated text, for ``linecache``: this object is the loader of its module."""
        return self.source

    def place(self, code: CodeType, instruction: int, line: int) -> Place | None:
        """Where an instruction of one of the functions comes from."""
        if code.co_filename == self.file:
            return next((place for place in self.places if place.line == line and place.user), None)
        before = list(code.co_positions())[: instruction // 2 + 1]
        numbers = (
            end - start for start, end, *_ in reversed(before) if start and end and end > start
        )
        return next((self.places[number - 1] for number in numbers), None)


def module_of(
    fn: FunctionType,
    text: str,
    code: CodeType,
    title: str,
    space: Mapping[str, Any],
    loaded: Loaded,
) -> None:
    """Define the functions of a code object as ``loaded.functions``.

    Those under the user's file know his loader, the others know ``loaded`` as theirs: so ``linecache`` finds both.
    """
    file = loaded.file = _free_name(title, text)
    homes = {
        "<user>": (fn.__code__.co_filename, fn.__code__.co_firstlineno - 1),
        "<generated>": (file, 0),
    }
    relocated = relocate(code, homes)
    common = {**space, "__name__": fn.__module__, "__builtins__": builtins, KEY: loaded}
    under_user = common | {
        name: fn.__globals__[name]
        for name in ("__loader__", "__spec__", "__file__")
        if name in fn.__globals__
    }
    generated = {**common, "__loader__": loaded}
    loaded.functions = tuple(
        _function(part, generated if part.co_filename == file else under_user, fn)
        for part in relocated.co_consts
        if isinstance(part, CodeType)
    )
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def _function(code: CodeType, space: dict[str, Any], fn: FunctionType) -> FunctionType:
    if code.co_filename == fn.__code__.co_filename:
        code = code.replace(co_name=fn.__code__.co_name, co_qualname=fn.__code__.co_qualname)
    made = FunctionType(code, space, code.co_name)
    made.__module__ = fn.__module__
    return made


def _free_name(title: str, text: str) -> str:
    """``<astad> walk.power(float)``: begins with ``<`` for coverage, and does not end with ``>`` for linecache.

    Another text of that name gets a number.
    """
    name, number = f"<astad> {title}", 1
    while _files.setdefault(name, text) != text:
        number += 1
        name = f"<astad> {title} {number}"
    return name
