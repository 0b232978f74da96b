"""Products and quotients of cotangents that give 0 where the incoming cotangent is exactly 0.

Generated text calls these where a formula is singular at a finite point and its operands may be
there. A product is finite or nan where ``y_bar`` is 0: so only a result with a nan is looked at
closely.

>>> import numpy as np
>>> safe_quotient(np.array([0.0, 3.0]), 1, np.array([0.0, 2.0]))
array([0. , 1.5])
>>> safe_product(0.0, float("inf")), safe_product(np.array([0.0, 1.0]), np.array([np.nan, 2.0]))
(0.0, array([0., 2.]))
"""

from __future__ import annotations

import functools
import operator
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from astad.errors import Unsupported
from astad.tangents.refused import Refused

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

__all__ = [
    "along_point", "alive", "alive_sum", "bar_along_point", "dot_along_point", "is_regular",
    "safe_product", "safe_quotient", "single_point", "slope_at_zeros",
]  # fmt: skip

ONE = 1
_add: Any = np.add.reduce
FLOAT = np.dtype(np.float64)
NUMBERS = frozenset([float, np.float64])
LEAST, MOST = 1e-100, 1e100
"""Divisors between these, and factors below, leave any cotangent of an ordinary size finite."""


def safe_quotient(g: Any, numerator: Any, denominator: Any) -> Any:  # Any: number or array
    """``g * numerator / denominator``; 0 where g is 0, without a warning."""
    if isinstance(g, np.ndarray) or isinstance(denominator, np.ndarray):
        if numerator is ONE and type(denominator) in NUMBERS and LEAST < abs(denominator) < MOST:
            return g / denominator  # no nan out of a zero
        return _quotient(g, numerator, denominator)
    if isinstance(numerator, np.ndarray):  # forward mode: a number's tangent
        return _quotient(g, numerator, denominator)
    if denominator and (g or (np.isfinite(numerator) and denominator == denominator)):
        return g * numerator / denominator
    if not g:
        return g
    return _quotient_of_numbers(g, numerator, denominator)


def safe_product(g: Any, factor: Any) -> Any:  # Any: number or array
    """``g * factor``; 0 where g is 0, without a warning."""
    if isinstance(g, np.ndarray) or isinstance(factor, np.ndarray):
        if _is_ordinary(factor) and _is_ordinary(g):
            return g * factor  # no nan out of a zero
        return _product(g, factor)
    return g * factor if g or np.isfinite(factor) else g


def single_point() -> None:
    """Raise: a formula says of this point alone what the derivative is, which has none itself."""
    raise _of_single_point()


def along_point(u: Any, x: Any, at: Any) -> Any:
    """`u` itself, the product of a tangent with what a formula says of the single point `x`; ``at``
    tells that it is one.
    """
    return u * 1


def bar_along_point(at: Any) -> Any:
    """Cotangent of the point, which is not known."""
    return Refused(_of_single_point()) if at else None


def dot_along_point(u_dot: Any, x_dot: Any, at: Any) -> Any:
    """Tangent of what `along_point` gives."""
    if at and np.any(x_dot):
        single_point()
    return u_dot


def _of_single_point() -> Unsupported:
    return Unsupported(
        "a derivative of a derivative", "at a point where the first has a formula of its own",
        why="what holds at a single point, as the slope of a root or a power at 0, says nothing of "
        "how it changes",
        instead="take it beside that point, or write the power as a product",
    )  # fmt: skip


def slope_at_zeros(g: Any, slope: Any) -> Any:  # Any: number or array
    """``slope``, by which `g` is multiplied. Where it is infinite and g is 0 the product is 0,
    which says nothing of how it changes with g: of ``sqrt(x @ x) ** 2`` at 0, where it is 0 times
    infinity, and 1 beside it.

    >>> slope_at_zeros(np.array([0.0, 2.0]), np.array([1.0, np.inf]))
    array([ 1., inf])
    """
    if _is_ordinary(slope):
        return slope
    if np.any(np.equal(g, 0) & np.logical_not(np.isfinite(slope))):
        raise Unsupported(
            "a derivative of a derivative", "where a slope is infinite and its cotangent, which "
            "changes, is exactly 0",
            why="their product is 0 by convention there, which says nothing of how it changes",
            instead="keep the point out with a second np.where, or write the square of a root "
            "without the root",
        )  # fmt: skip
    return slope


@np.errstate(all="ignore")
def _quotient(y_bar: Any, numerator: Any, denominator: Any) -> Array:
    scaled = y_bar if type(numerator) is int and numerator == 1 else y_bar * numerator
    return _without_nan(y_bar, scaled / denominator)


@np.errstate(all="ignore")
def _product(y_bar: Any, factor: Any) -> Array:
    return _without_nan(y_bar, y_bar * factor)


@np.errstate(all="ignore")
def _quotient_of_numbers(y_bar: Any, numerator: Any, denominator: Any) -> Any:
    return np.divide(y_bar * numerator, denominator)


def alive(product: Any, g: Any, *values: Any) -> Any:  # Any: number or array
    """An array: `product` of the cotangent `g` and a slope at `values`; 0 for a nan where `g` is 0
    and what is computed of the values is nan itself.

    A cotangent of a nan is 0 only where nobody has used it: it was not chosen, or overwritten. At
    an infinity that may be an overflow a nan stays.

    >>> alive(0.0 * np.array([np.nan, 2.0]), 0.0, np.array([np.nan, 2.0]))
    array([0., 0.])
    """
    if not isinstance(product, np.ndarray) or product.dtype.kind not in "fc":
        return product  # a number that is not used gets no cotangent
    total = np.vdot(product, product)
    return product if total == total else _without_dead(product, g, values)


def alive_sum(product: Any, g: Any, *values: Any) -> Any:  # Any: number or array
    """The sum of all entries of `alive`: it shows a nan by itself.

    >>> float(alive_sum(0.0 * np.array([np.nan, 2.0]), 0.0, np.array([np.nan, 2.0])))
    0.0
    """
    total = _add(product, None)
    return total if total == total else _add(alive(product, g, *values), None)


@np.errstate(all="ignore")
def _without_dead(product: Array, g: Any, values: tuple[Any, ...]) -> Array:
    value = functools.reduce(operator.mul, values)  # nan if one is, and of 0 times infinity
    gone = np.isnan(value) & np.equal(g, 0) & np.isnan(product)
    return np.where(gone, product.dtype.type(0), product)


def _is_ordinary(x: Any) -> bool:
    """Is every entry of an array of floats, or a number, far from any overflow?"""
    return getattr(x, "dtype", FLOAT) is FLOAT and bool(np.vdot(x, x) < MOST)


def is_regular(a: Any) -> bool:
    """Is every entry finite, and not too large? One pass, and no array is made."""
    return isfinite(np.vdot(a, a))


def _without_nan(y_bar: Any, product: Array) -> Array:
    """`product`, with 0 for each nan that a cotangent of 0 has led to."""
    total = np.vdot(product, product)  # nan if one is; no array is made, as isnan would
    if total == total:
        return product
    return np.where(np.equal(y_bar, 0), product.dtype.type(0), product)
