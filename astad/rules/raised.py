"""Whether an operation on numbers raises an error: what the text of a recorded run asks, where the
run has gone on with the error.

>>> raised_by("_operator.truediv", "ZeroDivisionError", 1.0, 0)
True
>>> raised_by("math.sqrt", "ValueError", 4.0)
False
"""

from __future__ import annotations

import math
import operator
from typing import Any

from astad.rules.registry import zero

__all__ = ["raised_by"]

_HOMES = {"math": math, "_operator": operator}


def raised_by(path: str, error: str, a: Any, b: Any = None) -> bool:
    """Does the function of one or two numbers raise an error of this very class?"""
    home, _, name = path.partition(".")
    try:
        getattr(_HOMES[home], name)(*([a] if b is None else [a, b]))
    except Exception as raised:
        return type(raised).__name__ == error
    return False


zero(raised_by, gives="path, error, a, b=None -> inert(a); path, error, b", why="a truth")
