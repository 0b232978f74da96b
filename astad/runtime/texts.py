"""Numbers that go through text: what text was made of which values, and what is read out of it.

Text carries no derivative, and nearly all of it is printed. Only where a number comes *out* of a
text or of bytes that a number went into would a derivative be lost: there a cotangent is refused.

>>> from astad.runtime import dispatch
>>> from astad.runtime.shadows import Shadows
>>> versions, shadows = Versions(), Shadows()
>>> text, made = dispatch.call(versions, str, 1.5)
>>> y, read = dispatch.call(versions, float, text)
>>> dispatch.pull(shadows, read, 1.0, 1), dispatch.pull(shadows, made, None, 1)
((None,), [Refused(str: ...)])
"""

from __future__ import annotations

import io
import operator
import re
from collections import deque
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from astad.errors import Unsupported
from astad.runtime.full_rules import Cotangents, Record, Value, flows
from astad.runtime.owners import slots_of
from astad.runtime.rounded_texts import is_rounded
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Origin, Versions
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity

__all__ = ["READING", "TEXTS", "follow", "is_text", "put_into"]

TEXTS: frozenset[type] = frozenset([str, bytes, bytearray])
READING = frozenset(map(id, (
    float, int, complex, Fraction, Decimal, operator.getitem, operator.add, operator.mul,
    operator.concat, operator.iadd, operator.imul, operator.iconcat,
)))  # fmt: skip
"""Callables with full rules of their own that read text, or cut and join it."""
_FILE: type = io.IOBase.__base__  # type: ignore[assignment]
"""Of all files; no abstract class, whose question a debugger would step into."""
_SEQUENCES = (list, tuple, set, frozenset, deque)
_SIMPLE: frozenset[type] = frozenset([int, bool, type(None), *TEXTS])
_ANSWERS = {id(fn) for fn in (len, hash, ord, id, bool)}


def is_text(value: Value) -> bool:
    """Is it text or bytes, or an array of them?"""
    return type(value) in TEXTS or (
        issubclass(type(value), np.ndarray) and value.dtype.kind in "US"
    )


def follow(
    versions: Versions,
    fn: Value,
    y: Value,
    record: Record,
    args: Sequence[Value],
    keywords: dict[str, Value],
) -> Record:
    """The record of a call that ran as it is and gave ``y``: what it made of text is noted."""
    operands = (*args, *keywords.values())
    if _was_there(y, operands):
        return record
    file = _file_among(operands)
    if file is not None and not is_text(y):
        if type(y) in _SIMPLE:
            return put_into(versions, file, record, operands)
        held = [v for v, _ in _inside(y, True)]
        return (pull_read, record, len(operands), y, (file,), held) if versions.texts else record
    origins = _origins(versions, operands) if versions.texts else ()
    if is_text(y) or type(y) is re.Match:
        if id(y) in versions.texts or any(y is v for v in operands):
            return record
        if any(map(_may_go_in, operands)) and not is_rounded(fn, args):
            origin = Origin(_name(fn))
            origins = (*origins, origin)
            deep = type(y) is not str
            record = (pull_text, origin, record, operands, [_inside(v, deep) for v in operands])
        if origins:
            versions.texts[id(y)] = (y, origins)
        return record
    if not origins:
        return record
    if issubclass(type(y), list | tuple) and y and all(map(is_text, y)):
        for each in y:
            versions.texts.setdefault(id(each), (each, origins))
        return record
    if type(y) in _SIMPLE and (type(y) is not int or _only_looks(fn)):
        return record
    return (pull_read, record, len(operands), y, origins, [v for v, _ in _inside(y, True)])


def _was_there(y: Value, operands: Sequence[Value]) -> bool:
    """Is it an item of a list or tuple: taken out, and neither made nor read?"""
    return any(type(v) in (list, tuple) and any(y is each for each in v) for v in operands)


def _name(fn: Value) -> str:
    name = getattr(fn, "__qualname__", repr(fn))
    if name in _LANGUAGE:
        return _LANGUAGE[name]
    home = getattr(fn, "__module__", None)
    return name if home in (None, "builtins", "_operator") else f"{home.lstrip('_')}.{name}"


_LANGUAGE = {"format_value": "f-string", "join": "f-string", "mod": "%"}


def _file_among(operands: Sequence[Value]) -> Value:
    return next((value for value in operands if isinstance(value, _FILE)), None)


def put_into(versions: Versions, file: Value, record: Record, operands: Sequence[Value]) -> Record:
    """What is written to a file in memory may be read from it."""
    origins = _origins(versions, operands) if versions.texts else ()
    inside = [_inside(value, True) for value in operands if value is not file]
    if not origins and not any(inside) and not any(map(flows, operands)):
        return record
    versions.texts.setdefault(id(file), (file, ()))
    return (pull_written, file, origins, record, operands, inside)


def pull_written(
    shadows: Shadows,
    y_bar: Value,
    file: Value,
    origins: tuple[Origin, ...],
    record: Record,
    operands: tuple[Value, ...],
    inside: list[list[tuple[Value, Value]]],
) -> Cotangents:
    """Back through a call that wrote to a file: refused where what was read from it was refused."""
    refused = shadows.refused_at(file)
    if refused is None:
        return None if record is None else record[0](shadows, y_bar, *record[1:])
    for origin in origins:
        shadows.refuse(origin, refused)
    return _refused(shadows, refused, operands, inside)


def _may_go_in(value: Value) -> bool:
    """May a number come from this operand into a text?"""
    if type(value) in _MADE_OF_TEXT or is_text(value):
        return False
    if issubclass(type(value), _SEQUENCES):
        return not all(map(is_text, value))
    return flows(value) or has_identity(value)


_MADE_OF_TEXT = (re.Match, re.Pattern)


def _only_looks(fn: Value) -> bool:
    """Are its whole numbers counts and places in the text, no numbers that stand there?"""
    home = getattr(fn, "__objclass__", None)
    return id(fn) in _ANSWERS or home in TEXTS


def _origins(versions: Versions, operands: Iterable[Value]) -> tuple[Origin, ...]:
    """Where the texts among these come from, and those in lists and the like among them."""
    found: dict[int, Origin] = {}
    for value in operands:
        each: Iterable[Value] = (value,)
        if issubclass(type(value), _SEQUENCES):
            each = value
        elif type(value) is dict:
            each = value.values()
        for one in each:
            entry = versions.texts.get(id(one))
            if entry is not None:
                found.update((id(origin), origin) for origin in entry[1])
    return tuple(found.values())


def _inside(value: Value, deep: bool) -> list[tuple[Value, Value]]:
    """What holds numbers in it now, with their places: later it may hold others."""
    found: list[tuple[Value, Value]] = []
    seen: set[int] = set()
    waiting = [value] if has_identity(value) else []
    while waiting:
        one = waiting.pop()
        if id(one) in seen or not has_identity(one):
            continue
        seen.add(id(one))
        if issubclass(type(one), list | tuple | deque):
            found.append((one, range(len(one))))
            waiting += one
        elif issubclass(type(one), dict):
            found.append((one, list(one)))
            waiting += one.values()
        else:
            found.append((one, None))
            if deep and type(own := getattr(one, "__dict__", None)) is dict:
                waiting.append(own)
            if deep:
                waiting += [held for _, held in slots_of(one)]
    return found


def pull_text(
    shadows: Shadows,
    y_bar: Value,
    origin: Origin,
    record: Record,
    operands: tuple[Value, ...],
    inside: list[list[tuple[Value, Value]]],
) -> Cotangents:
    """Back through a call that made a text: refused where a number of the result was read in it."""
    refused = shadows.refused_at(origin)
    if refused is None:
        return None if record is None else record[0](shadows, y_bar, *record[1:])
    return _refused(shadows, refused, operands, inside)


def _refused(
    shadows: Shadows,
    refused: Refused,
    operands: tuple[Value, ...],
    inside: list[list[tuple[Value, Value]]],
) -> Cotangents:
    """The cotangents of all operands, and of what was in them."""
    for value, places in (pair for each in inside for pair in each):
        _refuse(shadows, value, places, refused)
    return [refused if flows(v) else None for v in operands]


def _refuse(shadows: Shadows, value: Value, places: Value, refused: Refused) -> None:
    if issubclass(type(value), list | tuple | deque):
        for k in places:
            shadows.slot_add(value, k, refused)
    elif issubclass(type(value), dict):
        for key in places:
            shadows.key_add(value, key, refused)
    elif (
        issubclass(type(value), np.ndarray)
        or type(getattr(value, "__dict__", None)) is dict
        or slots_of(value)
    ):
        shadows.add(value, refused)
    else:
        shadows.refuse(value, refused)


def pull_read(
    shadows: Shadows,
    y_bar: Value,
    record: Record,
    n: int,
    y: Value,
    origins: tuple[Value, ...],
    held: list[Value],
) -> Cotangents:
    """Back through a call that read in a text: a cotangent that came is refused to what the text
    was made of.
    """
    if y_bar is not None or any(map(shadows.has, held)):
        for origin in origins:
            error = Unsupported(
                getattr(origin, "made_by", type(origin).__name__),
                "a number that is read out of the text or the bytes made of it",
                why="text and bytes carry no derivative",
                instead="hand the number on as it is, or call astad.dropgrad on it first",
            )
            shadows.refuse(origin, Refused(error))
    return None if record is None else record[0](shadows, y_bar, *record[1:])
