"""Rules of scipy.special: Airy, Kelvin and Struve functions, integrals of Bessel functions.

>>> abs(float(kelvin_curvature(0.0).imag - 0.5)) < 1e-15
True
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from cmath import exp as exp_of_complex
from math import factorial, pi, sqrt
from typing import Any

import numpy as np
from numpy import power, where
from scipy import special

from astad.rules.registry import rule
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.bessel import fading
from astad.rules.scipy.special.interpolated import bessel_slope, order_slope, pole_distance
from astad.rules.scipy.special.several import along, spread

__all__ = ["kelvin_curvature", "kelvin_curvature_second", "scaled_slopes"]

POSITIVE = "x > 0.2"
ROOT_PI = sqrt(pi)

# Airy functions

AIRY = "y[1], z * y[0], y[3], z * y[2]"
rule(
    special.airy,
    "z",
    z=f"along(y_bar, {AIRY})",
    dot=f"spread(z_dot, y, {AIRY})",
    gives="parts(each(z), each(z), each(z), each(z))",
    source="DLMF 9.2.1",
    examples=((0.7,), (np.array([0.0, -2.3, 2.1]),), (np.array([0.4 + 0.3j, -1 + 1j]),)),
)
rule(
    special.airye,
    "z",
    z="along(y_bar, *scaled_slopes(z, y))",
    dot="spread(z_dot, y, *scaled_slopes(z, y))",
    refuse="np.iscomplexobj(z)",  # two of the four are not holomorphic
    source="DLMF 9.2.1; 9.6.2, 9.6.3, 10.40.1, 10.40.2 for large z",
    examples=((0.7,), (np.array([0.3, 2.1, 30.0]),)),
)
rule(
    special.itairy,
    "x",
    x="along(y_bar, *airy_values(x))",
    dot="spread(x_dot, y, *airy_values(x))",
    source="fundamental theorem of calculus",
    examples=((0.7,), (np.array([0.3, 2.1, -1.3]),)),
)


@np.errstate(all="ignore")
def scaled_slopes(z: Any, y: Any) -> Any:
    """Derivatives of the four scaled Airy functions."""
    root = np.sqrt(np.maximum(z, 0))
    ai, aip, bi, bip = y
    is_far = z > 20
    s = where(is_far, z, 20)
    zeta = 2 / 3 * s * np.sqrt(s)
    rates = [
        0.5 / s - np.sqrt(s) * fading(1 / 3, zeta, 1),
        1 / s - np.sqrt(s) * fading(2 / 3, zeta, 1),
        0.5 / s - np.sqrt(s) * fading(1 / 3, zeta, -1),
        1 / s - np.sqrt(s) * fading(2 / 3, zeta, -1),
    ]
    near = [aip + root * ai, z * ai + root * aip, bip - root * bi, z * bi - root * bip]
    return [
        where(is_far, each * rate, slope)[()]
        for each, rate, slope in zip(y, rates, near, strict=True)
    ]


def airy_values(x: Any) -> Any:
    """Ai and Bi, and of the negative argument."""
    ahead, behind = special.airy(x), special.airy(-x)
    return ahead[0], ahead[2], behind[0], behind[2]


# Kelvin functions

EIGHTH = exp_of_complex(0.25j * pi)
for _fn in (special.ber, special.bei, special.ker, special.kei):
    scalar(
        _fn,
        f"special.{_fn.__name__}p(x)",
        zero_safe=True,
        source="meaning of the p",
        domain=POSITIVE,
    )
scalar(
    special.berp,
    "np.real(kelvin_curvature(x))",
    zero_safe=True,
    source="DLMF 10.61.1, 10.6.1",
    domain=POSITIVE,
)
scalar(special.beip, "np.imag(kelvin_curvature(x))", source="DLMF 10.61.1, 10.6.1", domain=POSITIVE)
scalar(
    special.kerp,
    "np.real(kelvin_curvature_second(x))",
    zero_safe=True,
    source="DLMF 10.61.2, 10.29.1",
    domain=POSITIVE,
)
scalar(
    special.keip,
    "np.imag(kelvin_curvature_second(x))",
    zero_safe=True,
    source="DLMF 10.61.2, 10.29.1",
    domain=POSITIVE,
)
KELVIN = "y[2], y[3], kelvin_curvature(x), kelvin_curvature_second(x)"
rule(
    special.kelvin,
    "x",
    x=f"along(y_bar, {KELVIN})",
    dot=f"spread(x_dot, y, {KELVIN})",
    source="DLMF 10.61.1, 10.61.2",
    examples=((0.7,), (np.array([0.3, 2.1]),)),
)


def kelvin_curvature(x: Any) -> Any:
    """Second derivative of ``ber + i bei``."""
    z = x * (EIGHTH * 1j)
    return 0.5j * (special.jv(0, z) - special.jv(2, z))


def kelvin_curvature_second(x: Any) -> Any:
    """Second derivative of ``ker + i kei``."""
    z = x * EIGHTH
    return 0.5j * (special.kv(0, z) + special.kv(2, z))


# Struve functions

ORDERED = ((1.5, 2.3), (0.0, np.array([0.4, 3.1])), (np.array([0.5, 1.0]), np.array([1.2, 22.0])))
STRUVE = "0.5 * (special.{0}(v - 1, x) {1} special.{0}(v + 1, x) + struve_term(v, x))"
for _fn, _sign in ((special.struve, "-"), (special.modstruve, "+")):
    scalar(
        _fn,
        f"bessel_slope(special.{_fn.__name__}, v, x)",
        STRUVE.format(_fn.__name__, _sign),
        parameters="v, x",
        zero_safe=True,
        source="DLMF 11.4.24, 11.4.26; in the order interpolated",
        examples=ORDERED,
    )
scalar(special.itstruve0, "special.struve(0, x)", source="integrand", domain=POSITIVE)
scalar(special.itmodstruve0, "special.modstruve(0, x)", source="integrand", domain=POSITIVE)
scalar(
    special.it2struve0,
    "-struve_ratio(x)",
    source="integrand",
    domain=POSITIVE,
)


@np.errstate(all="ignore")
def struve_ratio(x: Any) -> Any:
    """``struve(0, x) / x``; by its series where small, DLMF 11.2.1."""
    is_small = np.abs(x) < 1
    u = where(is_small, x, 0)
    total: Any = 0.0
    for k in range(19, 1, -2):
        total = (1 - total) * (u * u / (k * k))
    far = where(is_small, 1, x)
    return where(is_small, 2 / pi * (1 - total), special.struve(0, far) / far)[()]


@np.errstate(all="ignore")
def struve_term(v: Any, x: Any) -> Any:
    """``(x / 2)**v / (sqrt(pi) gamma(v + 3 / 2))``."""
    return power(0.5 * x, v) * special.rgamma(v + 1.5) / ROOT_PI


# integrals of Bessel functions

for _fn, _slopes, _points in (
    (special.itj0y0, "special.j0(x), special.y0(x)", (0.3, 2.1, 30.0)),
    (special.iti0k0, "special.i0(x), special.k0(x)", (0.3, 2.1, 9.0)),
    (special.it2j0y0, "first_integrand(x, -1), -special.y0(x) / x", (0.3, 2.1, 30.0)),
    (special.it2i0k0, "first_integrand(x, 1), -special.k0(x) / x", (0.3, 2.1, 9.0)),
):
    rule(
        _fn,
        "x",
        x=f"along(y_bar, {_slopes})",
        dot=f"spread(x_dot, y, {_slopes})",
        source="integrand",
        examples=((0.7,), (np.array(_points),)),
    )
scalar(
    special.besselpoly,
    "polynomial_slope(a, lmb, nu)",
    "order_slope(special.besselpoly, 1, pole_distance(lmb + nu + 1), a, lmb, nu)",
    "order_slope(special.besselpoly, 2, pole_distance(lmb + nu + 1), a, lmb, nu)",
    parameters="a, lmb, nu",
    zero_safe=True,
    source="DLMF 10.6.1 under the integral; in lmb and nu interpolated",
    examples=((0.7, 1.0, 2.0), (np.array([0.4, 1.3]), 0.5, 0.0), (0.7, 1.0, np.array([0.0, 1.0]))),
)


@np.errstate(all="ignore")
def first_integrand(x: Any, sign: int) -> Any:
    """``(1 - j0(x)) / x``, or ``(i0(x) - 1) / x``; by its series where small."""
    is_small = np.abs(x) < 2
    u = where(is_small, 0.5 * x, 0)
    total: Any = 0.0
    for k in range(13, 0, -1):
        total = total * (sign * u * u) + 1 / factorial(k) ** 2
    far = where(is_small, 2, x)
    value = 1 - special.j0(far) if sign < 0 else special.i0(far) - 1
    return where(is_small, 0.5 * u * total, value / far)[()]


@np.errstate(all="ignore")
def polynomial_slope(a: Any, lmb: Any, nu: Any) -> Any:
    """Integral of ``2 t**(lmb + 1) (nu / (2 a t) J(nu) - J(nu + 1))``; at 0 that of J(nu - 1)."""
    at_zero = np.equal(a, 0)
    own = nu / where(at_zero, 1, a) * special.besselpoly(a, lmb, nu)
    below = special.besselpoly(a, lmb + 1, where(np.equal(nu, 0), 1, nu - 1))
    own = where(at_zero, where(np.equal(nu, 0), 0, where((nu > 0) & (nu < 1), np.inf, below)), own)
    return own - where(at_zero, 1, 2)[()] * special.besselpoly(a, lmb + 1, nu + 1)
