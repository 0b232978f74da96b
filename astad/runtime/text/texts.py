"""Numbers that leave the program and come back: by text, bytes, files, buffers, other processes.

What leaves so carries no derivative, and nearly all of it is printed. Only where a number comes
*in* would a derivative be lost, so there a cotangent is refused. A number comes in where it is read
in a text or bytes that numbers went into, whole or in part; such texts are known by identity. It
also comes in where compiled code gives it, or it is read in any text, and is one of those that left
(`departed.py`).

>>> from astad.runtime import dispatch
>>> from astad.runtime.cotangents.shadows import Shadows
>>> versions, shadows = Versions(), Shadows()
>>> text, made = dispatch.call(versions, str, 1.5)
>>> y, read = dispatch.call(versions, float, text)
>>> dispatch.pull(shadows, read, 1.0, 1), dispatch.pull(shadows, made, None, 1)
((None,), [Refused(str: ...)])

Formats that round: ``f"{x:.2f}"`` is a step function of x, as ``round`` is.

What is read out of such a text is constant between its jumps, and no derivative is lost.

>>> is_rounded(format, (1.5, ".2f")), is_rounded(format, (1.5, ""))
(True, False)
>>> is_rounded(str.format, ("{:.3g} m", 1.5)), is_rounded(operator.mod, ("%s", 1.5))
(True, False)
"""

from __future__ import annotations

import array
import operator
import re
import sys
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from types import BuiltinFunctionType, FrameType
from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.departed import Origin, exporter, is_of_user, numbers_held
from astad.runtime.core.full_rules import (
    NUMBERS,
    Cotangents,
    Record,
    Value,
    flows,
    pull_opaque,
    pull_swallowed,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import (
    has_numbers,
    memory_of,
    shows_memory_of_others,
    slots_of,
    stored_in,
)
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.unseen.foreign_iterators import holds_no_number
from astad.tangents.refused import Refused
from astad.tangents.unasked import callable_name, items_of, pairs_of
from astad.tangents.zero import has_identity

__all__ = [
    "READING", "TEXTS", "come_in", "element_read", "elements", "follow", "is_of_arrays",
    "is_read_by_item", "is_rounded", "is_text", "is_window", "leave", "look_in", "may_give",
    "take_apart",
]  # fmt: skip

TEXTS: frozenset[type] = frozenset([str, bytes, bytearray])
READING = frozenset(map(id, (
    float, int, complex, Fraction, Decimal, operator.getitem, operator.add, operator.mul,
    operator.concat, operator.iadd, operator.imul, operator.iconcat,
)))  # fmt: skip
"""Callables with full rules of their own that read text, or cut and join it."""
_TEXTS = tuple(TEXTS)
_SEQUENCES = (list, tuple, set, frozenset, deque)
_HOLDING = frozenset([list, tuple, deque, dict])
_SIMPLE: frozenset[type] = frozenset([int, bool, type(None), *TEXTS])
_ANSWERS = {id(fn) for fn in (len, hash, id, bool)}


def is_text(value: Value) -> bool:
    """Is it text or bytes, or an array of them?"""
    kind = type(value)
    if kind in NUMBERS:
        return False
    if issubclass(kind, np.ndarray):
        return value.dtype.kind in "US"
    return kind in TEXTS or issubclass(kind, _TEXTS)


def follow(
    versions: Versions,
    fn: Value,
    y: Value,
    record: Record,
    args: Sequence[Value],
    keywords: dict[str, Value],
    *,
    keeps: bool = False,
) -> Record:
    """The record of a call that ran as it is and gave ``y``: what it made of text is noted, and
    which numbers left by it.

    ``keeps``: it may put the numbers that it was given elsewhere, whatever it gives.
    """
    is_item = fn is operator.getitem
    if is_item and type(args[0]) in _HOLDING and type(args[1]) is not slice:
        return record  # taken out, and neither made nor read
    operands = args[:1] if is_item else (*args, *keywords.values())
    if type(y) not in NUMBERS and _was_there(y, operands):
        return record
    origins = _origins(versions, operands) if versions.departed else ()
    if is_text(y) or type(y) is re.Match:
        if is_known(versions, y) or any(y is v for v in operands):
            return record
        if not is_item and any(map(_may_go_in, operands)) and not is_rounded(fn, args):
            record = leave(versions, _name(fn), record, operands, y)
            origins = (*origins, record[1]) if record is not None else origins
        if origins:
            versions.departed.texts[id(y)] = (y, origins)
        return record
    if origins and issubclass(type(y), (list, tuple)) and y and all(map(is_text, y)):
        for each in y:
            versions.departed.texts.setdefault(id(each), (each, origins))
        return record
    if type(y) not in _SIMPLE or (type(y) is int and not _only_looks(fn)):
        record = come_in(versions, y, record, operands, origins)
    if type(y) is BuiltinFunctionType and any(y.__self__ is v for v in operands):
        return record  # a bound method, which is asked when it is called
    if keeps and not is_of_arrays(fn) and any(map(_may_go_in, operands)):
        before, record = record, leave(versions, _name(fn), record, operands)
        if record is not None and record is not before:
            record[1].in_object = issubclass(type(fn), type)
    return record


def _holds_none(versions: Versions, operands: Sequence[Value]) -> bool:
    """Can there be no number of the program in the objects, as in that of a temporary folder?"""
    if versions.made_of or versions.departed:
        return False
    return all(holds_no_number(each) for each in operands if has_identity(each))


def leave(
    versions: Versions, name: str, record: Record, operands: Sequence[Value], text: Value = None
) -> Record:
    """The record of a call by which the numbers in its operands leave, as this text if there is
    one.
    """
    numbers = numbers_held(operands, lambda a: _kept(versions, a))
    hooked = any(is_of_user(type(v)) for v in operands)
    if not numbers and not hooked and (text is None or _holds_none(versions, operands)):
        return record
    origin = Origin(name, numbers, text, hooked)
    versions.departed.note(origin)
    deep = type(text) is not str
    return (pull_text, origin, record, operands, [_inside(v, deep) for v in operands])


def _kept(versions: Versions, a: Value) -> list[Value]:
    """The array as it is now, in a box; memory that is not NumPy's may be gone later."""
    is_own = issubclass(type(memory_of(a)), np.ndarray)
    return versions.keep(a) if is_own else [np.array(a)]


def look_in(versions: Versions, a: Value, record: Record, operands: Sequence[Value]) -> Record:
    """The record of a call that made an array in the memory of a buffer: what is written to the
    array can be read in the buffer.
    """
    origins = versions.departed.of(a)
    if origins:
        record = (pull_found, record, origins, a)
    is_file = issubclass(type(a), np.memmap)
    origin = Origin("np.memmap" if is_file else "np.frombuffer", window=a)
    versions.departed.note(origin)
    return (pull_text, origin, record, operands, [])


def is_window(a: Value) -> bool:
    """Can the array be written, and the memory be read otherwise than as numbers?"""
    if not a.flags.writeable:
        return False
    memory = memory_of(a)
    if issubclass(type(memory), (memoryview, array.array)):
        return not has_numbers(memory)
    return not issubclass(type(memory), np.ndarray)


def come_in(
    versions: Versions,
    y: Value,
    record: Record,
    operands: Sequence[Value],
    origins: tuple[Origin, ...] = (),
) -> Record:
    """The record of a call that gives a number, or something with numbers in it, that was read in
    texts of these origins, or left before.
    """
    has_way = record is not None and record[0] not in _UNKNOWN
    if versions.departed and (not has_way or any(map(shows_memory_of_others, operands))):
        known = versions.departed.of(y) if may_give(operands) else ()
        if known and not all(type(v) is str and _is_literal(v) for v in operands):
            origins = (*origins, *known)
    if not origins:
        return record
    return (pull_read, record, origins, [v for v, _ in _inside(y, True)])


_UNKNOWN = (pull_opaque, pull_swallowed)
"""Ways back that know nothing of what was given."""


def is_of_arrays(fn: Value) -> bool:
    """Is it a method of NumPy's arrays, by which no number leaves or comes in?"""
    owner = getattr(fn, "__objclass__", None) or type(getattr(fn, "__self__", None))
    return issubclass(owner, np.ndarray) and fn.__name__ not in ("dump", "tofile")


def may_give(operands: Sequence[Value]) -> bool:
    """May a number come out of these that has no record: out of text, or what compiled code made?

    >>> [may_give(each) for each in ((), ("1.5",), (["1"],), (np.ones(2), 3), ([1.0],))]
    [True, True, True, False, False]
    """
    return not operands or any(map(_is_foreign, operands))


def _is_foreign(value: Value) -> bool:
    if is_text(value):
        return True
    if issubclass(type(value), _SEQUENCES):
        return any(map(is_text, _items(value)))
    if issubclass(type(value), (np.ndarray, dict)):
        return False
    return has_identity(value)


def _is_literal(text: str) -> bool:
    """Does it stand in the function that is differentiated? Letters are one object everywhere."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and "__astad__" not in frame.f_globals:
        frame = frame.f_back
    if frame is None or len(text) < 2:
        return False
    return any(each is text for each in frame.f_code.co_consts)


def is_read_by_item(versions: Versions, iterable: Value) -> bool:
    """Is it a text that numbers went into, or a buffer?"""
    if type(iterable) is memoryview:
        return not has_numbers(iterable)
    return is_known(versions, iterable)


def is_known(versions: Versions, text: Value) -> bool:
    """Is it a text that numbers went into?"""
    return bool(versions.departed) and id(text) in versions.departed.texts


def elements(versions: Versions, iterable: Value) -> Generator[tuple[Value, Record], None, None]:
    """The letters of a text that numbers went into, the ints of such bytes, what is in a buffer:
    each with its route.
    """
    for each in iterable:
        yield each, element_read(versions, iterable, each)


def element_read(versions: Versions, iterable: Value, each: Value) -> Record:
    """The route of an element of a text or buffer."""
    origins = _origins(versions, (iterable,))
    if not is_text(each):
        return come_in(versions, each, None, (iterable,), origins)
    if origins:
        versions.departed.texts.setdefault(id(each), (each, origins))
    return None


def take_apart(versions: Versions, name: str, wholes: Sequence[Value], x: Value) -> Record:
    """The record of a call that gave the digits of a number, in these tuples."""
    record = leave(versions, name, None, (x,), "")
    if record is not None:
        versions.departed.texts.update((id(each), (each, (record[1],))) for each in wholes)
    return record


def _was_there(y: Value, operands: Sequence[Value]) -> bool:
    """Is it an item of a list, a dict or the like?"""
    return any(any(y is each for each in _items(v)) for v in operands)


def _items(value: Value) -> Iterable[Value]:
    if issubclass(type(value), _SEQUENCES):
        return items_of(value)
    return [item for _, item in pairs_of(value)] if issubclass(type(value), dict) else ()


def _name(fn: Value) -> str:
    name = callable_name(fn)
    if name in _LANGUAGE:
        return _LANGUAGE[name]
    home = getattr(fn, "__module__", None)
    return name if home in (None, "builtins", "_operator") else f"{home.lstrip('_')}.{name}"


_LANGUAGE = {"format_value": "f-string", "join": "f-string", "mod": "%"}


def _may_go_in(value: Value) -> bool:
    """May a number come from this operand into a text?"""
    if type(value) in _MADE_OF_TEXT or is_text(value):
        return False
    if issubclass(type(value), _SEQUENCES):
        return not all(map(is_text, _items(value)))
    return flows(value) or has_identity(value)


_MADE_OF_TEXT = (re.Match, re.Pattern)


def _only_looks(fn: Value) -> bool:
    """Are its whole numbers counts and places in the text, no numbers that stand there?"""
    home = getattr(fn, "__objclass__", None)
    return id(fn) in _ANSWERS or home in TEXTS


def _origins(versions: Versions, operands: Iterable[Value]) -> tuple[Origin, ...]:
    """Where the texts among these come from, and those in lists and the like among them; and what
    was written to the memory of the buffers.
    """
    found: dict[int, Origin] = {}
    for origin in versions.departed.windows:
        if any(exporter(v) is origin.memory for v in operands):
            found[id(origin)] = origin
    for value in operands:
        for one in (value, *_items(value)):
            entry = versions.departed.texts.get(id(one))
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
        if issubclass(type(one), (list, tuple, deque)):
            items = list(items_of(one))
            found.append((one, range(len(items))))
            waiting += items
        elif issubclass(type(one), dict):
            pairs = list(pairs_of(one))
            found.append((one, [key for key, _ in pairs]))
            waiting += [item for _, item in pairs]
        else:
            found.append((one, _ITS_OWN if deep else None))
            if deep and type(own := stored_in(one)) is dict:
                waiting.append(own)
            if issubclass(type(one), BaseException):
                waiting.append(one.args)
            if deep:
                waiting += [held for _, held in slots_of(one)]
    return found


_ITS_OWN = object()
"""The places of an object of which the attributes are listed by themselves."""


def pull_text(
    shadows: Shadows,
    y_bar: Value,
    origin: Origin,
    record: Record,
    operands: tuple[Value, ...],
    inside: list[list[tuple[Value, Value]]],
) -> Cotangents:
    """Back through a call by which numbers left: refused where one of them was read again."""
    bars = None if record is None else record[0](shadows, y_bar, *record[1:])
    refused = shadows.refused_at(origin)
    if refused is None:
        return bars
    known = [bar for bar in bars or () if type(bar) is Refused]
    refused = known[0] if known else refused  # which says more
    for value, places in (pair for each in inside for pair in each):
        _refuse(shadows, value, places, refused)
    return [refused if flows(v) else None for v in operands]


def _refuse(shadows: Shadows, value: Value, places: Value, refused: Refused) -> None:
    value = exporter(value)
    if issubclass(type(value), (list, tuple, deque)):
        for k in places:
            shadows.slot_add(value, k, refused)
    elif issubclass(type(value), dict):
        for key in places:
            shadows.key_add(value, key, refused)
    elif places is _ITS_OWN and not issubclass(type(value), np.ndarray):
        shadows.refuse(value, refused)
        for name, _ in slots_of(value):
            shadows.key_add(value, name, refused)
    elif issubclass(type(value), np.ndarray) or type(stored_in(value)) is dict or slots_of(value):
        shadows.add(value, refused)
    else:
        shadows.refuse(value, refused)


def pull_read(
    shadows: Shadows,
    y_bar: Value,
    record: Record,
    origins: tuple[Origin, ...],
    held: list[Value],
) -> Cotangents:
    """Back through a call that gave a number which had left: a cotangent that came is refused to
    what left.
    """
    if y_bar is not None or any(map(shadows.has, held)):
        _refuse_origins(shadows, origins)
    return None if record is None else record[0](shadows, y_bar, *record[1:])


def pull_found(
    shadows: Shadows, y_bar: Value, record: Record, origins: tuple[Origin, ...], a: Value
) -> Cotangents:
    """Back through a call that made an array of what lies in a file: a cotangent of what nobody has
    written there since.
    """
    found = shadows.read(a)
    if type(found) is Refused or (found is not None and np.any(found)):
        _refuse_origins(shadows, origins)
    return None if record is None else record[0](shadows, y_bar, *record[1:])


def _lost_in_text(origin: Origin) -> Unsupported:
    if origin.in_object:
        return Unsupported(
            origin.made_by,
            f"a number that is read out of an object of {origin.made_by}",
            why="what lies in an object of compiled code carries no derivative",
            instead="read the number from what it was made of, or call astad.dropgrad on it",
        )
    return Unsupported(
        origin.made_by,
        "a number that is read out of the text or the bytes made of it",
        why="text and bytes carry no derivative",
        instead="hand the number on as it is, or call astad.dropgrad on it first",
    )


def _refuse_origins(shadows: Shadows, origins: Iterable[Origin]) -> None:
    for origin in origins:
        error = _lost_in_text(origin)
        shadows.refuse(origin, Refused(error))
        if origin.window is not None:
            shadows.add(origin.window, Refused(error))


# --- formats that round ---------------------------------------------------------------------------


DIGITS = 12
"""With more than these a float is nearly the same number again."""
_SPEC = re.compile(r"[^.{}]*\.(\d+)[eEfFgG%]?")
_FIELD = re.compile(r"(?<!\{)\{([^{}:!]*)(![rsa])?(?::([^{}]*))?\}")
_PERCENT = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\d+)?(?:\.(\d+))?([a-zA-Z])")


def is_rounded(fn: Any, args: Sequence[Any]) -> bool:
    """Whether this call formats each number, none of them an int, with a few digits only."""
    if any(type(each) is int for each in _given(args)):
        return False
    name = getattr(fn, "__name__", "")
    if name in ("format_value", "__format__") or fn is format:
        plain = name != "format_value" or args[1] is None
        return plain and len(args) > 1 and _is_short(args[-1])
    if not args or not issubclass(type(args[0]), str):
        return False
    if fn is operator.mod or name == "__mod__":
        found = _PERCENT.findall(args[0].replace("%%", ""))
        return bool(found) and all(_is_few(digits) and kind in "eEfFgG" for digits, kind in found)
    if name == "format" and "{{" not in args[0]:
        specs = [spec for _, converted, spec in _FIELD.findall(args[0]) if not converted]
        return bool(specs) and all(map(_is_short, specs))
    return False


def _given(args: Sequence[Any]) -> Sequence[Any]:
    return args[1] if len(args) == 2 and issubclass(type(args[1]), tuple) else args


def _is_short(spec: Any) -> bool:
    found = _SPEC.fullmatch(spec) if issubclass(type(spec), str) else None
    return found is not None and _is_few(found[1])


def _is_few(digits: str) -> bool:
    return digits != "" and int(digits) <= DIGITS
