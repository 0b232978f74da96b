"""Rules that libraries ship: entry points of the group ``astad.rules``.

The name of an entry point is the library its rules are for, as it is imported; what it points to is
a module that declares them, or a function that does so when called. They are read when the library
has been imported and a rule is asked for. That no package has any is found out by a look into the
folders of ``sys.path``: `importlib.metadata` takes 30 ms to import.

>>> waiting_for("a_library_without_rules")
[]
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from collections.abc import Hashable
from typing import TYPE_CHECKING

from astad.errors import AstadError, RuleError
from astad.threads import after_fork, importing, keep_own

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["is_searched", "is_waiting", "read_shipped", "waiting_for"]

GROUP = "astad.rules"

_waiting: dict[str, list[EntryPoint]] = {}
"""Entry points still to be read, by the library they are for."""

_searched: list[str] = []
"""``sys.path`` as it was when it was last looked through."""

_done: set[tuple[str, str]] = set()
_reading: set[tuple[int, Hashable]] = set()
"""Threads that read shipped rules."""

after_fork(lambda: keep_own(_reading))


def waiting_for(library: str) -> list[str]:
    """What the entry points still to be read for a library point to."""
    return [point.value for point in _waiting.get(library, ())]


def is_searched() -> bool:
    """Have the folders of ``sys.path`` been looked through, as it is now?"""
    return sys.path == _searched


def is_waiting() -> bool:
    """Are rules still to be read for a library that is there, or is being imported?"""
    return bool(_reading) or any(name in sys.modules for name in _waiting)


def read_shipped() -> bool:
    """Read the rules shipped for the libraries that have been imported; were there any?

    Raises
    ------
    RuleError : where an entry point cannot be read; again at each call, for as long as it is so.
    """
    if not is_searched():
        _search()
    if not _waiting:
        return False
    ready = [name for name in _waiting if _is_imported(name)]
    thread = get_ident(), "shipped"
    if not ready or thread in _reading:  # asked for by the rules that are being read
        return False
    _reading.add(thread)
    try:
        for name in ready:
            for point in _waiting.get(name, ()):
                _read(point)
            _waiting.pop(name, None)  # last: a library whose rules fail stays refused
    finally:
        _reading.discard(thread)
    return True


def _is_imported(name: str) -> bool:
    """Wholly: while it is, its rules could not import it."""
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)


def _search() -> None:
    """Find the entry points on ``sys.path``, those read already left out."""
    known, folders = set(_searched), list(sys.path)
    if any(_may_have_rules(folder) for folder in folders if folder not in known):
        from importlib.metadata import entry_points  # late: 30 ms

        for point in entry_points(group=GROUP):
            if (point.name, point.value) not in _done:
                _waiting.setdefault(point.name, []).append(point)
                _done.add((point.name, point.value))
    _searched[:] = folders  # last: an interrupt leaves them to be looked through


def _may_have_rules(folder: str) -> bool:
    """Does an installed package in this folder, or archive, name the group?"""
    try:
        names = os.listdir(folder or os.curdir)
    except NotADirectoryError:
        return True
    except OSError:
        return False
    infos = [name for name in names if name.endswith((".dist-info", ".egg-info", ".egg"))]
    return any(_names_the_group(os.path.join(folder, name)) for name in infos)


def _names_the_group(info: str) -> bool:
    if info.endswith(".egg"):
        info = os.path.join(info, "EGG-INFO")
    try:
        with open(os.path.join(info, "entry_points.txt"), "rb") as file:
            return GROUP.encode() in file.read()
    except OSError:
        return False


def _read(point: EntryPoint) -> None:
    try:
        found = importing(point.load)
        if point.attr:
            found()
    except AstadError:
        raise
    except Exception as error:
        owner = f" of {point.dist.name} {point.dist.version}" if point.dist is not None else ""
        raise RuleError(
            f"entry point {point.name} = {point.value}{owner}",
            f"the rules it ships for {point.name}",
            why=f"reading them raised {type(error).__name__}: {error}",
            instead="mend the entry point, or install a version of the package in which it works",
        ) from error
