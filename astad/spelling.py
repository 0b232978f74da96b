"""Constants as text, whole numbers of any length too.

>>> spelled(-2.0), spelled((1, "a")), len(spelled(10**5000))
('-2.0', "(1, 'a')", 4155)
"""

from __future__ import annotations

import math
from typing import TypeGuard

__all__ = ["Key", "has_literal", "is_key", "spelled"]

Key = str | int | float | None | tuple["Key", ...]
"""Of a dict that a text takes apart."""

_LONG = 2000
"""Bits. Python refuses decimals of more than 4,300 digits, or of 640 where it is told so."""


def has_literal(value: object) -> bool:
    """Is it a constant that a text of it gives again, in every process?

    >>> [has_literal(value) for value in [(0, ("N", None)), b"b", 1e400, (1, max)]]
    [True, True, False, False]
    """
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(has_literal, value))
    if isinstance(value, float):
        return type(value) is float and math.isfinite(value)
    return type(value) in _LITERALS


def is_key(value: object) -> TypeGuard[Key]:
    """May a text take apart a dict with such a key? It is told by its value: 0.0 equals -0.0.

    >>> is_key(("N", (-1, None))), is_key(0.5), is_key(0.0), is_key(b"N")
    (True, True, False, False)
    """
    if isinstance(value, tuple):
        return type(value) is tuple and len(value) <= _LONGEST and all(map(is_key, value))
    if isinstance(value, float) and not value:
        return False
    return has_literal(value) and type(value) is not bytes


_LONGEST = 16
"""Parts of a key."""
_LITERALS = (str, int, bool, bytes, type(None))


def spelled(value: object) -> str:
    """As `repr`; long ints in hexadecimal, for which Python has no limit."""
    if type(value) is int:
        return repr(value) if -(1 << _LONG) < value < 1 << _LONG else hex(value)
    if type(value) is tuple:
        return f"({', '.join(map(spelled, value))}{',' * (len(value) == 1)})"
    return repr(value)
