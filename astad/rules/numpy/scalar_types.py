"""Rules of NumPy's number types called as functions: ``np.float32(x)``, ``np.int64(x)``.

>>> passed_by_integers(2.0, np.array([3])), passed_by_integers(float("inf"), 3.5)
(2.0, 0.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.rules.python.builtins import passed_by_ints
from astad.rules.registry import rule, scalar, zero

__all__ = ["passed_by_integers"]

FLOATS = dict.fromkeys([np.float64, np.float32, np.float16, np.longdouble])
COMPLEXES = dict.fromkeys([np.complex128, np.complex64, np.clongdouble])
INTEGERS = dict.fromkeys(
    np.dtype(code).type for code in (*np.typecodes["Integer"], *np.typecodes["UnsignedInteger"])
)


def passed_by_integers(bar: Any, x: Any) -> Any:
    """What passes a conversion to integers: of integers all, else nothing."""
    if isinstance(x, np.ndarray):
        return bar if x.dtype.kind in "iu" else np.zeros(x.shape)
    if isinstance(x, (list, tuple)):
        return np.array([passed_by_integers(part, each) for part, each in zip(bar, x, strict=True)])
    return passed_by_ints(bar, x)


scalar(
    np.float64,
    "1",
    parameters="x=0, /",
    also=[kind for kind in FLOATS if kind is not np.float64],
    source="the same number, rounded",
    examples=[(3,)],
)
scalar(
    np.complex128,
    "1",
    parameters="x=0, /",
    also=[kind for kind in COMPLEXES if kind is not np.complex128],
    source="the same number, rounded",
    examples=[(3,)],
)
rule(
    np.int64,
    "x=0, /",
    x="passed_by_integers(y_bar, x)",
    dot="passed_by_integers(x_dot, x)",
    also=[kind for kind in INTEGERS if kind is not np.int64],
    source="an integer is itself, else constant between its jumps",
    examples=[(3,)],
)
zero(np.bool_, why="the result is a bool")
