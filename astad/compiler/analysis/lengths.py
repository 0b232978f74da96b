"""Lengths of axes: a number, or a symbol for one that nobody knows.

Two axes with the same symbol are equally long. What has run tells more: after ``a @ b`` the inner
lengths are equal; ``s[1]`` tells that s has two elements at least, so that ``s + np.array([x, y])``
tells that it has two.

>>> lengths = Lengths()
>>> n, m = lengths.new(), lengths.new()
>>> lengths.less(lengths.less(n, 1), 1) == lengths.less(n, 2)
True
>>> lengths.broadcast([(n,), (1,)]) == (n,), lengths.broadcast([(n,), (m,)]) == (n,)
(True, False)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

__all__ = ["Dim", "Dims", "Lengths"]
from astad.compiler.ir.immutable import immutable


@immutable
class _Symbol:
    number: int


Dim = int | _Symbol
Dims = tuple[Dim, ...]


class Lengths:
    """The symbols, and what the statements so far have told of them."""

    def __init__(self) -> None:
        self.count = 0
        self.made: dict[Hashable, _Symbol] = {}
        self.same: dict[_Symbol, Dim] = {}
        self.least: dict[_Symbol, int] = {}
        self.shorter: dict[_Symbol, tuple[Dim, int]] = {}

    def new(self) -> _Symbol:
        self.count += 1
        return _Symbol(self.count)

    def fresh(self, rank: int) -> Dims:
        return tuple(self.new() for _ in range(rank))

    def find(self, dim: Dim) -> Dim:
        """What stands for all that are equal to it."""
        while isinstance(dim, _Symbol) and dim in self.same:
            dim = self.same[dim]
        return dim

    def find_all(self, dims: Dims) -> Dims:
        return tuple(self.find(dim) for dim in dims)

    def of(self, *key: Hashable) -> _Symbol:
        """The same symbol whenever the same is computed from the same."""
        if key not in self.made:
            self.made[key] = self.new()
        return self.made[key]

    def less(self, dim: Dim, number: int) -> Dim:
        """The length without so many elements, 0 if there are fewer."""
        dim = self.find(dim)
        if isinstance(dim, int):
            return max(dim - number, 0)
        if not number:
            return dim
        base, gone = self.shorter.get(dim, (dim, 0))
        made = self.of("less", base, gone + number)
        self.shorter[made] = (base, gone + number)
        return made

    # -- what has run tells

    def is_at_least(self, dim: Dim, number: int) -> None:
        dim = self.find(dim)
        if isinstance(dim, _Symbol):
            self.least[dim] = max(self.least.get(dim, 0), number)

    def are_equal(self, a: Dim, b: Dim) -> None:
        a, b = self.find(a), self.find(b)
        if isinstance(a, int):
            a, b = b, a
        if isinstance(a, _Symbol) and a != b:
            self.is_at_least(b, self.least.get(a, 0))
            self.same[a] = b

    def broadcast(self, shapes: Sequence[Dims]) -> Dims:
        """The shape of what an operation on arrays of these shapes gives."""
        rank = max(len(shape) for shape in shapes)
        out: list[Dim] = [1] * rank
        for shape in shapes:
            for at, dim in enumerate(shape, rank - len(shape)):
                out[at] = self._together(out[at], self.find(dim))
        return tuple(out)

    def _together(self, a: Dim, b: Dim) -> Dim:
        a = self.find(a)
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        if self._is_long(a) and self._is_long(b):
            self.are_equal(a, b)
            return self.find(a)
        known = [dim for dim in (a, b) if isinstance(dim, int) and dim > 1]
        if known:
            return known[0]  # the other is as long, or of length 1
        return self.of("broadcast", frozenset([a, b]))

    def _is_long(self, dim: Dim) -> bool:
        """Is it certain not to be 1?"""
        return dim != 1 if isinstance(dim, int) else self.least.get(dim, 0) > 1

    def learned(self) -> tuple[dict[_Symbol, Dim], dict[_Symbol, int]]:
        """What has been told so far, to be handed to `forget`."""
        return dict(self.same), dict(self.least)

    def forget(self, learned: tuple[dict[_Symbol, Dim], dict[_Symbol, int]]) -> None:
        """Know no more than at that time."""
        self.same, self.least = dict(learned[0]), dict(learned[1])
