"""State that the threads of a process share, and what an interrupt or a fork may leave of it.

An interrupt can come between any two instructions, and a fork while other threads hold locks: the
child has none of these threads, but the locks are held for ever. So what is changed for a while is
put back by `restoring`, and whoever has such state says by `after_fork` what the child makes of it.
"""

from __future__ import annotations

import gc
import os
import sys
from _thread import RLock, allocate_lock, get_ident, start_new_thread
from collections.abc import Callable, Hashable
from types import FrameType
from typing import TypeVar

__all__ = ["after_fork", "importing", "keep_own", "restoring", "with_room", "without_collection"]

Result = TypeVar("Result")


def restoring(run: Callable[[], Result], restore: Callable[[], None]) -> Result:
    """Run, and put back what was changed, also where an interrupt comes while that is done:
    ``restore`` may be called twice.
    """
    try:
        try:
            return run()
        finally:
            restore()
    finally:
        restore()


def after_fork(clean: Callable[[], None]) -> None:
    """Have this called in each child that is forked, before anything else runs there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=clean)


def keep_own(tokens: set[tuple[int, Hashable]]) -> None:
    """Of what threads have put down under their number, leave what this one has."""
    own = get_ident()
    tokens.difference_update([token for token in tokens if token[0] != own])


# --- the stack


_SHARE = 4
"""Of the levels that Python allows, one in so many may be in use."""


def with_room(run: Callable[[], Result]) -> Result:
    """Run with most of Python's recursion limit free, whatever the depth of the caller: in a
    thread of its own, where too much is in use here.
    """
    frame: FrameType | None = sys._getframe()
    levels = sys.getrecursionlimit() // _SHARE
    while frame is not None and levels:
        frame, levels = frame.f_back, levels - 1
    return run() if frame is None else _in_a_thread(run)


def _in_a_thread(run: Callable[[], Result]) -> Result:
    found: list[Result] = []
    failed: list[BaseException] = []
    is_done = allocate_lock()

    def work() -> None:
        try:
            found.append(run())
        except BaseException as error:
            failed.append(error)
        finally:
            is_done.release()

    is_done.acquire()
    start_new_thread(work, ())
    is_done.acquire()  # an interrupt ends this wait; the thread then works for nobody
    if failed:
        raise failed[0]
    return found[0]


# --- the collector


_put_off: dict[int, bool] = {}
"""Threads that have put the collection off, and whether it was on when they did."""


def without_collection(run: Callable[[], Result]) -> Result:
    """Run while no garbage is collected; afterwards it is again if it was."""
    thread = get_ident()
    if thread in _put_off:
        return run()

    def begin_and_run() -> Result:
        # Others are asked first: one that goes turns it on again before it is gone from here.
        _put_off[thread] = any(_put_off.values()) or gc.isenabled()
        gc.disable()
        return run()

    def restore() -> None:
        if _put_off.get(thread):
            gc.enable()
        _put_off.pop(thread, None)

    return restoring(begin_and_run, restore)


def _collect_again() -> None:
    """The threads that would have turned the collection on again are not here."""
    own, was_on = get_ident(), any(_put_off.values())
    mine = own in _put_off
    _put_off.clear()
    if mine:
        _put_off[own] = was_on
    elif was_on:
        gc.enable()


after_fork(_collect_again)


# --- imports


class _Imports:
    """The lock under which astad imports parts of itself, and whether a fork has taken it."""

    lock = RLock()
    is_taken = False


_PATIENCE = 10.0
"""Seconds that a fork waits; after that whoever imports waits for the one who forks."""


def importing(run: Callable[[], Result]) -> Result:
    """Run what imports modules; a fork waits for its end.

    Python's own locks of modules stay held in the child: it would wait for ever for a module that
    another thread was importing.
    """
    with _Imports.lock:
        return without_collection(run)  # what modules make stays


def _before_fork() -> None:
    _Imports.is_taken = _Imports.lock.acquire(timeout=_PATIENCE)


def _after_fork_in_parent() -> None:
    if _Imports.is_taken:
        _Imports.lock.release()


def _after_fork_in_child() -> None:
    if _Imports.is_taken:
        _Imports.lock.release()
    else:
        _Imports.lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
