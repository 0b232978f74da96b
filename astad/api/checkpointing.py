"""Recompute in place of keep."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from astad.api.custom_rules import adjoint
from astad.api.reverse_mode import pullback_self
from astad.errors import Unsupported

__all__ = ["checkpoint"]


class checkpoint:
    """``checkpoint(f)`` computes what ``f`` does and keeps only its arguments: the reverse sweep
    runs it again.

    Examples
    --------
    >>> import math, astad
    >>> astad.gradient(astad.checkpoint(math.sin), 1.0)
    (0.5403023058681398,)
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.f(*args, **keywords)

    def __repr__(self) -> str:
        return f"checkpoint({self.f!r})"


@adjoint(checkpoint.__call__)
def _checkpoint_rule(
    self: checkpoint, *args: Any, **keywords: Any
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    kept = copy.deepcopy(args)
    y = self.f(*args, **keywords)
    if not _equal(args, kept):
        raise Unsupported(
            f"checkpoint({getattr(self.f, '__qualname__', repr(self.f))})",
            "a write to an argument",
            why="the run in the reverse sweep would write it again",
            instead="return the new value, or do without checkpoint",
        )

    def back(y_bar: Any) -> tuple[Any, ...]:
        of_self, *of_args = pullback_self(self.f, *copy.deepcopy(kept), **keywords)[1](y_bar)
        return ({"f": of_self} if of_self is not None else None, *of_args)

    return y, back


def _equal(a: Any, b: Any) -> bool:
    if issubclass(type(a), np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    if issubclass(type(a), list | tuple):
        return len(a) == len(b) and all(map(_equal, a, b))
    if issubclass(type(a), dict):
        return list(a) == list(b) and all(_equal(a[key], b[key]) for key in a)
    return vars(a).keys() == vars(b).keys() if hasattr(a, "__dict__") else bool(a == b)
