"""Cotangents of functions of numbers alone, as they are written out where every operand is a
number: the rules of the same functions take lists, arrays, or any count of operands as well.

>>> parts_of(max, 2)[0]
'0.0 if b > a else y_bar if a != b else 0.5 * y_bar'
>>> parts_of(max, 1) is None
True
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from astad.rules.in_force import cotangent_of, value_of
from astad.rules.numpy.choosing import chosen, kept, lowered, raised
from astad.rules.python.math import (
    log_base_slope,
    log_slope,
    part_along_length,
    part_of_length,
)

__all__ = [
    "NAMES", "chosen", "cotangent_of", "kept", "log_base_slope", "log_slope", "lowered",
    "part_along_length", "part_of_length", "parts_of", "raised", "share",
]  # fmt: skip

NAMES = "abcdefgh"
"""What formulas call the operands, in their order."""


def parts_of(fn: Any, count: int, *, along: bool = False) -> tuple[str, ...] | None:
    """For each of so many numbers its cotangent as a formula of them, ``y`` and ``y_bar``; None
    where there is no such form. ``along``: ``y_bar`` is the number's tangent, the formula its share
    of that of ``y``.
    """
    found = _ALONG.get(id(fn)) if along else None
    found = found or _FORMS.get(id(fn))
    return found(count) if found is not None and count <= len(NAMES) else None


def share(y_bar: Any, place: int, fn: Callable[..., Any], *operands: Any) -> Any:
    """Of `max` or `min`: equal numbers get the same share.

    >>> share(1.0, 2, max, 3.0, 1.0, 3.0)
    0.5
    """
    first = fn(range(len(operands)), key=operands.__getitem__)
    y = operands[first]
    ties = [at for at, value in enumerate(operands) if at == first or value == y]
    return y_bar / len(ties) if place in ties else 0.0


def _extreme(name: str, further: str, count: int) -> tuple[str, ...] | None:
    if count < 2:
        return None
    if count == 2:
        return (
            f"0.0 if b {further} a else y_bar if a != b else 0.5 * y_bar",
            f"y_bar if b {further} a else 0.5 * y_bar if a == b else 0.0",
        )
    names = NAMES[:count]
    return tuple(
        f"share(y_bar, {place}, {name}, {', '.join(names)}) if y != y else y_bar / (1.0 + "
        f"{' + '.join(f'({other} == y)' for other in names if other != names[place])}) "
        f"if {names[place]} == y else 0.0"
        for place in range(count)
    )


def _hypotenuse(count: int) -> tuple[str, ...]:
    """y**2 = sum of x**2; 0 at the kink."""
    return tuple(f"part_of_length(y_bar, {name}, y)" for name in NAMES[:count])


def _along_hypotenuse(count: int) -> tuple[str, ...]:
    return tuple(f"part_along_length(y_bar, {name}, y)" for name in NAMES[:count])


def _logarithm(count: int) -> tuple[str, ...] | None:
    """DLMF 4.7.1, and that of a quotient of logarithms."""
    return ("y_bar * log_slope(a, b)", "y_bar * log_base_slope(y, b)") if count == 2 else None


def _clipped(count: int) -> tuple[str, ...] | None:
    """The value passes through between the bounds and at them."""
    places = [("kept", "a"), ("raised", "b"), ("lowered", "c")]
    parts = tuple(f"chosen({where}(a, b, c), y_bar, {name})" for where, name in places)
    return parts if count == 3 else None


def _by_users_rule(count: int) -> tuple[str, ...]:
    """The first operand is what the rule returned."""
    return ("0.0", *(f"cotangent_of(a, y_bar, {place}, {count - 1})" for place in range(count - 1)))


_FORMS: dict[int, Callable[[int], tuple[str, ...] | None]] = {
    id(max): functools.partial(_extreme, "max", ">"),
    id(min): functools.partial(_extreme, "min", "<"),
    id(math.hypot): _hypotenuse,
    id(math.log): _logarithm,
    id(np.clip): _clipped,
    id(value_of): _by_users_rule,
}
_ALONG: dict[int, Callable[[int], tuple[str, ...] | None]] = {id(math.hypot): _along_hypotenuse}
