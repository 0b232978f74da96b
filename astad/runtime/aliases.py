"""Whether a result is fresh, or an operand under another name: then both have one shadow and
nothing moves.

>>> a = np.zeros((2, 3))
>>> aliases_any(np.ravel(a), (a,)), aliases_any(np.ravel(a.T), (a,)), aliases_any(a, (a,))
(True, False, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from astad.runtime.owners import Array, owner_of, shows_memory_of_others
from astad.tangents.zero import has_identity

__all__ = ["aliases_any", "fresh_parts", "with_elements"]


def aliases_any(y: Array, operands: Sequence[Any]) -> bool:
    """True if ``y`` is one of the operands or shares its owner; lists of arrays are looked into."""
    if y.base is None:
        for a in operands:
            if a is y or (
                issubclass(type(a), np.ndarray) and a.base is not None and owner_of(a) is y
            ):
                return True
        return any(issubclass(type(a), list | tuple) and aliases_any(y, a) for a in operands)
    owner = owner_of(y)
    for a in operands:
        if issubclass(type(a), np.ndarray):
            if a is owner or (a.base is not None and owner_of(a) is owner):
                return True
        elif issubclass(type(a), list | tuple):
            if aliases_any(y, a):
                return True
        elif a is owner and not shows_memory_of_others(a):
            return True
    return False


def fresh_parts(y: Sequence[Any], operands: Sequence[Any]) -> tuple[bool, ...]:
    """For each part of a tuple or list result whether a cotangent of it must be asked for: numbers,
    fresh arrays, lists of such."""
    if any(issubclass(type(a), np.ndarray) and a.dtype.kind == "O" for a in operands):
        operands = list(with_elements(operands))
    return tuple(_is_fresh(part, operands) for part in y)


def with_elements(operands: Iterable[Any]) -> Iterator[Any]:
    """The operands, and what the lists and the arrays of objects among them hold."""
    for a in operands:
        yield a
        if issubclass(type(a), list | tuple):
            yield from with_elements(a)
        elif issubclass(type(a), np.ndarray) and a.dtype.kind == "O":
            yield from a.flat


def _is_fresh(part: Any, operands: Sequence[Any]) -> bool:
    if issubclass(type(part), np.ndarray):
        return not aliases_any(part, operands)
    if type(part) is list:
        return not any(part is operand for operand in operands)
    return not has_identity(part)
