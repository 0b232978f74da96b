"""Rules of scipy.special: error functions, Fresnel integrals, the normal distribution.

>>> float(scaled_slope(3e8) * 9e16), float(dawson_slope(3e8) * 9e16)    # to the last digit
(-0.564189..., -0.5)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from cmath import exp as exp_of_complex
from math import pi, sqrt
from typing import Any

import numpy as np
from numpy import cos, exp, sin, where
from scipy import special

from astad.rules.registry import rule
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.several import along, spread

__all__ = ["dawson_slope", "faddeeva_curvature", "faddeeva_slope", "scaled_slope"]

TWO_OVER_ROOT_PI = 2 / sqrt(pi)
ROOT_PI_OVER_TWO = sqrt(pi) / 2
ROOT_TWO = sqrt(2)
ROOT_TWO_PI = sqrt(2 * pi)
ROOT_TWO_OVER_PI = sqrt(2 / pi)
PROBABILITY = "x > 0.05 and x < 0.95"
FAR = 12.0
"""Beyond, sums of inverse powers are exact to rounding and the differences are not."""

# error functions

scalar(special.erf, "TWO_OVER_ROOT_PI * exp(-x * x)", source="DLMF 7.2.1", domain="abs(x) < 2")
scalar(special.erfc, "-TWO_OVER_ROOT_PI * exp(-x * x)", source="DLMF 7.2.2", domain="abs(x) < 2")
scalar(
    special.erfcx,
    "scaled_slope(x)",
    source="2 x y - 2 / sqrt(pi); DLMF 7.12.1 for large x",
    domain="abs(x) < 3",
)
scalar(special.erfi, "TWO_OVER_ROOT_PI * exp(x * x)", source="DLMF 7.2.1", domain="abs(x) < 2")
scalar(special.dawsn, "dawson_slope(x)", source="DLMF 7.2.5; 7.12.1 for large x")
scalar(
    special.wofz,
    "faddeeva_slope(x)",
    source="DLMF 7.10.2; 7.12.1 for large x",
    domain="abs(x) < 3",
    examples=(
        (0.3 + 0.2j,),
        (np.array([0.4, -1.3]),),
        (np.array([0.4 + 1j, 20.0 + 3j, 1 - 0.5j]),),
    ),
)
scalar(
    special.erfinv,
    "ROOT_PI_OVER_TWO * exp(y * y)",
    source="inverse of erf",
    zero_safe=True,
    domain="abs(x) < 0.9",
)
scalar(
    special.erfcinv,
    "-ROOT_PI_OVER_TWO * exp(y * y)",
    source="inverse of erfc",
    zero_safe=True,
    domain="abs(x - 1) < 0.9",
)


def inverse_powers(u: Any, rise: int = 0) -> Any:
    """``1 + 3 u + 15 u**2 + 105 u**3 + ...``, each term times ``1 + rise k``."""
    total, factor = 0.0, 1.0
    for k in range(12):
        total = total + (1 + rise * k) * factor
        factor = factor * (2 * k + 3) * u
    return total


@np.errstate(all="ignore")
def scaled_slope(x: Any) -> Any:
    """Derivative of ``exp(x**2) erfc(x)``."""
    is_far = np.real(x) > FAR
    square = where(is_far, x, FAR) ** 2
    far = -0.5 * TWO_OVER_ROOT_PI * inverse_powers(-0.5 / square) / square
    return where(is_far, far, 2 * x * special.erfcx(x) - TWO_OVER_ROOT_PI)[()]


@np.errstate(all="ignore")
def dawson_slope(x: Any) -> Any:
    """Derivative of Dawson's integral."""
    is_far = (np.abs(np.real(x)) > FAR) & (np.abs(np.imag(x)) < np.abs(np.real(x)))
    square = where(is_far, x, FAR) ** 2
    far = -0.5 * inverse_powers(0.5 / square) / square
    return where(is_far, far, 1 - 2 * x * special.dawsn(x))[()]


@np.errstate(all="ignore")
def faddeeva_slope(z: Any) -> Any:
    """Derivative of the Faddeeva function."""
    is_far = (np.abs(z) > FAR) & (np.imag(z) >= 0)
    square = where(is_far, z, FAR) ** 2
    far = -0.5j * TWO_OVER_ROOT_PI * inverse_powers(0.5 / square) / square
    return where(is_far, far, 1j * TWO_OVER_ROOT_PI - 2 * z * special.wofz(z))[()]


@np.errstate(all="ignore")
def faddeeva_curvature(z: Any) -> Any:
    """Second derivative of the Faddeeva function."""
    is_far = (np.abs(z) > FAR) & (np.imag(z) >= 0)
    s = where(is_far, z, FAR)
    far = 1j * TWO_OVER_ROOT_PI * inverse_powers(0.5 / (s * s), 1) / s**3
    return where(is_far, far, -2 * special.wofz(z) - 2 * z * faddeeva_slope(z))[()]


# profiles of spectral lines

scalar(
    special.voigt_profile,
    "profile_slope(x, sigma, gamma)",
    "sigma * profile_curvature(x, sigma, gamma)",
    "profile_spread(x, sigma, gamma)",
    parameters="x, sigma, gamma",
    zero_safe=True,
    source="real part of the Faddeeva function, DLMF 7.19.1; in sigma by the heat equation",
    domain="sigma > 0.2 and gamma > 0.1",
)


@np.errstate(all="ignore")
def profile_slope(x: Any, sigma: Any, gamma: Any) -> Any:
    """Derivative of the Voigt profile in x; of the Lorentzian where sigma is 0."""
    width = where(sigma == 0, 1, sigma)
    slope = faddeeva_slope((x + 1j * gamma) / (width * ROOT_TWO))
    pole = where((x == 0) & (gamma == 0), 1, x + 1j * gamma)
    sharp = (-1j / (pi * pole * pole)).real
    return where(sigma == 0, sharp, slope.real / (2 * sqrt(pi) * width * width))[()]


@np.errstate(all="ignore")
def profile_spread(x: Any, sigma: Any, gamma: Any) -> Any:
    """Derivative of the Voigt profile in gamma."""
    width = where(sigma == 0, 1, sigma)
    slope = faddeeva_slope((x + 1j * gamma) / (width * ROOT_TWO))
    pole = where((x == 0) & (gamma == 0), 1, x + 1j * gamma)
    sharp = (1 / (pi * pole * pole)).real
    return where(sigma == 0, sharp, -slope.imag / (2 * sqrt(pi) * width * width))[()]


@np.errstate(all="ignore")
def profile_curvature(x: Any, sigma: Any, gamma: Any) -> Any:
    """Second derivative of the Voigt profile in x; 0 where sigma is 0, to be multiplied by it."""
    width = where(sigma == 0, 1, sigma)
    curvature = faddeeva_curvature((x + 1j * gamma) / (width * ROOT_TWO))
    return where(sigma == 0, 0, curvature.real / (2 * ROOT_TWO_PI * width**3))[()]


# Fresnel integrals

rule(
    special.fresnel,
    "z",
    z="along(y_bar, sin(0.5 * pi * z * z), cos(0.5 * pi * z * z))",
    dot="spread(z_dot, y, sin(0.5 * pi * z * z), cos(0.5 * pi * z * z))",
    gives="parts(each(z), each(z))",
    source="DLMF 7.2.7, 7.2.8",
    examples=((0.7,), (np.array([0.0, -1.3, 2.1]),), (np.array([0.4 + 0.3j]),)),
)
TURN = exp_of_complex(0.25j * pi)
for _fn, _sign, _turn in (
    (special.modfresnelp, "1j", "TURN.conjugate()"),
    (special.modfresnelm, "-1j", "TURN"),
):
    _slopes = f"-exp({_sign} * x * x), 0.5 * {_turn} * scaled_slope({_turn} * x)"
    rule(
        _fn,
        "x",
        x=f"along(y_bar, {_slopes})",
        dot=f"spread(x_dot, y, {_slopes})",
        source="DLMF 7.2.6; the second is erfcx(exp(-i pi / 4) x) / 2, or its conjugate",
        refuse="np.any(x < 0)",  # SciPy's own first value jumps there
        examples=((0.7,), (np.array([0.3, 2.1, 7.0]),)),
    )

# the normal distribution

scalar(special.ndtr, "exp(-0.5 * x * x) / ROOT_TWO_PI", source="DLMF 7.2.2", domain="abs(x) < 3")
scalar(
    special.log_ndtr,
    "ROOT_TWO_OVER_PI / special.erfcx(-x / ROOT_TWO)",
    source="density over ndtr(x) = erfc(-x / sqrt(2)) / 2",
    domain="abs(x) < 4",
)
scalar(
    special.ndtri,
    "ROOT_TWO_PI * exp(0.5 * y * y)",
    source="inverse of ndtr",
    zero_safe=True,
    domain=PROBABILITY,
)
scalar(
    special.ndtri_exp,
    "special.erfcx(-y / ROOT_TWO) / ROOT_TWO_OVER_PI",
    source="inverse of log_ndtr",
    zero_safe=True,
    domain="x < -0.05",
)
scalar(
    special.owens_t,
    "-0.5 / ROOT_TWO_PI * exp(-0.5 * x1 * x1) * special.erf(x1 * x2 / ROOT_TWO)",
    "exp(-0.5 * x1 * x1 * (1 + x2 * x2)) / (2 * pi * (1 + x2 * x2))",
    zero_safe=True,
    source="Owen 1956, Tables for computing bivariate normal probabilities, (2.3)",
    domain="abs(x1) < 3 and abs(x2) < 3",
)
scalar(
    special.nrdtrimn,
    "-std * ROOT_TWO_PI * exp(0.5 * special.ndtri(p) ** 2)",
    "-special.ndtri(p)",
    "1",
    parameters="p, std, x",
    source="x - std ndtri(p)",
    zero_safe=True,
    domain="p > 0.05 and p < 0.95 and std > 0.1",
)
scalar(
    special.nrdtrisd,
    "-1 / special.ndtri(p)",
    "-y * ROOT_TWO_PI * exp(0.5 * special.ndtri(p) ** 2) / special.ndtri(p)",
    "1 / special.ndtri(p)",
    parameters="mn, p, x",
    source="(x - mn) / ndtri(p)",
    zero_safe=True,
    domain="p > 0.6 and p < 0.95 and x > mn + 0.1",
)

# logistic function

scalar(special.expit, "y * special.expit(-x)", source="from y = 1 / (1 + exp(-x))")
scalar(special.log_expit, "special.expit(-x)", source="from -log(1 + exp(-x))")
scalar(
    special.logit,
    "1 / (x * (1 - x))",
    source="inverse of expit",
    zero_safe=True,
    domain=PROBABILITY,
)
