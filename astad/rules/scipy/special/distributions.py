"""Rules of scipy.special: distributions that are incomplete gamma and beta functions.

An inverse F(..., y) = p has the derivatives 1 / F' and -(the others of F) / F', F' that of F in the
place of y.

>>> round(float(lookup(special.chdtr).pull(("x",))(1.0, None, 2.0, 0.0)[0]), 6)
0.5
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import exp, floor, log, log1p
from scipy import special

from astad.rules.registry import lookup
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.densities import beta_density, free, gamma_density
from astad.rules.scipy.special.orders import beta_growth, gamma_growth

__all__: list[str] = []

COUNT = "it is a count, cut to an integer"
SHAPES = ((1.3, 0.8), (np.array([0.7, 2.5]), np.array([0.4, 3.0])), (2.0, np.array([1.0, 0.5])))
LEVELS = ((1.3, 0.8), (np.array([0.7, 2.5]), np.array([0.4, 0.3])), (2.0, np.array([0.1, 0.5])))

# chi-square: gammainc(v / 2, x / 2)

for _fn, _sign in ((special.chdtr, ""), (special.chdtrc, "-")):
    scalar(
        _fn,
        f"{_sign}0.5 * gamma_growth(0.5 * v, 0.5 * x)",
        f"{_sign}0.5 * gamma_density(0.5 * v, 0.5 * x)",
        parameters="v, x",
        zero_safe=True,
        source="gammainc(v / 2, x / 2)",
        examples=SHAPES,
    )
scalar(
    special.chdtri,
    "-gamma_growth(0.5 * v, 0.5 * y) / gamma_density(0.5 * v, 0.5 * y)",
    "-2 / gamma_density(0.5 * v, 0.5 * y)",
    parameters="v, p",
    zero_safe=True,
    source="inverse of chdtrc",
    examples=LEVELS,
)
scalar(
    special.chdtriv,
    "2 / gamma_growth(0.5 * y, 0.5 * x)",
    "-gamma_density(0.5 * y, 0.5 * x) / gamma_growth(0.5 * y, 0.5 * x)",
    parameters="p, x",
    zero_safe=True,
    source="inverse of chdtr in v",
    examples=((0.3, 1.8), (np.array([0.7, 0.2]), np.array([0.4, 3.0]))),
)

# gamma: gammainc(b, a x)

for _fn, _sign in ((special.gdtr, ""), (special.gdtrc, "-")):
    scalar(
        _fn,
        f"{_sign}x * gamma_density(b, a * x)",
        f"{_sign}gamma_growth(b, a * x)",
        f"{_sign}a * gamma_density(b, a * x)",
        parameters="a, b, x",
        zero_safe=True,
        source="gammainc(b, a x)",
        examples=((1.3, 0.8, 0.4), (np.array([0.7, 2.5]), 1.5, np.array([[0.4], [0.7]]))),
    )
scalar(
    special.gdtria,
    "1 / (x * gamma_density(b, y * x))",
    "-gamma_growth(b, y * x) / (x * gamma_density(b, y * x))",
    "-y / x",
    parameters="p, b, x",
    zero_safe=True,
    source="inverse of gdtr in a",
    examples=((0.3, 0.8, 0.4), (np.array([0.7, 0.2]), 1.5, np.array([0.4, 0.7]))),
)
scalar(
    special.gdtrib,
    "-x * gamma_density(y, a * x) / gamma_growth(y, a * x)",
    "1 / gamma_growth(y, a * x)",
    "-a * gamma_density(y, a * x) / gamma_growth(y, a * x)",
    parameters="a, p, x",
    zero_safe=True,
    source="inverse of gdtr in b",
    examples=((0.8, 0.3, 1.4), (np.array([0.7, 1.2]), 0.4, np.array([1.4, 2.7]))),
)
scalar(
    special.gdtrix,
    "-y / a",
    "-gamma_growth(b, a * y) / (a * gamma_density(b, a * y))",
    "1 / (a * gamma_density(b, a * y))",
    parameters="a, b, p",
    zero_safe=True,
    source="inverse of gdtr in x",
    examples=((0.3, 0.8, 0.4), (np.array([0.7, 0.2]), 1.5, np.array([0.4, 0.7]))),
)

# Poisson: gammaincc(floor(k) + 1, m)

COUNTS = ((2.0, 0.8), (np.array([0.0, 3.7]), np.array([0.4, 3.0])))
for _fn, _sign in ((special.pdtr, "-"), (special.pdtrc, "")):
    scalar(
        _fn,
        None,
        f"{_sign}gamma_density(floor(k) + 1, m)",
        parameters="k, m",
        zero_safe=True,
        source="gammaincc(floor(k) + 1, m)",
        examples=COUNTS,
    )
scalar(
    special.pdtri,
    None,
    "-1 / gamma_density(floor(k) + 1, y)",
    parameters="k, p",
    missing={"k": COUNT},
    zero_safe=True,
    source="inverse of pdtr in m",
    examples=((2, 0.8), (np.array([0, 3]), np.array([0.4, 0.3]))),
)
scalar(
    special.pdtrik,
    "free(y, -1 / gamma_growth(y + 1, m))",
    "free(y, -gamma_density(y + 1, m) / gamma_growth(y + 1, m))",
    parameters="p, m",
    zero_safe=True,
    source="gammaincc(y + 1, m) = p",
    examples=((0.8, 2.3), (np.array([0.4, 0.7]), np.array([3.0, 5.5]))),
)

# binomial: betainc(n - k, k + 1, 1 - p)

for _fn, _sign in ((special.bdtr, "-"), (special.bdtrc, "")):
    scalar(
        _fn,
        None,
        None,
        f"{_sign}beta_density(n - floor(k), floor(k) + 1, 1 - p, p)",
        parameters="k, n, p",
        missing={"n": COUNT},
        zero_safe=True,
        source="betainc(n - k, k + 1, 1 - p), k rounded down",
        examples=((2.0, 5, 0.4), (np.array([0.0, 3.7]), 6, np.array([0.4, 0.7]))),
    )
scalar(
    special.bdtri,
    None,
    None,
    "-1 / beta_density(n - floor(k), floor(k) + 1, 1 - y, y)",
    parameters="k, n, p",
    missing={"n": COUNT},
    zero_safe=True,
    source="inverse of bdtr in p",
    examples=((2.0, 5, 0.4), (np.array([0.0, 3.7]), 6, np.array([0.4, 0.7]))),
)
scalar(
    special.bdtrik,
    "free(y, 1 / binomial_growth(y, n, p))",
    "free(y, -beta_growth(n - y, y + 1, 1 - p, p) / binomial_growth(y, n, p))",
    "free(y, beta_density(n - y, y + 1, 1 - p, p) / binomial_growth(y, n, p))",
    parameters="y_, n, p",
    zero_safe=True,
    source="betainc(n - k, k + 1, 1 - p) = y",
    examples=((0.8, 5.5, 0.4), (np.array([0.6, 0.7]), 6.0, np.array([0.4, 0.7]))),
)
scalar(
    special.bdtrin,
    "-binomial_growth(k, y, p) / beta_growth(y - k, k + 1, 1 - p, p)",
    "1 / beta_growth(y - k, k + 1, 1 - p, p)",
    "beta_density(y - k, k + 1, 1 - p, p) / beta_growth(y - k, k + 1, 1 - p, p)",
    parameters="k, y_, p",
    zero_safe=True,
    source="betainc(n - k, k + 1, 1 - p) = y",
    examples=((2.0, 0.3, 0.4), (np.array([1.5, 2.7]), 0.6, np.array([0.4, 0.7]))),
)


def binomial_growth(k: Any, n: Any, p: Any) -> Any:
    """Derivative of ``betainc(n - k, k + 1, 1 - p)`` in k."""
    return -beta_growth(n - k, k + 1, 1 - p, p) - beta_growth(k + 1, n - k, p, 1 - p)


# negative binomial: betainc(n, k + 1, p)

for _fn, _sign in ((special.nbdtr, ""), (special.nbdtrc, "-")):
    scalar(
        _fn,
        None,
        None,
        f"{_sign}beta_density(np.trunc(n), np.trunc(k) + 1, p, 1 - p)",
        parameters="k, n, p",
        missing={"k": COUNT, "n": COUNT},
        zero_safe=True,
        source="betainc(n, k + 1, p)",
        examples=((2, 5, 0.4), (np.array([0, 3]), 6, np.array([0.4, 0.7]))),
    )
scalar(
    special.nbdtri,
    None,
    None,
    "1 / beta_density(np.trunc(n), np.trunc(k) + 1, y, 1 - y)",
    parameters="k, n, p",
    missing={"k": COUNT, "n": COUNT},
    zero_safe=True,
    source="inverse of nbdtr in p",
    examples=((2, 5, 0.4), (np.array([0, 3]), 6, np.array([0.4, 0.7]))),
)
scalar(
    special.nbdtrik,
    "free(y, -1 / beta_growth(y + 1, n, 1 - p, p))",
    "free(y, beta_growth(n, y + 1, p, 1 - p) / beta_growth(y + 1, n, 1 - p, p))",
    "free(y, beta_density(n, y + 1, p, 1 - p) / beta_growth(y + 1, n, 1 - p, p))",
    parameters="y_, n, p",
    zero_safe=True,
    source="betainc(n, k + 1, p) = y",
    examples=((0.8, 5.5, 0.4), (np.array([0.6, 0.7]), 6.0, np.array([0.4, 0.7]))),
)
scalar(
    special.nbdtrin,
    "beta_growth(k + 1, y, 1 - p, p) / beta_growth(y, k + 1, p, 1 - p)",
    "1 / beta_growth(y, k + 1, p, 1 - p)",
    "-beta_density(y, k + 1, p, 1 - p) / beta_growth(y, k + 1, p, 1 - p)",
    parameters="k, y_, p",
    zero_safe=True,
    source="betainc(n, k + 1, p) = y",
    examples=((2.0, 0.3, 0.4), (np.array([1.5, 2.7]), 0.6, np.array([0.4, 0.7]))),
)

# beta: inverses in the orders

scalar(
    special.btdtria,
    "1 / beta_growth(y, b, x, 1 - x)",
    "beta_growth(b, y, 1 - x, x) / beta_growth(y, b, x, 1 - x)",
    "-beta_density(y, b, x, 1 - x) / beta_growth(y, b, x, 1 - x)",
    parameters="p, b, x",
    zero_safe=True,
    source="betainc(a, b, x) = p",
    examples=((0.3, 1.4, 0.6), (np.array([0.6, 0.2]), 0.6, np.array([0.4, 0.7]))),
)
scalar(
    special.btdtrib,
    "beta_growth(a, y, x, 1 - x) / beta_growth(y, a, 1 - x, x)",
    "-1 / beta_growth(y, a, 1 - x, x)",
    "beta_density(a, y, x, 1 - x) / beta_growth(y, a, 1 - x, x)",
    parameters="a, p, x",
    zero_safe=True,
    source="betainc(a, b, x) = p",
    examples=((1.4, 0.3, 0.6), (np.array([1.6, 0.8]), 0.6, np.array([0.4, 0.7]))),
)
