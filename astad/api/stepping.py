"""Before a debugger steps into a derivative: what would be read on the way is read now, unseen."""

from __future__ import annotations

from astad.importing.debuggers import hide, show
from astad.rules.registry import read_waiting

__all__ = ["pass_over_ours"]


def pass_over_ours() -> None:
    """A debugger that is active goes from the user's call to the user's lines."""
    hidden = hide()
    try:
        if hidden is not None:
            read_waiting()
    finally:
        show(hidden)
