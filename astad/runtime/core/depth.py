"""Room for recursion: a level of the user's program takes several levels of astad's own.

Where a sweep gets deep, Python's limit is raised until it is back, so that it ends for programs
that are as deep as the limit allows. Python 3.11 takes memory of the C stack for each level, of
which there is so much: past that depth there is an error, no crash.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Hashable
from typing import Any  # whatever the user's code gives

from astad.errors import Unsupported
from astad.threads import after_fork, keep_own

__all__ = ["DEEP", "come_back", "deeper", "go_down"]

DEEP = 16
"""Calls within calls where the limit is raised."""

_TIMES = 12
"""Levels of astad's own for one of the program's, at most."""
_MOST = 10_000
"""Calls within calls, where each takes memory of the C stack: a third of what 8 MB hold."""
_TAKES_STACK = sys.version_info < (3, 12)


class _Room:
    """The sweeps that are deep, each with its thread; the limit before, and the one set."""

    __slots__ = ("before", "deep", "lock", "set")

    def __init__(self) -> None:
        self.lock = allocate_lock()
        self.deep: set[tuple[int, Hashable]] = set()
        self.before = self.set = 0


_room = _Room()


def go_down(sweep: object, depth: int) -> None:
    """Enter a call at this depth, at least `DEEP`; whatever happens here, `come_back` follows."""
    if depth == DEEP:
        with _room.lock:
            is_first = not _room.deep
            if is_first:
                _room.before = sys.getrecursionlimit()
                times = 4 if sys.platform == "win32" else _TIMES  # a stack of 2 MB
                _room.set = max(_room.before, min(times * _room.before, times * 5000))
            _room.deep.add((get_ident(), id(sweep)))
            if is_first:
                sys.setrecursionlimit(_room.set)
    elif _TAKES_STACK and depth > _MOST:
        raise Unsupported(
            "recursion",
            f"more than {_MOST} calls within calls",
            why="in Python 3.11 each takes memory of the C stack, which would overflow",
            instead="write it as a loop, or use Python 3.12",
        )


def come_back(sweep: object) -> None:
    """Leave the call at the depth `DEEP`."""
    with _room.lock:
        _room.deep.discard((get_ident(), id(sweep)))
        _restore()


def _restore() -> None:
    if not _room.deep and sys.getrecursionlimit() == _room.set:
        sys.setrecursionlimit(_room.before)


def _forget_others() -> None:
    _room.lock = allocate_lock()
    keep_own(_room.deep)
    _restore()


after_fork(_forget_others)


def deeper(sweep: Any, run: Callable[[], Any]) -> Any:
    """What is run one level deeper, by a table of versions or of shadows."""
    sweep.depth = depth = sweep.depth + 1
    try:
        if depth >= DEEP:
            go_down(sweep, depth)
        return run()
    finally:
        sweep.depth = depth - 1
        if depth == DEEP:
            come_back(sweep)
