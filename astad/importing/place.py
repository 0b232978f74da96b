"""Where the disk cache lies, and whether what lies there can be trusted.

An entry holds code that will run. Whoever can write to the folder, or put another in its place,
could run code as this user; so a folder that is not the user's alone is not used at all, nor one
below a folder that others may write to.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
import warnings
from collections.abc import Iterator

from astad import settings

__all__ = ["directory", "is_trusted_entry", "is_trusted_folder", "make", "shipped"]

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_judged: dict[tuple[str, bool], bool] = {}


def directory() -> str | None:
    """The folder of the entries, or None where there is no place for one; nothing is created.

    ``settings.cache_directory``, else below ``PYTHONPYCACHEPREFIX``, else the user's cache folder
    (``XDG_CACHE_HOME``, ``~/.cache``).
    """
    return _resolve(
        settings.cache_directory,
        sys.pycache_prefix,
        os.environ.get("XDG_CACHE_HOME", ""),
        os.environ.get("HOME", ""),
    )


@functools.lru_cache(maxsize=16)
def _resolve(own: str | None, prefix: str | None, cache_home: str, home: str) -> str | None:
    if own is not None:
        return os.path.realpath(os.path.expanduser(own))
    if prefix is not None:
        return os.path.join(os.path.abspath(prefix), "astad")
    if not os.path.isabs(cache_home):  # the XDG specification: a relative path is to be ignored
        home = home or os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        cache_home = os.path.join(home, ".cache")
    return os.path.join(cache_home, "astad")


def shipped() -> list[str]:
    """The folders of entries that are read and never written: ``settings.cache_shipped``."""
    folders = (settings.cache_shipped or "").split(os.pathsep)
    return [os.path.realpath(os.path.expanduser(folder)) for folder in folders if folder]


def make(folder: str) -> None:
    """Create the folder, and those above it that are missing, for its user alone.

    Raises
    ------
    OSError : where that cannot be done.
    """
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    if above != folder:
        make(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):  # else another process was faster
            raise


def is_trusted_folder(folder: str, *, by_root: bool = False) -> bool:
    """True for a folder of this user, or ``by_root`` of the administrator, that nobody else can
    change or put another in the place of; warns once of any other.
    """
    known = _judged.get((folder, by_root))
    if known is None:
        fault = _fault(folder, by_root)
        known = _judged[folder, by_root] = fault is None
        if not known:
            warnings.warn(
                f"astad does not use the cache folder {folder}: {fault} is a link, belongs to "
                "another user or can be written by others; remove it, or set ASTAD_CACHE_DIR",
                RuntimeWarning,
                stacklevel=3,
            )
    return known


def _fault(folder: str, by_root: bool) -> str | None:
    """What on the way to a folder cannot be trusted.

    Who can write to a folder above can put another in the place of this one. In a sticky one, such
    as the system's for temporary files, only their owners can do that to what lies in it.
    """
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        return folder
    if not hasattr(os, "geteuid"):  # Windows: a profile is private by its access list
        return None
    user = os.geteuid()
    # who owns the root folder could do anything; in a container he may have any number
    owners = {user, 0, os.lstat(os.sep).st_uid}
    if status.st_uid not in (owners if by_root else {user}):
        return folder
    for path in _way_to(folder):
        status = os.lstat(path)
        is_open = status.st_mode & _OTHERS_MAY_WRITE and not status.st_mode & stat.S_ISVTX
        if status.st_uid not in owners or (is_open and not stat.S_ISLNK(status.st_mode)):
            return path
    return None


def _way_to(folder: str) -> Iterator[str]:
    """Every folder and every link that is gone through from the root to a folder."""
    at, pending = os.sep, folder.split(os.sep)[::-1]
    yield at
    while pending:
        part = pending.pop()
        step = os.path.dirname(at) if part == os.pardir else os.path.join(at, part)
        if part in ("", os.curdir):
            continue
        yield step
        if os.path.islink(step):
            target = os.readlink(step)
            at = os.sep if os.path.isabs(target) else at
            pending += target.split(os.sep)[::-1]
        else:
            at = step


def is_trusted_entry(status: os.stat_result) -> bool:
    """True for a file of this user, or of the administrator, that nobody else can change."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & _OTHERS_MAY_WRITE
