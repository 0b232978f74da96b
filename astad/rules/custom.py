"""Rules that users declare: consulted before all others, in force at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["CUSTOM", "NO_PATH", "declare", "has_custom_rule"]

Pullback = Callable[..., Any]
CustomRule = Callable[..., tuple[Any, Pullback]]

CUSTOM: dict[int, tuple[Any, CustomRule]] = {}
"""``id(callable)`` to the callable and its rule ``(*args, **keywords) -> (y, back)``."""


NO_PATH: set[int] = set()
"""Ids of callables, each held in the table, through which no derivative passes whatever the
arguments.
"""


def declare(fn: Any, rule: CustomRule, *, passes: bool = True) -> None:
    """Put a rule in force for this very callable; ``passes``: a derivative may go through it."""
    CUSTOM[id(fn)] = (fn, rule)
    (NO_PATH.discard if passes else NO_PATH.add)(id(fn))


def has_custom_rule(fn: Any) -> bool:
    return id(fn) in CUSTOM
