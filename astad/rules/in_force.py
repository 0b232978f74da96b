"""The rules in force, by the id of what they are rules of.

Nothing of the rules themselves is read here: what a text from the disk cache relies on is asked of
these tables, and a program whose formulas are all in that cache reads no rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["CUSTOM", "NO_PATH", "QUICK", "REGISTRY", "TEXTS", "declare", "has_custom_rule"]

Pullback = Callable[..., Any]
CustomRule = Callable[..., tuple[Any, Pullback]]

CUSTOM: dict[int, tuple[Any, CustomRule]] = {}
"""Rules that users declare, consulted before all others: ``id(callable)`` to the callable and its
rule ``(*args, **keywords) -> (y, back)``.
"""


NO_PATH: set[int] = set()
"""Ids of callables, each held in the table, through which no derivative passes whatever the
arguments.
"""


REGISTRY: dict[int, Any] = {}  # Any: a `Rule`, of which nothing is read here
"""``id(fn)`` to its rule; the rule holds the function, so the id stays its own."""


QUICK: dict[int, tuple[int, Callable[..., Any]]] = {}
"""``id(fn)`` to the number of its operands and what the run time calls first in its place."""


TEXTS: dict[str, str] = {}
"""The texts of formulas as code, by the name of their file: what ``linecache`` has of them may be
cleared, and a second derivative reads them.
"""


def declare(fn: Any, rule: CustomRule, *, passes: bool = True) -> None:
    """Put a rule in force for this very callable; ``passes``: a derivative may go through it."""
    CUSTOM[id(fn)] = (fn, rule)
    (NO_PATH.discard if passes else NO_PATH.add)(id(fn))


def has_custom_rule(fn: Any) -> bool:
    return id(fn) in CUSTOM
