"""What is said of calls into compiled packages, as mypyc and Cython make them.

Their functions look as if they were Python's, and may be installed beside their text; what runs has
none.

>>> compiled_file(len), compiled_file(compiled_file)
(None, None)
"""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any  # whatever is called

import numpy as np

from astad.runtime.cotangents.owners import aliases_any
from astad.tangents.zero import has_identity

__all__ = [
    "FOREIGN",
    "arrays_behind",
    "compiled_file",
    "is_foreign",
    "is_known",
    "is_of_package",
    "kept_by",
    "note_given",
    "reasons",
]

FOREIGN = 0
"""Key in ``Versions.made_of`` of what has gone into compiled code, which may keep it."""


def reasons(fn: Any) -> tuple[str, str] | None:
    """Why a call of ``fn`` has no derivative, and what to write instead; None where it is not of a
    compiled package.
    """
    file = compiled_file(fn)
    if file is None:
        return None
    folder, name = os.path.split(file)
    text = os.path.join(folder, name.partition(".")[0] + ".py")
    instead = "give a rule with astad.adjoint, or compute it in Python"
    if os.path.exists(text):
        beside = os.path.basename(text)
        instead = f"import {beside}, which lies beside it, in its place, or {instead}"
    return f"it is compiled code, of {name}, which has no text to differentiate", instead


def compiled_file(fn: Any) -> str | None:
    """The library that a callable, class, descriptor or object of a package was compiled to."""
    owner = getattr(fn, "__objclass__", None) or getattr(fn, "__self__", None)
    for each in (fn, owner, type(owner), type(fn)):
        module = getattr(each, "__module__", None)
        if is_of_package(module):
            file = getattr(sys.modules.get(str(module)), "__file__", None)
            if isinstance(file, str) and file.endswith(_SUFFIXES):
                return file
    return None


def is_foreign(fn: Any) -> bool:
    """Is it a function, method or class of a package?"""
    named = getattr(fn, "__module__", None)
    if named is None:  # a method has the module of its class
        named = getattr(fn, "__objclass__", type(getattr(fn, "__self__", None))).__module__
    return is_of_package(named)


def note_given(made_of: dict[int, tuple[Any, ...]], given: Sequence[Any]) -> None:
    """Numbers and objects that went into compiled code, which may keep them."""
    if given:
        known = made_of.get(FOREIGN, ())
        seen = {id(each) for each in known}
        fresh = [each for each in given if has_identity(each) and id(each) not in seen]
        made_of[FOREIGN] = (*known, *fresh) if fresh else known


def kept_by(made_of: dict[int, tuple[Any, ...]], given: Sequence[Any]) -> Sequence[Any]:
    """The containers that objects of compiled classes among ``given`` may hold, and may change."""
    if not any(is_of_package(type(each).__module__) for each in given):
        return ()
    holding = (list, dict, set, deque)
    known = [each for each in made_of.get(FOREIGN, ()) if issubclass(type(each), holding)]
    return [each for each in known if all(each is not other for other in given)]


def arrays_behind(made_of: dict[int, tuple[Any, ...]], holder: Any) -> Sequence[Any]:
    """The arrays that an object of compiled code holds, and those that it may have been given."""
    given = made_of.get(FOREIGN, ()) if is_of_package(type(holder).__module__) else ()
    held = (*gc.get_referents(holder), *given)
    return [each for each in held if issubclass(type(each), np.ndarray)]


def is_known(made_of: dict[int, tuple[Any, ...]], y: Any) -> bool:
    """Is what an object of a compiled class holds what was handed in? Then the cotangents of both
    are one.
    """
    known = made_of[FOREIGN]
    if issubclass(type(y), np.ndarray):
        return aliases_any(y, known)
    return any(y is each for each in known)


def is_of_package(module: object) -> bool:
    """Is it no module of Python itself, nor of NumPy?"""
    if type(module) is not str:
        return False
    library = module.partition(".")[0]
    return library != "numpy" and library not in sys.stdlib_module_names


_SUFFIXES = (*EXTENSION_SUFFIXES, ".so", ".pyd")
