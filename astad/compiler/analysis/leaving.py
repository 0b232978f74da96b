"""What a fused function takes for granted and tests as it runs: where a test fails, it leaves the
call to another variant.

That may be half-way, since nothing but local arrays has been written till then. A power of numbers
is taken to be real; the vectors of ``np.cross`` are taken to have three entries, for of two planes
ones the result has an axis less. `Facts.tested` calls the one "complex", the other "threes".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import FLOAT, REAL, Kind
from astad.compiler.ir.nodes import Call

__all__ = ["cross_of_threes", "power_of_numbers"]


def power_of_numbers(kinds: Sequence[Kind]) -> Kind | None:
    """Kind of a power of numbers that has not turned complex."""
    if not all(k.is_real(kind) for kind in kinds):
        return None
    return REAL if REAL in kinds else FLOAT


def cross_of_threes(fn: object, node: Call, kinds: Sequence[Kind]) -> Kind | None:
    """Kind of ``np.cross(a, b)`` of vectors with three entries, along the last axis.

    >>> node = Call("y", "cross", ("a", "b"), (), 1)
    >>> cross_of_threes(np.cross, node, [k.array(1), k.array(2)]).text
    'ndarray2'
    """
    if fn is not np.cross or node.keywords or len(kinds) != 2:
        return None
    if not all(k.is_array(kind) and kind.rank for kind in kinds):
        return None
    return k.array(max(kind.rank or 0 for kind in kinds))
