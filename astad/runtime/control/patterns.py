"""What ``match`` asks of its subject, as the language reference defines it.

>>> is_sequence([1]), is_sequence("ab"), has_length((1, 2, 3), 2, True)
(True, False, True)
>>> positional_attribute(float, 1, 0) is None
True
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "MISSING", "different_keys", "has_length", "is_instance", "is_mapping", "is_sequence",
    "positional_attribute",
]  # fmt: skip

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "missing"})()
"""What stands for an attribute that is not there."""

SEQUENCE, MAPPING = 1 << 5, 1 << 6
"""Flags of classes: what Python itself asks for."""
THEMSELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def is_sequence(subject: object) -> bool:
    return bool(type(subject).__flags__ & SEQUENCE)


def is_mapping(subject: object) -> bool:
    return bool(type(subject).__flags__ & MAPPING)


def has_length(subject: Any, least: int, or_more: bool) -> bool:
    return len(subject) >= least if or_more else len(subject) == least


def different_keys(*keys: object) -> None:
    """A mapping pattern asks for each key once."""
    seen: set[object] = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)


def is_instance(subject: object, cls: Any) -> bool:
    if not isinstance(cls, type):
        match subject:  # Python's own TypeError
            case cls():
                pass
    return isinstance(subject, cls)


def positional_attribute(cls: Any, count: int, at: int, *named: str) -> str | None:
    """The name of the attribute for a positional pattern; None for the object itself.

    ``named`` are those of the patterns with a name.
    """
    itself = any(cls.__mro__.__contains__(kind) for kind in THEMSELVES)
    names = getattr(cls, "__match_args__", None if itself else ())
    if names is None:
        names = ("",)
    if count > len(names):
        plural = "s" if len(names) != 1 else ""
        raise TypeError(
            f"{cls.__name__}() accepts {len(names)} positional sub-pattern{plural} ({count} given)"
        )
    if names[at] in (*names[:at], *named):
        raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {names[at]!r}")
    return names[at] or None
