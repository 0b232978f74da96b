"""Words for what arguments are, as `compiler/ir/containers.py` reads them.

Nothing of the compiler is imported: a warm process asks this too.

>>> kinds_of([2.0, {"w": np.zeros((2, 2)), "on": True}, [1.0, "text"], {2.0}])
('float', "{'w': ndarray2, 'on': True}", '[float, inert]', 'unknown')
>>> kinds_of([{("N", 1): 2.0, None: 3}])
("{('N', 1): float, None: int}",)
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from keyword import iskeyword
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy import ufunc

from astad.rules.in_force import module_named
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.guarded import (
    FLOATS,
    INERT_TYPES,
    INTS,
    NUMBERS,
    REALS,
    apart,
    bool_,
    float64,
    int64,
)
from astad.spelling import is_key, spelled
from astad.tangents.unasked import has_in_class, lookup_in_class
from astad.tangents.zero import MADE_BY_CLASS, has_identity, home_of

__all__ = ["kinds_of", "may_change", "open_word", "word_of", "word_of_data", "word_of_function"]

_WHOLE = {int64.char: "ints{}", bool_.char: "bools{}"}
MOST = 16
"""Parts of a container at one level; a longer one is a collection, not a structure."""
MOST_LEAVES = 64
WIDE = 256
"""The same of both for a text that has no loops, and that has the parts by their places."""
LONG = 1000
"""Items of a list among the globals, rows included."""
WIDEST = 16
"""Parts of a tuple, one of many, that are told each for itself."""
DEEPEST = 5
LONGEST = 40
"""Letters of a string that is told by its value."""


def kinds_of(
    values: Sequence[Any],
    whole: Collection[int] = (),
    *,
    tied: bool = False,
    open_: bool = False,
    code: CodeType | None = None,
    wide: bool = False,
) -> tuple[str, ...]:
    """A word for each; ``whole`` are the places of containers that are not looked into, ``tied``
    tells that one object may come in several places of them, ``open_`` that the length of a list
    of numbers need not be told. Strings in containers that ``code`` names stand for themselves.
    ``wide``: containers may have more parts.

    >>> kinds_of([{"kind": "dense", "name": "first"}], code=(lambda p: p == "dense").__code__)
    ("{'kind': 'dense', 'name': inert}",)
    """
    found = []
    for at, value in enumerate(values):
        word = "None" if value is None else word_of(value)
        if type(value) is np.ndarray and value.ndim > 0 and word == "unknown":
            word = _WHOLE.get(value.dtype.char, word).format(value.ndim)
        if word == "unknown" and at not in whole:
            word = _Structure(open_, code, wide).word(value, tied)
        if word == "unknown" and open_:
            word = open_word(value)
        if word == "unknown" and open_:
            word = word_of_function(value)
        found.append(word)
    return tuple(found)


def may_change(word: str) -> bool:
    """Is it the word of a container that somebody may write, or of a tuple with such in it?

    >>> may_change("[float]"), may_change("(float, ndarray1)"), may_change("({'a': int},)")
    (True, False, True)
    """
    return any(mark in word for mark in ("[", "{", "object("))


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


def open_word(value: Any) -> str:
    """The word of a list or tuple of numbers, or of rows of numbers, whatever its length.

    >>> open_word([1.0, 2.0]), open_word((1, 2.0)), open_word([True])
    ('[float, ...]', '(real, ...)', 'unknown')
    >>> open_word([[1.0], [2.0, 3.0]]), open_word([(0, 1), (1, 2)]), open_word([(0, 1.5)])
    ('[[float, ...], ...]', '[(int, ...), ...]', '[(int, float), ...]')
    """
    kind = type(value)
    if kind is not list and kind is not tuple:
        return "unknown"
    word = _word_of_items(value, 0)
    if word == "unknown":
        return word
    return f"[{word}, ...]" if kind is list else f"({word}, ...)"


def word_of_data(value: Any) -> str:
    """The word of one of the user's globals; a long list takes too long to be looked through in
    every call.

    >>> word_of_data(2.0), word_of_data([1.0, 2.0]), word_of_data([0.0] * 5000)
    ('float', '[float, ...]', 'unknown')
    """
    if type(value) not in (list, tuple):
        return word_of(value)
    rows = [row for row in value if type(row) in (list, tuple)]
    is_long = len(value) + sum(map(len, rows)) > LONG
    return "unknown" if is_long else open_word(value)


def _word_of_items(values: Sequence[Any], depth: int) -> str:
    types = {*map(type, values)}
    if types <= NUMBERS:
        word = "float" if types <= FLOATS else "int" if types <= INTS else "real"
        return word if types else "unknown"
    if depth > DEEPEST or (types != {list} and types != {tuple}):
        return "unknown"
    if types == {tuple} and (mixed := _mixed(values)):
        return mixed
    word = _word_of_items([item for row in values for item in row], depth + 1)
    if word == "unknown":
        return word
    return f"[{word}, ...]" if types == {list} else f"({word}, ...)"


def _mixed(rows: Sequence[tuple[Any, ...]]) -> str:
    """Of tuples of ints and floats, if all have the same in the same places."""
    first = tuple(map(type, rows[0]))
    if {*first} != {int, float} or len(first) > WIDEST:
        return ""
    if any(tuple(map(type, row)) != first for row in rows):
        return ""
    return f"({', '.join(part.__name__ for part in first)})"


class _Unknown(Exception):
    """Something in a container has no kind."""


class _Structure:
    """The word of one container; what its guard compares for identity is collected on the way."""

    def __init__(
        self, open_: bool = False, code: CodeType | None = None, wide: bool = False
    ) -> None:
        self.open = open_
        self.most, self.most_leaves = (WIDE, WIDE) if wide else (MOST, MOST_LEAVES)
        self.named = frozenset() if code is None else _strings_in(code)
        self.leaves = 0
        self.owners: list[Any] = []

    def word(self, value: Any, tied: bool) -> str:
        try:
            text = self._container(value, 0)
        except _Unknown:
            return "unknown"
        return text if tied or apart(*self.owners[1:]) else "unknown"

    def _part(self, value: Any, depth: int) -> str:
        if value is None or value is True or value is False:
            return repr(value)
        if type(value) is str and value in self.named:
            return repr(value)
        word = word_of(value)
        if self.open and word == "unknown" and type(value) in (list, tuple) and len(value) > MOST:
            word = open_word(value)
            self.owners.append(value)
        if word == "unknown":
            return self._container(value, depth)
        self.leaves += 1
        if self.leaves > self.most_leaves:
            raise _Unknown
        if word.startswith("ndarray"):
            self.owners.append(value)
        return word

    def _container(self, value: Any, depth: int) -> str:
        kind, store = type(value), value
        if kind not in (dict, list, tuple):
            store = _fields(value) if issubclass(kind, (dict, list, tuple)) else _attributes(value)
        if len(store) > (self.most if kind is dict else MOST) or depth > DEEPEST:
            raise _Unknown
        items = list(store.values() if issubclass(type(store), dict) else store)
        if not depth or (items and not any(word_of(item)[:7] == "ndarray" for item in items)):
            self.owners.append(value)
        parts = [self._part(item, depth + 1) for item in items]
        if issubclass(type(value), dict):
            return _of_dict(value, parts)
        if kind is list:
            return f"[{', '.join(parts)}]"
        if kind is tuple:
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        if issubclass(type(value), tuple):
            return _of_namedtuple(value, parts)
        return _named("object", kind, store, parts)


def word_of_function(value: Any) -> str:
    """The word of a function that its module has under its own name, and that captures nothing.

    >>> import math
    >>> word_of_function(math.sin), word_of_function(lambda x: x)
    ("function('math:sin')", 'unknown')
    >>> word_of_function(np.add), word_of_function(np.linalg.norm)
    ("function('numpy:add')", "function('numpy.linalg:norm')")
    """
    kind = type(value)
    if kind is FunctionType and value.__closure__:
        return "unknown"
    if kind is ufunc:
        homes: tuple[str, ...] = UFUNCS
        name = value.__name__
    elif kind in (FunctionType, BuiltinFunctionType, DISPATCHED):
        homes, name = (str(value.__module__),), value.__qualname__
    else:
        return "unknown"
    for module in homes if name.isidentifier() else ():
        home = module_named(module)
        if home is not None and vars(home).get(name) is value:
            return f"function('{module}:{name}')"
    return "unknown"


UFUNCS = ("numpy", "scipy.special")
"""Modules that have ufuncs, which do not say where they are found."""
DISPATCHED = type(np.sum)
"""Of NumPy's functions that look for ``__array_function__``."""


_strings: WeakKeyDictionary[CodeType, frozenset[str]] = WeakKeyDictionary()


def _strings_in(code: CodeType) -> frozenset[str]:
    """The short strings that a function's text holds, those of its inner functions with them."""
    found = _strings.get(code)
    if found is None:
        found = _strings[code] = _search_strings(code)
    return found


def _search_strings(code: CodeType) -> frozenset[str]:
    groups = [each for each in code.co_consts if type(each) in (tuple, frozenset)]
    words = {each for group in (code.co_consts, *groups) for each in group if type(each) is str}
    inner = [_strings_in(each) for each in code.co_consts if isinstance(each, CodeType)]
    return frozenset(word for word in words.union(*inner) if len(word) <= LONGEST)


def _of_dict(value: dict[Any, Any], parts: Iterable[str]) -> str:
    if type(value) is not dict or not all(map(is_key, value)):
        raise _Unknown
    return (
        "{"
        + ", ".join(f"{spelled(key)}: {part}" for key, part in zip(value, parts, strict=True))
        + "}"
    )


def _fields(value: Any) -> tuple[Any, ...]:
    """Of a class derived from tuple what it holds, without asking its methods; not of others."""
    if not issubclass(type(value), tuple):
        raise _Unknown  # the user's ``__len__`` may not be ready to be asked
    return tuple.__getitem__(value, slice(None))


def _of_namedtuple(value: Any, parts: Iterable[str]) -> str:
    """Of a class that its module knows, whose fields are what ``collections.namedtuple`` made."""
    cls = type(value)
    fields = lookup_in_class(cls, "_fields")
    if type(fields) is not tuple or len(fields) != len(value) or not _is_found(cls):
        raise _Unknown
    usual = (_static(cls, name) is _static(tuple, name) for name in _OF_TUPLES)
    if not all(usual) or any(
        type(_static(cls, name)).__name__ != "_tuplegetter" for name in fields
    ):
        raise _Unknown
    return _named("namedtuple", cls, fields, parts)


def _named(tag: str, cls: type, names: Iterable[str], parts: Iterable[str]) -> str:
    named = "".join(f", {name}={part}" for name, part in zip(names, parts, strict=True))
    return f"{tag}('{cls.__module__}:{cls.__qualname__}'{named})"


def _attributes(value: Any) -> dict[str, Any]:
    """Of an object of the user's, all of whose attributes are its own and plainly stored."""
    cls = type(value)
    library = home_of(cls).partition(".")[0]
    if library in sys.stdlib_module_names or not has_identity(value) or library == "numpy":
        raise _Unknown
    store = stored_in(value)
    usual = vars(object)["__getattribute__"] is _static(cls, "__getattribute__")
    if (
        type(store) is not dict
        or not usual
        or issubclass(type(value), np.ndarray)
        or not _is_found(cls)
    ):
        raise _Unknown
    if any(vars(base).get("__slots__") for base in cls.__mro__):
        raise _Unknown
    if not all(_is_plain_name(name) and _is_stored(cls, name) for name in store):
        raise _Unknown
    return store


def _is_plain_name(name: Any) -> bool:
    return type(name) is str and name.isidentifier() and not iskeyword(name)


def _is_stored(cls: type, name: str) -> bool:
    """Is the attribute what the object holds under its name, and no property? An object of a class
    of the user's, which the class holds under it, may become one.
    """
    kind = type(_static(cls, name))
    if kind.__flags__ & MADE_BY_CLASS:
        return False
    return not has_in_class(kind, "__set__") and not has_in_class(kind, "__delete__")


_OF_TUPLES = ("__iter__", "__getitem__", "__len__", "__getattribute__", "__contains__")


def _static(cls: type, name: str) -> Any:
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def _is_found(cls: type) -> bool:
    """Is the class what its module has under its name, so that another process can find it?"""
    found: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls
