"""Linear programs of scipy.optimize: their derivative jumps with the active set, and is refused.

An assignment is a choice of places, which moves in steps.

>>> from astad import gradient
>>> gradient(lambda c: optimize.linprog([c, 1.0], A_ub=[[-1, -1]], b_ub=[-1]).fun, 0.5)
Traceback (most recent call last):
astad.errors.Unsupported: ...scipy.optimize.linprog: a derivative through this: ...
"""

from __future__ import annotations

from scipy import optimize

from astad.rules.registry import zero
from astad.runtime.core.full_rules import Record, Value, full, opaque
from astad.runtime.core.versions import Versions

__all__: list[str] = []


def _refuse(solver: Value) -> None:
    @full(solver)
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        y = solver(*args, **keywords)
        return y, opaque(
            f"scipy.optimize.{solver.__name__}",
            y,
            (*args, *keywords.values()),
            why="which constraints are active is found in compiled code",
            instead="solve the equations of the active constraints, or minimize with a barrier",
        )


_refuse(optimize.linprog)
_refuse(optimize.milp)
zero(optimize.linear_sum_assignment, why="places in a matrix move in steps")
