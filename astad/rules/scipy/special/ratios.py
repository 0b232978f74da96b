"""Rules of scipy.special: the distributions of Fisher and of Student, and their inverses.

>>> float(ratio_slopes(2.0, 2.0, 1.0)[2])                  # of x / (1 + x)
0.25
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import abs, exp, log, log1p, where
from scipy import special

from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.densities import beta_density
from astad.rules.scipy.special.gammas import psi_gap
from astad.rules.scipy.special.orders import beta_growth, unit_rule

__all__ = ["ratio_slopes", "student_density", "student_growth"]

# Fisher's F: betainc(dfn / 2, dfd / 2, dfn x / (dfd + dfn x))

TRIPLES = (
    (3.0, 4.5, 0.8),
    (np.array([1.5, 2.5]), 7.0, np.array([[0.4], [3.0]])),
    (1.0, 3.0, np.array([0.4, 1.0])),
)
CHANCES = ((3.0, 4.5, 0.8), (np.array([1.5, 2.5]), 7.0, np.array([[0.4], [0.3]])))
for _fn, _sign in ((special.fdtr, ""), (special.fdtrc, "-")):
    scalar(
        _fn,
        *(f"{_sign}ratio_slopes(dfn, dfd, x)[{k}]" for k in range(3)),
        parameters="dfn, dfd, x",
        zero_safe=True,
        source="betainc(dfn / 2, dfd / 2, dfn x / (dfd + dfn x))",
        examples=TRIPLES,
    )
scalar(
    special.fdtri,
    "-ratio_slopes(dfn, dfd, y)[0] / ratio_slopes(dfn, dfd, y)[2]",
    "-ratio_slopes(dfn, dfd, y)[1] / ratio_slopes(dfn, dfd, y)[2]",
    "1 / ratio_slopes(dfn, dfd, y)[2]",
    parameters="dfn, dfd, p",
    zero_safe=True,
    source="inverse of fdtr in x",
    examples=CHANCES,
)
scalar(
    special.fdtridfd,
    "-ratio_slopes(dfn, y, x)[0] / ratio_slopes(dfn, y, x)[1]",
    "1 / ratio_slopes(dfn, y, x)[1]",
    "-ratio_slopes(dfn, y, x)[2] / ratio_slopes(dfn, y, x)[1]",
    parameters="dfn, p, x",
    zero_safe=True,
    source="inverse of fdtr in dfd",
    examples=((3.0, 0.55, 0.9), (np.array([1.5, 2.5]), 0.45, 0.75)),
)


@np.errstate(all="ignore")
def ratio_slopes(dfn: Any, dfd: Any, x: Any) -> tuple[Any, Any, Any]:
    """Derivatives of the distribution function in its three arguments."""
    whole = dfd + dfn * x
    w, c, a, b = dfn * x / whole, dfd / whole, 0.5 * dfn, 0.5 * dfd
    density = beta_density(a, b, w, c)
    of_x = density * c * (dfn / whole)
    flow = where(x == 0, 0, of_x * x)
    of_dfn = 0.5 * beta_growth(a, b, w, c) + flow / dfn
    of_dfd = -0.5 * beta_growth(b, a, c, w) - flow / dfd
    return of_dfn, of_dfd, of_x


# Student's t: half of betainc(df / 2, 1 / 2, df / (df + t**2)) for negative t

scalar(
    special.stdtr,
    "student_growth(df, t)",
    "student_density(df, t)",
    parameters="df, t",
    zero_safe=True,
    source="DLMF 8.17.1 with df / (df + t**2); in df under the integral",
    examples=((3.0, -0.8), (np.array([1.0, 2.5]), np.array([0.4, -3.0])), (50.0, 0.3)),
)
scalar(
    special.stdtrit,
    "-student_growth(df, y) / student_density(df, y)",
    "1 / student_density(df, y)",
    parameters="df, p",
    zero_safe=True,
    source="inverse of stdtr in t",
    examples=((3.0, 0.8), (np.array([1.0, 2.5]), np.array([0.4, 0.1]))),
)
scalar(
    special.stdtridf,
    "1 / student_growth(y, t)",
    "-student_density(y, t) / student_growth(y, t)",
    parameters="p, t",
    zero_safe=True,
    source="inverse of stdtr in df",
    examples=((0.85, 1.3), (np.array([0.12, 0.8]), np.array([-1.4, 1.0]))),
)


@np.errstate(all="ignore")
def student_density(df: Any, t: Any) -> Any:
    """Derivative of Student's distribution function in t."""
    power = -0.5 * (df + 1) * log1p(t * t / df)
    return exp(power - special.betaln(0.5 * df, 0.5) - 0.5 * log(df))


@np.errstate(all="ignore")
def student_growth(df: Any, t: Any) -> Any:
    """Derivative of Student's distribution function in df.

    Near the middle it is the integral of that of the density, which is analytic there.
    """
    is_near = t * t <= np.minimum(df, 4)
    near = nearby_growth(df, where(is_near, t, 0))
    far = where(is_near, 1 + 0 * df, t)
    whole = df + far * far
    w, c = df / whole, far * far / whole
    half = 0.5 * beta_growth(0.5 * df, 0.5, w, c)
    flow = student_density(df, far) * abs(far) / df
    return where(is_near, near, -0.5 * np.sign(far) * (half + flow))[()]


def nearby_growth(df: Any, t: Any) -> Any:
    """Integral from 0 to t of the derivative of the density in df, by Gauss's rule."""
    centre = 0.5 * psi_gap(0.5 * df, 0.5) - 0.5 / df
    total: Any = 0.0
    for node, weight in zip(*unit_rule(), strict=True):
        s = float(node) * t
        square = s * s / df
        rate = 0.5 * (square / (1 + square) * (1 + 1 / df) - log1p(square))
        total = total + weight * (student_density(df, s) * (centre + rate))
    return t * total
