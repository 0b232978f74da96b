"""Tests that a container is built as it was: of the same types, keys and attributes, and nothing in
it twice. A gradient that is put together as that of the recorded run was is one of no other.

>>> class Item:
...     price = 2.0
>>> item = Item()
>>> item.price = 3.0
>>> print(*structure_tests("x", [item, {"a": 1.0}], lambda v: v.__name__), sep="\\n")
type(x) is list
len(x) == 2
type(x[0]) is Item
[*x[0].__dict__] == ['price']
type(x[0].price) is float
type(x[1]) is dict
[*x[1]] == ['a']
type(x[1]['a']) is float
len({id(x), id(x[0]), id(x[1])}) == 3
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from astad.recording.cotangents_by_line import Stays, is_array
from astad.runtime.cotangents.snapshots import attributes_of

__all__ = ["PLAIN", "structure_tests"]

PLAIN = (float, np.float64, int, bool, str, type(None))
"""Types of which nothing more is asked."""
_DEEPEST, _MOST, _FEW = 8, 20_000, 12


def structure_tests(word: str, v: Any, constant: Callable[[Any], str]) -> list[str]:
    """The tests for what a ``word`` stands for; ``constant`` names a type.

    Raises
    ------
    Stays : of what is nested too deeply or has too many parts.
    """
    found = _Structure(constant)
    found.expect(word, v, 0)
    return [*found.tests, *found.apart()]


class _Structure:
    def __init__(self, constant: Callable[[Any], str]) -> None:
        self.constant = constant
        self.tests: list[str] = []
        self.held: list[str] = []
        self.arrays: list[tuple[str, Any]] = []

    def expect(self, word: str, v: Any, depth: int) -> None:
        if depth > _DEEPEST or len(self.tests) > _MOST:
            raise Stays
        self.tests.append(f"type({word}) is {self.constant(type(v))}")
        if type(v) in PLAIN:
            return
        if is_array(v):
            self._expect_array(word, v)
            return
        if not isinstance(v, tuple):
            self.held.append(word)
        if isinstance(v, (list, tuple)):
            self.tests.append(f"len({word}) == {len(v)}")
            kinds = {*map(type, v)}
            if len(kinds) == 1 and kinds <= {*PLAIN}:
                (kind,) = kinds
                self.tests.append(f"{{*map(type, {word})}} == {{{self.constant(kind)}}}")
                return
            self._expect_all([(f"{word}[{at}]", part) for at, part in enumerate(v)], depth)
        elif isinstance(v, dict):
            if not all(type(key) in (str, int) for key in v):
                raise Stays
            self.tests.append(f"[*{word}] == {[*v]!r}")
            self._expect_all([(f"{word}[{key!r}]", part) for key, part in v.items()], depth)
        elif not isinstance(v, type):
            self._expect_attributes(word, v, depth)

    def _expect_all(self, parts: list[tuple[str, Any]], depth: int) -> None:
        for word, part in parts:
            self.expect(word, part, depth + 1)

    def _expect_attributes(self, word: str, v: Any, depth: int) -> None:
        store = getattr(v, "__dict__", None)
        names = {name: part for name, (_, _, part) in attributes_of(v).items()}
        if type(store) is dict:
            self.tests.append(f"[*{word}.__dict__] == {[*store]!r}")
        if not all(name.isidentifier() for name in names):
            raise Stays
        self._expect_all([(f"{word}.{name}", part) for name, part in names.items()], depth)

    def _expect_array(self, word: str, v: Any) -> None:
        """Also that it has no entry in several places."""
        self.held.append(word)
        self.arrays.append((word, v))
        if 0 in v.strides:
            raise Stays
        self.tests.append(f"0 not in {word}.strides")

    def apart(self) -> list[str]:
        """That nothing is held twice, and no part of an array."""
        tests: list[str] = []
        if len(self.held) > 1:
            ids = ", ".join(f"id({each})" for each in self.held)
            tests.append(f"len({{{ids}}}) == {len(self.held)}")
        if len(self.arrays) < 2:
            return tests
        if all(v.base is None for _, v in self.arrays):
            return tests + [f"{word}.base is None" for word, _ in self.arrays]
        if len(self.arrays) > _FEW:
            raise Stays
        share = self.constant(np.may_share_memory)
        for at, (a, _) in enumerate(self.arrays):
            tests += [f"not {share}({a}, {b})" for b, _ in self.arrays[:at]]
        return tests
