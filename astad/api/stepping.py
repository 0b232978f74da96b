"""Before a debugger steps into a derivative: what would be read on the way is read now, unseen."""

from __future__ import annotations

from astad.importing.debuggers import hidden
from astad.importing.debuggers import pass_over_ours as pass_over
from astad.rules.registry import read_waiting

__all__ = ["pass_over_ours"]


def pass_over_ours() -> None:
    """A debugger that is active goes from the user's call to the user's lines."""
    if pass_over() is not None:
        hidden(read_waiting)
