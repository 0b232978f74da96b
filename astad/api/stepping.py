"""Before a debugger steps into a derivative: what would be read on the way is read now, unseen."""

from __future__ import annotations

from astad.api.whole import whole
from astad.importing.debuggers import hidden
from astad.importing.debuggers import pass_over_ours as pass_over

__all__ = ["pass_over_ours"]


def pass_over_ours() -> None:
    """A debugger that is active goes from the user's call to the user's lines."""
    if pass_over() is not None:
        hidden(_read_all)


def _read_all() -> None:
    from astad.rules.registry import read_waiting  # late, as the whole

    whole.read()
    read_waiting()
