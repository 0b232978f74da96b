"""The decorator that marks functions for compilation ahead of time."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, TypeVar
from weakref import WeakSet

__all__ = ["compile_decorated", "differentiable"]

F = TypeVar("F", bound=Callable[..., Any])

_marked: WeakSet[FunctionType] = WeakSet()


def differentiable(fn: F) -> F:
    """Mark a function (method, class or static method) for compilation when its module is imported.

    Returns the very same object. It means the same with no import hook at all: then it is compiled at its first
    gradient, as any other function.

    Examples
    --------
    >>> import astad
    >>> @astad.differentiable
    ... def square(x):
    ...     return x * x
    >>> square(3.0), astad.gradient(square, 3.0)
    (9.0, (6.0,))
    """
    inner = getattr(fn, "__func__", fn)
    if isinstance(inner, FunctionType):
        _marked.add(inner)
    return fn


def compile_decorated(module: ModuleType) -> None:
    """Compile the generic pair of each marked function of a module into the disk cache.

    A function that cannot be compiled is left: its first gradient says why.
    """
    from astad.api.loading import load_or_compile
    from astad.api.wiring import _parameters
    from astad.errors import AstadError

    for fn in [fn for fn in _marked if fn.__module__ == module.__name__]:
        count = len(_parameters(fn))
        try:
            load_or_compile(fn, ("unknown",) * count, (True,) * count, fused=False)
        except AstadError:
            continue
