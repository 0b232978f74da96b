"""The globals whose contents a fused function may take as arguments: containers and objects.

A table, a model or a dict of constants under a global name is data like what comes in by an
argument: guarded by what it is made of, read in every call, and never differentiated.

>>> TABLE, limit = [("a", 1.0)], 2.0
>>> def at(i, x):
...     return TABLE[i][1] * x
>>> held_globals(lambda x: at(0, x) * limit)
('TABLE',)

A list or dict that is an argument, and is reached by a global or a captured variable as well.

The derivative by the argument is the total then, which a pair tells; a fused text takes what it
reads elsewhere for constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

from astad.api.variants.kinds_of_values import kinds_of, word_of_data
from astad.code_objects import STARRED, own_names
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["held_globals", "names_read", "where_apart"]

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
    for name in own_names(code):
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


# --- what is an argument and a global -------------------------------------------------------------


def where_apart(
    fn: FunctionType, run: Callable[..., Any], args: Sequence[Any], wanted: Sequence[int]
) -> Callable[..., Any]:
    """``run``, but for arguments that are also reached otherwise: there it gives NotImplemented.

    >>> TABLE = [1.0, 2.0]
    >>> def f(x, a):
    ...     return x * TABLE[0] + a[0]
    >>> run = where_apart(f, lambda x, a: "fused", (1.0, [2.0]), (0, 1))
    >>> run(1.0, [2.0]), run(1.0, TABLE)
    ('fused', NotImplemented)
    """
    count = fn.__code__.co_argcount
    if not any(_containers(args[at]) for at in wanted):
        return run
    read = _places(fn, args[count:])
    if not any(_containers(space[name]) for space, name in read) and not any(
        map(_containers, args[count:])
    ):
        return run

    def apart(*given: Any) -> Any:
        own = {each for at in wanted for each in _containers(given[at])}
        others = (*given[count:], *[space.get(name) for space, name in read])
        if any(not own.isdisjoint(_containers(other)) for other in others):
            return NotImplemented
        return run(*given)

    return apart


def _places(fn: FunctionType, captured: Sequence[Any]) -> list[tuple[dict[str, Any], str]]:
    """Where the globals lie that a function reads, or one that it has captured."""
    found = [(fn.__globals__, name) for name in names_read(fn)]
    for each in captured:
        if type(each) is FunctionType:
            found += [(each.__globals__, name) for name in names_read(each)]
    return [(space, name) for space, name in found if _containers(space[name])]


def _containers(v: Any, depth: int = 3) -> list[int]:
    """The lists and dicts in a value, by number; of an object those of its attributes."""
    if type(v) not in _KINDS:
        parts = list(getattr(v, "__dict__", {}).values()) if _is_object(v) else []
    elif type(v) is dict:
        parts = list(v.values())
    else:
        parts = list(v)
    found = [id(v)] if type(v) in (list, dict) else []
    if not depth or not any(kind in _KINDS or _is_made(kind) for kind in {*map(type, parts)}):
        return found  # numbers alone, as a rule
    for part in parts:
        if type(part) in _KINDS or _is_object(part):
            found += _containers(part, depth - 1)
    return found


def _is_object(v: Any) -> bool:
    return _is_made(type(v)) and not isinstance(v, type)


def _is_made(kind: type) -> bool:
    return kind.__flags__ & MADE_BY_CLASS != 0


_KINDS = (list, dict, tuple)
