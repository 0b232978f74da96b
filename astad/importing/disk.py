"""The disk cache: one file an entry, whole or not there at all.

Nothing that happens on the disk is an error for the user. What cannot be read, or is not what was
written, is a miss; what cannot be written is left out. ``cache_info()`` counts, nothing is printed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from time import time
from typing import NamedTuple

from astad import settings
from astad.importing import place
from astad.importing.entry import Entry, pack, unpack

__all__ = [
    "CacheInfo",
    "cache_info",
    "has",
    "is_writing",
    "load",
    "noted",
    "notes",
    "paths",
    "read",
    "store",
    "sweep",
]

_SUFFIX = ".astad"
_NOTE = ".note"
_UNFINISHED = ".tmp"
_KEY_LENGTH = 64
_HEX = frozenset("0123456789abcdef")
_DAY = 86_400
_SAMPLE = 250
_BETWEEN_SWEEPS = 500


class CacheInfo(NamedTuple):
    """What the disk cache did in this process; errors are damaged entries and failed writes."""

    hits: int
    misses: int
    writes: int
    errors: int


class _Counts:
    hits = misses = writes = errors = sweep_at = 0


def cache_info() -> CacheInfo:
    """How often the disk cache was hit, missed and written in this process, and what went wrong."""
    return CacheInfo(_Counts.hits, _Counts.misses, _Counts.writes, _Counts.errors)


def load(key: str, holds: Callable[[Entry], bool] | None = None) -> Entry | None:
    """The entry stored under a key, or None: absent, damaged, not to be trusted, or cache off.

    The user's own folder is asked first, then those that are only read; an entry that does not
    ``holds`` counts as absent.
    """
    folders = _folders(key)
    if not folders:
        return None
    for folder, shipped in folders:
        entry = _found(folder, key, shipped=shipped)
        if entry is not None and (holds is None or holds(entry)):
            _Counts.hits += 1
            return entry
    _Counts.misses += 1
    return None


def has(key: str) -> bool:
    """Is there an entry? Whether it is one is seen when it is read."""
    return any(os.path.exists(_path(folder, key)) for folder, _ in _folders(key))


def _found(folder: str, key: str, *, shipped: bool) -> Entry | None:
    try:
        return read(folder, key, shipped=shipped)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        _report()
        return None


def read(folder: str, key: str, *, shipped: bool = False) -> Entry:
    """The entry in a folder; one that is ``shipped`` may be the administrator's.

    Raises
    ------
    FileNotFoundError : if there is none.
    OSError : if it cannot be read, or others than the user could have written it.
    ValueError : if it is damaged.
    """
    return _read(folder, _path(folder, key), key, shipped=shipped)


def _read(folder: str, path: str, key: str, *, shipped: bool) -> Entry:
    with open(path, "rb", buffering=0, opener=_open_for_reading) as file:
        status = os.fstat(file.fileno())
        trusted = place.is_trusted_folder(folder, by_root=shipped)
        if not (trusted and place.is_trusted_entry(status)):
            raise PermissionError(file.name)
        data = file.readall()
        if not shipped and settings.cache_write:
            _note_use(file.fileno(), status)
    entry = unpack(key, data)
    if entry is None:
        raise ValueError(f"damaged entry {key}")
    return entry


def noted(name: str, stamp: str, tell: Callable[[], str]) -> str:
    """What ``tell`` gives, which is the same while ``stamp`` is: the last one is noted, one file a
    ``name``, beside the entries once there are some. Both are digests as the keys of entries are.
    """
    folder = place.directory() if settings.cache else None
    if folder is None:
        return tell()
    path = os.path.join(folder, name + _NOTE)
    with contextlib.suppress(OSError, ValueError):  # another stamp too
        return _read(folder, path, stamp, shipped=False).text
    found = tell()
    _unwritten[path] = pack(stamp, Entry(found, [], None, [], []))
    if os.path.isdir(folder):
        _write_notes()
    return found


_unwritten: dict[str, bytes] = {}
"""Notes for folders that are not there: who reads what others ship makes none."""


def _write_notes() -> None:
    while _unwritten:
        path, data = _unwritten.popitem()
        with contextlib.suppress(OSError):
            if is_writing() and _is_ready(os.path.dirname(path)):
                _write(path, data)


def is_writing() -> bool:
    """False where nothing will be written: no cache, or ``ASTAD_CACHE_WRITE=0``."""
    return settings.cache and settings.cache_write and place.directory() is not None


def store(key: str, entry: Entry) -> None:
    """Write an entry for the processes to come; silently not, where it cannot be done."""
    folder = place.directory()
    if folder is None or not key or not is_writing():
        return
    try:
        data = pack(key, entry)
        if not _is_ready(folder):
            return
        if _Counts.writes >= _Counts.sweep_at:
            _Counts.sweep_at = _Counts.writes + _BETWEEN_SWEEPS
            sweep(folder)
        _write(_path(folder, key), data)
        _write_notes()
    except (OSError, ValueError):
        _report()
        return
    _Counts.writes += 1


def paths(folder: str) -> Iterator[tuple[str, str]]:
    """Key and path of each entry in a folder, by key."""
    return _files(folder, _SUFFIX)


def notes(folder: str) -> Iterator[tuple[str, str]]:
    """The same of what `noted` has written."""
    return _files(folder, _NOTE)


def _files(folder: str, suffix: str) -> Iterator[tuple[str, str]]:
    for name in sorted(os.listdir(folder)):
        if _is_entry(name, suffix):
            yield name.removesuffix(suffix), os.path.join(folder, name)


def sweep(folder: str) -> None:
    """Remove what killed processes left unfinished, and what was not used for longest where there
    is more than the settings allow.

    A process on another computer looks as if it were gone; it then loses one write, nothing else.
    Who reads an entry that is removed meanwhile has it open already, or compiles anew.
    """
    entries = []
    for name in os.listdir(folder):
        if _is_entry(name):
            entries.append(name)
        elif (writer := _writer(name)) is not None and not _is_alive(writer):
            _remove(os.path.join(folder, name))
    if len(entries) > settings.cache_entries or _may_be_too_large(folder, sorted(entries)):
        _evict(folder, entries)


def _is_entry(name: str, suffix: str = _SUFFIX) -> bool:
    key, rest = name[:_KEY_LENGTH], name[_KEY_LENGTH:]
    return rest == suffix and len(key) == _KEY_LENGTH and _HEX.issuperset(key)


def _writer(name: str) -> int | None:
    """The number of the process that writes an unfinished entry; None for what is none of ours."""
    key, *others = name.removesuffix(_UNFINISHED).split("-")
    if len(others) != 2 or not name.endswith(_UNFINISHED) or not _is_entry(key + _SUFFIX):
        return None
    number, drawn = others
    ours = number.isascii() and number.isdecimal() and len(drawn) == 16 and _HEX.issuperset(drawn)
    return int(number) if ours else None


def _may_be_too_large(folder: str, entries: list[str]) -> bool:
    """Names are digests, so the first in order are a fair sample of all; few are measured whole."""
    sample = [_size_and_use(folder, name)[0] for name in entries[:_SAMPLE]]
    return sum(sample) / max(len(sample), 1) * len(entries) > settings.cache_bytes


def _evict(folder: str, entries: list[str]) -> None:
    """Leave nine tenths of what is allowed, so that not every process has to do this."""
    known = [(*_size_and_use(folder, name), name) for name in entries]
    known.sort(key=lambda each: (-each[1], each[2]))
    left, count = settings.cache_bytes, settings.cache_entries
    if len(known) > count or sum(size for size, *_ in known) > left:
        left, count = left * 9 // 10, count * 9 // 10
    for number, (size, _, name) in enumerate(known):
        left -= size
        if left < 0 or number >= count:
            _remove(os.path.join(folder, name))


def _size_and_use(folder: str, name: str) -> tuple[int, int]:
    try:
        status = os.lstat(os.path.join(folder, name))
    except OSError:  # gone
        return 0, 0
    return status.st_size, status.st_mtime_ns


def _note_use(file: int, status: os.stat_result) -> None:
    """The date of an entry is the day of its last use; once a day, since it costs a write. The time
    of access that systems keep by themselves is mostly turned off.
    """
    if abs(time() - status.st_mtime) > _DAY and os.utime in os.supports_fd:
        with contextlib.suppress(OSError):
            os.utime(file)


def _is_alive(number: int) -> bool:
    """Is a process with this number running?"""
    if not hasattr(os, "geteuid"):
        return False
    try:
        os.kill(number, 0)  # sends nothing: asks whether it exists
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _folders(key: str) -> list[tuple[str, bool]]:
    if not (settings.cache and key):
        return []
    own = place.directory()
    mine = [] if own is None else [(own, False)]
    return mine + [(folder, True) for folder in place.shipped()]


def _path(folder: str, key: str) -> str:
    return os.path.join(folder, key + _SUFFIX)


def _is_ready(folder: str) -> bool:
    """It is there, and may be written to."""
    place.make(folder)
    return place.is_trusted_folder(folder)


def _write(path: str, data: bytes) -> None:
    # a process number alone is not unique where computers share a folder
    name = os.path.splitext(path)[0]
    unfinished = f"{name}-{os.getpid()}-{os.urandom(8).hex()}{_UNFINISHED}"
    try:
        with open(unfinished, "xb", opener=_open_for_writing) as file:
            file.write(data)
        os.replace(unfinished, path)
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
