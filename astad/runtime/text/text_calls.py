"""Calls that put numbers into text, or take text apart, and may call the user meanwhile."""

from __future__ import annotations

import functools
import re
import sys

from astad.rules.registry import load_with
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.text.texts import follow, leave
from astad.runtime.unseen.unrecorded import run_unrecorded
from astad.runtime.unseen.writing_code import writers_behind

__all__: list[str] = []

load_with("json.scanner", ["astad.runtime.python.json_hooks"])

_SEQUENCES = (list, tuple, set, frozenset, str, bytes)


def _joining(fn: Value) -> None:
    """``join`` draws from its iterable, and so may call the user."""

    @full(fn)
    def forward(versions: Versions, glue: Value, parts: Value) -> tuple[Value, Record]:
        if issubclass(type(parts), _SEQUENCES):
            y = fn(glue, parts)
            return y, follow(versions, fn, y, None, (glue, parts), {})
        items, made = callbacks.call(versions, list, parts)
        y = fn(glue, items)
        record = follow(versions, fn, y, None, (glue, items), {})
        return y, (pull_joined, made, record) if made is not None or record is not None else None


def pull_joined(shadows: Shadows, y_bar: Value, made: Record, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, None, 2)
    drawn = callbacks.pull(shadows, made, None, 1)
    return None, None if drawn is None else drawn[0]


for _kind in (str, bytes, bytearray):
    _joining(_kind.join)


@full(print)
def print_forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[None, Record]:
    """What is printed elsewhere than to the console may be read again."""
    file = keywords.get("file")
    file = sys.stdout if file is None else file
    operands = (*args, *keywords.values())
    is_plain = all(type(each) is str for each in args) and not writers_behind((file,))
    if any(file is each for each in _CONSOLE) or is_plain:
        print(*args, **keywords)
        return None, None
    copy = _Copied(file)
    run = functools.partial(print, *args, **{**keywords, "file": copy})
    _, refusing = run_unrecorded(versions, "print", run, operands, (file,))
    return None, refusing(leave(versions, "print", None, operands, "".join(copy.pieces)))


_CONSOLE = (None, sys.__stdout__, sys.__stderr__)


class _Copied:
    """A file that keeps a copy of what is written to it."""

    def __init__(self, file: Value) -> None:
        self._file = file
        self.pieces: list[str] = []

    def write(self, text: str) -> None:
        self.pieces.append(text)
        self._file.write(text)

    def flush(self) -> None:
        self._file.flush()


@full(re.finditer, re.Pattern.finditer, order="pattern string")
def finditer_forward(
    versions: Versions, pattern: Value, text: Value, *more: Value, **keywords: Value
) -> tuple[Value, Record]:
    """All at once where numbers went into the text: what is found is noted before it is drawn."""
    find = re.finditer if issubclass(type(pattern), (str, bytes)) else re.Pattern.finditer
    y = find(pattern, text, *more, **keywords)
    entry = versions.departed.texts.get(id(text)) if versions.departed else None
    if entry is None:
        return y, None
    found = list(y)
    versions.departed.texts.update((id(match), (match, entry[1])) for match in found)
    return iter(found), None


def _substituting(fn: Value) -> None:
    """What a function of the user's does for each match is recorded."""

    @full(fn)
    def forward(
        versions: Versions, pattern: Value, repl: Value, *rest: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        records: list[Record] = []
        made: list[Value] = []

        def replace(match: re.Match[str]) -> Value:
            text, record = callbacks.call(versions, repl, match)
            records.append(record)
            made.append(text)
            return text

        if callable(repl):
            y = fn(pattern, replace, *rest, **keywords)
        else:
            made.append(repl)
            y = fn(pattern, repl, *rest, **keywords)
        record = follow(versions, fn, y, None, (pattern, *rest, *made), keywords)
        known = [each for each in records if each is not None]
        return y, (pull_replaced, known, record) if known or record is not None else None


def pull_replaced(
    shadows: Shadows, y_bar: Value, records: list[Record], followed: Record
) -> Cotangents:
    callbacks.pull(shadows, followed, y_bar, 0)
    for record in reversed(records):
        callbacks.pull(shadows, record, None, 1)
    return None


for _fn in (re.sub, re.subn, re.Pattern.sub, re.Pattern.subn):
    _substituting(_fn)
