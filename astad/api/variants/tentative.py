"""Variants that may fail where the function does not: another for the same kinds answers then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astad.runtime.core.variants import Fused

__all__ = ["attempt_tentative", "put_back"]

PATIENCE = 8
"""Failures of a tentative variant."""


def put_back(made: Fused, known: Sequence[Fused]) -> None:
    """A tentative variant that fails again and again comes behind the one that does not."""
    made.failed += 1
    if (
        made.failed == PATIENCE
        and isinstance(known, list)
        and any(other.kinds == made.kinds != () for other in known[1:])
    ):
        known.sort(key=lambda each: each is made)


def attempt_tentative(made: Fused, args: tuple[Any, ...]) -> Any:
    """What a variant gives; where a tentative one raises, nothing."""
    try:
        return made.run(*args)
    except Exception:
        if not made.tentative:
            raise
        return NotImplemented
