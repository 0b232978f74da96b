"""Lines of generated texts, as tracebacks, debuggers and `inspect` find them: in `linecache`.

A text goes with the object that it was made for, and that may go at any time, also while somebody
walks through the cache, as ``linecache.checkcache`` does in each traceback. So what is forgotten
stays there until the next text comes.

>>> show("<example>", "a = 1\\n")
>>> linecache.getline("<example>", 1)
'a = 1\\n'
>>> forget("<example>")
>>> "<example>" in linecache.cache
True
>>> show("<other>", "b = 2\\n")
>>> "<example>" in linecache.cache
False
"""

from __future__ import annotations

import linecache
from collections import deque

__all__ = ["forget", "show"]

_forgotten: deque[str] = deque()


def show(file: str, text: str) -> None:
    """Keep the lines of a file that is on no disk."""
    while _forgotten:
        try:
            linecache.cache.pop(_forgotten.popleft(), None)
        except IndexError:  # another thread has taken the last one
            break
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def forget(file: str) -> None:
    """Of a text whose owner is gone; safe in a finalizer."""
    _forgotten.append(file)
