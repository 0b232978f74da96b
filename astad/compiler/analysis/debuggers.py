"""Calls that stop in a debugger."""

from __future__ import annotations

from typing import Any

__all__ = ["is_debugger"]


def is_debugger(known: Any) -> bool:
    """``breakpoint``, ``pdb.set_trace`` and the like: they look at the frame that calls them."""
    is_set_trace = getattr(known, "__name__", "") == "set_trace"
    return known is breakpoint or (
        is_set_trace and known.__module__ in ("pdb", "ipdb", "pudb", "_pytest.debugging")
    )
