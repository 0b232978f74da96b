"""Calls that stop in a debugger."""

from __future__ import annotations

from types import CodeType
from typing import Any

from astad.code_objects import inner_codes

__all__ = ["is_debugger", "stops"]


def is_debugger(known: Any) -> bool:
    """``breakpoint``, ``pdb.set_trace`` and the like: they look at the frame that calls them."""
    is_set_trace = getattr(known, "__name__", "") == "set_trace"
    return known is breakpoint or (
        is_set_trace and known.__module__ in ("pdb", "ipdb", "pudb", "_pytest.debugging")
    )


def stops(code: CodeType) -> bool:
    """Does a function, or one that it makes, seem to call a debugger? It must find that frame."""
    own = "breakpoint" in code.co_names or "set_trace" in code.co_names
    return own or any(map(stops, inner_codes(code)))
