"""The builtin class behind a container of a class of the user's.

>>> class Log(list): ...
>>> base_of(Log()), base_of({}).__name__
(<class 'list'>, 'dict')
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, deque
from typing import Any

import numpy as np

__all__ = ["BASES", "base_of"]

BASES = (list, tuple, OrderedDict, dict, deque, np.ndarray, array)


def base_of(o: object) -> Any:  # Any: one of these classes, whose methods differ
    """The builtin class of a container, whose methods pass those of a subclass by."""
    kind = type(o)
    return kind if kind in BASES else next(base for base in BASES if issubclass(type(o), base))
