"""The texts that modules were imported from: an edit or a deletion afterwards then does not matter.

>>> remember("walk.py", "def double(x): return 2 * x")
>>> remembered("walk.py")
'def double(x): return 2 * x'
"""

from __future__ import annotations

import os

from astad import settings

__all__ = ["remember", "remember_file", "remembered"]

_texts: dict[str, str | bytes] = {}


def remember(file: str, text: str | bytes) -> None:
    """Keep the text of a file, decoded or as it was read."""
    _texts[file] = text


def remember_file(file: str) -> None:
    """Read a file now, unless its text is known; a name that is no file is passed over."""
    if file in _texts or not os.path.isabs(file):
        return
    try:
        with open(file, "rb") as opened:
            _texts[file] = opened.read()
    except OSError:
        settings.report()


def remembered(file: str) -> str | bytes | None:
    """What is known of a file's text."""
    return _texts.get(file)
