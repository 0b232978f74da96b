"""Calls that ask for a debugger: it must find the user's frame, not that of the dispatcher.

``breakpoint()``, and ``pdb.set_trace()`` where ``pdb`` is a global name, are plain calls of the
generated code. Here is what is left: ``import pdb; pdb.set_trace()`` in one line of a function.
"""

from __future__ import annotations

import sys
from types import FrameType, FunctionType
from typing import Any

__all__ = ["call_inert"]


def call_inert(fn: FunctionType, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a function of a module without derivatives; ``set_trace`` with the user's frame."""
    if (fn.__module__, fn.__name__) != ("pdb", "set_trace"):
        return fn(*args, **keywords)
    debugger = fn.__globals__["Pdb"]()
    if keywords.get("header") is not None:
        debugger.message(keywords["header"])
    return debugger.set_trace(_users_frame())


def _users_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("astad."):
        frame = frame.f_back
    return frame
