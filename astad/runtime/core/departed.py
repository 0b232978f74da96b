"""Numbers that have left the program as text, as bytes or into compiled objects, and what is known
of them when a number comes in.

Whatever way it took, by a file, a buffer, an environment variable or another process: a number
that comes in and is one of those that left is taken for it. Nobody asks for that unless a number
has left.

>>> departed = Departed()
>>> departed.note(Origin("str", [1.5, 7], "1.5, 7"))
>>> [origin.made_by for origin in departed.of(-1.5)], departed.of(2.5)
(['str'], [])
>>> [origin.made_by for origin in departed.of({"a": [np.array([2.0, 7.0])]})]
['str']
"""

from __future__ import annotations

import array
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from astad.runtime.cotangents.owners import memory_of, slots_of, stored_in
from astad.tangents.unasked import items_of
from astad.tangents.zero import MADE_BY_CLASS, has_identity, home_of, is_number

__all__ = ["Departed", "Origin", "is_of_user", "keys_of", "numbers_held"]

Box = list[Any]
"""Of an array, as `Versions.keep` gives it; mixed by nature."""


class Origin:
    """A call by which numbers left: its name, the numbers, and the text it made of them if any.

    ``hooked``: a method of the user's may have printed another number than those. ``window``: an
    array in the ``memory`` of a buffer, of which the numbers leave as they are written. They are
    not looked at, but for those of a file: the memory may be gone. ``in_object``: they went into an
    object of the class that was called.
    """

    __slots__ = ("hooked", "in_object", "made_by", "memory", "numbers", "text", "window")

    def __init__(
        self,
        made_by: str,
        numbers: Sequence[Any] = (),
        text: Any = None,
        hooked: bool = False,
        window: Any = None,
    ) -> None:
        self.window = window
        self.memory = None if window is None else exporter(memory_of(window))
        self.made_by = made_by
        self.numbers = numbers
        self.text = text
        self.hooked = hooked
        self.in_object = False


class Departed(list[Origin]):
    """The calls by which numbers left, and an index of the numbers, made when one is looked up.

    Attributes
    ----------
    texts : dict
        Each text that numbers went into, by its id; it is held there, with where it came from.
        There is none before a number has left.
    windows : list of Origin
        Those that are arrays in the memory of buffers.
    """

    __slots__ = ("_indexed", "_keys", "_known", "texts", "windows")
    texts: dict[int, tuple[Any, tuple[Origin, ...]]]
    _indexed: int
    _keys: np.ndarray[Any, Any] | None
    _known: dict[Any, list[Origin]]
    windows: list[Origin]

    def note(self, origin: Origin) -> None:
        if not self:
            self.texts, self._known, self.windows = {}, {}, []
            self._indexed, self._keys = 0, None
        self.append(origin)
        if origin.window is not None:
            self.windows.append(origin)

    def as_now(self) -> Departed:
        """A copy, which stays as it is when more numbers leave."""
        made = Departed()
        for origin in self:
            made.note(origin)
        if self:
            made.texts.update(self.texts)
        return made

    def of(self, y: Any) -> list[Origin]:
        """Where numbers left that are equal to one in ``y``, but for sign."""
        if not self:
            return []
        if self._indexed < len(self):
            self._index()
        found: dict[int, Origin] = {}
        numbers = numbers_held((y,), _plain_box)
        for each in numbers:
            hits = self._in_array(each[0]) if type(each) is list else self._one(each)
            found.update((id(origin), origin) for origin in hits)
        found.update((id(origin), origin) for origin in self._in_files(y, numbers))
        return list(found.values())

    def _in_files(self, y: Any, numbers: list[Any]) -> list[Origin]:
        """Arrays in the memory of files that hold one of these numbers now."""
        own = memory_of(y) if issubclass(type(y), np.ndarray) else None
        windows = [each for each in self.windows if each.memory is not own and _is_of_file(each)]
        if not windows or not numbers:
            return []
        known = np.concatenate(
            [_sizes(each[0] if type(each) is list else each) for each in numbers]
        )
        return [each for each in windows if np.isin(_sizes(each.window), known).any()]

    def _one(self, v: Any) -> list[Origin]:
        return [origin for key in _keys_of(v) for origin in self._known.get(key, ())]

    def _in_array(self, a: Any) -> list[Origin]:
        if self._keys is None:
            self._keys = np.array([float(key) for key in self._known if _is_float(key)])
        parts = (a.real, a.imag) if a.dtype.kind == "c" else (a,)
        met = [np.abs(np.asarray(part, float)).ravel() for part in parts]
        hits = [np.unique(each[np.isin(each, self._keys)]).tolist() for each in met]
        return [origin for key in sum(hits, []) for origin in self._known.get(key, ())]

    def _index(self) -> None:
        for origin in self[self._indexed :]:
            keys: set[Any] = set()
            for v in origin.numbers:
                keys.update(_keys_in_array(v[0]) if type(v) is list else _forms_of(v))
            if origin.text is not None:
                keys.update(_printed(origin, keys))
            for key in keys:
                self._known.setdefault(key, []).append(origin)
        self._indexed = len(self)
        self._keys = None


def exporter(buffer: Any) -> Any:
    """What has the memory that a memoryview shows."""
    try:
        return buffer.obj if type(buffer) is memoryview else buffer
    except ValueError:  # it was released
        return buffer


def _is_of_file(origin: Origin) -> bool:
    """Is it memory of a file that can be looked at, so that another may read the file?"""
    memory: Any = origin.memory
    kind = type(memory)
    return (kind.__module__, kind.__name__) == ("mmap", "mmap") and not memory.closed


def _sizes(v: Any) -> Any:
    """The absolute values of numbers, side by side."""
    if issubclass(type(v), np.ndarray) and v.dtype.kind not in "fciu":
        return np.zeros(0)
    try:
        found = np.asarray(v)
        parts = (found.real, found.imag) if found.dtype.kind == "c" else (found,)
        return np.concatenate([np.abs(np.asarray(part, float)).ravel() for part in parts])
    except (ArithmeticError, TypeError, ValueError):  # an int beyond all floats
        return np.zeros(0)


def _plain_box(a: Any) -> Box:
    return [a]


def _is_float(key: Any) -> bool:
    return type(key) in (float, int) and abs(key) < _LARGE


_LARGE = 2**1000


def keys_of(v: Any) -> set[Any]:
    """The forms by which a number is known again, of an array those of its numbers."""
    return _keys_in_array(v) if issubclass(type(v), np.ndarray) else _forms_of(v)


def _keys_of(v: Any) -> set[Any]:
    """A number without its sign, exactly and as a float: those that are equal have one hash."""
    kind = type(v)
    if kind is float:
        return {abs(v)}
    if issubclass(kind, (complex, np.complexfloating)):
        return {abs(float(v.real)), abs(float(v.imag))}
    try:
        return {v.copy_abs() if kind is Decimal else abs(v), abs(float(v))}
    except (ArithmeticError, TypeError, ValueError):  # an int beyond all floats, Decimal("sNaN")
        return {abs(v)} if issubclass(kind, int) else set()


def _forms_of(v: Any) -> set[Any]:
    """The keys of a number that leaves: rounded to half of its digits too, and as it is printed."""
    keys = _keys_of(v)
    if issubclass(type(v), (int, Fraction, Decimal)):
        return keys
    with np.errstate(all="ignore"):
        keys.update([abs(float(np.float32(key))) for key in keys if type(key) is float])
    if issubclass(type(v), np.floating) and type(v) is not np.float64:
        keys.add(abs(float(str(v))))
    return keys


def _keys_in_array(a: Any) -> set[Any]:
    parts = (a.real, a.imag) if a.dtype.kind == "c" else (a,)
    with np.errstate(all="ignore"):
        met = [np.abs(np.asarray(part, float)).ravel() for part in parts]
        return {key for each in met for as_float in (each, each.astype(np.float32).astype(float))
                for key in as_float.tolist()}  # fmt: skip


_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DIGITS = 1e-4
"""Two numbers that differ by less, of their size, may be one of which a text has fewer digits."""


def _printed(origin: Origin, keys: set[Any]) -> set[float]:
    """The numbers as a text has them, with the digits that were printed."""
    text = origin.text
    if issubclass(type(text), (bytes, bytearray)):
        text = bytes(text).decode("latin-1")
    tokens = {float(each) for each in _NUMBER.findall(str(text))} - keys
    if origin.hooked or not tokens:
        return tokens
    exact = np.sort([float(key) for key in keys if _is_float(key)])
    if not exact.size:
        return set()
    return {t for t in tokens if np.min(np.abs(exact - t)) <= _DIGITS * t}


_NONE = (str, bytes, bytearray, bool, type(None), type, FunctionType)
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_ITEMS = (array.array, list, tuple, set, frozenset, deque, *_VIEWS)


def numbers_held(values: Iterable[Any], keep: Callable[[Any], Box]) -> list[Any]:
    """The numbers among these values and in what they hold now; of arrays what ``keep`` gives.

    >>> numbers_held(([1.5, "a", {"b": (2, None)}], True), _plain_box)
    [2, 1.5]
    """
    found: list[Any] = []
    seen: set[int] = set()
    waiting = list(values)
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind is float or kind is int:
            found.append(one)
        elif kind in _NONE:
            continue
        elif issubclass(kind, np.ndarray):
            if one.dtype.kind == "O":
                waiting += one.ravel().tolist()
            elif one.dtype.names:
                waiting += [one[name] for name in one.dtype.names]
            elif one.dtype.kind in "fciu":
                found.append(keep(one))
        elif is_number(one):
            found.append(one)
        elif kind is memoryview:
            if (memory := exporter(one)) is not one:  # it was not released
                waiting.append(memory)
        elif has_identity(one) and id(one) not in seen:
            seen.add(id(one))
            waiting += held_by(one)
    return found


def held_by(one: Any) -> list[Any]:
    """What a container holds, or an object of a class of the user's."""
    kind = type(one)
    held: list[Any] = list(items_of(one)) if issubclass(kind, _ITEMS) else []
    if issubclass(kind, dict):
        held = [*dict.keys(one), *dict.values(one)]
    elif issubclass(kind, BaseException):
        held = list(one.args)
    elif kind is MethodType:
        return [one.__self__]
    own = stored_in(one) if is_of_user(kind) else None
    if type(own) is dict:
        held += own.values()
    if is_of_user(kind):
        held += [value for _, value in slots_of(one)]
    return held


def is_of_user(kind: type) -> bool:
    """Was the class made by a ``class`` statement, elsewhere than in the standard library?"""
    if not kind.__flags__ & MADE_BY_CLASS:
        return False
    return home_of(kind).partition(".")[0] not in sys.stdlib_module_names
