"""What a guard reads of the user's globals as they are now.

An attribute of a `Live` is read in 4 ns, of an object with a ``__getattr__`` in 22. So a guard that
misses a global, or an attribute of a class behind one, raises before it has run anything, and
whoever asked the variant takes that for "not made for this" (`is_from_guard`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any

__all__ = ["WRITTEN", "Live", "attempt", "is_from_guard"]

WRITTEN: dict[int, tuple[dict[str, Any], set[str]]] = {}
"""Globals that a text may not take for constants. By the id of a namespace: the namespace, and the
names in it that have held an active number.
"""


class Live:
    """A module's live globals, then builtins, as attributes; ``__dict__`` is that of the module."""

    __dict__: dict[str, Any]


def is_from_guard(error: Exception) -> bool:
    """Did the guard of the function just called raise this, and no function that it called?

    To be asked in the frame that called it.
    """
    if not isinstance(error, (AttributeError, TypeError, ValueError)):
        return False
    frames = error.__traceback__
    called = frames.tb_next if frames else None
    if called is None or called.tb_next is not None:
        return False
    if isinstance(error, AttributeError) and isinstance(error.obj, Live):
        return True
    return called.tb_lasti < _end_of_guard(called.tb_frame.f_code)


@lru_cache(256)
def _end_of_guard(code: CodeType) -> int:
    """Where it returns NotImplemented for the last time: what is tested before stands before that.

    What a class or a closure of the user's held may be another thing by now, or nothing.
    """
    from dis import get_instructions  # late: only where a guard has failed in this way

    steps = [step.offset for step in get_instructions(code) if step.argval == "NotImplemented"]
    return max(steps, default=-1)


def attempt(forward: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a variant gives; NotImplemented as well where its guard misses a global."""
    try:
        return forward(*given)
    except (AttributeError, TypeError, ValueError) as error:
        if not is_from_guard(error):
            raise
        return NotImplemented
