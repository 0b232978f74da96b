"""Stepping in a debugger leads from the user's call to the user's lines, past what is astad's own.

>>> hidden = hide()
>>> try:
...     pass
... finally:
...     show(hidden)
"""

from __future__ import annotations

import sys
from typing import Any

from astad import settings

__all__ = ["hide", "pass_over_ours", "show"]

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


def hide() -> Any:
    """Nothing that follows is shown by the debugger: the compiler calls much of Python's own. What
    is returned goes to `show`.
    """
    tracer = pass_over_ours()
    if tracer is not None:
        sys.settrace(None)
    return tracer


def show(hidden: Any) -> None:
    """The debugger goes on."""
    if hidden is not None:
        sys.settrace(hidden)
