"""Where the disk cache lies, and whether what lies there can be trusted.

An entry holds code that will run. Whoever can write to the folder, or put another in its place,
could run code as this user; so a folder that is not the user's alone is not used at all.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
import warnings

from astad import settings

__all__ = ["directory", "is_trusted_entry", "is_trusted_folder", "make"]

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_judged: dict[str, bool] = {}


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


def make(folder: str) -> None:
    """Create the folder, readable by its user alone.

    Raises
    ------
    OSError : where that cannot be done.
    """
    if not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)


def is_trusted_folder(folder: str) -> bool:
    """True for a folder of this user that nobody else can change; warns once of any other."""
    known = _judged.get(folder)
    if known is None:
        known = _judged[folder] = _judge_folder(os.lstat(folder))
        if not known:
            warnings.warn(
                f"astad does not use the cache folder {folder}: it is a link, belongs to another "
                "user or can be written by others; remove it, or set ASTAD_CACHE_DIR",
                RuntimeWarning,
                stacklevel=3,
            )
    return known


def _judge_folder(status: os.stat_result) -> bool:
    if not stat.S_ISDIR(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):  # Windows: a profile is private by its access list
        return True
    writable = status.st_mode & _OTHERS_MAY_WRITE and not status.st_mode & stat.S_ISVTX
    return status.st_uid == os.geteuid() and not writable


def is_trusted_entry(status: os.stat_result) -> bool:
    """True for a file of this user, or of the administrator, that nobody else can change."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & _OTHERS_MAY_WRITE
