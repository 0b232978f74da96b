"""Derivatives in orders and parameters that have no closed form, of functions analytic in them.

The function is interpolated at 20 Chebyshev points around the order, and the polynomial is
differentiated (Trefethen 2000, Spectral methods in MATLAB, chapters 5 and 6). The step is chosen
so that the rest is below rounding; where the last coefficients don't show that, the derivative is
nan rather than inexact.

>>> from scipy import special
>>> slope = order_slope(special.iv, 0, 0.5, 0.0, 1.0)             # DLMF 10.38.6 at order 0
>>> bool(abs(float(slope) + float(special.k0(1.0))) < 1e-13)
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import abs, log, log1p, minimum, where

__all__ = ["bessel_slope", "order_slope", "pole_distance"]

COUNT = 20
TOLERANCE = 1e-10


@functools.cache
def weights() -> tuple[Any, Any, Any]:
    """Chebyshev points, weights of the derivative at 0, and of the last four coefficients."""
    angles = np.pi * (np.arange(COUNT) + 0.5) / COUNT
    odd = np.arange(1, COUNT, 2)
    signs = np.where(odd % 4 == 1, 1, -1) * odd
    waves = np.cos(np.outer(np.arange(COUNT), angles)) * 2 / COUNT
    return np.cos(angles), signs @ waves[odd], waves[-4:]


@np.errstate(all="ignore")
def order_slope(fn: Callable[..., Any], place: int, step: Any, *args: Any) -> Any:
    """Derivative of ``fn(*args)`` in the argument at `place`, with points within `step` of it."""
    double = [np.asarray(x) for x in args]  # integers stay: SciPy has its own loops for them
    double = [x if x.dtype.kind in "iu" else x.astype(np.result_type(x, float)) for x in double]
    rank = max(x.ndim for x in (*double, np.asarray(step)))
    points, slopes, tails = weights()
    shape = (COUNT,) + (1,) * rank
    double[place] = double[place] + step * points.reshape(shape)
    values = fn(*double)
    rest = np.max(abs(np.tensordot(tails, values, 1)), axis=0)
    is_good = rest <= TOLERANCE * np.max(abs(values), axis=0)
    return where(is_good, np.tensordot(slopes, values, 1) / step, np.nan)[()]


@np.errstate(all="ignore")
def bessel_slope(fn: Callable[..., Any], v: Any, z: Any) -> Any:
    """Derivative of a Bessel or Struve function in its order."""
    size = where(z == 0, 1, abs(z))
    step = 2.5 / (5 + abs(log(0.5 * size)) + log1p(abs(v)))
    at_zero = where((z == 0) & (v > 0), 0, np.nan)
    finite = where(z == 0, 1, z)
    slope = order_slope(fn, 0, step, v, finite)
    return where(z == 0, where(abs(fn(v, z)) == 0, at_zero, np.nan), slope)[()]


def pole_distance(b: Any) -> Any:
    """A step that keeps away from the poles at 0, -1, -2, ..., at most 0.5."""
    return minimum(0.5, 0.3 * where(b > 0, b, abs(b - np.round(b))))
