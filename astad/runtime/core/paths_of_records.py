"""From which operands of a recorded call does a path lead to its result, by the texts alone?

This decides between None and a zero. A call that hands its operands on to another has the paths of
that one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["PATHS", "paths_of"]

PATHS: dict[Any, Callable[[tuple[Any, ...], int], Sequence[bool]]] = {}
"""By the function that goes back through a record: what tells it of the record and the number of
the operands."""


def paths_of(record: tuple[Any, ...] | None, count: int) -> Sequence[bool]:
    """For each operand; of what no text is known there may be one."""
    known = PATHS.get(record[0]) if record is not None else None
    found = known(record, count) if known is not None and record is not None else ()
    return found if len(found) == count else [True] * count
