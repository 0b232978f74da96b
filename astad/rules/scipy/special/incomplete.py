"""Rules of scipy.special: incomplete gamma and beta functions, and their inverses.

>>> round(float(lookup(special.gammainc).pull(("x",))(1.0, None, 2.0, 0.5)[0]), 6)
0.303265
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import numpy as np
from scipy import special

from astad.rules.registry import lookup
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.densities import beta_density, gamma_density
from astad.rules.scipy.special.orders import beta_growth, gamma_growth

__all__: list[str] = []

SHAPES = (
    (1.3, 0.8),
    (np.array([0.7, 2.5]), np.array([0.4, 3.0])),
    (2.0, np.array([1.0, 0.5])),
    (np.array([[50.0], [300.0]]), np.array([55.0, 290.0])),
)
LEVELS = ((1.3, 0.8), (np.array([0.7, 2.5]), np.array([0.4, 0.3])), (2.0, np.array([0.1, 0.5])))
TRIPLES = (
    (1.3, 0.8, 0.4),
    (np.array([0.7, 2.5]), 1.5, np.array([0.4, 0.7])),
    (np.array([30.0, 2.0]), np.array([40.0, 0.5]), np.array([[0.45], [0.8]])),
)

# the incomplete gamma functions


for _fn, _sign in ((special.gammainc, ""), (special.gammaincc, "-")):
    scalar(
        _fn,
        f"{_sign}gamma_growth(a, x)",
        f"{_sign}gamma_density(a, x)",
        parameters="a, x",
        zero_safe=True,
        source="DLMF 8.2.4, 8.8.13; in a under the integral",
        examples=SHAPES,
    )
for _fn, _sign in ((special.gammaincinv, ""), (special.gammainccinv, "-")):
    scalar(
        _fn,
        "-gamma_growth(a, y) / gamma_density(a, y)",
        f"{_sign}1 / gamma_density(a, y)",
        parameters="a, p",
        zero_safe=True,
        source="inverse of the incomplete gamma function",
        examples=LEVELS,
    )

# the incomplete beta functions


for _fn, _sign in ((special.betainc, ""), (special.betaincc, "-")):
    scalar(
        _fn,
        f"{_sign}beta_growth(a, b, x, 1 - x)",
        f"{'' if _sign else '-'}beta_growth(b, a, 1 - x, x)",
        f"{_sign}beta_density(a, b, x, 1 - x)",
        parameters="a, b, x",
        zero_safe=True,
        source="DLMF 8.17.1, 8.17.4; in a and b under the integral",
        examples=TRIPLES,
    )
for _fn, _sign in ((special.betaincinv, ""), (special.betainccinv, "-")):
    scalar(
        _fn,
        "-beta_growth(a, b, y, 1 - y) / beta_density(a, b, y, 1 - y)",
        "beta_growth(b, a, 1 - y, y) / beta_density(a, b, y, 1 - y)",
        f"{_sign}1 / beta_density(a, b, y, 1 - y)",
        parameters="a, b, y_",
        zero_safe=True,
        source="inverse of betainc",
        examples=TRIPLES,
    )
