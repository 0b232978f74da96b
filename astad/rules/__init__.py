"""Derivative rules by library. Nothing is read until it is asked for: a program whose formulas are
all in the disk cache needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astad.rules.formula import Rule
    from astad.rules.in_force import REGISTRY
    from astad.rules.registry import linear, lookup, rule, scalar, zero

__all__ = ["REGISTRY", "Rule", "linear", "lookup", "rule", "scalar", "zero"]


def __getattr__(name: str) -> Any:
    """Of `registry`; before ``REGISTRY``, the whole table, all rules are read."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from astad.rules import registry

    if name == "REGISTRY":
        registry.read_waiting()
    return getattr(registry, name)
