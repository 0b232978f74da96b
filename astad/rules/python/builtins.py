"""Rules of the builtin functions of numbers; those of iterables are the run time's.

>>> truncation_slope(3), truncation_slope(3.5)
(1, 0)
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from astad.rules.registry import linear, scalar, zero

__all__ = ["truncation_slope"]


def truncation_slope(x: Any) -> int:
    """Derivative of ``int(x)``: an int passes, all else moves in steps."""
    return int(isinstance(x, (int, np.integer)))


scalar(
    float,
    "1",
    parameters="x=0, /",
    source="the same number",
    examples=[(2.5,), (np.float64(2.5),), (3,)],
)
scalar(
    complex,
    "1",
    "1j",
    parameters="real=0, imag=0",
    on_floats=(None, None),  # the factor of a complex cotangent would have to be conjugated
    on_arrays=(None, None),
    source="real + 1j imag",
    examples=[(2.5, 1.5), (0.5,), (1 + 2j,)],
)
scalar(
    int,
    "truncation_slope(x)",
    parameters="x=0, /",
    on_floats=("0",),
    source="an int is itself, else constant between its jumps",
    examples=[(3,)],
)
linear(
    complex.conjugate,
    "x, /",
    x="y_bar.conjugate()",
    source="linear over the reals",
    examples=[(1 + 2j,)],
)
linear(float.conjugate, "x, /", x="y_bar", source="the same number", examples=[(2.5,)])
linear(int.conjugate, "x, /", x="y_bar", source="the same number", examples=[(3,)])

zero(round, Fraction.limit_denominator, why="constant between its jumps")
zero(
    bool, isinstance, issubclass, callable, hash, id, len, repr, ascii, format, chr, ord, bin, hex,
    oct, type,
    float.is_integer, float.hex, int.bit_length,
    why="the result is no differentiable number",
)  # fmt: skip
