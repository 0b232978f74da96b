"""Where the text of a running function may be: candidates, the most trusted first.

`parse.py` parses a candidate and takes it only when its code is the code that runs.

>>> remember_source("walk.py", b"def double(x):\\r\\n    return 2 * x\\r\\n")
>>> remembered("walk.py")
'def double(x):\\n    return 2 * x\\n'
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.util import decode_source
from types import CodeType, FunctionType

from astad.errors import NoSource
from astad.slotted import dataclass

__all__ = [
    "MADE", "WRITTEN", "Source", "code_of", "no_source", "remember_source", "remembered",
    "sources", "text_of_command", "written_in",
]  # fmt: skip

_remembered: dict[str, str] = {}
WRITTEN: Mapping[int, tuple[object, Collection[str]]] = {}
"""Filled by whoever has a program compiled."""
MADE: Mapping[str, str] = {}
"""Texts of functions made of formulas, by file. Filled by whoever has a program compiled."""


@dataclass(frozen=True, slots=True)
class Source:
    """The whole text of a file or cell, and the line in it at which the function starts."""

    text: str
    file: str
    line: int


def remember_source(file: str, text: str | bytes) -> None:
    """Keep the text a module was imported from, so that a later edit on disk does not matter."""
    _remembered[file] = decode_source(text) if isinstance(text, bytes) else text


def remembered(file: str) -> str | None:
    """The text that was remembered for a file."""
    return _remembered.get(file)


def written_in(space: dict[str, object]) -> frozenset[str]:
    """Those of its names that were found to hold numbers with a derivative while programs ran."""
    found = WRITTEN.get(id(space))
    return frozenset(found[1]) if found is not None and found[0] is space else frozenset()


NAMELESS = ("<string>", "<stdin>")
"""Files of any number of texts; Python 3.13 keeps the last."""


def code_of(fn: object) -> CodeType:
    """The code object of a plain Python function, else the error that says there is none."""
    if type(fn) is FunctionType:
        return fn.__code__
    name = getattr(fn, "__qualname__", None) or repr(fn)
    raise NoSource(
        str(name),
        f"{type(fn).__name__} without Python source",
        why="only a function written in Python has statements to differentiate",
        instead="declare a rule for it with astad.adjoint, or call a Python function that does "
        "the same",
    )


def sources(fn: FunctionType) -> Iterator[Source]:
    """Texts that may hold it: remembered, cached by linecache, on disk now, from the loader."""
    code, seen = fn.__code__, set[str]()
    for text in _texts(code.co_filename, fn.__globals__):
        if text and text not in seen:
            seen.add(text)
            yield Source(text, code.co_filename, code.co_firstlineno)


def no_source(code: CodeType, *, found: bool, hook: str | None = None) -> NoSource:
    """The error for a function without text, or (``found``) whose text is no longer what runs;
    ``hook``: the loader that imported its module, where it is none of Python's own.
    """
    name, file = code.co_qualname, code.co_filename
    found = found and file not in NAMELESS and not _is_made(file)
    if file == "<stdin>":
        return NoSource(
            name,
            f"source in {file}",
            why="Python keeps no text of what it reads from standard input, nor, before version "
            "3.13, of what is typed at its prompt",
            instead="put the function into a .py file and run or import that, or type it in "
            "IPython or a notebook",
        )
    if found and hook is not None:
        return NoSource(
            name,
            f"source in {file}",
            why="the text found there is not that of the function that runs: the file was edited "
            f"after it was imported, or {hook}, which imported it, changed the function",
            instead="import the module without that hook, or declare a rule with astad.adjoint",
        )
    if found:
        return NoSource(
            name,
            f"source in {file}",
            why="the text found there is not that of the function that runs, so the file was "
            "probably edited after it was imported",
            instead="import or define the function again, then differentiate it",
        )
    return NoSource(
        name,
        f"source in {file}",
        why="no text is found there, as for code made by exec or installed without its .py files",
        instead="put the function into a .py file, or declare a rule for it with astad.adjoint",
    )


def _is_made(file: str) -> bool:
    """Code that a program made; what a loader knows is the text of the program."""
    return file.startswith("<") and not file.startswith("<frozen") and not linecache.getlines(file)


def _texts(file: str, module: dict[str, object]) -> Iterator[str | None]:
    yield _remembered.get(file) or MADE.get(file)
    yield _joined(linecache.getlines(file, module))
    linecache.checkcache(file)
    yield _joined(linecache.getlines(file, module))
    yield _from_loader(module)
    if file == "<string>":
        yield text_of_command(sys.orig_argv)
    # a frozen module of the standard library: `<frozen os>` has a file all the same
    yield "".join(linecache.getlines(str(module.get("__file__") or "")))


_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")


def text_of_command(argv: Sequence[str]) -> str | None:
    """The text of ``python -c text``, which Python itself keeps from version 3.13 on.

    >>> text_of_command(["python", "-X", "dev", "-Ic", "x = 1", "-c"])
    'x = 1\\n'
    >>> text_of_command(["python", "walk.py", "-c", "x = 1"])
    """
    left = list(argv[1:])[::-1]
    while left and left[-1].startswith("-"):
        option = left.pop()
        if option in _WITH_VALUE:
            left[-1:] = []
        elif not option.startswith(("--", "-W", "-X")) and "c" in option:
            text = option.partition("c")[2] or (left.pop() if left else "")
            return text + "\n"
    return None


_last: tuple[list[str], str] = [], ""
"""Lines of a file and their text: mostly several functions of one file are asked for."""


def _joined(lines: list[str]) -> str:
    global _last
    found = _last
    if found[0] is not lines:
        found = _last = lines, "".join(lines)
    return found[1]


def _from_loader(module: dict[str, object]) -> str | None:
    """The text by the loader's own account, where the file name leads nowhere (zip, moved tree)."""
    get_source = getattr(module.get("__loader__"), "get_source", None)
    if get_source is None:
        return None
    try:
        text = get_source(module.get("__name__"))
    except (RecursionError, MemoryError):  # of the moment: not to be remembered
        raise
    except Exception:  # a loader is foreign code: whatever fails in it means no text
        return None
    return text if isinstance(text, str) else None
