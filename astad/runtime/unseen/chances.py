"""States of generators of random numbers: looked at, and put back.

>>> import random
>>> source = random.Random(1)
>>> chance = Chance([source])
>>> first = source.random()
>>> chance.moved(), chance.put_back(), source.random() == first
(True, None, True)
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np

from astad.tangents.zero import home_of

__all__ = ["Chance", "everywhere", "is_source_of_chance"]


def is_source_of_chance(value: Any) -> bool:
    """What is drawn from it carries no derivative of the source itself, only of the other operands.

    By name: importing the two modules takes 8 ms.
    """
    kinds = [(home_of(kind).partition(".")[0], kind.__name__) for kind in type(value).__mro__]
    return any(kind in _SOURCES_OF_CHANCE for kind in kinds)


_SOURCES_OF_CHANCE = {
    ("numpy", "Generator"), ("numpy", "RandomState"), ("numpy", "BitGenerator"),
    ("random", "Random"), ("_random", "Random"),
}  # fmt: skip


def everywhere() -> list[Any]:
    """Those that the functions of ``random`` and ``np.random`` draw from."""
    found = [("random", "_inst"), ("numpy.random.mtrand", "_rand")]
    return [getattr(sys.modules[home], name) for home, name in found if home in sys.modules]


class Chance:
    """The states of sources of random numbers, and whether one was drawn from since."""

    def __init__(self, sources: Iterable[Any]) -> None:
        self.sources = list(sources)
        self.states = [_state(each) for each in self.sources]

    def moved(self) -> bool:
        return any(
            _flat(_state(each)) != _flat(state)
            for each, state in zip(self.sources, self.states, strict=True)
        )

    def forget_if_unmoved(self) -> None:
        """Nothing was drawn: nothing is to be put back."""
        if not self.moved():
            self.sources, self.states = [], []

    def now(self) -> Chance:
        """The same sources in their present states."""
        return Chance(self.sources)

    def put_back(self) -> None:
        """Set the sources to the states that they had."""
        for each, state in zip(self.sources, self.states, strict=True):
            _set_state(each, state)


def _state(source: Any) -> Any:
    """All that the next draws depend on, the second of two normal numbers included."""
    if hasattr(source, "getstate"):
        version, numbers, *more = source.getstate()
        return version, array("I", numbers).tobytes(), *more  # a tenth of the size
    if hasattr(source, "get_state"):
        return source.get_state(legacy=False)
    return getattr(source, "bit_generator", source).state


def _set_state(source: Any, state: Any) -> None:
    if hasattr(source, "setstate"):
        version, numbers, *more = state
        source.setstate((version, tuple(array("I", numbers)), *more))
    elif hasattr(source, "set_state"):
        source.set_state(state)
    else:
        getattr(source, "bit_generator", source).state = state


def _flat(state: Any) -> Any:
    """The same in tuples and bytes, to be compared."""
    if type(state) is dict:
        return tuple(map(_flat, state.values()))
    return state.tobytes() if type(state) is np.ndarray else state
