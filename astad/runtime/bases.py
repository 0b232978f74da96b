"""The builtin class behind a container of a class of the user's.

>>> class Log(list): ...
>>> base_of(Log()), base_of({}).__name__
(<class 'list'>, 'dict')
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

__all__ = ["BASES", "base_of", "count_of", "factory_of", "items_in"]

BASES = (list, tuple, OrderedDict, dict, deque, np.ndarray, array)


def base_of(o: object) -> Any:  # Any: one of these classes, whose methods differ
    """The builtin class of a container, whose methods pass those of a subclass by."""
    kind = type(o)
    return kind if kind in BASES else next(base for base in BASES if issubclass(type(o), base))


def count_of(o: Any) -> int:
    """How many elements lie in a list, tuple or deque, whatever its class says of it."""
    n: int = base_of(o).__len__(o)
    return n


def items_in(o: Any) -> Any:  # Any: a container, and an iterator of whatever lies in it
    """What lies in a list, tuple, deque or set, whatever its class hands out."""
    kind = next((each for each in (set, frozenset) if issubclass(type(o), each)), None)
    return kind.__iter__(o) if kind is not None else base_of(o).__iter__(o)


def factory_of(o: Any) -> Any:  # Any: a defaultdict, and a callable of the user's
    """What a defaultdict calls for a key that is not there, whatever its class says of it."""
    member: Any = vars(defaultdict)["default_factory"]
    return member.__get__(o)
