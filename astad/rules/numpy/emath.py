"""Rules of the functions of ``numpy.emath``, complex where the real ones give nan.

>>> import numpy
>>> numpy.emath.sqrt(-4.0), slope_of_sqrt(numpy.emath.sqrt(-4.0))
(np.complex128(2j), np.complex128(-0.25j))
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from astad.rules.registry import scalar

REAL_LINE = [(2.5,), (-1.7,), (np.array([0.4, -0.6, 3.0, -2.2]),), (1.2 + 0.5j,)]


def slope_of_sqrt(y: Any) -> Any:
    """Derivative by the result."""
    return 0.5 / y


scalar(np.emath.sqrt, "slope_of_sqrt(y)", zero_safe=True, source="y**2 = x", examples=REAL_LINE)
scalar(np.emath.log, "1 / x", zero_safe=True, source="DLMF 4.7.1", examples=REAL_LINE)
scalar(
    np.emath.log2,
    f"{1 / math.log(2)!r} / x",
    zero_safe=True,
    source="DLMF 4.7.1",
    examples=REAL_LINE,
)
scalar(
    np.emath.log10,
    f"{1 / math.log(10)!r} / x",
    zero_safe=True,
    source="DLMF 4.7.1",
    examples=REAL_LINE,
)
scalar(np.emath.arccos, "-1 / np.sin(y)", zero_safe=True, source="cos(y) = x", examples=REAL_LINE)
scalar(np.emath.arcsin, "1 / np.cos(y)", zero_safe=True, source="sin(y) = x", examples=REAL_LINE)
scalar(
    np.emath.arctanh,
    "1 / ((1 - x) * (1 + x))",
    zero_safe=True,
    source="DLMF 4.38.11",
    examples=REAL_LINE,
)
scalar(
    np.emath.power,
    "p * np.emath.power(x, p - 1)",
    "y * np.emath.log(x)",
    parameters="x, p",
    zero_safe=True,
    source="DLMF 4.2.26",
    examples=[
        (2.5, 1.5),
        (-1.7, 1.5),
        (np.array([0.4, -0.6]), 2.5),
        (np.array([0.4, -0.6]), np.array([-1.5, 0.5])),
    ],
)
scalar(
    np.emath.logn,
    "-y / (n * np.emath.log(n))",
    "1 / (x * np.emath.log(n))",
    parameters="n, x",
    zero_safe=True,
    source="y = log(x) / log(n)",
    examples=[(2.5, 3.0), (2.5, -1.7), (3.0, np.array([0.4, -0.6]))],
)
