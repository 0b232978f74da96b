"""What the guards of generated variants compare with."""

from __future__ import annotations

from types import NoneType

from numpy import dtype, may_share_memory, ndarray
from numpy import float64 as _float64

__all__ = ["INERT_TYPES", "REALS", "are_apart", "float64", "ndarray"]

REALS = frozenset({_float64})
INERT_TYPES = frozenset({NoneType, str, bool, bytes})
float64 = dtype(_float64)


def are_apart(a: ndarray, b: ndarray) -> bool:
    """Is it certain that no write to one is seen in the other?

    >>> a = ndarray(3)
    >>> are_apart(a, ndarray(3)), are_apart(a, a), are_apart(a, a[1:])
    (True, False, False)
    """
    if a.base is None and b.base is None:
        return a is not b
    return not may_share_memory(a, b)
