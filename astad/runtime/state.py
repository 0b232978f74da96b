"""Can a function that is run as it is hand out a number that a differentiated program has put
somewhere?
"""

from __future__ import annotations

from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

__all__ = ["reads_state"]

DEPTH = 4


def reads_state(fn: FunctionType, depth: int = DEPTH) -> bool:
    """Whether its text, or that of functions it names, reads a module-level object that can be
    written.

    >>> limits = {"low": 1.0}
    >>> def low():
    ...     return limits["low"]
    >>> low.__globals__["limits"] = limits
    >>> def half():
    ...     return 1 / 2
    >>> reads_state(low), reads_state(half)
    (True, False)
    """
    if depth == 0:
        return True
    return any(_is_state(fn.__globals__.get(name), depth) for name in _names(fn.__code__))


def _names(code: CodeType) -> set[str]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _is_state(found: Any, depth: int) -> bool:
    if type(found) is FunctionType:
        return bool(found.__closure__) or reads_state(found, depth - 1)
    fixed = (
        ModuleType,
        BuiltinFunctionType,
        type,
        str,
        bytes,
        int,
        float,
        complex,
        bool,
        type(None),
        frozenset,
    )
    return not isinstance(found, fixed)
