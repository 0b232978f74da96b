"""Rules of splines by FITPACK, ``splev``, ``splder``, ``splint``, in the places and coefficients.

>>> t, c = np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, 3.0, 0.0, 0.0])      # 1 + 2 x
>>> slope(t, c, 1, np.array([0.25, 4.0]), 0, 1).tolist()
[2.0, 0.0]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import asarray, shape

from astad.errors import Unsupported
from astad.rules.numpy.samples import real
from astad.rules.registry import rule

try:
    from scipy.interpolate import _dfitpack as _fortran
except ImportError:  # another module since SciPy 1.18, not made by f2py
    from scipy.interpolate import _fitpack as _fortran

__all__ = ["FITPACK", "slope"]

FITPACK: Any = _fortran
BY_F2PY = FITPACK.__name__.endswith("_dfitpack")
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 0.4, 0.7, 1.0, 1.0, 1.0, 1.0])
PLACES = np.array([0.1, 0.35, 0.6, 0.95])
OUTSIDE = np.array([-0.2, 0.3, 1.3])


def value(t: Any, c: Any, k: int, x: Any, nu: int, e: int) -> Any:
    """The derivative of that order, or the spline itself."""
    if nu > k:
        return np.zeros(shape(x))
    if not nu:
        return FITPACK.splev(t, c, k, x, e)[0]
    return FITPACK.splder(t, c, k, *((x, nu) if BY_F2PY else (nu, x)), e)[0]


def slope(t: Any, c: Any, k: int, x: Any, nu: int, e: int) -> Any:
    """Derivative in the places; 0 outside of the knots, where the spline goes on as a constant: its
    derivatives, which FITPACK extrapolates all the same, do not.
    """
    t, x = asarray(t), asarray(x)
    found = value(t, c, k, x, nu + 1, e)
    inside = (x >= t[k]) & (x <= t[len(t) - k - 1])
    return found if e == 0 or (e == 3 and nu > 0) else np.where(inside, found, 0.0)


def coefficients_back(g: Any, t: Any, c: Any, k: int, x: Any, nu: int, e: int) -> Any:
    """Cotangent of the coefficients, in which the spline is linear."""
    bar = np.zeros(shape(c))
    for j in range(min(len(bar), len(t) - k - 1)):
        one = np.zeros(shape(c))
        one[j] = 1.0
        bar[j] = np.sum(g * value(t, one, k, x, nu, e))
    return bar


def spline_dot(x_dot: Any, c_dot: Any, t: Any, c: Any, k: int, x: Any, nu: int, e: int) -> Any:
    """Tangent of the values."""
    return slope(t, c, k, x, nu, e) * x_dot + value(t, c_dot + np.zeros(shape(c)), k, x, nu, e)


MISSING = {"t": "the rule has the places and the coefficients alone"}
SPLINE = "a spline is linear in its coefficients; its derivative is one of a degree less"
rule(
    FITPACK.splev,
    "t, c, k, x, e=0",
    c="coefficients_back(y_bar[0], t, c, k, x, 0, e)",
    x="y_bar[0] * slope(t, c, k, x, 0, e)",
    dot="(spline_dot(x_dot, c_dot, t, c, k, x, 0, e), None)",
    missing=MISSING,
    source=SPLINE,
    examples=lambda: [
        (KNOTS, real(10), 3, PLACES),
        *[(KNOTS, real(10), 3, OUTSIDE, e) for e in (0, 1, 3)],
    ],
)
rule(
    FITPACK.splder,
    "t, c, k, x, nu=1, e=0" if BY_F2PY else "t, c, k, nu, x, e",
    c="coefficients_back(y_bar[0], t, c, k, x, nu, e)",
    x="y_bar[0] * slope(t, c, k, x, nu, e)",
    dot="(spline_dot(x_dot, c_dot, t, c, k, x, nu, e), None)",
    missing=MISSING,
    source=SPLINE,
    examples=lambda: [
        (KNOTS, real(10), 3, *((x, nu) if BY_F2PY else (nu, x)), e)
        for x, nu, e in ((PLACES, 1, 0), (PLACES, 3, 0), (OUTSIDE, 2, 0), (OUTSIDE, 2, 1))
    ],
)


def of_area(y_bar: Any) -> Any:
    """Cotangent of the integral; the second result is work space, in part never written."""
    if not BY_F2PY:
        return y_bar  # there is none
    if y_bar[1] is not None:
        raise Unsupported(
            "scipy.interpolate.splint",
            "derivative through the second result of full_output",
            why="it is the work space of FITPACK",
            instead="integrate each basis element by BSpline.basis_element(t).integrate(a, b)",
        )
    return 0.0 if y_bar[0] is None else y_bar[0]


def area(t: Any, c: Any, k: int, a: Any, b: Any) -> Any:
    """The integral alone."""
    found = FITPACK.splint(t, c, k, a, b)
    return found[0] if BY_F2PY else found


def area_dot(tangent: Any) -> Any:
    """The tangent of an integral, with that of the work space."""
    return (tangent, None) if BY_F2PY else tangent


def area_back(g: Any, t: Any, c: Any, k: int, a: Any, b: Any) -> Any:
    """Cotangent of the coefficients in the integral."""
    bar = np.zeros(shape(c))
    for j in range(min(len(bar), len(t) - k - 1)):
        one = np.zeros(shape(c))
        one[j] = 1.0
        bar[j] = g * area(t, one, k, a, b)
    return bar


def height(t: Any, c: Any, k: int, x: Any) -> Any:
    """The spline at an end of the integral; it is 0 outside of the knots."""
    return FITPACK.splev(t, c, k, np.reshape(x, (1,)), 1)[0][0]


rule(
    FITPACK.splint,
    "t, c, k, a, b",
    c="area_back(of_area(y_bar), t, c, k, a, b)",
    a="-of_area(y_bar) * height(t, c, k, a)",
    b="of_area(y_bar) * height(t, c, k, b)",
    dot="area_dot(height(t, c, k, b) * b_dot - height(t, c, k, a) * a_dot"
    " + area(t, c_dot + np.zeros(shape(c)), k, a, b))",
    missing=MISSING,
    source="the integral of a spline; its ends by the fundamental theorem",
    examples=lambda: [(KNOTS, real(10), 3, 0.15, 0.8), (KNOTS, real(10), 3, 0.8, -0.5)],
)
