"""Formats that round: ``f"{x:.2f}"`` is a step function of x, as ``round`` is.

What is read out of such a text is constant between its jumps, and no derivative is lost.

>>> is_rounded(format, (1.5, ".2f")), is_rounded(format, (1.5, ""))
(True, False)
>>> is_rounded(str.format, ("{:.3g} m", 1.5)), is_rounded(operator.mod, ("%s", 1.5))
(True, False)
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from typing import Any

__all__ = ["is_rounded"]

DIGITS = 12
"""With more than these a float is nearly the same number again."""
_SPEC = re.compile(r"[^.{}]*\.(\d+)[eEfFgG%]?")
_FIELD = re.compile(r"(?<!\{)\{([^{}:!]*)(![rsa])?(?::([^{}]*))?\}")
_PERCENT = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\d+)?(?:\.(\d+))?([a-zA-Z])")


def is_rounded(fn: Any, args: Sequence[Any]) -> bool:
    """Whether this call formats each number, none of them an int, with a few digits only."""
    if any(type(each) is int for each in _given(args)):
        return False
    name = getattr(fn, "__name__", "")
    if name in ("format_value", "__format__") or fn is format:
        plain = name != "format_value" or args[1] is None
        return plain and len(args) > 1 and _is_short(args[-1])
    if not args or not issubclass(type(args[0]), str):
        return False
    if fn is operator.mod or name == "__mod__":
        found = _PERCENT.findall(args[0].replace("%%", ""))
        return bool(found) and all(_is_few(digits) and kind in "eEfFgG" for digits, kind in found)
    if name == "format" and "{{" not in args[0]:
        specs = [spec for _, converted, spec in _FIELD.findall(args[0]) if not converted]
        return bool(specs) and all(map(_is_short, specs))
    return False


def _given(args: Sequence[Any]) -> Sequence[Any]:
    return args[1] if len(args) == 2 and issubclass(type(args[1]), tuple) else args


def _is_short(spec: Any) -> bool:
    found = _SPEC.fullmatch(spec) if issubclass(type(spec), str) else None
    return found is not None and _is_few(found[1])


def _is_few(digits: str) -> bool:
    return digits != "" and int(digits) <= DIGITS
