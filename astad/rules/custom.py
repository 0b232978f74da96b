"""Rules that users declare: consulted before all others, in force at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["CUSTOM", "declare", "has_custom_rule", "lookup_custom"]

Pullback = Callable[..., Any]
CustomRule = Callable[..., tuple[Any, Pullback]]

CUSTOM: dict[int, tuple[Any, CustomRule]] = {}
"""``id(callable)`` to the callable and its rule ``(*args, **keywords) -> (y, back)``."""


def declare(fn: Any, rule: CustomRule) -> None:
    """Put a rule in force for this very callable."""
    CUSTOM[id(fn)] = (fn, rule)


def has_custom_rule(fn: Any) -> bool:
    return id(fn) in CUSTOM


def lookup_custom(fn: Any) -> CustomRule | None:
    """The rule that a user declared for this callable, or None."""
    found = CUSTOM.get(id(fn))
    return found[1] if found else None
