"""``python -m astad.cache list | verify | clear``: the disk cache, seen from outside.

``list`` shows size, key and first line of each entry; ``verify`` reads every entry in full and
names those that are damaged or not to be trusted; ``clear`` removes all entries and what killed
processes left. The exit code is 0, or 1 where something is wrong, or 2 for a wrong command.
"""

from __future__ import annotations

import os
import sys

from astad.importing import disk, place

__all__ = ["main"]

_USAGE = "usage: python -m astad.cache list | verify | clear"


def main(arguments: list[str]) -> int:
    """Run one command; the exit code is returned."""
    commands = {"list": _list, "verify": _verify, "clear": _clear}
    if len(arguments) != 1 or arguments[0] not in commands:
        print(_USAGE, file=sys.stderr)
        return 2
    folder = place.directory()
    if folder is None or not os.path.isdir(folder):
        print(f"no cache folder ({folder or 'no home directory'})")
        return 0
    try:
        return commands[arguments[0]](folder)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1


def _list(folder: str) -> int:
    number = size = 0
    for key, path in disk.paths(folder):
        number += 1
        size += os.path.getsize(path)
        print(f"{os.path.getsize(path):9}  {key[:16]}  {_title(folder, key)}")
    print(f"{number} entries, {size} bytes in {folder}")
    return 0


def _verify(folder: str) -> int:
    bad = 0
    for key, _ in disk.paths(folder):
        try:
            disk.read(folder, key)
        except (OSError, ValueError) as error:
            bad += 1
            print(f"{key}: {error}")
    print(f"{bad} bad entries in {folder}; each is replaced when it is next needed")
    return 1 if bad else 0


def _clear(folder: str) -> int:
    number = 0
    for _, path in disk.paths(folder):
        os.unlink(path)
        number += 1
    disk.sweep(folder)
    print(f"{number} entries removed from {folder}")
    return 0


def _title(folder: str, key: str) -> str:
    try:
        text = disk.read(folder, key).text
    except (OSError, ValueError) as error:
        return str(error)
    return text.lstrip().partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
