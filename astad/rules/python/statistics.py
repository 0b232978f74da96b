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
from math import exp, pi, sqrt
from typing import Any

from astad.rules.registry import rule, scalar

__all__ = ["root_slope"]


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
