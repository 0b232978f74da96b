"""Rules of sums and moments: sum, mean, average, var, std and their nan-ignoring forms.

``y`` in a formula is the result; an array with ``where`` gets zeros outside of it.

>>> import numpy
>>> var_back(per_deviation(1.0, 0.0), numpy.array([1.0, 1.0]), None, 0, True)    # std of constants
array([0., 0.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    conj,
    isnan,
    maximum,
    reshape,
    shape,
    sum,
)

from astad.rules.kinks import along_kink, at_kink
from astad.rules.numpy.axes import counted, length, spread, unreduced
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, linear, rule
from astad.tangents.arrays import sum_to_shape

REDUCED = "differentiation under the sum sign"
NO_OUT = "out is not None"


def total_dot(a_dot: Any, initial_dot: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    """Tangent of a sum."""
    return sum(a_dot, axis=axis, keepdims=keepdims, where=where) + initial_dot


rule(
    np.sum,
    "a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True",
    a="spread(y_bar, shape(a), axis, where)",
    initial="sum(y_bar)",
    dot="total_dot(a_dot, initial_dot, axis, keepdims, where)",
    refuse=NO_OUT,
    short={"axis": ("y_bar",)},
    method="axis, *, keepdims",
    gives="summed(a, axis, keepdims)",
    entries="contracted",
    finite="a",
    complexes="kept",
    source=REDUCED,
    examples=lambda: [
        (real(4),),
        (real(2, 3), 1),
        (real(2, 3), 0, Keywords(keepdims=True)),
        (real(2, 3, 4), (0, -1)),
        (imaginary(2, 3), 1),
        (1.5,),
        (real(0),),
        (real(2, 3), Keywords(where=np.array([[True, False, True], [False, True, True]]))),
        (real(2, 3), Keywords(axis=())),
        (real(2, 3), 0, Keywords(initial=2.0)),
    ],
)
linear(
    np.mean,
    "a, axis=None, dtype=None, out=None, keepdims=False, *, where=True",
    a="mean_back(y_bar, shape(a), axis, where)",
    refuse=NO_OUT,
    short={"axis": ("y_bar / max(count, 1)",)},
    method="axis, *, keepdims",
    gives="averaged(a, axis, keepdims)",
    entries="contracted",
    finite="a",
    complexes="kept",
    source=REDUCED,
    examples=lambda: [
        (real(4),),
        (real(2, 3), 1),
        (real(2, 3), 0, Keywords(keepdims=True)),
        (real(2, 3, 4), (0, -1)),
        (imaginary(2, 3), 1),
        (1.5,),
        (real(2, 3), Keywords(where=np.array([[True, False, True], [False, True, True]]))),
        (real(2, 3), Keywords(axis=())),
    ],
)


def mean_back(y_bar: Any, of: tuple[int, ...], axis: Any, mask: Any) -> Any:
    """Cotangent of the array: that of the mean over the count, divided before it is spread."""
    if mask is True:
        return spread(y_bar / max(length(of, axis), 1), of, axis)
    return spread(y_bar, of, axis, mask) / counted(of, axis, mask)


# nan-ignoring


def with_nan() -> Any:
    """Data with holes."""
    return np.array([[1.0, np.nan, 2.0], [0.5, -1.0, np.nan]])


def present(a: Any, where: Any = True) -> Any:
    """Where `a` counts: in `where` and not nan."""
    return ~isnan(a) if where is True else ~isnan(a) & where


rule(
    np.nansum,
    "a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True",
    a="spread(y_bar, shape(a), axis, present(a, where))",
    initial="sum(y_bar)",
    dot="total_dot(a_dot, initial_dot, axis, keepdims, present(a, where))",
    refuse=NO_OUT,
    gives="reduced(a, axis, keepdims)",
    source=REDUCED + ", nan entries left out",
    examples=lambda: [
        (real(2, 3), 1),
        (with_nan(), 0),
        (with_nan(), Keywords(initial=0.5, keepdims=True)),
    ],
)
rule(
    np.nanmean,
    "a, axis=None, dtype=None, out=None, keepdims=False, *, where=True",
    a="nanmean_back(y_bar, a, axis, where)",
    dot="np.mean(a_dot, axis=axis, keepdims=keepdims, where=present(a, where))",
    refuse=NO_OUT,
    gives="reduced(a, axis, keepdims)",
    source=REDUCED + ", nan entries left out",
    examples=lambda: [(real(2, 3), 1), (with_nan(), 0), (with_nan(), Keywords(keepdims=True))],
)


def nanmean_back(y_bar: Any, a: Any, axis: Any, where: Any) -> Any:
    """Cotangent of `a` in its mean over entries that are not nan."""
    return mean_back(y_bar, shape(a), axis, present(a, where))


# deviations


def deviation(a: Any, axis: Any, mean: Any, mask: Any) -> Any:
    """Entries less their mean (or the `mean` given), 0 outside of `mask`."""
    if mean is None:  # twice: of equal entries the mean is rounded, and that would add up
        a = a - np.mean(a, axis=axis, keepdims=True, where=mask)
        mean = np.mean(a, axis=axis, keepdims=True, where=mask)
    away = a - mean
    return away if mask is True else np.where(mask, away, 0)


def freedom(of: tuple[int, ...], axis: Any, ddof: Any, mask: Any) -> Any:
    """Degrees of freedom; 0 gives nan, as in the function itself."""
    left = maximum(counted(of, axis, mask) - ddof, 0)
    return np.where(left == 0, np.nan, left)


def var_back(y_bar: Any, a: Any, axis: Any, ddof: Any, mask: Any, mean: Any = None) -> Any:
    """Cotangent of `a` in its variance; that of the mean adds nothing, the deviations sum to 0."""
    return sum_to_shape(deviation_bar(y_bar, a, axis, ddof, mask, mean), shape(a))


def deviation_bar(y_bar: Any, a: Any, axis: Any, ddof: Any, mask: Any, mean: Any) -> Any:
    """Cotangent of the entries less the mean, whose shape may be larger than that of `a`."""
    away = deviation(a, axis, mean, mask)
    return unreduced(y_bar, shape(away), axis) * (2 / freedom(shape(a), axis, ddof, mask)) * away


def var_dot(
    a: Any, a_dot: Any, axis: Any, ddof: Any, keepdims: Any, mask: Any, mean: Any, mean_dot: Any
) -> Any:
    """Tangent of the variance."""
    factor = conj(deviation(a, axis, mean, mask)) * (2 / freedom(shape(a), axis, ddof, mask))
    change = a_dot if mean is None else a_dot - mean_dot
    return sum(np.real(factor * change), axis=axis, keepdims=keepdims)


def per_deviation(g: Any, y: Any) -> Any:
    """``g / (2 y)``, and 0 for constants, where the standard deviation has a kink."""
    flat = np.equal(y, 0)
    return np.where(flat, 0, g / np.where(flat, 1, 2 * y))


def std_back(y_bar: Any, y: Any, a: Any, axis: Any, ddof: Any, mask: Any, mean: Any = None) -> Any:
    """Cotangent of `a` in its standard deviation."""
    made = var_back(per_deviation(y_bar, y), a, axis, ddof, mask, mean)
    if np.all(y):
        return made
    a, flat = np.asarray(a), np.equal(unreduced(y, shape(a), axis), 0)
    return made + at_kink(unreduced(y_bar, shape(a), axis), a, flat)


def std_dot(var: Any, y: Any, a: Any, a_dot: Any, axis: Any) -> Any:
    """Tangent of a standard deviation, by that of the variance."""
    made = per_deviation(var, y)
    if np.all(y):
        return made
    a, flat = np.asarray(a), np.equal(unreduced(y, shape(a), axis), 0)
    return made + reshape(np.real(sum(along_kink(a_dot, a, flat), axis=axis)), shape(y))


def moments() -> list[tuple[Any, ...]]:
    """Calls of var and std."""
    some = np.array([[True, False, True], [True, True, True]])
    return [
        (real(4),),
        (real(2, 3), 1),
        (real(2, 3), 0, Keywords(keepdims=True)),
        (real(2, 3), Keywords(ddof=1)),
        (real(3, 2), Keywords(axis=0, correction=1)),
        (imaginary(2, 3), 1),
        (real(2, 3), Keywords(where=some)),
        (real(2, 3), Keywords(ddof=0.5)),
        (real(3, 2), Keywords(axis=0, correction=1.5)),
        (real(2, 3), Keywords(axis=1, where=some, keepdims=True, ddof=0.25)),
        (real(2, 3), Keywords(axis=1, mean=real(2, 1))),
        (real(2, 3, 4), (0, 2)),
    ]


def nan_moments() -> list[tuple[Any, ...]]:
    """Calls of nanvar and nanstd."""
    return [
        (real(2, 3), 1),
        (with_nan(), 1),
        (with_nan(), Keywords(keepdims=True, ddof=1)),
        (with_nan(), 0, Keywords(ddof=0.5)),
    ]


MOMENT = (
    "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, "
    "correction=None"
)
CENTRED = "d sum(|a - m|**2) = 2 Re sum(conj(a - m) da) at the mean m"


def free(ddof: Any, correction: Any) -> Any:
    """`ddof` under either of its names."""
    return ddof if correction is None else correction


def centre_back(y_bar: Any, a: Any, axis: Any, ddof: Any, mask: Any, mean: Any) -> Any:
    """Cotangent of the ``mean`` handed to var."""
    return -sum_to_shape(deviation_bar(y_bar, a, axis, ddof, mask, mean), shape(mean))


def freedom_back(y_bar: Any, y: Any, a: Any, axis: Any, ddof: Any, mask: Any, power: float) -> Any:
    """Cotangent of `ddof` in ``y = (s / (n - ddof))**power``."""
    left = freedom(shape(a), axis, ddof, mask)
    return power * sum(y_bar * y / (left if np.size(left) == 1 else reshape(left, shape(y))))


def freedom_dot(
    y: Any, a: Any, axis: Any, ddof: Any, ddof_dot: Any, mask: Any, power: float
) -> Any:
    """Tangent of `y` in `ddof`."""
    left = freedom(shape(a), axis, ddof, mask)
    return power * ddof_dot * y / (left if np.size(left) == 1 else reshape(left, shape(y)))


rule(
    np.var,
    MOMENT,
    a="var_back(y_bar, a, axis, free(ddof, correction), where, mean)",
    mean="centre_back(y_bar, a, axis, free(ddof, correction), where, mean)",
    ddof="freedom_back(y_bar, y, a, axis, free(ddof, correction), where, 1.0)",
    correction="freedom_back(y_bar, y, a, axis, free(ddof, correction), where, 1.0)",
    dot="var_dot(a, a_dot, axis, free(ddof, correction), keepdims, where, mean, mean_dot)"
    " + freedom_dot(y, a, axis, free(ddof, correction), ddof_dot + correction_dot, "
    "where, 1.0)",
    refuse=NO_OUT,
    method="axis, *, ddof, keepdims",
    gives="reduced(a, axis, keepdims); ddof, correction",
    entries="whole",
    source=CENTRED,
    examples=moments,
)
rule(
    np.std,
    MOMENT,
    a="std_back(y_bar, y, a, axis, free(ddof, correction), where, mean)",
    mean="centre_back(per_deviation(y_bar, y), a, axis, free(ddof, correction), where, mean)",
    ddof="freedom_back(y_bar, y, a, axis, free(ddof, correction), where, 0.5)",
    correction="freedom_back(y_bar, y, a, axis, free(ddof, correction), where, 0.5)",
    dot="std_dot(var_dot(a, a_dot, axis, free(ddof, correction), keepdims, where, "
    "mean, mean_dot), y, a, a_dot, axis)"
    " + freedom_dot(y, a, axis, free(ddof, correction), ddof_dot + correction_dot, "
    "where, 0.5)",
    refuse=NO_OUT,
    method="axis, *, ddof, keepdims",
    gives="reduced(a, axis, keepdims); ddof, correction",
    entries="whole",
    source=CENTRED + "; 0 for constants",
    examples=moments,
)
rule(
    np.nanvar,
    MOMENT,
    a="var_back(y_bar, a, axis, free(ddof, correction), present(a, where), mean)",
    mean="centre_back(y_bar, a, axis, free(ddof, correction), present(a, where), mean)",
    ddof="freedom_back(y_bar, y, a, axis, free(ddof, correction), present(a, where), 1.0)",
    correction="freedom_back(y_bar, y, a, axis, free(ddof, correction), present(a, where), 1.0)",
    dot="var_dot(a, a_dot, axis, free(ddof, correction), keepdims, present(a, where), "
    "mean, mean_dot)"
    " + freedom_dot(y, a, axis, free(ddof, correction), ddof_dot + correction_dot, "
    "present(a, where), 1.0)",
    refuse=NO_OUT,
    gives="reduced(a, axis, keepdims); ddof, correction",
    source=CENTRED + ", nan entries left out",
    examples=nan_moments,
)
rule(
    np.nanstd,
    MOMENT,
    a="std_back(y_bar, y, a, axis, free(ddof, correction), present(a, where), mean)",
    mean="centre_back(per_deviation(y_bar, y), a, axis, free(ddof, correction), "
    "present(a, where), mean)",
    ddof="freedom_back(y_bar, y, a, axis, free(ddof, correction), present(a, where), 0.5)",
    correction="freedom_back(y_bar, y, a, axis, free(ddof, correction), present(a, where), 0.5)",
    dot="std_dot(var_dot(a, a_dot, axis, free(ddof, correction), keepdims, "
    "present(a, where), mean, mean_dot), y, a, a_dot, axis)"
    " + freedom_dot(y, a, axis, free(ddof, correction), ddof_dot + correction_dot, "
    "present(a, where), 0.5)",
    refuse=NO_OUT,
    gives="reduced(a, axis, keepdims); ddof, correction",
    source=CENTRED + ", nan entries left out; 0 for constants",
    examples=nan_moments,
)
