"""Iterators that show nothing of what they do: cursors, parsers, readers, generators begun before.

What one hands out is a constant where no number of the program can lie in it: none has left the
program, and all that the iterator holds is of Python's own types and free of numbers and of
functions that could look some up.

>>> import csv
>>> holds_no_number(csv.reader(["1.5,2"])), holds_no_number(iter([2.5]))
(True, False)
"""

from __future__ import annotations

import array
import functools
import gc
import sys
from collections.abc import Generator
from enum import EnumType
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CodeType,
    CoroutineType,
    FunctionType,
    GeneratorType,
    ModuleType,
)

from astad.errors import Unsupported
from astad.runtime.core.departed import Departed
from astad.runtime.core.full_rules import Cotangents, Record, Value, has_arrived, opaque
from astad.runtime.core.listings import member_record
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.refused import Refused
from astad.tangents.unasked import callable_name
from astad.tangents.zero import home_of

__all__ = ["came_from", "holds_no_number", "unknown_steps"]

MOST = 100_000
"""Objects that are looked at; an iterator that holds more may hold a number."""
_LEAVES = (str, bytes, bytearray, int, type(None), type(...), type, ModuleType, CodeType)
_HIDING = (array.array, memoryview, GeneratorType, CoroutineType, AsyncGeneratorType)
"""Types of Python's own that do not show all numbers they may hold; those of ctypes neither."""
_PLAIN = ("object", "_lru_list_elem")
_COLLECTED = 1 << 14
"""The flag of a type that tells the garbage collector what its objects hold."""


BEGUN_BEFORE = (
    "it was begun before the differentiation, so that nothing it does is recorded, and what it "
    "reads may depend on anything",
    "begin the generator inside the function, or, if what it hands out is data, call "
    "astad.dropgrad on that",
)
"""Why a value of a generator has no derivative, and what to do."""
_FOREIGN = (
    "a value that a foreign iterator hands out has no visible way back",
    "iterate over a list, or, if its elements are data, call astad.dropgrad on them",
)


def unknown_steps(
    versions: Versions, iterator: Value
) -> Generator[tuple[Value, Record], None, None]:
    """The elements, each with its route."""
    name = callable_name(iterator)
    free = not versions.made_of and holds_no_number(iterator)
    reasons = BEGUN_BEFORE if issubclass(type(iterator), GeneratorType) else _FOREIGN
    for v in iterator:
        if issubclass(type(type(v)), EnumType):
            yield v, member_record(v)
        elif free:
            yield v, came_from(versions, v)
        else:
            yield v, opaque(f"an element of {name}", v, None, *reasons)


def came_from(versions: Versions, y: Value) -> Record:
    """The record of what an object gave that holds no number of the program's: it may have come
    from any that has left before.
    """
    if not versions.departed or opaque("", y) is None:
        return None
    return (pull_came_from, y, versions.departed, len(versions.departed))


def pull_came_from(
    shadows: Shadows, y_bar: Value, y: Value, departed: Departed, n: int
) -> Cotangents:
    """A cotangent that has come is refused to what had left."""
    if y_bar is None and not has_arrived(shadows, y):
        return None
    for origin in departed[:n]:
        error = Unsupported(
            origin.made_by,
            "a derivative through what it was given",
            why="what comes out of this object later is not recorded, and may depend on it",
            instead="keep the numbers in a list, a dict or an array, or call astad.dropgrad first",
        )
        shadows.refuse(origin, Refused(error))
    return None


def holds_no_number(holder: Value) -> bool:
    """Whether all that can be reached from it can be looked at, and no float is there, nor code of
    the program's.
    """
    seen: dict[int, Value] = {}
    waiting = [holder]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if id(one) in seen or issubclass(kind, _LEAVES) or kind.__name__ in _PLAIN:
            continue
        if len(seen) == MOST or not _shows_all(kind) or _is_code(one):
            return False
        seen[id(one)] = one
        if kind is BuiltinFunctionType:
            waiting.append(one.__self__)
        elif kind is not FunctionType:
            waiting += gc.get_referents(one)
    connections = [v for v in seen.values() if _is_connection(type(v))]
    return not any(map(_has_functions, connections))


def _is_connection(kind: type) -> bool:
    return any((each.__module__, each.__name__) == ("sqlite3", "Connection")
               for each in kind.__mro__)  # fmt: skip


def _shows_all(kind: type) -> bool:
    """Does the garbage collector see what objects of this type hold, and is the type Python's?"""
    if not kind.__flags__ & _COLLECTED or issubclass(kind, _HIDING):
        return False
    return type(kind).__module__ != "_ctypes" and _is_of_python(home_of(kind))


def _has_functions(one: Value) -> bool:
    """Does a connection of sqlite3 call functions of the program's? It does not show them."""
    sqlite3 = sys.modules["sqlite3"]
    if any(map(_is_code, sqlite3.converters.values())):
        return True
    try:
        return bool(_functions_of(sqlite3.Cursor(one)) - _functions_of_sqlite())
    except sqlite3.Error:
        return True


def _functions_of(cursor: Value) -> set[Value]:
    cursor.row_factory = None
    return set(cursor.execute("select * from pragma_function_list"))


@functools.cache
def _functions_of_sqlite() -> set[Value]:
    connection = sys.modules["sqlite3"].connect(":memory:")
    found = _functions_of(connection.cursor())
    connection.close()
    return found


def _is_code(what: Value) -> bool:
    """Is it a function of the program's?"""
    return type(what) is FunctionType and not _is_of_python(what.__module__)


def _is_of_python(module: object) -> bool:
    return type(module) is str and module.partition(".")[0] in _OWN


_OWN = sys.stdlib_module_names - {"__main__"}
