"""Rules of NumPy's number types called as functions: ``np.float32(x)``, ``np.int64(x)``.

>>> step_slope(np.array([3])), step_slope(3.5)
(1, 0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.rules.python.builtins import truncation_slope
from astad.rules.registry import scalar, zero

__all__ = ["step_slope"]

FLOATS = dict.fromkeys([np.float64, np.float32, np.float16, np.longdouble])
COMPLEXES = dict.fromkeys([np.complex128, np.complex64, np.clongdouble])
INTEGERS = dict.fromkeys(
    np.dtype(code).type for code in (*np.typecodes["Integer"], *np.typecodes["UnsignedInteger"])
)


def step_slope(x: Any) -> int:
    """Derivative of a conversion to integers: 1 of integers, else 0."""
    if isinstance(x, np.ndarray):
        return int(x.dtype.kind in "iu")
    return truncation_slope(x)


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
scalar(
    np.int64,
    "step_slope(x)",
    parameters="x=0, /",
    on_floats=("0",),
    on_arrays=("0.0",),
    also=[kind for kind in INTEGERS if kind is not np.int64],
    source="an integer is itself, else constant between its jumps",
    examples=[(3,)],
)
zero(np.bool_, why="the result is a bool")
