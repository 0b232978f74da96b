"""Tangents of rules that state cotangents alone: a pullback is linear in the cotangent of the
result, and its transpose is the tangent.

The transpose is what reverse mode makes of the pullback's own text; ``reverse.pullback`` is
filled in by astad.api.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["reverse", "some_cotangent", "transposed"]


class _Reverse:
    """Reverse mode, which lies above the rules."""

    __slots__ = ("pullback",)
    pullback: Callable[..., tuple[Any, Callable[[Any], tuple[Any, ...]]]]


reverse = _Reverse()


def transposed(pull: Callable[..., tuple[Any, ...]]) -> Callable[..., Any]:
    """The function ``(dots, y, *values) -> y_dot`` of ``(y_bar, y, *values) -> cotangents``.

    As in ``Rule.push``, a tuple for a tuple, with None for what has no tangent.
    """

    def push(dots: Sequence[Any], y: Any, *values: Any) -> Any:
        def of_cotangent(y_bar: Any) -> tuple[Any, ...]:
            return pull(y_bar, y, *values)

        _, back = reverse.pullback(of_cotangent, some_cotangent(y))
        return back(tuple(dots))[0]

    return push


def some_cotangent(y: Any) -> Any:
    """A cotangent of a result with nothing special about it: a pullback may leave out the share
    of what is 0."""
    if isinstance(y, (list, tuple)):
        return tuple(map(some_cotangent, y))
    if not isinstance(y, (np.ndarray, np.inexact, float, complex)):
        return None
    if isinstance(y, np.ndarray) and y.dtype.kind not in "fc":
        return None
    angles = 0.3 + 0.7 * np.arange(np.size(y)).reshape(np.shape(y))
    g = np.cos(angles) + (1j * np.sin(angles) if np.iscomplexobj(y) else 0.0)
    return np.asarray(g, y.dtype) if isinstance(y, np.ndarray) else type(y)(g)
