"""The disk cache: one file an entry, whole or not there at all.

Nothing that happens on the disk is an error for the user. What cannot be read, or is not what was
written, is a miss; what cannot be written is left out. ``cache_info()`` counts, nothing is printed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

from astad import settings
from astad.importing import place
from astad.importing.entry import Entry, pack, unpack

__all__ = ["CacheInfo", "cache_info", "is_writing", "load", "paths", "read", "store", "sweep"]

_SUFFIX = ".astad"
_UNFINISHED = ".tmp"


class CacheInfo(NamedTuple):
    """What the disk cache did in this process; errors are damaged entries and failed writes."""

    hits: int
    misses: int
    writes: int
    errors: int


class _Counts:
    hits = misses = writes = errors = 0
    swept = False


def cache_info() -> CacheInfo:
    """How often the disk cache was hit, missed and written in this process, and what went wrong."""
    return CacheInfo(_Counts.hits, _Counts.misses, _Counts.writes, _Counts.errors)


def load(key: str) -> Entry | None:
    """The entry stored under a key, or None: absent, damaged, not to be trusted, or cache off."""
    folder = _folder(key)
    if folder is None:
        return None
    try:
        entry = read(folder, key)
    except FileNotFoundError:
        entry = None
    except (OSError, ValueError):
        _report()
        entry = None
    if entry is None:
        _Counts.misses += 1
    else:
        _Counts.hits += 1
    return entry


def read(folder: str, key: str) -> Entry:
    """The entry in a folder.

    Raises
    ------
    FileNotFoundError : if there is none.
    OSError : if it cannot be read, or others than the user could have written it.
    ValueError : if it is damaged.
    """
    with open(_path(folder, key), "rb", buffering=0, opener=_open_for_reading) as file:
        status = os.fstat(file.fileno())
        if not (place.is_trusted_entry(status) and place.is_trusted_folder(folder)):
            raise PermissionError(file.name)
        data = file.readall()
    entry = unpack(key, data)
    if entry is None:
        raise ValueError(f"damaged entry {key}")
    return entry


def is_writing() -> bool:
    """False where nothing will be written: no cache, or ``-B`` or ``PYTHONDONTWRITEBYTECODE``."""
    return settings.cache and not sys.dont_write_bytecode and place.directory() is not None


def store(key: str, entry: Entry) -> None:
    """Write an entry for the processes to come; silently not, where it cannot be done."""
    folder = _folder(key)
    if folder is None or not is_writing():
        return
    try:
        data = pack(key, entry)
        place.make(folder)
        if not place.is_trusted_folder(folder):
            return
        if not _Counts.swept:
            _Counts.swept = True
            sweep(folder)
        _write(folder, key, data)
    except (OSError, ValueError):
        _report()
        return
    _Counts.writes += 1


def paths(folder: str) -> Iterator[tuple[str, str]]:
    """Key and path of each entry in a folder, by key."""
    for name in sorted(os.listdir(folder)):
        if name.endswith(_SUFFIX):
            yield name.removesuffix(_SUFFIX), os.path.join(folder, name)


def sweep(folder: str) -> None:
    """Remove what killed processes left unfinished.

    A process on another computer looks as if it were gone; it then loses one write, nothing else.
    """
    for name in os.listdir(folder):
        if name.endswith(_UNFINISHED) and not _is_alive(name):
            _remove(os.path.join(folder, name))


def _is_alive(unfinished: str) -> bool:
    """True while the process that writes a file (its number is in the name) is running."""
    number = unfinished.split("-")[1] if unfinished.count("-") == 2 else ""
    if not number.isdecimal() or not hasattr(os, "geteuid"):
        return False
    try:
        os.kill(int(number), 0)  # sends nothing: asks whether it exists
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _folder(key: str) -> str | None:
    return place.directory() if settings.cache and key else None


def _path(folder: str, key: str) -> str:
    return os.path.join(folder, key + _SUFFIX)


def _write(folder: str, key: str, data: bytes) -> None:
    # a process number alone is not unique where computers share a folder
    name = f"{key}-{os.getpid()}-{os.urandom(8).hex()}{_UNFINISHED}"
    unfinished = os.path.join(folder, name)
    try:
        with open(unfinished, "xb", opener=_open_for_writing) as file:
            file.write(data)
        os.replace(unfinished, _path(folder, key))
    except BaseException:
        _remove(unfinished)
        raise


def _open_for_reading(path: str, flags: int) -> int:
    # neither follow a link nor wait for the other end of a pipe that someone put in the place
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _open_for_writing(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _report() -> None:
    _Counts.errors += 1
    settings.report()
