"""Stepping in a debugger leads from the user's call to the user's lines, past what is astad's own.

>>> hidden(lambda: "compiled")
'compiled'
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from astad import settings
from astad.threads import restoring

__all__ = ["hidden", "pass_over_ours"]

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
    return tracer


def hidden(run: Callable[[], Result]) -> Result:
    """Run something that the debugger does not show: the compiler calls much of Python's own."""
    tracer = pass_over_ours()
    if tracer is None:
        return run()

    def run_untraced() -> Result:
        sys.settrace(None)
        return run()

    return restoring(run_untraced, lambda: sys.settrace(tracer))
