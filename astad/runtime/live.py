"""What a guard reads of the user's globals as they are now.

An attribute of a `Live` is read in 4 ns, of an object with a ``__getattr__`` in 22. So a guard that
misses a global, or an attribute of a class behind one, raises before it has run anything, and
whoever asked the variant takes that for "not made for this" (`is_from_guard`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType, MappingProxyType
from typing import Any

__all__ = ["MISSING", "WRITTEN", "Live", "attempt", "is_from_guard"]

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
    if not isinstance(error, MISSING):
        return False
    frames = error.__traceback__
    called = frames.tb_next if frames else None
    if called is None or called.tb_next is not None:
        return False
    if isinstance(error, AttributeError) and isinstance(error.obj, Live):
        return True
    return _reads_behind(called.tb_frame, called.tb_lasti)


MISSING = (AttributeError, KeyError, TypeError, ValueError)
"""What a guard may meet: a name or a key that is gone, no closure, an empty cell."""
_STEPS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_CONST", "BINARY_SUBSCR", "CACHE", "EXTENDED_ARG")


def _reads_behind(frame: FrameType, at: int) -> bool:
    """Is what is read there an attribute or an item behind what only guards name: the user's live
    globals, or what a class holds? By then that may be another thing, or nothing.
    """
    from dis import get_instructions  # late: only where a guard has failed in this way

    before = [step for step in get_instructions(frame.f_code) if step.offset <= at]
    while before and before[-1].opname in _STEPS:
        before.pop()
    first = before[-1] if before else None
    if first is None or first.opname != "LOAD_GLOBAL":
        return False
    return isinstance(frame.f_globals.get(first.argval), (Live, MappingProxyType))


def attempt(forward: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a variant gives; NotImplemented as well where its guard misses a global."""
    try:
        return forward(*given)
    except MISSING as error:
        if not is_from_guard(error):
            raise
        return NotImplemented
