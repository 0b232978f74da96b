"""The end of an iterator: what is done to find it has a way back like any step.

A loop records its elements alone; where somebody may catch what is raised, or all elements are
drawn at once, there is a place for what came after the last of them.
"""

from __future__ import annotations

from astad.errors import Unsupported
from astad.runtime.full_rules import Record, Value, callbacks
from astad.runtime.harmless import writes_nothing
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Call, Versions
from astad.runtime.writing_code import may_write

__all__ = ["ended"]


def ended(versions: Versions, record: Record, what: str, asked: Value = None) -> None:
    """The end of an iterator, and what was done to find it: ``asked`` was, if given.

    That an array is stored has no record, since its cotangent goes by the array itself.
    """
    if writes_nothing(record) and not (asked is not None and may_write(asked)):
        return
    if versions.calls is None:
        raise Unsupported(
            what,
            "an iterator that goes on to change things after its last element",
            why="a loop over it does not record what happens when it ends",
            instead="put the loop into a try, or write it with while",
        )
    versions.calls.append(Call(((pull_asked_last, record), ()), True))


def pull_asked_last(shadows: Shadows, y_bar: Value, record: Record) -> None:
    callbacks.pull(shadows, record, None, 0)
