"""The builtin class behind a container of a class of the user's.

>>> class Log(list): ...
>>> base_of(Log()), base_of({}).__name__
(<class 'list'>, 'dict')
"""

from __future__ import annotations

import operator
import sys
from array import array
from collections import OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from astad.tangents.unasked import has_in_class
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["BASES", "base_of", "count_of", "factory_of", "items_in", "plain_index", "plain_place"]

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


def plain_place(i: Any) -> Any:  # Any: whatever may stand in a subscript
    """The subscript of a sequence with ints in the place of objects that have an ``__index__``.

    Each is asked once.

    >>> class Third:
    ...     def __index__(self):
    ...         return 2
    >>> plain_place(Third()), plain_place(slice(Third(), None)), plain_index((Third(), 0.5))
    (2, slice(2, None, None), (2, 0.5))
    """
    kind = type(i)
    if kind is int:
        return i
    if kind is slice and (_asks(i.step) or _asks(i.start) or _asks(i.stop)):
        step, start, stop = map(_asked, (i.step, i.start, i.stop))  # in Python's order
        return slice(start, stop, step)
    place = _asked(i)
    if place is not i and not -sys.maxsize <= place <= sys.maxsize:
        raise IndexError(f"cannot fit {kind.__name__!r} into an index-sized integer")
    return place


def plain_index(i: Any) -> Any:  # Any: whatever may stand in a subscript
    """The same for an array, which takes a tuple of them."""
    return tuple(map(plain_place, i)) if type(i) is tuple else plain_place(i)


def _asked(i: Any) -> Any:
    return operator.index(i) if _asks(i) else i


def _asks(i: Any) -> bool:
    kind = type(i)
    is_made = kind.__flags__ & MADE_BY_CLASS and not issubclass(kind, (np.ndarray, np.generic))
    return bool(is_made) and has_in_class(kind, "__index__")
