"""Notes on exceptions of the reverse sweep: the line of the user's program to which they belong."""

from __future__ import annotations

from typing import Any

from astad.errors import Location
from astad.runtime.variants import Pair

__all__ = ["note_user_line"]


def note_user_line(error: BaseException, record: Any) -> None:
    """Add ``in the reverse sweep of walk.py:6``, from the innermost generated frame of the traceback."""
    del record
    found: tuple[str, int] | None = None
    trace = error.__traceback__
    while trace is not None:
        space = trace.tb_frame.f_locals
        pair = space.get("pair")
        if isinstance(pair, Pair) and pair.text is not None:
            following = trace.tb_next
            if following is not None and following.tb_frame.f_code.co_filename == pair.text.file:
                line = pair.text.lines.get(following.tb_lineno)
                found = (pair.text.user_file, line) if line else found
        trace = trace.tb_next
    if found is not None:
        error.add_note(f"in the reverse sweep of {Location(*found)}")
