"""A thread that is started inside a function that is differentiated is refused: what runs there is
not recorded, and nothing tells when it writes what.

>>> from astad.runtime.core.versions import Versions
>>> start_forward(Versions(), threading.Thread(target=print))
Traceback (most recent call last):
astad.errors.Unsupported: threading.Thread.start: a thread started inside a function that is ...

Locks that a generator holds which was left before its end.

A plain run closes the generator when nobody holds it any more, and its ``with`` lets go of the
lock. In a sweep it lives to the end: whoever took the lock again would wait for ever, and
``lock.locked()`` would say otherwise.
"""

from __future__ import annotations

import _thread
import gc
import sys
import threading
from _thread import LockType
from collections.abc import Callable
from types import BuiltinMethodType, FrameType, FunctionType, MethodType
from typing import Any

from astad.errors import Location, Unsupported
from astad.runtime.calls.library import run_watched
from astad.runtime.core.full_rules import Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.iteration.generators import HOLDING, Began, ends_by_itself, is_record
from astad.runtime.unseen.unrecorded import hooks_of, run_unrecorded

__all__: list[str] = []

STARTING = (_thread.start_new_thread, getattr(_thread, "start_joinable_thread", None))


@full(threading.Thread.start, *(each for each in STARTING if each is not None))
def start_forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    """The program may catch the error; there is no derivative then either."""
    error = Unsupported(
        _line_of_user() or "threading.Thread.start",
        "a thread started inside a function that is differentiated",
        why="what it computes and writes is not recorded",
        instead="call the function without a thread, or start the threads outside and take a"
        " gradient in each",
    )
    versions.refused = error
    raise error


def _line_of_user() -> Location | None:
    """Of the innermost frame that runs text made of a function outside of the standard library."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        names = frame.f_globals
        home = str(names.get("__name__")).partition(".")[0]
        file = frame.f_code.co_filename
        is_of_library = home in sys.stdlib_module_names or file.startswith(_STANDARD)
        if "__astad__" in names and not is_of_library:
            return Location(file, frame.f_lineno)
        frame = frame.f_back
    return None


_STANDARD = threading.__file__.rpartition("threading.")[0]


# --- locks that a generator holds -----------------------------------------------------------------


_TAKING = ("__enter__", "acquire", "acquire_lock")
_ASKING = ("locked", "locked_lock")


def _refuse(o: Value, name: str) -> Unsupported:
    return Unsupported(
        f"{type(o).__qualname__}.{name}", "a lock that a generator holds which was left early",
        why="Python closes it when nobody holds it any more, astad not before the end",
        instead="close it with contextlib.closing, or draw from it by a for loop over it alone",
    )  # fmt: skip


def _holds(versions: Versions, kept: Began, o: Value) -> bool:
    frame = kept.generator.gi_frame
    if frame is None or kept.generator.gi_running or not ends_by_itself(versions, kept):
        return False
    return any(_is_of(value, o) for value in frame.f_locals.values())


def _is_of(value: Value, o: Value) -> bool:
    """Is it the lock, a method of it, or a condition over it?"""
    if type(value) in (MethodType, BuiltinMethodType):
        value = value.__self__
    return value is o or (type(value) is threading.Condition and _lock_of(value) is o)


def _lock_of(condition: Any) -> Value:
    return condition._lock


def _is_left(kept: Began) -> bool:
    """Do only records and variables hold it, maybe without a name of the program's?"""
    holders = gc.get_referrers(kept.generator)
    return all(
        type(each) in HOLDING or is_record(each) or type(each) is FrameType for each in holders
    )


def _check(versions: Versions, o: Value, name: str, *, waits: bool) -> None:
    for kept in list(versions.generators.values()):
        if _holds(versions, kept, o) and (waits or _is_left(kept)):
            raise _refuse(o, name)


def _of_lock(kind: Any, name: str) -> None:
    @full(getattr(kind, name))
    def forward(
        versions: Versions, o: Value, *args: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        if versions.generators and o.locked():
            waits = name in _TAKING and not args and not keywords
            _check(versions, o, name, waits=waits)
        return run_watched(versions, getattr(o, name), args, keywords)


def _of_python(plain: FunctionType, is_held: Callable[[Any], bool]) -> None:
    @full(plain)
    def forward(
        versions: Versions, o: Value, *args: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        if versions.generators and is_held(o):
            _check(versions, o, plain.__name__, waits=not args and not keywords)
        y, refusing = run_unrecorded(
            versions,
            f"threading.{plain.__qualname__}",
            lambda: plain(o, *args, **keywords),
            (o, *args, *keywords.values()),
            hooks_of("threading"),
        )
        return y, refusing(None)


def _is_taken(lock: Value) -> bool:
    return type(lock) is LockType and lock.locked()


for _name in _TAKING + _ASKING:
    if hasattr(LockType, _name):
        _of_lock(LockType, _name)
_semaphore, _condition = threading.Semaphore.acquire, threading.Condition.__enter__
_of_python(_semaphore, lambda semaphore: not semaphore._value)  # type: ignore[arg-type]
_of_python(_condition, lambda condition: _is_taken(_lock_of(condition)))  # type: ignore[arg-type]
