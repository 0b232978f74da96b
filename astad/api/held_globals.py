"""The globals whose contents a fused function may take as arguments: containers and objects.

A table, a model or a dict of constants under a global name is data like what comes in by an
argument: guarded by what it is made of, read in every call, and never differentiated.

>>> TABLE, limit = [("a", 1.0)], 2.0
>>> def at(i, x):
...     return TABLE[i][1] * x
>>> held_globals(lambda x: at(0, x) * limit)
('TABLE',)
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from astad.api.kinds_of_values import kinds_of, word_of_data
from astad.code_objects import STARRED

__all__ = ["held_globals", "names_read"]

MOST = 8
"""Globals that one function takes."""
DEEPEST = 4
"""Functions in functions whose globals are looked for."""


def held_globals(fn: FunctionType) -> tuple[str, ...]:
    """The names, those that its callees in the same module read with them."""
    code, space = fn.__code__, fn.__globals__
    own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    found: dict[str, None] = {}
    for name in _read(code, space, set(), 0):
        value = space[name]
        if name in own or name in found or not _is_data(value):
            continue
        if kinds_of([value], open_=True, code=code) != ("unknown",):
            found[name] = None
    return tuple(found)[:MOST]


def names_read(fn: FunctionType) -> tuple[str, ...]:
    """Of all globals of its module that it reads, itself or by a callee there."""
    return tuple(dict.fromkeys(_read(fn.__code__, fn.__globals__, set(), 0)))


def _is_data(value: Any) -> bool:
    """A container or an object that is known neither by value nor by kind as it is."""
    if isinstance(value, (type, ModuleType, FunctionType)):
        return False
    return word_of_data(value) == "unknown"


def _read(code: CodeType, space: dict[str, Any], seen: set[int], depth: int) -> Iterator[str]:
    """The names of globals that a function reads, or one that it calls by its name."""
    if depth > DEEPEST or id(code) in seen:
        return
    seen.add(id(code))
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _read(const, space, seen, depth)
    for name in code.co_names:
        if name not in space:
            continue
        value = space[name]
        yield name
        for inner in _functions(value, space):
            yield from _read(inner.__code__, space, seen, depth + 1)


def _functions(value: Any, space: dict[str, Any]) -> Iterator[FunctionType]:
    """The functions of this module that a call of the value, or of its methods, may run."""
    if type(value) is FunctionType:
        found = [value]
    else:
        cls = value if type(value) is type else type(value)
        bases = cls.__mro__ if type(cls) is type else ()
        found = [each for base in bases for each in vars(base).values()
                 if type(each) is FunctionType]  # fmt: skip
    for each in found:
        if each.__globals__ is space and not each.__code__.co_flags & STARRED:
            yield each
