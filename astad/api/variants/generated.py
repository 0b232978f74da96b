"""Generated functions that run, their text, and where in the user's text each part comes from."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from types import CodeType, FunctionType
from typing import Any
from weakref import finalize

from astad.api.variants.assumptions import find
from astad.errors import Location
from astad.importing.entry import relocate
from astad.rules.in_force import TEXTS
from astad.shown_lines import forget as forget_lines
from astad.shown_lines import show

__all__ = [
    "KEY", "OBSERVERS", "Loaded", "Origin", "Place", "define", "file_name", "keep_text",
]  # fmt: skip

KEY = "__astad__"
"""Global name under which generated functions know their `Loaded`."""

OBSERVERS: list[Callable[[Loaded], None]] = []
"""Called with each variant when its functions are made."""
_OF_A_FILE = ("__loader__", "__spec__", "__file__")
_files: dict[str, tuple[str, int]] = {}
"""Texts by the names of their files, and how many variants each is of."""


class Origin:
    """What is told of a user's function; not its code, which would live as long as a variant."""

    __slots__ = ("co_filename", "co_name", "co_qualname")

    def __init__(self, co_filename: str, co_name: str, co_qualname: str) -> None:
        self.co_filename = co_filename
        self.co_name = co_name
        self.co_qualname = co_qualname

    @classmethod
    def of(cls, code: CodeType) -> Origin:
        return cls(code.co_filename, code.co_name, code.co_qualname)


class Place:
    """Where generated text comes from: its own line; in ``user`` functions and lines, callers
    first.
    """

    __slots__ = ("is_reverse", "line", "user")

    def __init__(self, line: int, is_reverse: bool, user: tuple[tuple[Origin, int], ...]) -> None:
        self.line = line
        self.is_reverse = is_reverse
        self.user = user


class Loaded:
    """A variant ready to run.

    ``form`` is 'fused' or 'pair', ``places`` is numbered as `compiler/codegen/build.py` says,
    ``whole`` are the places of containers that were not taken apart, ``relied_on`` the chains of
    paths that it relies on with what they stood for; ``shadows``: the reverse sweep reads the table
    of shadows; what a ``tentative`` one raises is to be raised by another.
    """

    __slots__ = (
        "__weakref__", "file", "form", "functions", "globals", "local_result", "places", "reaches",
        "relied_on", "shadows", "source", "tentative", "whole",
    )  # fmt: skip

    def __init__(
        self,
        source: str,
        form: str,
        local_result: bool,
        reaches: tuple[bool, ...],
        places: tuple[Place, ...],
        space: dict[str, Any],
    ) -> None:
        self.functions: tuple[Callable[..., Any], ...] = ()
        self.file = ""
        self.relied_on: Sequence[tuple[Sequence[str], str]] = ()
        self.whole: tuple[int, ...] = ()
        self.tentative = False
        self.shadows = True
        self.source = source
        self.form = form
        self.local_result = local_result
        self.reaches = reaches
        self.places = places
        self.globals = space

    def get_source(self, name: str) -> str:
        """The generated text, for ``linecache``: this object is the loader of its module."""
        return self.source

    def place(self, code: CodeType, instruction: int, line: int) -> Place | None:
        """Where an instruction of one of the functions comes from."""
        if code.co_filename == self.file:
            return next((place for place in self.places if place.line == line and place.user), None)
        before = list(code.co_positions())[: instruction // 2 + 1]
        ends = [end - start for start, end, *_ in before if start and end]
        number = next((end for end in reversed(ends) if end), 0)
        return self.places[number - 1] if number else None

    def reversed_at(self, code: CodeType, instruction: int, line: int) -> list[Location]:
        """The user's lines to whose reverse an instruction may belong; none in a forward sweep."""
        if code.co_filename != self.file:
            found = [self.place(code, instruction, line)]
        else:  # statements that were written as one share a line
            found = [place for place in self.places if place.line == line]
        ends = [place.user[-1] for place in found if place and place.is_reverse and place.user]
        return [Location(user.co_filename, at) for user, at in sorted(set(ends), key=itemgetter(1))]


def define(loaded: Loaded, fn: FunctionType, code: CodeType, space: Mapping[str, Any]) -> None:
    """Make the functions of a code object those of ``loaded``.

    Those under the user's file know his loader, the others know ``loaded`` as theirs: by these
    ``linecache`` finds the text of both.
    """
    file, text = loaded.file, loaded.source
    common = {**space, "__name__": fn.__module__, "__builtins__": builtins, KEY: loaded}
    his = {name: fn.__globals__[name] for name in _OF_A_FILE if name in fn.__globals__}
    spaces = {True: {**common, **his}, False: {**common, "__loader__": loaded}}
    made: dict[str, FunctionType] = {}
    for part in code.co_consts:
        if isinstance(part, CodeType):
            user = _user_of(part, fn)
            home = (user.co_filename, user.co_firstlineno - 1) if user else (file, 0)
            moved = relocate(part, {part.co_filename: home})
            made[part.co_name] = _function(moved, spaces[user is not None], user, fn.__module__)
    if len(made) > (1 if loaded.form.startswith("tangent") else 2):
        for known in spaces.values():
            known.update(made)  # they call each other
    loaded.functions = tuple(made.values())
    show(file, text)
    finalize(loaded, _forget, file).atexit = False
    for observe in OBSERVERS:
        observe(loaded)


def _user_of(part: CodeType, fn: FunctionType) -> CodeType | None:
    """The code of the user's function under whose file and lines a part runs."""
    head, _, owner = part.co_filename.partition(" ")
    if head != "<user>":
        return None
    found = find(owner, fn.__globals__) if owner else fn
    return found.__code__ if type(found) is FunctionType else fn.__code__


def _function(
    code: CodeType, space: dict[str, Any], user: CodeType | None, module: str
) -> FunctionType:
    if user is not None:
        code = code.replace(co_name=user.co_name, co_qualname=user.co_qualname)
    made = FunctionType(code, space, code.co_name)
    made.__module__ = module
    return made


def file_name(title: str, text: str) -> str:
    """``<astad> walk.power(float)``; another text of that name gets a number.

    It begins with ``<``, so that coverage passes it over, and does not end with ``>``, so that
    linecache asks the loader for it.
    """
    name, number = f"<astad> {title}", 1
    while (known := _files.setdefault(name, (text, 0)))[0] != text:
        number += 1
        name = f"<astad> {title} {number}"
    _files[name] = text, known[1] + 1
    return name


def keep_text(owner: Any, title: str, text: str) -> str:
    """Keep a text that is compiled in turn for as long as its owner lives; the name of its file."""
    file = file_name(title, text)
    TEXTS[file] = text
    show(file, text)
    finalize(owner, _forget, file).atexit = False
    return file


def _forget(file: str) -> None:
    """A variant is gone, with the function that it was of."""
    text, count = _files.pop(file, ("", 0))  # gone where two threads had counted at once
    if count > 1:
        _files[file] = text, count - 1
    else:
        forget_lines(file)
        TEXTS.pop(file, None)
