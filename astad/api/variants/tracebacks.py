"""Tracebacks as the user's own program would give them.

Frames of astad between those of the user are left out (not with ``ASTAD_DEBUG=1``), a callee that
was written out in the place of its call gets a frame of its own, and an exception of the reverse
sweep gets a note with the line it belongs to. An error of astad that knows no line is given that at
which the user's program was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from astad import settings
from astad.api.variants.generated import KEY, Loaded, Origin, Place
from astad.errors import AstadError, Location

__all__ = ["in_users_words"]

_OURS = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")) + os.sep


def in_users_words(error: BaseException) -> None:
    """Rewrite the traceback of an exception that leaves astad, and of those it came from; a second
    time changes nothing.
    """
    traces = _traces(error.__traceback__)
    _note(error, traces)
    if isinstance(error, AstadError) and isinstance(error.where, str):
        error.at = _line_of(traces)
    pending, seen = [error], {id(error)}
    while pending:
        each = pending.pop()
        _rewrite(each)
        for other in _related(each):
            if id(other) not in seen:
                seen.add(id(other))
                pending.append(other)


def _related(error: BaseException) -> list[BaseException]:
    """Its cause, what was being handled when it was raised, and the parts of a group."""
    inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return [each for each in (error.__cause__, error.__context__, *inside) if each is not None]


def _rewrite(error: BaseException) -> None:
    traces = _traces(error.__traceback__)
    places = [_place(trace) for trace in traces]
    if not any(places) and not isinstance(error, AstadError) and not _is_ours(traces):
        return
    kept = (
        range(len(traces))
        if settings.debug
        else _without_calls_of_parts(_of_the_user(error, traces), traces)
    )
    rest = None
    for at in reversed(kept):
        place = places[at]
        if place is not None and len(place.user) > 1:
            rest = _with_callees(traces[at], place, rest)
        traces[at].tb_next = rest
        rest = _as_whole(traces[at]) if _is_part(traces[at].tb_frame.f_code) else traces[at]
    error.__traceback__ = rest


def _is_ours(traces: list[TracebackType]) -> bool:
    """Does it go through functions of astad?"""
    return any(trace.tb_frame.f_code.co_filename.startswith(_OURS) for trace in traces)


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


def _line_of(traces: list[TracebackType]) -> Location | str:
    """Where the user's program was: the innermost line that is differentiated, in a file that is no
    installed library's if one is; else that which called astad.
    """
    found = [(trace, lines) for trace in reversed(traces) if (lines := _lines(trace))]
    # the texts of rules and of gradients are differentiated too, and nobody's who reads the error
    found = [pair for pair in found if not _is_of_astad(pair[1][-1].file)]
    if found:
        own = (lines for trace, lines in found if _is_users(trace, lines[-1].file))
        lines = next(own, found[0][1])
        return lines[0] if len(lines) == 1 else " or ".join(map(str, lines))
    frame: FrameType = sys._getframe(1)
    while frame.f_back is not None and _is_of_astad(frame.f_code.co_filename):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


def _is_of_astad(file: str) -> bool:
    """Is it one of its files, or a text that it has written?"""
    return file.startswith((_OURS, "<astad> "))


def _lines(trace: TracebackType) -> list[Location]:
    """Those to which an instruction of a generated function may belong."""
    reverse = _reversed_at(trace)
    if reverse:
        return reverse
    place = _place(trace)
    if place is None:
        return []
    lines = [Location(code.co_filename, line) for code, line in place.user[::-1]]
    own = (line for line in lines if not _is_installed(line.file))
    return [next(own, lines[0])] if lines else []


def _reversed_at(trace: TracebackType) -> list[Location]:
    loaded = trace.tb_frame.f_globals.get(KEY)
    if not isinstance(loaded, Loaded):
        return []
    return loaded.reversed_at(trace.tb_frame.f_code, trace.tb_lasti, trace.tb_lineno)


def _is_installed(file: str) -> bool:
    return file.startswith(_STANDARD) or "site-packages" in file or "dist-packages" in file


def _is_users(trace: TracebackType, file: str) -> bool:
    """Is it a place where the user can look? Text that a library hands to exec, under a name of its
    own, is not; what is typed in a notebook or at the prompt is of the module there.
    """
    if not file.startswith("<"):
        return not _is_installed(file)
    home = sys.modules.get(str(trace.tb_frame.f_globals[KEY].globals.get("__name__")))
    return home is not None and not _is_installed(getattr(home, "__file__", None) or "")


_STANDARD = (os.path.dirname(os.__file__) + os.sep, "<frozen ")


def _note(error: BaseException, traces: list[TracebackType]) -> None:
    """``in the reverse sweep of walk.py:6``, of the innermost function."""
    lines = next(filter(None, map(_reversed_at, reversed(traces))), [])
    note = f"in the reverse sweep of {' or '.join(map(str, lines))}"
    if lines and note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def _of_the_user(error: BaseException, traces: list[TracebackType]) -> Sequence[int]:
    """Numbers of the frames of the user, and of the function of astad that he called.

    What comes last stays as well, where the error tells a fault of astad: its own errors explain
    themselves, and an interrupt comes anywhere.
    """
    ours = [trace.tb_frame.f_code.co_filename.startswith(_OURS) for trace in traces]
    last = max((at for at, is_ours in enumerate(ours) if not is_ours), default=-1)
    if isinstance(error, AstadError) or not isinstance(error, Exception):
        last = len(traces)
    # what was caught inside begins with a generated function: nobody called astad in it
    first = ours.index(True) if True in ours and _place(traces[0]) is None else -1
    return [at for at, is_ours in enumerate(ours) if not is_ours or at > last or at == first]


def _is_part(code: CodeType) -> bool:
    """Is it a part of a function of the user's, as the rounds of a loop under a memory budget are?
    It has the qualified name of that.
    """
    return code.co_name.startswith("rounds_") and not code.co_qualname.endswith(code.co_name)


def _as_whole(trace: TracebackType) -> TracebackType:
    """The same line in the user's function."""
    code = trace.tb_frame.f_code
    name = code.co_qualname.rpartition(".")[2]
    shown = Origin(code.co_filename, name, code.co_qualname)
    space = trace.tb_frame.f_globals
    loaded = space.get(KEY)
    space = loaded.globals if isinstance(loaded, Loaded) else space
    frame, instruction = _frame(shown, trace.tb_lineno, space)
    return TracebackType(trace.tb_next, frame, instruction, trace.tb_lineno)


def _without_calls_of_parts(kept: Sequence[int], traces: Sequence[TracebackType]) -> Sequence[int]:
    """A function does not call its own parts."""
    codes = [traces[at].tb_frame.f_code for at in kept]
    calls = {
        at for at, code, inner in zip(kept, codes, codes[1:], strict=False)
        if _is_part(inner) and inner.co_qualname == code.co_qualname
    }  # fmt: skip
    return [at for at in kept if at not in calls]


def _with_callees(
    trace: TracebackType, place: Place, rest: TracebackType | None
) -> TracebackType | None:
    """What follows the frame of a caller: those of the callees whose text stands in its own."""
    code, line = place.user[1]
    if rest is not None and (rest.tb_frame.f_code.co_name, rest.tb_lineno) == (code.co_name, line):
        return rest  # the exception went through here before
    for code, line in reversed(place.user[1:]):
        frame, instruction = _frame(code, line, trace.tb_frame.f_globals[KEY].globals)
        rest = TracebackType(rest, frame, instruction, line)
    return rest


def _stop() -> float:
    return 1 / 0


def _without_columns(units: int) -> bytes:
    """A table that puts all instructions on the first line: Python's Objects/locations.md."""
    lengths = [8] * (units // 8) + [units % 8] * (units % 8 > 0)
    return b"".join(bytes([0x80 | 13 << 3 | length - 1, 0]) for length in lengths)


def _frame(code: Origin, line: int, space: dict[str, Any]) -> tuple[FrameType, int]:
    """A frame that shows a line of a function which did not run by itself, and an instruction."""
    shown = _stop.__code__.replace(
        co_filename=code.co_filename,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=line,
        co_linetable=_without_columns(len(_stop.__code__.co_code) // 2),
    )
    try:
        FunctionType(shown, space)()
    except ZeroDivisionError as stop:
        trace = stop.__traceback__
    assert trace is not None and trace.tb_next is not None
    return trace.tb_next.tb_frame, trace.tb_next.tb_lasti
