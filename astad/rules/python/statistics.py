"""Rules of the module statistics, for what it computes with integers or in compiled code.

Everything else in it is Python, and is differentiated from its source.

>>> import statistics
>>> from astad import gradient
>>> gradient(statistics.stdev, [1.0, 3.0])
([-0.70710678118654..., 0.70710678118654...],)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import statistics
from decimal import Decimal
from fractions import Fraction
from math import exp, pi, sqrt
from typing import Any

import numpy as np

from astad.rules.registry import rule, scalar

__all__ = ["back_to_fraction", "root_slope"]


def root_slope(y: Any, n: Any) -> Any:
    """Derivative of ``y = sqrt(n / m)`` in n; 0 at the kink, as for every standard deviation."""
    return y / (2 * n) if n else 0


rule(
    statistics._float_sqrt_of_frac,  # type: ignore[attr-defined]
    "n, m",
    n="y_bar * root_slope(y, n)",
    m="-y_bar * root_slope(y, m)",
    dot="n_dot * root_slope(y, n) - m_dot * root_slope(y, m)",
    source="m y**2 = n",
    examples=[(9, 4), (7, 2)],
)


def back_to_fraction(y_bar: Any, value: Any, T: Any) -> Any:
    """Cotangent of a Fraction that becomes a number of the kind of the data. An int is made of one
    that is an int alone, of others a float; NumPy's kinds of ints round.

    >>> import numpy as np
    >>> back_to_fraction(1.5, Fraction(4), int), back_to_fraction(1.5, Fraction(4), np.int64)
    (1.5, 0.0)
    """
    if issubclass(T, np.integer):
        return 0.0
    return float(y_bar) if type(y_bar) is Decimal and type(value) is not Decimal else y_bar


rule(
    statistics._convert,  # type: ignore[attr-defined]
    "value, T",
    value="back_to_fraction(y_bar, value, T)",
    dot="back_to_fraction(value_dot, value, T)",
    source="the same number",
    examples=[(2.5, float), (np.float64(2.5), np.float64)],
)
scalar(
    statistics._normal_dist_inv_cdf,  # type: ignore[attr-defined]
    "sigma * sqrt(2 * pi) * exp(0.5 * ((y - mu) / sigma) ** 2)",
    "1",
    "(y - mu) / sigma",
    parameters="p, mu, sigma",
    domain="0 < p < 1 and sigma > 0",
    source="the cumulative distribution of y is p",
    examples=[(0.3, 0.5, 2.0), (0.01, -1.0, 0.5)],
)
