"""Calls that look for their caller: they must find the user's frame, not that of the dispatcher.

``breakpoint()``, and ``pdb.set_trace()`` where ``pdb`` is a global name, are plain calls of the
generated code. Here is what is left: ``import pdb; pdb.set_trace()`` in one line of a function,
log records and warnings, which name the line they come from.
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType, FunctionType
from typing import Any

from astad.runtime.core.full_rules import Record, full
from astad.runtime.core.versions import Versions
from astad.runtime.unseen.unrecorded import hooks_of, run_unrecorded

__all__ = ["call_inert", "users_level"]

LOGGING = frozenset({
    "critical", "debug", "error", "exception", "fatal", "info", "log", "warn", "warning", "_log",
})  # fmt: skip


def call_inert(fn: FunctionType, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a function of a module without derivatives."""
    if fn.__module__ == "logging" and fn.__name__ in LOGGING:
        level = users_level(keywords.get("stacklevel", 1))
        return fn(*args, **{**keywords, "stacklevel": level})
    if (fn.__module__, fn.__name__) != ("pdb", "set_trace"):
        return fn(*args, **keywords)
    debugger = fn.__globals__["Pdb"](skip=["astad", "astad.*"])
    if keywords.get("header") is not None:
        debugger.message(keywords["header"])
    return debugger.set_trace(users_frame(sys._getframe(0)))


@full(warnings.warn)
def warn_forward(versions: Versions, *args: Any, **keywords: Any) -> tuple[None, Record]:
    """The place that is named is the user's, and it is there that a warning comes once."""

    def run(
        message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **more: Any
    ) -> None:
        warnings.warn(message, category, users_level(stacklevel), source, **more)

    given = (*args, *keywords.values())
    _, refusing = run_unrecorded(
        versions, "warnings.warn", lambda: run(*args, **keywords), given, hooks_of("warnings")
    )
    return None, refusing(None)


def users_level(level: int) -> int:
    """How far up from the caller of this the user's frame of that level is."""
    frame: FrameType | None = sys._getframe(1)
    found = 0
    while frame is not None and level > 0:
        found += 1
        level -= not _is_ours(frame)
        frame = frame.f_back
    return found + max(level, 0)


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("astad.")


def users_frame(frame: FrameType | None) -> FrameType | None:
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return frame
