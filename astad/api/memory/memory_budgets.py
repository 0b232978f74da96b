"""``with astad.memory("100 MB")``: how much a gradient keeps of the loops that it goes through."""

from __future__ import annotations

import threading
from contextvars import ContextVar, Token
from typing import Any

from astad import settings
from astad.runtime.core.budgets import Budget, bytes_of

__all__ = ["budget_in_force", "memory"]

_in_force: ContextVar[int | None] = ContextVar("astad memory", default=None)
_lock = threading.Lock()


class memory:
    """``with memory("100 MB"):`` the gradients taken inside keep at most that of their loops; the
    reverse sweep runs rounds again instead.

    It holds for what is called inside the block, also where the pullback is called behind it, for
    `gradient`, `grad`, `value_and_grad`, `pullback` and what is made of them. The outermost loops
    of each function that is differentiated are kept within it, loops of the functions that it calls
    outside of its loops as well: what a loop keeps for the reverse sweep is records of some rounds
    and copies of its variables. What is kept outside of loops is not counted.

    A loop that fits is recorded as without a budget. Else its rounds run about twice, once plain
    and once with records, as long as states of it fit into a quarter of the budget, and more often
    only where they do not: by the binomial schedule of Griewank and Walther if the number of rounds
    is known, by states at growing distances for ``while``. Random numbers are drawn as in the first
    run. A block inside another has its own budget.

    Parameters
    ----------
    amount : str or int
        Bytes, or a number with a unit: "100 MB" means 100 * 10**6 bytes, "100 MiB" 100 * 2**20. For
        each gradient, all its loops together.

    Raises
    ------
    WrongCall : for an amount that is none.
    Unsupported : in a gradient, for a loop that cannot run twice, as one that prints, or of which
        one round does not fit.

    Examples
    --------
    >>> import astad
    >>> def growth(r, n):
    ...     x = 1.0
    ...     for _ in range(n):
    ...         x = r * x
    ...     return x
    >>> with astad.memory("1 MB"):
    ...     astad.grad(growth)(2.0, 3)
    12.0
    """

    def __init__(self, amount: str | int) -> None:
        self.amount = amount
        self.bytes = bytes_of(amount)
        self._tokens: list[Token[int | None]] = []

    def __enter__(self) -> memory:
        self._tokens.append(_in_force.set(self.bytes))
        with _lock:
            settings.budgets += 1
        return self

    def __exit__(self, *error: Any) -> None:
        with _lock:
            settings.budgets -= 1
        _in_force.reset(self._tokens.pop())

    def __repr__(self) -> str:
        return f"memory({self.amount!r})"


def budget_in_force() -> Budget | None:
    """A new budget for one sweep; None outside of all blocks."""
    size = _in_force.get()
    return None if size is None else Budget(size)
