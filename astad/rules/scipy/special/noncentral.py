"""Rules of scipy.special: noncentral chi-square, F and t distributions, and their inverses.

>>> [round(float(slope), 6) for slope in chi_slopes(2.0, 2.0, 0.0)[::2]]       # exp(-1) / 2
[0.18394, -0.18394]
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import exp, log, maximum, sqrt, where
from scipy import special

from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.densities import (
    beta_density,
    free,  # noqa: F401  named in the texts
    gamma_density,
)
from astad.rules.scipy.special.orders import beta_growth, gamma_growth, integrate

__all__ = ["chi_slopes", "ratio_slopes", "student_slopes"]

DROP = 42.0
ROOT_TWO_PI = float(np.sqrt(2 * pi))
QUANTILES = (special.chndtrix, special.ncfdtri, special.nctdtrit, special.nctdtrinc)
"""Inverses that have no bound at 0."""

# F(x, ...) = y, solved for one of its arguments: slopes by that of the argument


def _declare(fn: Any, slopes: str, place: int, parameters: str, source: str, examples: Any) -> None:
    """The function itself (place -1), or its inverse in the argument of that place.

    An inverse has the probability, called p, in a place of its own among the `parameters`.
    """
    names = parameters.split(", ")
    order = slopes.partition("(")[2].rstrip(")").split(", ")
    formulas = []
    head = "(" if fn in QUANTILES else "free(y, "
    for name in names:
        if place < 0:
            formulas.append(f"{slopes}[{order.index(name)}]")
        elif name == "p":
            formulas.append(f"{head}1 / {slopes}[{place}])")
        else:
            quotient = f"{slopes}[{order.index(name)}] / {slopes}[{place}]"
            formulas.append(f"{head}-{quotient})")
    scalar(fn, *formulas, parameters=parameters, zero_safe=True, source=source, examples=examples)


# chi-square

CHI = "DLMF 10.25.2 for the density; in nc and df by the sum of Poisson's weights"
_declare(
    special.chndtr,
    "chi_slopes(x, df, nc)",
    -1,
    "x, df, nc",
    CHI,
    ((1.3, 2.8, 0.7), (np.array([0.7, 25.0]), 3.5, np.array([[4.0], [12.0]]))),
)
for _fn, _slopes, _place, _parameters, _examples in (
    (special.chndtrix, "chi_slopes(y, df, nc)", 0, "p, df, nc", ((0.3, 2.8, 0.7), (0.6, 3.0, 9.0))),
    (special.chndtridf, "chi_slopes(x, y, nc)", 1, "x, p, nc", ((1.3, 0.3, 0.7), (9.0, 0.4, 3.0))),
    (special.chndtrinc, "chi_slopes(x, df, y)", 2, "x, df, p", ((4.3, 2.8, 0.4), (9.0, 3.0, 0.4))),
):
    _declare(_fn, _slopes, _place, _parameters, "inverse of chndtr", _examples)


def poisson_weights(nc: Any, ndim: int) -> tuple[Any, Any]:
    """Counts that matter for any of the rates ``nc / 2``, along a first axis, and their weights."""
    rate = 0.5 * np.asarray(nc)
    low, high = float(np.min(rate, initial=np.inf)), float(np.max(rate, initial=0.0))
    first = max(0, int(min(low, high) - 10 * sqrt(min(low, high)) - 10))
    counts = np.arange(first, int(high + 10 * sqrt(high) + 40), dtype=float)
    counts = counts.reshape((-1,) + (1,) * ndim)
    weights = exp(special.xlogy(counts, rate) - rate - special.gammaln(counts + 1))
    return counts, weights


@np.errstate(all="ignore")
def chi_density(x: Any, df: Any, nc: Any) -> Any:
    """Density of the noncentral chi-square distribution."""
    is_far = x * nc > 100
    t, rate = where(is_far, x, 10.0), where(is_far, nc, 10.0)
    ratio = exp(special.xlogy(0.25 * df - 0.5, t / rate) - 0.5 * (sqrt(t) - sqrt(rate)) ** 2)
    far = 0.5 * ratio * special.ive(0.5 * df - 1, sqrt(t * rate))
    growth = special.hyp0f1(0.5 * df, where(is_far, 0, 0.25 * x * nc))
    near = 0.5 * gamma_density(0.5 * df, 0.5 * x) * exp(-0.5 * nc) * growth
    return where(is_far, far, near)[()]


@np.errstate(all="ignore")
def chi_slopes(x: Any, df: Any, nc: Any) -> tuple[Any, Any, Any]:
    """Derivatives of the noncentral chi-square distribution function."""
    counts, weights = poisson_weights(nc, np.ndim(x + df + nc))
    of_df = 0.5 * np.sum(weights * gamma_growth(0.5 * df + counts, 0.5 * x + 0 * counts), axis=0)
    return chi_density(x, df, nc), of_df, -chi_density(x, df + 2, nc)


# F

FISHER = "sum of Poisson's weights times betainc(dfn / 2 + j, dfd / 2, dfn f / (dfd + dfn f))"
_declare(
    special.ncfdtr,
    "ratio_slopes(dfn, dfd, nc, f)",
    -1,
    "dfn, dfd, nc, f",
    FISHER,
    ((3.0, 5.5, 0.7, 0.8), (3.5, 7.0, np.array([[4.0], [12.0]]), np.array([0.7, 2.5]))),
)
_declare(
    special.ncfdtri,
    "ratio_slopes(dfn, dfd, nc, y)",
    3,
    "dfn, dfd, nc, p",
    "inverse of ncfdtr",
    ((3.0, 5.5, 0.7, 0.6), (3.5, 7.0, 4.0, np.array([0.3, 0.7]))),
)
_declare(
    special.ncfdtridfd,
    "ratio_slopes(dfn, y, nc, f)",
    1,
    "dfn, p, nc, f",
    "inverse of ncfdtr",
    ((3.0, 0.5, 0.7, 1.1),),
)
_declare(
    special.ncfdtridfn,
    "ratio_slopes(y, dfd, nc, f)",
    0,
    "p, dfd, nc, f",
    "inverse of ncfdtr",
    ((0.496, 6.0, 0.7, 1.1),),
)
_declare(
    special.ncfdtrinc,
    "ratio_slopes(dfn, dfd, y, f)",
    2,
    "dfn, dfd, p, f",
    "inverse of ncfdtr",
    ((3.0, 6.0, 0.4, 1.6),),
)


@np.errstate(all="ignore")
def ratio_slopes(dfn: Any, dfd: Any, nc: Any, f: Any) -> tuple[Any, Any, Any, Any]:
    """Derivatives of the noncentral F distribution function."""
    counts, weights = poisson_weights(nc, np.ndim(dfn + dfd + nc + f))
    whole = dfd + dfn * f
    w, c, b = dfn * f / whole, dfd / whole, 0.5 * dfd
    a = 0.5 * dfn + counts
    density = weights * beta_density(a, b, w, c)
    of_f = np.sum(density, axis=0) * c * (dfn / whole)
    of_nc = -0.5 * w * c * np.sum(density / a, axis=0)
    w, c, b = w + 0 * counts, c + 0 * counts, b + 0 * counts
    of_dfn = 0.5 * np.sum(weights * beta_growth(a, b, w, c), axis=0) + f * of_f / dfn
    of_dfd = -0.5 * np.sum(weights * beta_growth(b, a, c, w), axis=0) - f * of_f / dfd
    return of_dfn, of_dfd, of_nc, of_f


# t

STUDENT = "mean of ndtr(t u / sqrt(df) - nc), u of the chi distribution"
_declare(
    special.nctdtr,
    "student_slopes(df, nc, t)",
    -1,
    "df, nc, t",
    STUDENT,
    ((3.0, 0.5, 0.7), (np.array([3.5, 40.0]), np.array([[-1.0], [2.0]]), np.array([0.7, -0.5]))),
)
_declare(
    special.nctdtrit,
    "student_slopes(df, nc, y)",
    2,
    "df, nc, p",
    "inverse of nctdtr",
    ((3.0, 0.5, 0.7), (7.5, 1.5, np.array([0.3, 0.8]))),
)
_declare(
    special.nctdtrinc,
    "student_slopes(df, y, t)",
    1,
    "df, p, t",
    "inverse of nctdtr",
    ((3.0, 0.5, 0.7), (7.5, 0.4, np.array([1.3, 0.8]))),
)
_declare(
    special.nctdtridf,
    "student_slopes(y, nc, t)",
    0,
    "p, nc, t",
    "inverse of nctdtr",
    ((0.55, 0.5, 0.75),),
)


@np.errstate(all="ignore")
def student_slopes(df: Any, nc: Any, t: Any) -> tuple[Any, Any, Any]:
    """Derivatives of the noncentral t distribution function."""
    df, nc, t = np.broadcast_arrays(df, nc, t)
    scale = t / sqrt(df)
    constant = (1 - 0.5 * df) * log(2) - special.gammaln(0.5 * df)
    centre = 0.5 * (log(2) + special.psi(0.5 * df))
    start, length, peak = limits(df, 1 + scale * scale, scale * nc)

    def hit(s: Any) -> Any:
        u = exp(s)
        return exp(constant + df * s - 0.5 * u * u - 0.5 * (scale * u - nc) ** 2) / ROOT_TWO_PI

    of_nc = -integrate_peak(lambda w: hit(start + w), peak, length)
    of_scale = integrate_peak(lambda w: hit(start + w) * exp(start + w), peak, length)
    begin, size, top = limits(df, 1.0 + 0 * scale, 0.0 * scale)

    def score(w: Any) -> Any:
        s = begin + w
        u = exp(s)
        weight = exp(constant + df * s - 0.5 * u * u) * (s - centre)
        return weight * special.ndtr(scale * u - nc)

    of_df = integrate_peak(score, top, size)
    return of_df - 0.5 * scale / df * of_scale, of_nc, of_scale / sqrt(df)


def integrate_peak(f: Any, peak: Any, length: Any) -> Any:
    """Integral of `f` from 0 to `length`; of a small df the rise to the peak is long and slow."""
    near = where(peak > 12, peak - 6, 0.5 * peak)
    far = maximum(near - 30, 0)
    rise = integrate(f, far, 0.5 * (far + near), near)
    last = 0.5 * (peak + length) - near
    return rise + integrate(lambda w: f(near + w), 0.5 * (peak - near), last, length - near)


def limits(df: Any, square: Any, linear: Any) -> tuple[Any, Any, Any]:
    """Where ``df s - square exp(2 s) / 2 + linear exp(s)`` is within 42 of its greatest value.

    Returned are the lower bound, the distance of the upper one from it and of the peak.
    """

    def height(s: Any) -> Any:
        return df * s - 0.5 * square * exp(2 * s) + linear * exp(s)

    peak = log((linear + sqrt(linear * linear + 4 * square * df)) / (2 * square))
    floor = height(peak) - DROP
    low = (floor - 0.5 * maximum(linear, 0) ** 2 / square) / df
    high = peak + 6
    for _ in range(14):  # of Newton, from outside, on a concave function
        low = low - (height(low) - floor) / (df - square * exp(2 * low) + linear * exp(low))
        high = high - (height(high) - floor) / (df - square * exp(2 * high) + linear * exp(high))
    return low, high - low, peak - low
