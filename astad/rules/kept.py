"""What the text of a recorded run hands over at its end, for what the run has written outside.

A text that is left half way has written nothing: so it does not write itself. It keeps its numbers
and arrays, and who has run it to its end takes them and puts them where they belong. Arrays are
kept as copies, for a reverse sweep may use their memory again.

>>> keep(2.0, np.array([1.0]))
>>> taken()
(2.0, array([1.]))
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from astad.rules.in_force import KEEPING
from astad.rules.registry import zero

__all__ = ["keep", "taken"]

_LAST = threading.local()


def keep(*values: Any) -> None:
    """The values of the text that this thread has run last."""
    _LAST.values = tuple([v.copy() if type(v) is np.ndarray else v for v in values])


def taken() -> tuple[Any, ...]:
    """They are nobody else's."""
    found: tuple[Any, ...] = _LAST.values
    del _LAST.values
    return found


zero(keep, why="it hands numbers over")
KEEPING.add(id(keep))
