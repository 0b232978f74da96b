"""Rules of scipy.special: the statistics of Kolmogorov and Smirnov, Tukey's lambda distribution.

>>> round(float(kolmogorov_density(0.8)), 10) == round(float(kolmogorov_density(0.8 + 1e-12)), 10)
True
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import exp, floor, log, where
from scipy import special

from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.entropies import growth_at

__all__ = ["kolmogorov_density", "smirnov_density"]

COUNT = "it is a count"
LEAST = 0.03
"""Up to here the density of Kolmogorov's statistic is below the smallest number."""
scalar(
    special.kolmogorov,
    "-kolmogorov_density(x)",
    zero_safe=True,
    source="DLMF 20.2.4 at z = 0, near 0 by 20.7.33",
    domain="x > 0.1",
)
scalar(
    special.kolmogi,
    "-1 / kolmogorov_density(y)",
    zero_safe=True,
    source="inverse of kolmogorov",
    domain="x > 0.05 and x < 0.95",
)
scalar(
    special.smirnov,
    None,
    "-smirnov_density(n, d)",
    parameters="n, d",
    missing={"n": COUNT},
    zero_safe=True,
    source="Birnbaum and Tingey 1951, (3.0)",
    examples=((3, 0.4), (np.array([1, 10]), np.array([0.33, 0.27])), (100, 0.123)),
)
scalar(
    special.smirnovi,
    None,
    "-1 / smirnov_density(n, y)",
    parameters="n, p",
    zero_safe=True,
    missing={"n": COUNT},
    source="inverse of smirnov",
    examples=((3, 0.4), (np.array([1, 10]), np.array([0.33, 0.27]))),
)
scalar(
    special.tklmbda,
    "tukey_density(lmbda, y)",
    "-tukey_growth(x, lmbda, y) * tukey_density(lmbda, y)",
    parameters="x, lmbda",
    zero_safe=True,
    source="inverse of (p**lmbda - (1 - p)**lmbda) / lmbda",
    domain="abs(x) < 0.9 and abs(lmbda) < 0.9",
)


@np.errstate(all="ignore")
def kolmogorov_density(x: Any) -> Any:
    """Density of the limit of Kolmogorov's statistic."""
    is_near = (x > LEAST) & (x < 0.8)
    u, v = where(is_near, x, 1.0), where(is_near, 1.0, x)
    near: Any = 0.0
    far: Any = 0.0
    for k in range(1, 7):
        rate = (2 * k - 1) ** 2 * pi**2 / 8
        near = near + exp(-rate / (u * u)) * (2 * rate / (u * u) - 1)
        far = far - (-1) ** k * k * k * exp(-2.0 * k * k * v * v)
    near = float(np.sqrt(2 * pi)) * near / (u * u)
    return where(x <= LEAST, 0, where(is_near, near, 8 * v * far))[()]


@np.errstate(all="ignore")
def smirnov_density(n: Any, d: Any) -> Any:
    """Density of Smirnov's one-sided statistic of n samples."""
    total: Any = 0.0
    inside = (d > 0) & (d < 1)
    d = where(inside, d, 0.5)
    for v in range(int(np.max(n, initial=0)) + 1):
        share = v / n
        ahead, behind = d + share, 1 - d - share
        is_used = behind > 0
        behind = where(is_used, behind, 1)
        size = log(d) + (v - 1) * log(ahead) + (n - v) * log(behind)
        size = size + special.gammaln(n + 1) - special.gammaln(v + 1) - special.gammaln(n - v + 1)
        slope = 1 / d + (v - 1) / ahead - (n - v) / behind
        total = total - where(is_used & (v <= n), exp(size) * slope, 0)
    return where(inside, total, 0)[()]


@np.errstate(all="ignore")
def tukey_density(lmbda: Any, p: Any) -> Any:
    """Density at the quantile p; 0 beyond the ends."""
    density = 1 / (p ** (lmbda - 1) + (1 - p) ** (lmbda - 1))
    return where((p <= 0) | (p >= 1), 0, density)[()]


@np.errstate(all="ignore")
def tukey_growth(x: Any, lmbda: Any, p: Any) -> Any:
    """Derivative of the quantile of p in lmbda: of two powers ``(p**lmbda - 1) / lmbda``."""
    p = where((p <= 0) | (p >= 1), 0.5, p)
    return growth_at(log(p), lmbda) - growth_at(np.log1p(-p), lmbda)
