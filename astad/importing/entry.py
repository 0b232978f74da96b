"""An entry of the disk cache, and its bytes.

One line of ASCII (``astad-entry 1 KEY LENGTH DIGEST``), then the payload: text, line table,
bindings, assumptions and code, written by ``marshal``, which runs nothing. The line is computed
anew from the key asked for and the payload found, and must be the one that is there; only then is
the payload read.
"""

from __future__ import annotations

import marshal

# the module below importlib.util, which takes 1 ms
from _frozen_importlib_external import MAGIC_NUMBER
from collections.abc import Mapping
from types import CodeType
from typing import Any, NamedTuple

from astad.importing.digest import blake2b

__all__ = ["Entry", "pack", "relocate", "unpack"]

# the last version that shares no object and marks no string as interned: with either, the bytes
# would depend on what else the process has done
_MARSHAL_VERSION = 2


class Entry(NamedTuple):
    """What is kept of one compilation.

    Attributes
    ----------
    text : str
        The generated source.
    lines : sequence of (int, int)
        Line of the generated source; line of the user's, counted from the function's first.
    code : code or None
        The text compiled; None where it was written by another version of Python.
    bindings : list of plain values
        How each global name of the generated module is found again.
    assumptions : list of plain values
        What must still hold for the text to be right.
    """

    text: str
    lines: list[tuple[int, int]]
    code: CodeType | None
    bindings: list[Any]  # Any: what the items look like is decided by who compiles
    assumptions: list[Any]


def pack(key: str, entry: Entry) -> bytes:
    """The bytes of an entry; the same entry gives the same bytes in every process.

    Raises
    ------
    ValueError : if the entry holds something else than plain values.
    """
    code = b"" if entry.code is None else marshal.dumps(entry.code, _MARSHAL_VERSION)
    fields = (entry.text, entry.lines, MAGIC_NUMBER, code, entry.bindings, entry.assumptions)
    payload = marshal.dumps(fields, _MARSHAL_VERSION)
    return _head(key, payload) + b"\n" + payload


def unpack(key: str, data: bytes) -> Entry | None:
    """The entry with these bytes, or None if they are not, to the last bit, what was packed."""
    head, _, payload = data.partition(b"\n")
    if head != _head(key, payload):
        return None
    try:
        text, lines, magic_number, code_bytes, bindings, assumptions = marshal.loads(payload)
        usable = magic_number == MAGIC_NUMBER and code_bytes
        code = marshal.loads(code_bytes) if usable else None
    except (ValueError, TypeError, EOFError):
        return None
    return Entry(text, lines, code, bindings, assumptions)


def _head(key: str, payload: bytes) -> bytes:
    digest = blake2b(payload, digest_size=32).hexdigest()
    return f"astad-entry 1 {key} {len(payload)} {digest}".encode()


def relocate(code: CodeType, homes: Mapping[str, tuple[str, int]]) -> CodeType:
    """The same code in other files and on other lines; done when an entry is taken into use.

    An entry must not name a file or a line: the user's tree may be moved, and a comment be put
    above the function. So the code is stored under stand-ins, and is given its home here.

    Parameters
    ----------
    code : code
        As stored, functions inside included.
    homes : mapping of str to (str, int)
        For a stand-in: the file, and the number of lines to add.

    >>> code = relocate(compile("x = 1", "<user>", "exec"), {"<user>": ("walk.py", 40)})
    >>> code.co_filename, code.co_firstlineno
    ('walk.py', 41)
    """
    file, added = homes.get(code.co_filename, (code.co_filename, 0))
    consts = tuple(relocate(c, homes) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(
        co_filename=file, co_firstlineno=code.co_firstlineno + added, co_consts=consts
    )
