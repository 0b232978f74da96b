"""Rules of the builtin functions of numbers; those of iterables are the run time's.

>>> passed_by_ints(2.0, 3), passed_by_ints(float("nan"), 3.5)
(2.0, 0.0)
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from astad.rules.registry import linear, rule, scalar, zero

__all__ = ["passed_by_ints"]


def passed_by_ints(bar: Any, x: Any) -> Any:
    """What passes ``int(x)``: of an int all, else nothing, not even an infinity or nan."""
    return bar if isinstance(x, (int, np.integer)) else 0.0


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
    complexes="number",
    source="real + 1j imag",
    examples=[(2.5, 1.5), (0.5,), (1 + 2j,)],
)
rule(
    int,
    "x=0, /",
    x="passed_by_ints(y_bar, x)",
    dot="passed_by_ints(x_dot, x)",
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

zero(
    round, Fraction.limit_denominator,
    *(
        vars(Fraction)[name]
        for name in ("__trunc__", "__floor__", "__ceil__", "__round__", "__int__")
        if name in vars(Fraction)
    ),
    why="constant between its jumps",
)  # fmt: skip
zero(
    bool, isinstance, issubclass, callable, hash, id, len, repr, ascii, format, chr, ord, bin, hex,
    oct, type,
    float.is_integer, float.hex, int.bit_length,
    why="the result is no differentiable number",
)  # fmt: skip
