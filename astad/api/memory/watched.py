"""Whether calls of a function have left their surroundings as they were.

A second run of one that has not is another run: what is found in it is no derivative of the first.

>>> def f(seen, x):
...     if not seen:
...         seen.append(x)
...     return seen[0] * x
>>> seen = []
>>> watched = Watched(f, (seen, 2.0))
>>> watched.has_written(), f(seen, 2.0), watched.has_written()
(False, 4.0, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

from astad.api.memory.surroundings import Surroundings, state_of
from astad.code_objects import names_in
from astad.runtime.cotangents.contents import Content, changed
from astad.runtime.cotangents.snapshots import is_full
from astad.runtime.unseen.chances import Chance

__all__ = ["Watched", "are_otherwise", "may_take_derivatives"]


class Watched:
    """The arguments of ``f`` and what it reads, as they are now."""

    def __init__(self, f: Any, args: Sequence[Any]) -> None:
        self._around = Surroundings([f, *args])
        self._before = state_of((f, *args))
        self._chance = self._around.chance()

    def has_written(self) -> bool:
        """Is anything otherwise by now?"""
        return are_otherwise(self._before, self._around, self._chance)


def are_otherwise(before: Sequence[Content], around: Surroundings, chance: Chance) -> bool:
    """Has any of these been written, bound anew or drawn from since?"""
    return bool(
        changed(before, strict=True) or around.changed() or chance.moved() or around.bound_anew()
    )


DERIVATIVES = frozenset([
    "forwarddiff", "grad", "gradient", "hessian", "hessian_diag", "hvp", "jacobian", "jvp",
    "pullback", "value_and_grad", "value_and_jacobian", "vjp",
])  # fmt: skip


def may_take_derivatives(f: FunctionType) -> bool:
    """Does a name in its text say so, or in that of a function or class which it names or has
    captured? What is found otherwise, as a method of an argument is, is not looked into.
    """
    seen, waiting = set[int](), [f]
    while waiting:
        fn = waiting.pop()
        if id(fn) in seen:
            continue
        seen.add(id(fn))
        names = {*names_in(fn.__code__)}
        if not names.isdisjoint(DERIVATIVES):
            return True
        named = [fn.__globals__.get(name) for name in names]
        captured = [cell.cell_contents for cell in fn.__closure__ or () if is_full(cell)]
        for each in (*named, *captured):
            parts = vars(each).values() if type(each) is type else (each,)
            waiting += [part for part in parts if type(part) is FunctionType]
    return False
