"""Whether a result is fresh, or an operand under another name: then both have one shadow and
nothing moves.

>>> a = np.zeros((2, 3))
>>> aliases_any(np.ravel(a), (a,)), aliases_any(np.ravel(a.T), (a,)), aliases_any(a, (a,))
(True, False, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from astad.runtime.owners import Array, owner_of
from astad.tangents.zero import has_identity

__all__ = ["aliases_any", "fresh_parts"]


def aliases_any(y: Array, operands: Sequence[object]) -> bool:
    """True if ``y`` is one of the operands or shares its owner; lists of arrays are looked into."""
    if y.base is None:
        for a in operands:
            if a is y or (isinstance(a, np.ndarray) and a.base is not None and owner_of(a) is y):
                return True
        return any(isinstance(a, list | tuple) and aliases_any(y, a) for a in operands)
    owner = owner_of(y)
    for a in operands:
        if isinstance(a, np.ndarray):
            if a is owner or (a.base is not None and owner_of(a) is owner):
                return True
        elif isinstance(a, list | tuple) and aliases_any(y, a) or a is owner:
            return True
    return False


def fresh_parts(y: Sequence[Any], operands: Sequence[object]) -> tuple[bool, ...]:
    """For each part of a tuple or list result whether a cotangent of it must be asked for: numbers,
    fresh arrays, lists of such."""
    return tuple(_is_fresh(part, operands) for part in y)


def _is_fresh(part: object, operands: Sequence[object]) -> bool:
    if isinstance(part, np.ndarray):
        return not aliases_any(part, operands)
    if type(part) is list:
        return not any(part is operand for operand in operands)
    return not has_identity(part)
