"""A thread that is started inside a function that is differentiated is refused: what runs there is
not recorded, and nothing tells when it writes what.

>>> from astad.runtime.versions import Versions
>>> start_forward(Versions(), threading.Thread(target=print))
Traceback (most recent call last):
astad.errors.Unsupported: threading.Thread.start: a thread started inside a function that is ...
"""

from __future__ import annotations

import _thread
import sys
import threading
from types import FrameType

from astad.errors import Location, Unsupported
from astad.runtime.full_rules import Record, Value, full
from astad.runtime.versions import Versions

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
