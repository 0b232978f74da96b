"""Rules of scipy.special: exponential integrals, hypergeometric functions, the function of Lambert.

>>> float(sinc_slope(1e-5) * 3e5)                    # the derivative of sin(x) / x, near 0
-0.9999999999...
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import factorial, inf
from typing import Any

import numpy as np
from numpy import cos, cosh, exp, sin, sinc, sinh, where
from scipy import special

from astad.rules.registry import rule
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.interpolated import order_slope, pole_distance
from astad.rules.scipy.special.several import along, spread

__all__ = ["lambert_slope", "sinc_slope"]

POSITIVE = "x > 0.2"

# exponential integrals

scalar(special.exp1, "-exp(-x) / x", zero_safe=True, source="DLMF 6.2.1", domain=POSITIVE)
scalar(special.expi, "exp(x) / x", zero_safe=True, source="DLMF 6.2.5", domain=POSITIVE)
scalar(
    special.expn,
    None,
    "-next_below(n, x)",
    parameters="n, x",
    missing={"n": "it is an integer"},
    zero_safe=True,
    source="DLMF 8.19.13",
    examples=((2, 0.7), (3, np.array([0.4, 2.0])), (np.array([0, 1]), 0.7), (1.0, 0.4)),
)


@np.errstate(all="ignore")
def next_below(n: Any, x: Any) -> Any:
    """``expn(n - 1, x)``, with ``expn(-1, x) = (1 + x) exp(-x) / x**2``."""
    is_zero = np.equal(n, 0)
    below = special.expn(where(is_zero, 0, n - 1), x)
    return where(is_zero, (1 + 1 / x) * below, below)[()]


SINE = "special.sinc(z / np.pi), where(z == 0, inf, cos(z) / where(z == 0, 1, z))"
HYPERBOLIC = "sinh_over(z), where(z == 0, inf, cosh(z) / where(z == 0, 1, z))"
for _fn, _slopes in ((special.sici, SINE), (special.shichi, HYPERBOLIC)):
    rule(
        _fn,
        "z",
        z=f"along(y_bar, {_slopes})",
        dot=f"spread(z_dot, y, {_slopes})",
        gives="parts(each(z), each(z))",
        source="DLMF 6.2.9, 6.2.13, 6.2.15, 6.2.16",
        examples=((0.7,), (np.array([0.4, -2.1, 9.0]),), (np.array([0.4 + 0.3j]),)),
    )


@np.errstate(all="ignore")
def sinh_over(z: Any) -> Any:
    """``sinh(z) / z``, 1 at 0."""
    return sinc(z * (1j / np.pi)) if np.iscomplexobj(z) else sinc(z * (1j / np.pi)).real


def sinc_slope(x: Any) -> Any:
    """Derivative of ``sin(x) / x``."""
    return -special.spherical_jn(1, x)


# hypergeometric functions


@np.errstate(all="ignore")
def narrow(x: Any) -> Any:
    """A step in a parameter that x is raised to: less for large and for small x."""
    size = np.abs(x)
    return 2.5 / (5 + np.abs(np.log(where(size == 0, 1, size))))


scalar(
    special.hyp0f1,
    "order_slope(special.hyp0f1, 0, pole_distance(v), v, z)",
    "special.hyp0f1(v + 1, z) / v",
    parameters="v, z",
    zero_safe=True,
    source="DLMF 16.3.1; in the parameters interpolated",
    examples=((1.5, 0.7), (2.5, np.array([0.4, 2.0])), (0.5, np.array([0.4 + 1j, -2.0]))),
)
scalar(
    special.hyp1f1,
    "order_slope(special.hyp1f1, 0, narrow(x), a, b, x)",
    "order_slope(special.hyp1f1, 1, pole_distance(b), a, b, x)",
    "a / b * special.hyp1f1(a + 1, b + 1, x)",
    parameters="a, b, x",
    zero_safe=True,
    source="DLMF 13.3.15; in the parameters interpolated",
    examples=((1.5, 2.5, 0.7), (0.5, 1.5, np.array([0.4, -2.0])), (0.5, 1.5, 0.4 + 1j)),
)
scalar(
    special.hyp2f1,
    "order_slope(special.hyp2f1, 0, narrow(z), a, b, c, z)",
    "order_slope(special.hyp2f1, 1, narrow(z), a, b, c, z)",
    "order_slope(special.hyp2f1, 2, pole_distance(c), a, b, c, z)",
    "a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z)",
    parameters="a, b, c, z",
    zero_safe=True,
    source="DLMF 15.5.1; in the parameters interpolated",
    examples=(
        (1.5, 2.5, 3.2, 0.3),
        (0.5, 1.5, 2.2, np.array([0.4, -0.6])),
        (0.5, 1.5, 2.2, 0.3 + 0.2j),
    ),
)
scalar(
    special.hyperu,
    "order_slope(special.hyperu, 0, narrow(x), a, b, x)",
    "order_slope(special.hyperu, 1, narrow(x), a, b, x)",
    "-a * special.hyperu(a + 1, b + 1, x)",
    parameters="a, b, x",
    zero_safe=True,
    source="DLMF 13.3.22; in the parameters interpolated",
    examples=((1.5, 2.5, 0.7), (0.5, 1.5, np.array([0.4, 2.0]))),
)
scalar(
    special.wright_bessel,
    "order_slope(special.wright_bessel, 0, pole_distance(a), a, b, x)",
    "order_slope(special.wright_bessel, 1, pole_distance(b), a, b, x)",
    "special.wright_bessel(a, b + a, x)",
    parameters="a, b, x",
    zero_safe=True,
    source="DLMF 10.46.1, term by term; in the parameters interpolated",
    examples=((1.5, 2.5, 0.7), (0.5, 1.5, np.array([0.4, 2.0]))),
)
scalar(
    special.log_wright_bessel,
    "order_slope(special.log_wright_bessel, 0, pole_distance(a), a, b, x)",
    "order_slope(special.log_wright_bessel, 1, pole_distance(b), a, b, x)",
    "exp(special.log_wright_bessel(a, b + a, x) - y)",
    parameters="a, b, x",
    zero_safe=True,
    source="DLMF 10.46.1, term by term; in the parameters interpolated",
    examples=((1.5, 2.5, 0.7), (0.5, 1.5, np.array([0.4, 2.0]))),
)

# inverses of y exp(y)

scalar(
    special.lambertw,
    "lambert_slope(z, y)",
    parameters="z, k=0, tol=1e-8",
    zero_safe=True,
    source="DLMF 4.13.4",
    domain="z > 0",
    examples=((0.7,), (np.array([0.4, 2.0]),), (np.array([0.4 + 1j, -2.0 + 0.1j]), 1), (-0.2, -1)),
)
scalar(special.wrightomega, "y / (1 + y)", zero_safe=True, source="y + log(y) = x")


@np.errstate(all="ignore")
def lambert_slope(z: Any, y: Any) -> Any:
    """``exp(-y) / (1 + y)``; the same as ``y / (z (1 + y))`` where the exponential overflows."""
    is_deep = np.real(y) < -500
    shallow = exp(-where(is_deep, 0, y))
    return (where(is_deep, y / where(is_deep, z, 1), shallow) / (1 + y))[()]
