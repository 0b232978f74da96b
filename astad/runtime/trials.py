"""Calls of which an exception is expected, as ``hasattr`` and iterators expect one: what was done
before it was raised counts, so its record stays.

>>> from astad.runtime import dispatch
>>> class Empty:
...     pass
>>> attempt(Versions(), AttributeError, getattr, Empty(), "x")[2]
AttributeError("'Empty' object has no attribute 'x'")
"""

from __future__ import annotations

from typing import TypeVar

from astad.runtime.full_rules import Cotangents, Record, Value, callbacks
from astad.runtime.shadows import Shadows
from astad.runtime.taped import Tape, pull_stray, watched
from astad.runtime.versions import Call, Versions

__all__ = ["attempt"]

Raised = TypeVar("Raised", bound=BaseException)


def attempt(
    versions: Versions, expected: type[Raised] | tuple[type[Raised], ...], fn: Value, *args: Value
) -> tuple[Value, Record, Raised | None]:
    """``fn(*args)`` and its record; or None, the record of what it had done, and what it raised."""
    tape: Tape = []
    before, outer = versions.catching, versions.calls
    versions.catching = True
    try:
        y, record = watched(versions, tape, lambda: callbacks.call(versions, fn, *args), 0, args)
    except expected as error:
        return None, (pull_tape, tape) if tape else None, error
    except BaseException:
        if outer is not None and tape:
            outer.append(Call(((pull_tape, tape), ()), True))
        raise
    finally:
        versions.catching = before
    return y, (pull_after, record, tape, len(args)) if tape else record, None


def pull_tape(shadows: Shadows, y_bar: Value, tape: Tape) -> Cotangents:
    """Back through the steps of a call that raised; the last has the parts of its operands."""
    (_, last), parts = tape[-1], None
    if last is not None:
        parts = last[0](shadows, None, *last[1:])
    for _, kept in reversed(tape[:-1]):
        pull_stray(shadows, kept)
    return parts or None


def pull_after(shadows: Shadows, y_bar: Value, record: Record, tape: Tape, n: int) -> Cotangents:
    """Back through a call, and through those in it that raised, which somebody caught."""
    operands = callbacks.pull(shadows, record, y_bar, n)
    pull_tape(shadows, None, tape)
    return operands
