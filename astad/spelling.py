"""Constants as text, whole numbers of any length too.

>>> spelled(-2.0), spelled((1, "a")), len(spelled(10**5000))
('-2.0', "(1, 'a')", 4155)
"""

from __future__ import annotations

__all__ = ["spelled"]

_LONG = 2000
"""Bits. Python refuses decimals of more than 4,300 digits, or of 640 where it is told so."""


def spelled(value: object) -> str:
    """As `repr`; long ints in hexadecimal, for which Python has no limit."""
    if type(value) is int:
        return repr(value) if -(1 << _LONG) < value < 1 << _LONG else hex(value)
    if type(value) is tuple:
        return f"({', '.join(map(spelled, value))}{',' * (len(value) == 1)})"
    return repr(value)
