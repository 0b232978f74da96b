"""What is done to find that an iterator has no more elements.

It has a record like all that is done; but where it is undone only when the elements are, that is
too late for what it has written. So it is a step of its own wherever it may have written. A number
that is put somewhere has a record of its own. A container or an array has none, since its cotangent
goes by the object itself: there the text of what was asked tells.

>>> log = []
>>> may_change(None, lambda v: log.append(v)), may_change(None, lambda v: v < 2.0)
(True, False)
"""

from __future__ import annotations

from types import GeneratorType

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Record, Value, callbacks
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.unseen.harmless import writes_nothing
from astad.runtime.unseen.writing_code import may_write

__all__ = ["ended", "may_change"]


def may_change(record: Record, asked: Value) -> bool:
    """May others see what was done by this record? ``asked`` was: an iterator, a predicate. What a
    generator has done tells its own record.
    """
    if not writes_nothing(record):
        return True
    return asked is not None and type(asked) is not GeneratorType and may_write(asked)


def ended(versions: Versions, record: Record, what: str, asked: Value) -> None:
    """Note what was done to find the end, if others may see it."""
    if not may_change(record, asked):
        return
    if versions.calls is None:
        raise Unsupported(
            what,
            "an iterator that goes on to change things after its last element",
            why="what draws from it does not record what happens when it ends",
            instead="write a loop over it, or put this into a try",
        )
    versions.calls.append(Call(((pull_asked_last, record), ()), True))


def pull_asked_last(shadows: Shadows, y_bar: Value, record: Record) -> None:
    callbacks.pull(shadows, record, None, 0)
