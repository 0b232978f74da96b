"""Tangents at run time, by the rule of a function.

>>> import numpy as np
>>> pushed(np.trace, (0,), (np.eye(2),), 5.0, np.array([[1.0, 2.0], [3.0, 4.0]]))
np.float64(2.0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any  # whatever a rule takes

import numpy as np

from astad.errors import MissingRule
from astad.rules.formula import Rule, zero_dot
from astad.rules.registry import lookup

__all__ = [
    "expanded", "joined_all", "pushed", "pushed_all", "spread", "spread_all", "zeros_of",
]  # fmt: skip


def pushed(
    fn: Callable[..., Any],
    places: tuple[int, ...],
    dots: Sequence[Any],
    y: Any,
    /,
    *args: Any,
    **keywords: Any,
) -> Any:
    """The tangent of ``y = fn(*args, **keywords)`` where the operands in these places move.

    Raises
    ------
    MissingRule : where the rule does not cover the call.
    """
    rule = lookup(fn)
    assert rule is not None  # the text was written by it
    values = rule.bind(args, keywords)
    if rule.refuses(values):
        raise MissingRule(
            rule.name, f"call of {rule.name}", why="its rule does not cover such arguments",
            instead="take the gradient of the function, or a directional difference",
        )  # fmt: skip
    given: dict[str, Any] = {}
    for at, dot in zip(places, dots, strict=True):
        place = min(at, _rest(rule))
        name = rule.parameters[place]
        if name.startswith("*"):
            own = given.setdefault(name[1:], [zero_dot(value) for value in values[place]])
            own[at - place] = dot
        else:
            given[name] = dot
    whole = [tuple(dot) if type(dot) is list else dot for dot in given.values()]
    found = rule.push(tuple(given))(whole, y, *values)
    return np.zeros_like(y) if found is None else found


def _rest(rule: Rule) -> int:
    """The place of the variadic parameter; behind all where there is none."""
    places = [at for at, name in enumerate(rule.parameters) if name.startswith("*")]
    return min(places, default=len(rule.parameters))


def pushed_all(
    fn: Callable[..., Any],
    places: tuple[int, ...],
    dots: Sequence[Any],
    y: Any,
    /,
    *args: Any,
    **keywords: Any,
) -> Any:
    """The same for many tangents, along a first axis of each."""
    count = _count(dots)
    own = ([_one(dot, at) for dot in dots] for at in range(count))
    found = [pushed(fn, places, each, y, *args, **keywords) for each in own]
    return np.stack(found) if found else zeros_of(dots[0], y)


def joined_all(fn: Callable[..., Any], parts: Any, /, *args: Any, **keywords: Any) -> Any:
    """``np.stack([a, b])`` of tangents that have a first axis, in a display of displays."""
    found = [fn(_ones(parts, at), *args, **keywords) for at in range(_count(parts))]
    return np.stack(found)


def _count(parts: Any) -> int:
    """How many tangents there are."""
    for part in parts:
        if isinstance(part, np.ndarray):
            return len(part)
        if isinstance(part, (list, tuple)) and (count := _count(part)):
            return count
    return 0


def _one(dot: Any, at: int) -> Any:
    return dot[at] if isinstance(dot, np.ndarray) else dot


def _ones(parts: Any, at: int) -> Any:
    """One of the tangents of each item."""
    if isinstance(parts, (list, tuple)):
        return [_ones(part, at) for part in parts]
    return _one(parts, at)


def zeros_of(first: Any, like: Any) -> Any:
    """As many zeros of a shape as there are tangents in ``first``."""
    return np.zeros((len(first), *np.shape(like)))


def expanded(dot: Any, count: int) -> Any:
    """With so many axes of length 1 behind the first: tangents of what is broadcast."""
    if not isinstance(dot, np.ndarray):
        return dot
    return dot.reshape(dot.shape[:1] + (1,) * count + dot.shape[1:])


def spread_all(dot: Any, y: Any) -> Any:
    """`spread` for many tangents."""
    shape = (*np.shape(dot)[:1], *np.shape(y))
    return dot if np.shape(dot) == shape else np.broadcast_to(dot, shape).copy()


def spread(dot: Any, y: Any) -> Any:
    """A tangent in the shape of what it is the tangent of, in an array of its own."""
    shape = np.shape(y)
    return dot if np.shape(dot) == shape else np.broadcast_to(dot, shape).copy()
