"""The sources below a folder: a digest of what they say; a stamp that any write to them changes.

To read the 590 of astad takes three times as long as to look at them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import time_ns

# the module below hashlib, which alone costs as much as all the rest (it loads OpenSSL)
try:
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - another implementation of Python
    from hashlib import blake2b

__all__ = ["blake2b", "of_folder", "stamp_of"]

_IMPORTED_AT = time_ns()


def of_folder(folder: str) -> str:
    """A digest of the names and contents of all sources below a folder.

    Raises
    ------
    OSError : if a source cannot be read, if there are none, or if one changed since astad was
        imported: what runs is then not what the files say.
    """
    from importlib.util import source_hash  # late: 1 ms, and sources are read once

    sources = []
    for inner, item in sorted(_sources(folder), key=lambda each: each[0]):
        content = _content(item.path)
        # by which Python itself knows the source of a .pyc: a fifth of the time of `blake2b`
        sources.append((inner, len(content), source_hash(content)))
    if not sources:
        raise FileNotFoundError(folder)
    return blake2b(ascii(sources).encode(), digest_size=16).hexdigest()


def stamp_of(folder: str) -> str:
    """A digest of the names of all sources, and of what the file system knows of them: size, time
    of modification and of change, and number. Who writes to one cannot keep all of them.

    Raises
    ------
    OSError : as of `of_folder`.
    """
    known, now = [], time_ns()
    for _, item in _sources(folder):
        status = item.stat()
        _check(item.path, status, now)
        times = status.st_mtime_ns, status.st_ctime_ns
        known.append((item.path, status.st_size, *times, status.st_ino))
    if not known:
        raise FileNotFoundError(folder)
    known.sort()
    return blake2b(ascii(known).encode(), digest_size=32).hexdigest()


# os.open takes half the time of open: 0.15 against 0.27 ms for 73 files
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)


def _content(path: str) -> bytes:
    file = os.open(path, _FLAGS)
    try:
        status = os.fstat(file)
        _check(path, status, time_ns())
        return os.read(file, status.st_size + 1)
    finally:
        os.close(file)


def _check(path: str, status: os.stat_result, now: int) -> None:
    # the time of change, unlike the time of modification, is not kept by copying tools
    if _IMPORTED_AT < status.st_ctime_ns <= now:
        raise FileExistsError(path)


def _sources(folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The sources below a folder, in no order, and their names in it."""
    left = [(folder, "")]
    while left:
        path, inner = left.pop()
        with os.scandir(path) as items:
            found = [*items]
        for item in found:
            if item.name.endswith((".py", ".pyc")):  # .pyc: installed without sources
                yield inner + item.name, item
            elif item.name != "__pycache__" and item.is_dir():
                left.append((item.path, f"{inner}{item.name}/"))
