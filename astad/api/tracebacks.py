"""Tracebacks as the user's own program would give them.

Frames of astad between those of the user are left out (not with ``ASTAD_DEBUG=1``), a callee that was written out in
the place of its call gets a frame of its own, and an exception of the reverse sweep a note with the line it belongs to.
"""

from __future__ import annotations

import os
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from astad import settings
from astad.api.generated import KEY, Loaded, Place
from astad.errors import Location

__all__ = ["in_users_words"]

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def in_users_words(error: BaseException) -> None:
    """Rewrite the traceback of an exception that leaves astad, and add its note; a second time changes nothing."""
    traces = _traces(error.__traceback__)
    places = [_place(trace) for trace in traces]
    _note(error, places)
    if not settings.debug:
        traces, places = _without_ours(traces, places)
    rest = None
    for trace, place in zip(reversed(traces), reversed(places), strict=True):
        if place is not None:
            rest = _with_callees(trace, place, rest)
        trace.tb_next = rest
        rest = trace
    error.__traceback__ = rest


def _traces(trace: TracebackType | None) -> list[TracebackType]:
    found = []
    while trace is not None:
        found.append(trace)
        trace = trace.tb_next
    return found


def _place(trace: TracebackType) -> Place | None:
    """Where the instruction of a generated function comes from."""
    loaded = trace.tb_frame.f_globals.get(KEY)
    if not isinstance(loaded, Loaded):
        return None
    return loaded.place(trace.tb_frame.f_code, trace.tb_lasti, trace.tb_lineno)


def _note(error: BaseException, places: list[Place | None]) -> None:
    """``in the reverse sweep of walk.py:6``, of the innermost function."""
    lines = [
        place.user[-1] for place in places if place is not None and place.is_reverse and place.user
    ]
    if lines:
        code, line = lines[-1]
        note = f"in the reverse sweep of {Location(code.co_filename, line)}"
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)


def _without_ours(
    traces: list[TracebackType], places: list[Place | None]
) -> tuple[list[TracebackType], list[Place | None]]:
    """Without frames of astad, but for the function that the user called, and what an error of ours was raised by."""
    ours = [trace.tb_frame.f_code.co_filename.startswith(_OURS) for trace in traces]
    last = max((at for at, is_ours in enumerate(ours) if not is_ours), default=-1)
    kept = [at for at, is_ours in enumerate(ours) if not is_ours or at > last or not any(ours[:at])]
    return [traces[at] for at in kept], [places[at] for at in kept]


def _with_callees(
    trace: TracebackType, place: Place, rest: TracebackType | None
) -> TracebackType | None:
    """What follows the frame of a caller: those of the callees whose text stands in its own."""
    if (
        rest is not None
        and rest.tb_frame.f_code.co_name == place.user[-1][0].co_name
        and len(place.user) > 1
    ):
        if rest.tb_lineno == place.user[-1][1]:
            return rest  # it went through here before
    for code, line in reversed(place.user[1:]):
        frame, instruction = _frame(code, line, trace.tb_frame.f_globals[KEY].globals)
        rest = TracebackType(rest, frame, instruction, line)
    return rest


def _stop() -> float:
    return 1 / 0


def _without_columns(units: int) -> bytes:
    """A table that puts all instructions on the first line: Objects/locations.md in the source of Python."""
    lengths = [8] * (units // 8) + [units % 8] * (units % 8 > 0)
    return b"".join(bytes([0x80 | 13 << 3 | length - 1, 0]) for length in lengths)


def _frame(code: CodeType, line: int, space: dict[str, Any]) -> tuple[FrameType, int]:
    """A frame that shows a line of a function which did not run by itself, and the instruction it stopped at."""
    shown = _stop.__code__.replace(
        co_filename=code.co_filename, co_name=code.co_name, co_qualname=code.co_qualname, co_firstlineno=line,
        co_linetable=_without_columns(len(_stop.__code__.co_code) // 2),
    )  # fmt: skip
    try:
        FunctionType(shown, space)()
    except ZeroDivisionError as stop:
        trace = stop.__traceback__
    assert trace is not None and trace.tb_next is not None
    return trace.tb_next.tb_frame, trace.tb_next.tb_lasti
