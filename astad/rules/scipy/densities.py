"""Rules of the kernels behind scipy.stats: densities and distribution functions of compiled code.

They are private to SciPy; one that this version does not have is left out.

>>> round(float(binomial_slope(2.0, 5.0, 0.3)), 6), float(binomial_slope(5.0, 5.0, 0.3))
(-1.323, -0.0)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import exp, floor, log, log1p
from scipy.special import _ufuncs, betaln, gammaln, ndtr, psi, xlog1py, xlogy

from astad.rules.scipy.quiet import scalar

__all__ = ["binomial_slope"]

KNOWN = vars(_ufuncs)
COUNT = "of a count"
ORDER = "of an order"


def beta_density(x: Any, a: Any, b: Any) -> Any:
    """Density of the beta distribution."""
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))


def binomial_slope(k: Any, n: Any, p: Any) -> Any:
    """Derivative in p of the binomial distribution function: -n C(n-1, k) p^k (1-p)^(n-1-k)."""
    inside = np.logical_and(0 <= k, k < n)
    k = np.where(inside, floor(k), 0.0)
    return -np.where(inside, beta_density(p, k + 1, np.where(inside, n - k, 1.0)), 0.0)[()]


def skewed_density(x: Any, loc: Any, scale: Any, a: Any) -> Any:
    """Density of the skew normal distribution."""
    z = (x - loc) / scale
    return exp(-0.5 * z * z) * ndtr(a * z) * (2 / pi) ** 0.5 / scale


def _declare(name: str, *slopes: str | None, parameters: str, **options: Any) -> None:
    if name in KNOWN:
        scalar(KNOWN[name], *slopes, parameters=parameters, zero_safe=True, **options)


_declare(
    "_beta_pdf",
    "y * ((a - 1) / x - (b - 1) / (1 - x))",
    "y * (log(x) - psi(a) + psi(a + b))",
    "y * (log1p(-x) - psi(b) + psi(a + b))",
    parameters="x, a, b",
    source="logarithm of x**(a - 1) (1 - x)**(b - 1) / B(a, b)",
    examples=((0.3, 1.5, 2.5), (np.array([0.2, 0.9]), 2.0, np.array([1.3, 0.7]))),
)
_BINOMIAL = ((2.0, 5.0, 0.3), (np.array([0.0, 3.0, 4.0]), 5.0, np.array([0.2, 0.9, 0.5])))
_declare(
    "_binom_pmf",
    None,
    None,
    "y * (k / p - (n - k) / (1 - p))",
    parameters="k, n, p",
    missing={"k": COUNT, "n": COUNT},
    source="logarithm of p**k (1 - p)**(n - k)",
    examples=_BINOMIAL,
)
_declare(
    "_binom_cdf",
    None,
    None,
    "binomial_slope(k, n, p)",
    parameters="k, n, p",
    missing={"k": COUNT, "n": COUNT},
    source="DLMF 8.17.5, 8.17.20",
    examples=_BINOMIAL,
)
_declare(
    "_binom_sf",
    None,
    None,
    "-binomial_slope(k, n, p)",
    parameters="k, n, p",
    missing={"k": COUNT, "n": COUNT},
    source="1 - cdf",
    examples=_BINOMIAL,
)
_declare(
    "_nbinom_pmf",
    None,
    "y * (psi(k + n) - psi(n) + log(p))",
    "y * (n / p - k / (1 - p))",
    parameters="k, n, p",
    missing={"k": COUNT},
    source="logarithm of Gamma(k + n) / (k! Gamma(n)) p**n (1 - p)**k",
    examples=_BINOMIAL,
)
for _name, _sign in (("_nbinom_cdf", ""), ("_nbinom_sf", "-")):
    _declare(
        _name,
        None,
        None,
        _sign + "beta_density(p, n, floor(k) + 1)",
        parameters="k, n, p",
        missing={"k": COUNT, "n": ORDER},
        source="DLMF 8.17.2: I_p(n, k + 1)",
        examples=_BINOMIAL,
    )
_declare(
    "_skewnorm_cdf",
    "skewed_density(x, loc, scale, a)",
    "-skewed_density(x, loc, scale, a)",
    "-skewed_density(x, loc, scale, a) * (x - loc) / scale",
    "-exp(-0.5 * ((x - loc) / scale) ** 2 * (1 + a * a)) / (pi * (1 + a * a))",
    parameters="x, loc, scale, a",
    source="Phi(x) - 2 T(x, a), Owen 1956",
    examples=(
        (0.4, 0.0, 1.0, 2.0),
        (np.array([-0.5, 1.2]), 0.1, np.array([1.5, 0.7]), np.array([-1.0, 3.0])),
    ),
)
