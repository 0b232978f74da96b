"""What is known of names by way of other names, as long as neither is bound again.

>>> links = Links[float]()
>>> links.note("a", "g", 0.5)
>>> links.of("a")
('g', 0.5)
>>> links.forget(("g",))
>>> links.of("a") is None
True
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

__all__ = ["Links"]

T = TypeVar("T")


class Links(Generic[T]):
    """Each name leads to one other operand, and to what is known beside it."""

    __slots__ = ("_from", "_to")

    def __init__(self) -> None:
        self._to: dict[str, tuple[str, T]] = {}
        self._from: dict[str, set[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._to)

    def of(self, name: object) -> tuple[str, T] | None:
        return self._to.get(name) if isinstance(name, str) else None

    def note(self, name: str, other: str, known: T) -> None:
        self._to[name] = other, known
        self._from.setdefault(other, set()).add(name)

    def forget(self, names: Iterable[str]) -> None:
        """These names are bound again: nothing is known of them, nor by way of them."""
        for name in names:
            self._to.pop(name, None)
            for holder in self._from.pop(name, ()):
                if holder in self._to and self._to[holder][0] == name:
                    del self._to[holder]
