"""``python -m astad.cache list | verify | clear``: the disk cache, seen from outside.

``list`` shows size, key and first line of each entry, and how much there may be of them; ``verify``
reads every entry in full and names those that are damaged or not to be trusted; ``clear`` removes
all entries and what killed processes left. Folders that are only read (``ASTAD_CACHE_SHIPPED``) are
listed and verified too, and not cleared. The exit code is 0, or 1 where something is wrong, or 2
for a wrong command.
"""

from __future__ import annotations

import os
import sys

from astad import settings
from astad.importing import disk, place

__all__ = ["main"]

_USAGE = "usage: python -m astad.cache list | verify | clear"


def main(arguments: list[str]) -> int:
    """Run one command; the exit code is returned."""
    commands = {"list": _list, "verify": _verify, "clear": _clear}
    if len(arguments) != 1 or arguments[0] not in commands:
        print(_USAGE, file=sys.stderr)
        return 2
    own, shipped = place.directory(), place.shipped()
    if own is None or not os.path.isdir(own):
        print(f"no cache folder ({own or 'no home directory'})")
    folders = [(own, False), *((each, True) for each in shipped if arguments[0] != "clear")]
    try:
        found = [
            commands[arguments[0]](folder, is_shipped)
            for folder, is_shipped in folders
            if folder is not None and os.path.isdir(folder)
        ]
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return max(found, default=0)


def _list(folder: str, shipped: bool) -> int:
    number = size = 0
    for key, path in disk.paths(folder):
        number += 1
        size += os.path.getsize(path)
        print(f"{os.path.getsize(path):9}  {key[:16]}  {_title(folder, key, shipped)}")
    most = f"at most {settings.cache_entries} entries, {settings.cache_bytes} bytes"
    print(f"{number} entries, {size} bytes in {folder} ({'only read' if shipped else most})")
    return 0


def _verify(folder: str, shipped: bool) -> int:
    bad = 0
    for key, _ in disk.paths(folder):
        try:
            disk.read(folder, key, shipped=shipped)
        except (OSError, ValueError) as error:
            bad += 1
            print(f"{key}: {error}")
    then = "" if shipped else "; each is replaced when it is next needed"
    print(f"{bad} bad entries in {folder}{then}")
    return 1 if bad else 0


def _clear(folder: str, shipped: bool) -> int:
    number = 0
    for _, path in disk.paths(folder):
        os.unlink(path)
        number += 1
    for _, path in disk.notes(folder):
        os.unlink(path)
    disk.sweep(folder)
    print(f"{number} entries removed from {folder}")
    return 0


def _title(folder: str, key: str, shipped: bool) -> str:
    try:
        text = disk.read(folder, key, shipped=shipped).text
    except (OSError, ValueError) as error:
        return str(error)
    return text.lstrip().partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
