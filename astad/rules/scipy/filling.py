"""Compiled functions that write their result into an argument, as functions that return it.

The rule is that of the function that returns; the run time calls it where a program calls the
compiled one.

>>> import numpy
>>> def doubled(a, out):
...     out[...] = 2 * a
>>> filling(doubled, 1)(numpy.array([1.0, 2.0]), None), KERNELS.pop()[0] is doubled
(array([2., 4.]), True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["KERNELS", "RETURNING", "filling", "kernel"]

KERNELS: list[tuple[Any, Callable[..., Any]]] = []
"""The compiled functions and those that return."""
RETURNING = {"evaluate_linear_2d"}
"""Compiled ones that return what they have filled."""


def filling(compiled: Callable[..., Any], place: int) -> Callable[..., Any]:
    """The function that returns its argument `place`, filled by `compiled`; where it is None or a
    shape, a new array."""

    def filled(*args: Any) -> Any:
        out = args[place]
        if out is None or isinstance(out, tuple):
            out = np.zeros(np.shape(args[0]) if out is None else out, np.result_type(args[0], 1.0))
        compiled(*args[:place], out, *args[place + 1 :])
        return out

    filled.__name__ = filled.__qualname__ = getattr(compiled, "__name__", "kernel")
    filled.__module__ = getattr(compiled, "__module__", None) or __name__
    KERNELS.append((compiled, filled))
    return filled


def kernel(module: Any, name: str, place: int) -> Any:
    """`filling` of a function by its name, None where this version of the library has none."""
    compiled = getattr(module, name, None)
    if compiled is None:
        return None
    made = filling(compiled, place)
    made.__module__ = module.__name__
    made.__name__ = made.__qualname__ = name
    return made
