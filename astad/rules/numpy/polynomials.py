"""Rules of polynomials by their coefficients: polyval, vander.

>>> import numpy
>>> print(slope_of(numpy.array([3.0, 2.0, 1.0]), 5.0))              # of 3 x**2 + 2 x + 1
32.0
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import conj, expand_dims, reshape, sum

from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import rule


def slope_of(p: Any, x: Any) -> Any:
    """Derivative of the polynomial at x."""
    return np.polyval(np.polyder(p), x)


def powers(x: Any, n: int) -> Any:
    """The powers n - 1 to 0 of x, along a new last axis."""
    return expand_dims(x, -1) ** np.arange(n - 1, -1, -1)


def coefficients_back(y_bar: Any, x: Any, n: int) -> Any:
    """Cotangent of the coefficients."""
    terms = expand_dims(y_bar, -1) * conj(powers(x, n))
    return sum(reshape(terms, (-1, n)), axis=0)


rule(
    np.polyval,
    "p, x",
    p="coefficients_back(y_bar, x, len(p))",
    x="y_bar * conj(slope_of(p, x))",
    dot="np.polyval(p_dot, x) + slope_of(p, x) * x_dot",
    refuse="isinstance(x, np.poly1d) or isinstance(p, np.poly1d)",
    source="term by term",
    examples=lambda: [
        (real(4), 1.5),
        (real(3), real(2, 3)),
        (real(1), real(2)),
        (imaginary(3), imaginary(2)),
    ],
)


def exponents(n: Any, size: int, increasing: bool) -> Any:
    """The powers that the columns hold."""
    up = np.arange(size if n is None else n)
    return up if increasing else up[::-1]


def vander_slope(x: Any, k: Any) -> Any:
    """Derivative of the entries, the powers `k` along the last axis."""
    return k * expand_dims(x, -1) ** np.maximum(k - 1, 0)


rule(
    np.vander,
    "x, N=None, increasing=False",
    x="sum(y_bar * conj(vander_slope(x, exponents(N, len(x), increasing))), axis=-1)",
    dot="vander_slope(x, exponents(N, len(x), increasing)) * expand_dims(x_dot, -1)",
    source="entry by entry",
    examples=lambda: [(real(3),), (real(3), 4, True), (imaginary(2), 3)],
)
