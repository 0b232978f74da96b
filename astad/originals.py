"""The builtins as they were when astad was imported.

A program may bind ``builtins.len`` anew. What runs in its functions is its own; astad's code, and
what generated text reads besides, stays with these: each module of astad has them as its
``__builtins__``, put there by the loader of its folder.

>>> from astad import threads
>>> builtins.len is len, vars(threads)["__builtins__"] is vars(builtins)
(True, True)
"""

from __future__ import annotations

import builtins as _live
import sys
from collections.abc import Iterable
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from types import ModuleType
from typing import Any

import numpy  # noqa: F401  (its modules read the builtins of this moment as well)

__all__ = ["bound_anew", "builtins", "is_original"]

builtins: Any = ModuleType("builtins", _live.__doc__)
"""A module like Python's own, which nobody else writes."""
vars(builtins).update(vars(_live))
_NOTHING = object()


def is_original(name: str) -> bool:
    """Does a builtin name stand for what it stood for when astad was imported?"""
    return vars(_live).get(name, _NOTHING) is vars(builtins).get(name)


def bound_anew() -> list[str]:
    """The names of builtins that stand for something else now."""
    return [name for name in vars(builtins) if not is_original(name) and name[:2] != "__"]


_FILE_LOADER, _SOURCE_LOADER = SourceFileLoader.__bases__


class _Loader(_FILE_LOADER, _SOURCE_LOADER):  # type: ignore[valid-type,misc]  # bases without stubs
    """As Python's own, of which it is no subclass: pytest would take its place, since astad has a
    plugin of pytest's."""

    path_stats = SourceFileLoader.path_stats
    set_data = SourceFileLoader.set_data
    _cache_bytecode = SourceFileLoader._cache_bytecode  # type: ignore[attr-defined]

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = vars(builtins)
        _keep_for(getattr(module, "__path__", ()))
        super().exec_module(module)


def _keep_for(folders: Iterable[str]) -> None:
    """Have the modules in these folders read the builtins of this moment, whenever they are
    imported."""
    for folder in folders:
        sys.path_importer_cache[folder] = FileFinder(folder, (_Loader, SOURCE_SUFFIXES))


_keep_for(sys.modules["astad"].__path__)
