"""How much memory a reverse sweep may keep of loops.

>>> bytes_of("100 MB"), bytes_of("1.5 GiB"), bytes_of(4096)
(100000000, 1610612736, 4096)
"""

from __future__ import annotations

import re
from typing import Any

from astad.errors import WrongCall

__all__ = ["Budget", "bytes_of"]

UNITS = {
    "": 1, "b": 1, "byte": 1, "bytes": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
_AMOUNT = re.compile(r"\s*([0-9][0-9_]*(?:\.[0-9]*)?(?:e[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def bytes_of(amount: Any) -> int:  # Any: what a user hands over
    """A number of bytes, or a text of a number and a unit: "100 MB" means 100 * 10**6 bytes, "100
    MiB" 100 * 2**20.

    Raises
    ------
    WrongCall : for anything else, and for less than one byte.
    """
    found = _AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    if found is not None and found[2].lower() in UNITS:
        size = int(float(found[1].replace("_", "")) * UNITS[found[2].lower()])
    elif isinstance(amount, int) and not isinstance(amount, bool):
        size = amount
    else:
        raise _wrong(amount, "it is neither a whole number of bytes nor a number with a unit")
    if size < 1:
        raise _wrong(amount, "nothing can be kept in it")
    return size


def _wrong(amount: Any, why: str) -> WrongCall:
    return WrongCall(
        "memory", f"{amount!r} as an amount of memory", why=why,
        instead='write "100 MB" (100 * 10**6 bytes), "1 GiB" (2**30 bytes) or a number of bytes',
    )  # fmt: skip


class Budget:
    """What the loops of one forward sweep may keep together.

    Attributes
    ----------
    total, kept, reserved : int
        In bytes: what may be kept, what loops that have run keep, and what one of them needs on the
        way back: one after another, they use the same.
    sources : dict
        Of tuples that loops go over, by their ids: the tuple, and the objects it was made of.

    >>> budget = Budget(800)
    >>> budget.reserve(); budget.reserved, budget.for_chunk, budget.for_states, budget.left
    (500, 400, 100, 300)
    """

    __slots__ = ("kept", "reserved", "sources", "total")

    def __init__(self, total: int) -> None:
        self.total = total
        self.kept = self.reserved = 0
        self.sources: dict[int, tuple[Any, tuple[Any, ...]]] = {}

    @property
    def left(self) -> int:
        return max(self.total - self.kept - self.reserved, 0)

    def reserve(self) -> None:
        """Room for the way back, if there is none yet."""
        self.reserved = self.reserved or self.left * 5 // 8

    @property
    def for_chunk(self) -> int:
        """Of what is reserved, for records of rounds."""
        return self.reserved * 4 // 5

    @property
    def for_states(self) -> int:
        """Of what is reserved, for states made on the way back."""
        return self.reserved // 5
