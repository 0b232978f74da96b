"""A list or dict that is an argument, and is reached by a global or a captured variable as well.

The derivative by the argument is the total then, which a pair tells; a fused text takes what it
reads elsewhere for constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from astad.api.held_globals import names_read
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["where_apart"]


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
