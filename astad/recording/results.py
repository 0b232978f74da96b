"""The result of a run: its numbers and arrays, and how another like it is built of others.

A list, a dict or an object that the run has made is made anew for each run. What lies outside is
nobody's to hand out but that of texts, whole numbers, functions and classes.

>>> recording = Recording()
>>> x = recording.number(2.0, "x")
>>> y = recording.fresh([x, recording.fresh({"half": recording.number(1.0, "t_1")}), "name"])
>>> result = parted(Outside(recording), y)
>>> result.words, result.paths
(['x', 't_1'], [(('item', 0),), (('item', 1), ('item', 'half'))])
>>> print(result.text)
_1 = {'half': out[1]}
_2 = [out[0], _1, 'name']
return _2
"""

from __future__ import annotations

import collections
import enum
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from astad.recording.outside import FIXED, SAME, Outside, is_made_by_class
from astad.recording.recording import INERT, Recording, is_array
from astad.runtime.cotangents.snapshots import attributes_of

__all__ = ["Build", "Result", "parted"]

Step = tuple[str, Any]
NUMBERS = (float, np.float64, complex, np.complex128)


class Result(NamedTuple):
    """``words`` of the leaves in the text, ``paths`` where they lie, ``text`` of what builds the
    whole of ``out``; None: it is its only leaf.
    """

    words: Sequence[str]
    paths: Sequence[tuple[Step, ...]]
    text: str | None
    is_number: bool


def parted(outside: Outside, y: Any) -> Result:
    """The parts of a result; a refusal where it may not be built anew."""
    recording = outside.recording
    if type(y) in NUMBERS or is_array(y):
        if not recording.is_followed(y):
            recording.refuse("a result that does not depend on the arguments")
        is_number = type(y) in (float, np.float64)
        return Result([recording.word(y)], [()], None, is_number)
    build = Build(outside)
    last = build.word(y, ())
    if not build.follows:
        recording.refuse("a result in which nothing depends on the arguments")
    return Result(build.words, build.paths, "\n".join([*build.lines, f"return {last}"]), False)


class Build:
    """Lines that make containers and objects anew of the numbers and arrays in a tuple, which is
    called ``name``.
    """

    def __init__(self, outside: Outside, name: str = "out") -> None:
        self.outside = outside
        self.name = name
        self.recording: Recording = outside.recording
        self.words: list[str] = []
        self.paths: list[tuple[Step, ...]] = []
        self.lines: list[str] = []
        self.follows = False
        self.made: dict[int, str] = {}
        self._open: set[int] = set()

    def word(self, v: Any, path: tuple[Step, ...]) -> str:
        """How the text that builds the result calls a part of it."""
        if type(v) in NUMBERS or is_array(v):
            return self.leaf(v, path)
        if type(v) in INERT or self._is_same(v):
            short = type(v) in (str, bool, type(None)) and len(repr(v)) < 40
            return repr(v) if short else self.recording.constant(v)
        if id(v) in self._open:
            self.recording.refuse("a result that holds itself")
        if id(v) not in self.made:
            self._open.add(id(v))
            made = self._whole(v, path)
            self._open.discard(id(v))
            name = f"_{len(self.lines) + 1}"
            self.lines.append(f"{name} = {made}")
            self.made[id(v)] = name
            self._fill(v, name, path)
        return self.made[id(v)]

    def leaf(self, v: Any, path: tuple[Step, ...]) -> str:
        if is_array(v) and not self.recording.is_followed(v):
            self.recording.refuse("an array in the result that the run has not computed")
        self.follows = self.follows or self.recording.is_followed(v)
        if is_array(v) and id(v) in self.made:
            return self.made[id(v)]
        self.words.append(self.recording.word(v))
        self.paths.append(path)
        found = f"{self.name}[{len(self.words) - 1}]"
        if is_array(v):
            self.made[id(v)] = found
        return found

    def _is_same(self, v: Any) -> bool:
        """Is it one object for ever, in which no number lies?"""
        if type(v) in FIXED or isinstance(v, enum.Enum):
            return True
        if isinstance(v, SAME) or (type(v) is tuple and all(type(part) in INERT for part in v)):
            is_plain = type(v) is tuple or not getattr(v, "__closure__", None)
            bound_to = getattr(v, "__self__", None)
            is_plain = is_plain and (bound_to is None or isinstance(bound_to, ModuleType))
            return is_plain and self.outside.is_outside(v) and self.outside.place(v).fixed
        return False

    def _whole(self, v: Any, path: tuple[Step, ...]) -> str:
        """An expression for a container or an object, of the words of its parts."""
        kind = type(v)
        if self.outside.is_outside(v):
            self.recording.refuse(f"a {kind.__name__} from outside in the result")
        if kind is list or kind is tuple or kind is collections.deque:
            parts = [self.word(part, (*path, ("item", at))) for at, part in enumerate(v)]
            if kind is collections.deque:
                return f"{self._name(kind)}([{', '.join(parts)}], {v.maxlen!r})"
            text = ", ".join(parts)
            return f"[{text}]" if kind is list else f"({text}{',' if len(parts) == 1 else ''})"
        if kind is dict or kind is collections.OrderedDict:
            pairs = [f"{self._key(k)}: {self.word(v[k], (*path, ('item', k)))}" for k in v]
            text = f"{{{', '.join(pairs)}}}"
            return text if kind is dict else f"{self._name(kind)}({text})"
        if issubclass(kind, tuple) and is_made_by_class(kind) and hasattr(kind, "_fields"):
            parts = [self.word(part, (*path, ("item", at))) for at, part in enumerate(v)]
            if getattr(v, "__dict__", None) or not self._is_plain(kind, tuple):
                self.recording.refuse(f"a {kind.__name__} in the result")
            return f"tuple.__new__({self._name(kind)}, ({', '.join(parts)},))"
        if not self._is_plain(kind, object):
            self.recording.refuse(f"a {kind.__name__} in the result")
        return f"object.__new__({self._name(kind)})"

    def _is_plain(self, kind: type, base: type) -> bool:
        """Are its objects made by ``base``, with nothing that compiled code adds to them?"""
        if id(kind) in self.recording.made or hasattr(kind, "__del__"):
            return False
        return all(is_made_by_class(each) or each in (base, object) for each in kind.__mro__)

    def _name(self, kind: type) -> str:
        if is_made_by_class(kind):
            place = self.outside.place(kind)
            self.recording.require(f"{place.head}.__mro__ is {self._constant(kind.__mro__)}")
        return self._constant(kind)

    def _constant(self, v: Any) -> str:
        return self.recording.constant(v)

    def _key(self, key: Any) -> str:
        if type(key) is str and len(key) < 40:
            return repr(key)
        is_plain = type(key) is tuple and all(type(part) in INERT for part in key)
        if type(key) not in INERT and not is_plain and not self._is_same(key):
            self.recording.refuse(f"a {type(key).__name__} as a key in the result")
        return self._constant(key)

    def _fill(self, v: Any, name: str, path: tuple[Step, ...]) -> None:
        """The attributes of an object, which is there already."""
        if isinstance(v, (tuple, list, dict, collections.deque)):
            return
        self._open.add(id(v))
        for attribute, (store, key, part) in attributes_of(v).items():
            word = self.word(part, (*path, ("attribute", attribute)))
            if type(store) is dict and type(key) is str:
                self.lines.append(f"{name}.__dict__[{key!r}] = {word}")
            elif hasattr(type(v), key):
                self.lines.append(f"object.__setattr__({name}, {key!r}, {word})")
            else:
                self.recording.refuse(f"the slot {key} of a {type(v).__name__} in the result")
        self._open.discard(id(v))
