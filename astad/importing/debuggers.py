"""Stepping in a debugger leads from the user's call to the user's lines, past what is astad's own.

>>> hidden(lambda: "compiled")
'compiled'
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeVar

from astad import settings
from astad.threads import restoring

__all__ = ["hidden", "hide_frames", "pass_over_ours"]

Result = TypeVar("Result")

OURS = ("astad", "astad.*", "ast", "importlib._*", "namedtuple_*", "numpy._core._ufunc_config")
"""Modules in which nobody wants to stop; the last is what turns NumPy's warnings on and off."""


def pass_over_ours() -> Any:
    """Have the debugger that is active, if it is one of `bdb`, not stop in modules of astad, and
    give its trace function; with ``ASTAD_DEBUG=1`` it does stop.
    """
    tracer = sys.gettrace()
    debugger, bdb = getattr(tracer, "__self__", None), sys.modules.get("bdb")
    if bdb is None or not isinstance(debugger, bdb.Bdb) or settings.debug:
        return None
    if not set(OURS).issubset(debugger.skip or ()):
        debugger.skip = {*(debugger.skip or ()), *OURS}
    hide_frames()
    return tracer


def hide_frames() -> None:
    """Have debuggers leave out the frames of astad between those of the user: ``up`` and ``where``
    show the user's calls alone.
    """
    import bdb  # late: nothing else needs it

    whole = bdb.Bdb.get_stack
    if settings.debug or whole.__module__ == __name__:
        return

    def get_stack(
        self: bdb.Bdb, frame: FrameType | None, trace: TracebackType | None
    ) -> tuple[list[tuple[FrameType, int]], int]:
        stack, at = whole(self, frame, trace)
        kept = [k for k, (each, _) in enumerate(stack) if k == at or not _is_ours(each)]
        return [stack[k] for k in kept], kept.index(at) if stack else at

    bdb.Bdb.get_stack = get_stack  # type: ignore[method-assign, assignment]


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return name == "astad" or name.startswith("astad.")


def hidden(run: Callable[[], Result]) -> Result:
    """Run something that the debugger does not show: the compiler calls much of Python's own."""
    tracer = pass_over_ours()
    if tracer is None:
        return run()

    def run_untraced() -> Result:
        sys.settrace(None)
        return run()

    return restoring(run_untraced, lambda: sys.settrace(tracer))
