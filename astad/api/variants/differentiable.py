"""The decorator that marks functions for compilation ahead of time."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, TypeVar
from weakref import WeakSet

from astad import settings
from astad.code_objects import parameters_of
from astad.importing import disk
from astad.importing.loader import slots
from astad.importing.texts import remember, remember_file

__all__ = ["compile_decorated", "differentiable"]

F = TypeVar("F", bound=Callable[..., Any])

_marked: dict[str, WeakSet[FunctionType]] = {}


def differentiable(fn: F) -> F:
    """Mark a function (method, class and static method too) for compilation when its module is
    imported.

    Returns the very same object. It means the same with no import hook at all: then it is
    compiled at its first gradient, as any other function, from the source as it is now.

    Examples
    --------
    >>> import astad
    >>> @astad.differentiable
    ... def square(x):
    ...     return x * x
    >>> square(3.0), astad.gradient(square, 3.0)
    (9.0, (6.0,))
    """
    inner: Any = fn
    while issubclass(type(inner), (staticmethod, classmethod)):
        inner = inner.__func__
    if type(inner) is FunctionType:
        _marked.setdefault(inner.__module__, WeakSet()).add(inner)
        remember_file(inner.__code__.co_filename)
    return fn


def compile_decorated(module: ModuleType) -> None:
    """Compile the generic pair of each marked function of a module into the disk cache.

    A function that cannot be compiled is left: its first gradient says why.
    """
    marked = list(_marked.pop(module.__name__, ()))
    if not marked or not disk.is_writing():
        return
    from astad.api.variants.loading import compile_ahead  # late: most modules mark none

    for fn in marked:
        try:
            compile_ahead(fn, len(parameters_of(fn.__code__).flat))
        except Exception:  # of the compiler as well: an import must not fail by it
            settings.report()


slots.remember = remember
slots.compile_decorated = compile_decorated
