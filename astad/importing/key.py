"""What an entry of the disk cache depends on: the code that runs, the options, and the compiler.

The code object stands for the source. It says all that the text says about what the function does,
it is the one that really runs, and reading it needs neither the file nor a parser. The file, its
date and the line it begins on are left out: a comment put above a function finds the same entry.

The compiler is what the sources of astad, gast and astunparse say, Python and NumPy: two processes
for which they are the same generate the same text from the same function. No number has to be
raised by hand when a pass or a rule changes. The sources are read once: while none of them is
written to, which `digest.stamp_of` tells, the digest that lies beside the entries of the disk cache
is taken.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from types import CodeType, EllipsisType, NoneType

import numpy as np

from astad.importing import digest, disk
from astad.importing.digest import blake2b

__all__ = ["digest_of_code", "entry_key", "of_compiler"]

_PLAIN = frozenset({NoneType, bool, float, complex, str, bytes, EllipsisType})


def entry_key(code: CodeType, options: str) -> str:
    """The name of the entry of a compiled function; "" where nothing may be cached.

    Parameters
    ----------
    code : code
        Of the function, as it runs.
    options : str
        All else that the generated text depends on: kinds of the arguments, activity, form, stage.
    """
    compiler = of_compiler()
    if not compiler:
        return ""
    return _digest(repr((digest_of_code(code), options, compiler)))


def digest_of_code(code: CodeType) -> str:
    """A digest of what a function does, the same in every process, file and place in the file.

    A constant of a kind that no compiler writes makes a digest that never comes again: equal
    digests always mean equal code.

    >>> def double(x):
    ...     return 2 * x
    >>> digest_of_code(double.__code__) == digest_of_code(double.__code__)
    True
    """
    try:
        text = _code_text(code, code.co_firstlineno)
    except TypeError:
        return os.urandom(16).hex()
    return _digest(text, 16)


def _code_text(code: CodeType, first_line: int) -> str:
    facts = (
        code.co_name,
        code.co_qualname,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags,
        code.co_firstlineno - first_line,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_code,  # as compiled: what the interpreter specialised in place is undone here
        code.co_linetable,  # counts from the first line of the code
        code.co_exceptiontable,
    )
    return f"code({facts!r},{_text(code.co_consts, first_line)})"


def _text(constant: object, first_line: int) -> str:
    """An expression for a constant that tells 1 from True from 1.0, and 0.0 from -0.0."""
    kind = type(constant)
    if kind in _PLAIN:
        return repr(constant)
    if isinstance(constant, CodeType):
        return _code_text(constant, first_line)
    if isinstance(constant, int) and kind is int:
        return hex(constant)  # repr refuses numbers of more than 4300 digits
    if isinstance(constant, tuple) and kind is tuple:
        return f"({','.join([_text(item, first_line) for item in constant])},)"
    if isinstance(constant, frozenset) and kind is frozenset:
        # sorted: the order of a set depends on the hash seed
        return f"{{{','.join(sorted(_text(item, first_line) for item in constant))}}}"
    if isinstance(constant, slice):
        return f"slice{_text((constant.start, constant.stop, constant.step), first_line)}"
    raise TypeError(kind)


@functools.cache
def of_compiler() -> str:
    """The digest, or "" where it cannot be told: then nothing may be cached on disk."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [own, _folder_of("gast"), _folder_of("astunparse")]

    def told(ask: Callable[[str], str]) -> str:
        return repr([folder and ask(folder) for folder in folders])

    try:
        stamp = _digest(told(digest.stamp_of))
        sources = disk.noted(_digest(repr(folders)), stamp, lambda: told(digest.of_folder))
    except OSError:
        return ""
    python = (sys.implementation.cache_tag, sys.flags.optimize)
    return _digest(repr((sources, python, np.__version__)), 16)


def _digest(text: str, size: int = 32) -> str:
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=size).hexdigest()


def _folder_of(package: str) -> str | None:
    """Where a package lies, without importing it."""
    loaded = sys.modules.get(package)
    spec = loaded.__spec__ if loaded is not None else PathFinder.find_spec(package)
    places = spec.submodule_search_locations if spec is not None else None
    return next(iter(places), None) if places else None
