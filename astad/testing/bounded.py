"""Runs that end: a function whose integers become fractions may otherwise loop for ever.

>>> def countdown(n):
...     while n != 0:
...         n = n - 1
...     return 1.0
>>> limited = bounded(countdown)
>>> limited(3.0)
1.0
>>> limited(2.5)
Traceback (most recent call last):
    ...
astad.testing.bounded.TooManySteps: 30 times as many lines as in the first run
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["TooManySteps", "bounded"]

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NOT_STOPPED = _OURS, weakref.__file__
"""Where finalizers run, at any moment."""
FACTOR = 30
LEAST = 2000


class TooManySteps(RuntimeError):
    """A run that was stopped."""


def bounded(f: Callable[..., object]) -> Callable[..., object]:
    """``f``, its later runs limited to 30 times the lines that the first one executed."""
    limits: list[int] = []

    def run(*args: object, **kwargs: object) -> object:
        counted = 0

        def trace(frame: FrameType, event: str, argument: object) -> Any:  # Any: itself
            nonlocal counted
            if frame.f_code.co_filename.startswith(_NOT_STOPPED):
                return None  # an exception in a finalizer would stop nothing
            counted += 1
            if limits and counted > limits[0]:
                raise TooManySteps(f"{FACTOR} times as many lines as in the first run")
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return f(*args, **kwargs)
        finally:
            sys.settrace(before)
            limits.append(max(FACTOR * counted, LEAST))

    return run
