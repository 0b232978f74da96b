"""Fresh names that no user code contains and that depend only on the program."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Names"]


class Names:
    """Gives out names: the wish itself where it is free, else the wish with the first free number.

    >>> names = Names({"y", "t_1"})
    >>> names.fresh("y_bar"), names.fresh("y_bar"), names.numbered("t"), names.numbered("t")
    ('y_bar', 'y_bar_1', 't_2', 't_3')
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def copy(self) -> Names:
        """The same state, from which other names are given out."""
        made = Names(self._taken)
        made._next = dict(self._next)
        return made

    @property
    def taken(self) -> frozenset[str]:
        """All that were given out, or taken from the start."""
        return frozenset(self._taken)

    def fresh(self, wish: str) -> str:
        """``wish``, or ``wish_1``, ``wish_2`` ... where it is taken."""
        if wish in self._taken:
            return self.numbered(wish)
        self._taken.add(wish)
        return wish

    def numbered(self, stem: str) -> str:
        """``stem_1``, ``stem_2`` ..., the first that is free."""
        number = self._next.get(stem, 1)
        while (name := f"{stem}_{number}") in self._taken:
            number += 1
        self._next[stem] = number + 1
        self._taken.add(name)
        return name
