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

__all__ = ["pushed", "spread"]


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


def spread(dot: Any, y: Any) -> Any:
    """A tangent in the shape of what it is the tangent of, in an array of its own."""
    shape = np.shape(y)
    return dot if np.shape(dot) == shape else np.broadcast_to(dot, shape).copy()
