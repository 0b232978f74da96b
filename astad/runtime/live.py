"""What a guard reads of the user's globals as they are now.

An attribute of a `Live` is read in 4 ns, of an object with a ``__getattr__`` in 22. So a guard that
misses a global raises AttributeError before it has run anything, and whoever asked the variant
takes that for "not made for this" (`is_from_guard`).
"""

from __future__ import annotations

from collections.abc import Callable
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
    if not isinstance(error, AttributeError) or not isinstance(error.obj, Live):
        return False
    frames = error.__traceback__
    called = frames.tb_next if frames else None
    return called is not None and called.tb_next is None


def attempt(forward: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a variant gives; NotImplemented as well where its guard misses a global."""
    try:
        return forward(*given)
    except AttributeError as error:
        if not is_from_guard(error):
            raise
        return NotImplemented
