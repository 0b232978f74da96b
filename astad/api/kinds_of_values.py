"""Words for what arguments are, as `compiler/ir/containers.py` reads them.

Nothing of the compiler is imported: a warm process asks this too.

>>> kinds_of([2.0, {"w": np.zeros((2, 2)), "on": True}, [1.0, "text"], {2.0}])
('float', "{'w': ndarray2, 'on': True}", '[float, inert]', 'unknown')
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from astad.runtime.guarded import INERT_TYPES, REALS, apart, float64

__all__ = ["kinds_of", "word_of"]

MOST = 16
"""Parts of a container at one level; a longer one is a collection, not a structure."""
MOST_LEAVES = 64
DEEPEST = 5


def kinds_of(values: Sequence[Any], whole: Collection[int] = ()) -> tuple[str, ...]:
    """A word for each; ``whole`` are the places of containers that are not looked into."""
    found = []
    for at, value in enumerate(values):
        word = word_of(value)
        if word == "unknown" and at not in whole and isinstance(value, dict | list | tuple):
            word = _Structure().word(value)
        found.append(word)
    return tuple(found)


def word_of(value: Any) -> str:
    """The word for the kind of a value that is no container."""
    kind = type(value)
    if kind is float or kind is int:
        return kind.__name__
    if kind in REALS:
        return "real"
    if kind is np.ndarray and value.dtype is float64 and value.ndim > 0:
        return f"ndarray{value.ndim}"
    return "inert" if kind in INERT_TYPES else "unknown"


class _Unknown(Exception):
    """Something in a container has no kind."""


class _Structure:
    """The word of one container; what its guard compares for identity is collected on the way."""

    def __init__(self) -> None:
        self.leaves = 0
        self.owners: list[Any] = []

    def word(self, value: Any) -> str:
        try:
            text = self._container(value, 0)
        except _Unknown:
            return "unknown"
        return text if apart(*self.owners[1:]) else "unknown"

    def _part(self, value: Any, depth: int) -> str:
        if value is None or value is True or value is False:
            return repr(value)
        word = word_of(value)
        if word == "unknown":
            return self._container(value, depth)
        self.leaves += 1
        if self.leaves > MOST_LEAVES:
            raise _Unknown
        if word.startswith("ndarray"):
            self.owners.append(value)
        return word

    def _container(self, value: Any, depth: int) -> str:
        kind = type(value)
        if not isinstance(value, dict | list | tuple) or len(value) > MOST or depth > DEEPEST:
            raise _Unknown
        items = list(value.values() if isinstance(value, dict) else value)
        if not depth or (items and not any(word_of(item)[:7] == "ndarray" for item in items)):
            self.owners.append(value)
        parts = [self._part(item, depth + 1) for item in items]
        if isinstance(value, dict):
            return _of_dict(value, parts)
        if kind is list:
            return f"[{', '.join(parts)}]"
        if kind is tuple:
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        return _of_namedtuple(value, parts)


def _of_dict(value: dict[Any, Any], parts: Iterable[str]) -> str:
    if type(value) is not dict or not {*map(type, value)} <= {str, int}:
        raise _Unknown
    return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(value, parts, strict=True)) + "}"


def _of_namedtuple(value: Any, parts: Iterable[str]) -> str:
    """Of a class that its module knows, whose fields are what ``collections.namedtuple`` made."""
    cls = type(value)
    fields = getattr(cls, "_fields", None)
    if type(fields) is not tuple or len(fields) != len(value) or not _is_found(cls):
        raise _Unknown
    usual = (getattr(cls, name) is getattr(tuple, name) for name in _OF_TUPLES)
    if not all(usual) or any(
        type(_static(cls, name)).__name__ != "_tuplegetter" for name in fields
    ):
        raise _Unknown
    named = "".join(f", {name}={part}" for name, part in zip(fields, parts, strict=True))
    return f"namedtuple('{cls.__module__}:{cls.__qualname__}'{named})"


_OF_TUPLES = ("__iter__", "__getitem__", "__len__", "__getattribute__", "__contains__")


def _static(cls: type, name: str) -> Any:
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def _is_found(cls: type) -> bool:
    """Is the class what its module has under its name, so that another process can find it?"""
    found: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls
