"""Rules of scipy.special: Bessel functions, plain, scaled and spherical.

>>> float(special.i0e(1e9) * -fading(0, 1e9, -1) * 1e15)          # i1e - i0e has no digit
-6.307831...
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import maximum, sign, where
from scipy import special

from astad.rules.registry import Keywords
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.interpolated import bessel_slope

__all__ = ["fading", "scaled_slope", "spherical_slope"]

POSITIVE = "x > 0.2"
COMPLEX = "np.iscomplexobj(z)"

# plain

scalar(special.j0, "-special.j1(x)", source="DLMF 10.6.3")
scalar(special.j1, "0.5 * (special.j0(x) - special.jv(2, x))", source="DLMF 10.6.1")
scalar(special.y0, "-special.y1(x)", zero_safe=True, source="DLMF 10.6.3", domain=POSITIVE)
scalar(
    special.y1,
    "0.5 * (special.y0(x) - special.yn(2, x))",
    zero_safe=True,
    source="DLMF 10.6.1",
    domain=POSITIVE,
)
scalar(special.i0, "special.i1(x)", source="DLMF 10.29.3")
scalar(special.i1, "0.5 * (special.i0(x) + special.iv(2, x))", source="DLMF 10.29.1")
scalar(special.k0, "-special.k1(x)", zero_safe=True, source="DLMF 10.29.3", domain=POSITIVE)
scalar(
    special.k1,
    "-0.5 * (special.k0(x) + special.kn(2, x))",
    zero_safe=True,
    source="DLMF 10.29.1",
    domain=POSITIVE,
)
ORDERED = (
    (1.5, 2.3),
    (2.0, np.array([0.4, 3.1])),
    (np.array([0.0, 1.0]), np.array([1.2, 2.2])),
    (0.5, np.array([0.4 + 0.3j, 2.0 - 1j])),
)
for _fn, _slope in (
    (special.jv, "0.5 * (special.jv(v - 1, z) - special.jv(v + 1, z))"),
    (special.yv, "0.5 * (special.yv(v - 1, z) - special.yv(v + 1, z))"),
    (special.iv, "0.5 * (special.iv(v - 1, z) + special.iv(v + 1, z))"),
    (special.kv, "-0.5 * (special.kv(v - 1, z) + special.kv(v + 1, z))"),
    (special.hankel1, "0.5 * (special.hankel1(v - 1, z) - special.hankel1(v + 1, z))"),
    (special.hankel2, "0.5 * (special.hankel2(v - 1, z) - special.hankel2(v + 1, z))"),
):
    scalar(
        _fn,
        f"bessel_slope(special.{_fn.__name__}, v, z)",
        _slope,
        parameters="v, z",
        zero_safe=True,
        source="DLMF 10.6.1, 10.29.1; in the order interpolated",
        examples=ORDERED,
    )
for _fn, _slope in (
    (special.yn, "0.5 * (special.yv(n - 1, x) - special.yv(n + 1, x))"),
    (special.kn, "-0.5 * (special.kv(n - 1, x) + special.kv(n + 1, x))"),
):
    scalar(
        _fn,
        None,
        _slope,
        parameters="n, x",
        missing={"n": "it is an integer"},
        zero_safe=True,
        source="DLMF 10.6.1, 10.29.1; in the order interpolated",
        examples=((0, 2.3), (2, np.array([0.4, 3.1])), (np.array([0, 1]), np.array([1.2, 2.2]))),
    )

# scaled by an exponential: the neighbours are nearly equal for large arguments

scalar(
    special.i0e,
    "scaled_slope(0, x, y, special.i1e(x) - sign(x) * y, -1)",
    source="exp(-abs(x)) i0(x); DLMF 10.40.1 for large x",
    domain="abs(x) > 0.1",
)
scalar(
    special.i1e,
    "scaled_slope(1, x, y, 0.5 * (special.i0e(x) + special.ive(2, x)) - sign(x) * y, -1)",
    source="exp(-abs(x)) i1(x); DLMF 10.40.1 for large x",
    domain="abs(x) > 0.1",
)
scalar(
    special.k0e,
    "scaled_slope(0, x, y, y - special.k1e(x), 1)",
    zero_safe=True,
    source="exp(x) k0(x); DLMF 10.40.2 for large x",
    domain=POSITIVE,
)
scalar(
    special.k1e,
    "scaled_slope(1, x, y, y - 0.5 * (special.k0e(x) + special.kve(2, x)), 1)",
    zero_safe=True,
    source="exp(x) k1(x); DLMF 10.40.2 for large x",
    domain=POSITIVE,
)
REAL_ORDERED = ORDERED[:3]
for _fn, _slope in (
    (special.jve, "0.5 * (special.jve(v - 1, z) - special.jve(v + 1, z))"),
    (special.yve, "0.5 * (special.yve(v - 1, z) - special.yve(v + 1, z))"),
    (
        special.ive,
        "scaled_slope(v, z, y, 0.5 * (special.ive(v - 1, z) + special.ive(v + 1, z)) "
        "- sign(z) * y, -1)",
    ),
):
    scalar(
        _fn,
        f"bessel_slope(special.{_fn.__name__}, v, z)",
        _slope,
        parameters="v, z",
        refuse=COMPLEX,  # not holomorphic
        zero_safe=True,
        source="DLMF 10.6.1, 10.29.1; in the order interpolated; 10.40.1 for large z",
        examples=REAL_ORDERED,
    )
for _fn, _slope in (
    (
        special.kve,
        "scaled_slope(v, z, y, y - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z)), 1)",
    ),
    (
        special.hankel1e,
        "scaled_slope(v, z, y, 0.5 * (special.hankel1e(v - 1, z) - special.hankel1e(v + 1, z)) "
        "- 1j * y, 1j)",
    ),
    (
        special.hankel2e,
        "scaled_slope(v, z, y, 0.5 * (special.hankel2e(v - 1, z) - special.hankel2e(v + 1, z)) "
        "+ 1j * y, -1j)",
    ),
):
    scalar(
        _fn,
        f"bessel_slope(special.{_fn.__name__}, v, z)",
        _slope,
        parameters="v, z",
        zero_safe=True,
        source="DLMF 10.6.1, 10.29.1; the order interpolated; 10.17.5, 10.40.2 for large z",
        examples=(*ORDERED, (1.5, np.array([70.0, 80.0 + 3j]))),
    )


def fading(v: Any, x: Any, turn: complex) -> Any:
    """``-y' / y`` of a scaled function of large argument: ``x**-0.5`` times a sum of powers.

    The sum is that of ``a(k) (turn / x)**k``, DLMF 10.17.1; turn is -1 for I, 1 for K, i and -i for
    the functions of Hankel.
    """
    square, factor = 4 * v * v, 1.0
    total: Any = 0.0
    slope: Any = 0.0
    for k in range(12):
        total = total + factor
        slope = slope + factor * (k + 0.5)
        factor = factor * (square - (2 * k + 1) ** 2) / (8 * (k + 1)) * (turn / x)
    return slope / (total * x)


@np.errstate(all="ignore")
def scaled_slope(v: Any, x: Any, y: Any, near: Any, turn: complex) -> Any:
    """`near`, or for arguments far beyond the order the slope by `fading`."""
    is_far = np.real(x) > 50 + 4 * v * v
    return where(is_far, -y * fading(v, where(is_far, x, 50 + 4 * v * v), turn), near)[()]


# spherical

for _fn, _signs in (
    (special.spherical_jn, "1, -1"),
    (special.spherical_yn, "1, -1"),
    (special.spherical_in, "1, 1"),
    (special.spherical_kn, "-1, -1"),
):
    scalar(
        _fn,
        None,
        f"spherical_slope(special.{_fn.__name__}, n, z, derivative, {_signs})",
        parameters="n, z, derivative=False",
        missing={"n": "it is an integer"},
        zero_safe=True,
        source="DLMF 10.51.2, 10.51.5",
        examples=(
            (0, 0.7),
            (2, np.array([0.4, 2.1])),
            (np.array([[0], [3]]), np.array([0.4, 2.1]), Keywords(derivative=True)),
            (1, np.array([0.4 + 0.2j, 2.0 - 0.3j])),
        ),
    )


@np.errstate(all="ignore")
def spherical_slope(fn: Any, n: Any, z: Any, derivative: bool, before: int, after: int) -> Any:
    """Derivative of a spherical function, or of its derivative, from its neighbours."""
    if not derivative:
        return fn(n, z, derivative=True)
    n = np.asarray(n)
    lower = where(n == 0, 0.0, fn(maximum(n - 1, 0), z, derivative=True))
    upper = fn(n + 1, z, derivative=True)
    return (before * n * lower + after * (n + 1) * upper) / (2 * n + 1)
