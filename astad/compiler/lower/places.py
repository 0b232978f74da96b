"""What a name of the user's stands for, where it is not simply a name of the program.

>>> Cell("y_cell"), Slot("space", None)
('y_cell', Slot(space='space', outside=None))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Cell", "ClassNames", "Place", "ScopeNames", "Slot", "without_classes"]


class Cell(str):
    """The name of a cell that holds a captured variable."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """An item of the namespace of a class body; where there is none, ``outside`` is read."""

    space: str
    outside: str | Cell | None


Place = str | Cell | Slot | None
"""What a user's name stands for: a name of the program, a cell of it, an item of the namespace of a
class body, or (None) a global.
"""

ScopeNames = dict[str, Place]


class ClassNames(ScopeNames):
    """The names bound in a class body; functions and comprehensions in it do not see them.

    ``space`` is the name of its namespace. A metaclass may have put more into that than the body
    binds: then it ``is_open``.
    """

    def __init__(self, space: str, bound: Iterable[str], *, is_open: bool, qualname: str) -> None:
        super().__init__((name, Slot(space, None)) for name in bound)
        self.space = space
        self.is_open = is_open
        self.qualname = qualname


def without_classes(scopes: Sequence[ScopeNames]) -> tuple[ScopeNames, ...]:
    """The scopes that a function sees which is made inside them."""
    return tuple(names for names in scopes if not isinstance(names, ClassNames))
