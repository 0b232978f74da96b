"""Rules of scipy.special: x log x and relatives, losses, powers, sums of exponentials.

>>> float(box_cox_growth(2.0, 0.0)), float(box_cox_growth(1.0, 0.5))
(0.240226..., 0.0)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import factorial, pi
from typing import Any

import numpy as np
from numpy import (
    abs,
    clip,
    cos,
    equal,
    exp,
    expand_dims,
    expm1,
    float64,
    hypot,
    log,
    log1p,
    power,
    sin,
    where,
)
from scipy import special

from astad.rules.formula import fit
from astad.rules.numpy.products import bar
from astad.rules.python.operators import power_growth, power_slope
from astad.rules.registry import Keywords, rule
from astad.rules.scipy.quiet import scalar

__all__ = ["box_cox_growth"]

BOTH = "x1 > 0 and x2 > 0"

# x log x and relatives


def quotient(a: Any, b: Any) -> Any:
    """``a / b``, and 0 where ``a`` is 0, also over 0."""
    none = equal(a, 0) & equal(b, 0)
    return where(none, 0.0, a / where(none, 1.0, b))


scalar(
    special.xlogy,
    "log(x2)",
    "quotient(x1, x2)",
    source="product rule; constant in x2 where x1 = 0",
    zero_safe=True,
    domain="x2 > 0",
)
scalar(
    special.xlog1py,
    "log1p(x2)",
    "quotient(x1, 1 + x2)",
    source="product rule; constant in x2 where x1 = 0",
    zero_safe=True,
    domain="x2 > -0.9",
)
scalar(special.entr, "-1 - log(x)", source="product rule", zero_safe=True, domain="x > 0")
scalar(
    special.rel_entr,
    "log(x1 / x2) + 1",
    "-x1 / x2",
    source="product rule",
    zero_safe=True,
    domain=BOTH,
)
scalar(
    special.kl_div,
    "log(x1 / x2)",
    "1 - x1 / x2",
    source="product rule",
    zero_safe=True,
    domain=BOTH,
)

# losses

scalar(
    special.huber,
    "np.maximum(abs(r) - delta, 0.0)",
    "clip(r, -delta, delta)",
    parameters="delta, r",
    source="r**2 / 2, delta * (abs(r) - delta / 2) beyond delta",
    domain="delta > 0.1 and abs(abs(r) - delta) > 0.1",
)
scalar(
    special.pseudo_huber,
    "pseudo_growth(delta, r)",
    "r * delta / where(delta == 0, 1, hypot(delta, r))",
    parameters="delta, r",
    zero_safe=True,
    source="delta**2 * (sqrt(1 + (r / delta)**2) - 1)",
    domain="delta > 0.1",
)


@np.errstate(all="ignore")
def pseudo_growth(delta: Any, r: Any) -> Any:
    """Derivative of the pseudo-Huber loss in delta: ``(R - delta)**2 / R``, R the radius."""
    radius = hypot(delta, r)
    radius = where(radius == 0, 1, radius)
    gap = r * (r / (radius + delta))
    return gap * gap / radius


# powers that become logarithms

scalar(
    special.boxcox,
    "power(x, lmbda - 1)",
    "box_cox_growth(x, lmbda)",
    parameters="x, lmbda",
    zero_safe=True,
    source="(x**lmbda - 1) / lmbda",
    domain="x > 0.1",
)
scalar(
    special.boxcox1p,
    "power(1 + x, lmbda - 1)",
    "growth_at(log1p(x), lmbda)",
    parameters="x, lmbda",
    zero_safe=True,
    source="boxcox(1 + x, lmbda)",
    domain="x > -0.9",
)
scalar(
    special.inv_boxcox,
    "exp(special.xlogy(1 - lmbda, y))",
    "-power(y, 1 - lmbda) * box_cox_growth(y, lmbda)",
    parameters="x, lmbda",
    zero_safe=True,
    source="inverse of boxcox",
    domain="abs(x) < 0.7 and abs(lmbda) < 1.2",
)
scalar(
    special.inv_boxcox1p,
    "exp(special.xlog1py(1 - lmbda, y))",
    "-power(1 + y, 1 - lmbda) * growth_at(log1p(y), lmbda)",
    parameters="x, lmbda",
    zero_safe=True,
    source="inverse of boxcox1p",
    domain="abs(x) < 0.7 and abs(lmbda) < 1.2",
)
scalar(
    special.powm1,
    "power_slope(float64(x1), x2)",
    "power_growth(float64(x1), x2, y + 1)",
    zero_safe=True,
    source="x1**x2 - 1",
    domain="x1 > 0",
)


@np.errstate(all="ignore")
def box_cox_growth(x: Any, lmbda: Any) -> Any:
    """Derivative of ``(x**lmbda - 1) / lmbda`` in the exponent."""
    return growth_at(log(x), lmbda)


@np.errstate(all="ignore")
def growth_at(logarithm: Any, lmbda: Any) -> Any:
    """``(exp(u) (u - 1) + 1) / lmbda**2`` with ``u = lmbda logarithm``; by its series where small.

    The series is the sum of ``u**k / (k! (k + 2))``, times the square of the logarithm.
    """
    u = lmbda * logarithm
    is_small = abs(u) < 0.5
    small = where(is_small, u, 0)
    series = sum_of_powers(small, [1 / (factorial(k) * (k + 2)) for k in range(14)])
    divisor = where(is_small, 1, lmbda)
    direct = (exp(u) * (u - 1) + 1) / (divisor * divisor)
    return where(is_small, logarithm * logarithm * series, direct)[()]


def sum_of_powers(u: Any, coefficients: list[float]) -> Any:
    """``c[0] + c[1] u + c[2] u**2 + ...``"""
    total: Any = 0.0
    for c in coefficients[::-1]:
        total = total * u + c
    return total


# elementary functions in SciPy's own form

scalar(special.cbrt, "1 / (3 * y * y)", source="y**3 = x", zero_safe=True, domain="x > 0.1")
scalar(special.exp2, f"{float(np.log(2))!r} * y", source="DLMF 4.7.8")
scalar(special.exp10, f"{float(np.log(10))!r} * y", source="DLMF 4.7.8")
scalar(special.expm1, "exp(x)", source="DLMF 4.7.7")
scalar(special.log1p, "1 / (1 + x)", source="DLMF 4.7.1", zero_safe=True, domain="x > -0.9")
scalar(special.cosm1, "-sin(x)", source="DLMF 4.20.2")
scalar(special.exprel, "relative_slope(x)", source="from x y = expm1(x); its series where small")
DEGREE = pi / 180
scalar(special.sindg, "DEGREE * special.cosdg(x)", source="DLMF 4.20.1")
scalar(special.cosdg, "-DEGREE * special.sindg(x)", source="DLMF 4.20.2")
scalar(special.tandg, "DEGREE * (1 + y * y)", zero_safe=True, source="DLMF 4.20.3")
scalar(special.cotdg, "-DEGREE * (1 + y * y)", zero_safe=True, source="DLMF 4.20.6", domain="x > 1")
scalar(
    special.radian,
    "DEGREE",
    "DEGREE / 60",
    "DEGREE / 3600",
    parameters="d, m, s",
    source="linear",
    domain="d > 0.1 and m > 0.1 and s > 0.1",
)


@np.errstate(all="ignore")
def relative_slope(x: Any) -> Any:
    """Derivative of ``expm1(x) / x``."""
    is_small = abs(x) < 0.5
    series = sum_of_powers(where(is_small, x, 0), [(k + 1) / factorial(k + 2) for k in range(14)])
    divisor = where(is_small, 1, x)
    return where(is_small, series, (exp(x) - special.exprel(x)) / divisor)[()]


# sums of exponentials

A = np.array([[0.3, -1.2, 2.0], [0.1, 0.4, -0.7]])
WEIGHTS = np.array([[1.5, -0.3, 2.0], [0.1, 1.4, 0.7]])
SIGNED = Keywords(axis=1, b=np.array([-2.0, 0.5, 1.0]), return_sign=True)
rule(
    special.logsumexp,
    "a, axis=None, b=None, keepdims=False, return_sign=False",
    a="fit(share(y_bar, y, a, axis, b, keepdims, weighted=True), a)",
    b="fit(share(y_bar, y, a, axis, b, keepdims), b)",
    refuse="return_sign and (np.iscomplexobj(a) or np.iscomplexobj(b))",
    gives="reduced(a, axis, keepdims)",
    source="exp(y) = sum of b exp(a)",
    examples=(
        (A,),
        (A, Keywords(axis=0)),
        (A, Keywords(axis=-1, keepdims=True)),
        (A[0],),
        (A, Keywords(b=WEIGHTS)),
        (A, Keywords(axis=1, b=WEIGHTS[0])),
        (A, SIGNED),
        (A + 0.3j, Keywords(axis=1)),
    ),
)
rule(
    special.softmax,
    "x, axis=None",
    x="bar(y) * (y_bar - np.sum(y_bar * bar(y), axis=axis, keepdims=True))",
    gives="same(x); axis",
    source="quotient rule",
    examples=((A,), (A, Keywords(axis=0)), (A[0],), (A + 0.3j, Keywords(axis=1))),
)
rule(
    special.log_softmax,
    "x, axis=None",
    x="y_bar - bar(exp(y)) * np.sum(y_bar, axis=axis, keepdims=True)",
    gives="same(x); axis",
    source="x - logsumexp(x)",
    examples=((A,), (A, Keywords(axis=0)), (A[0],), (A + 0.3j, Keywords(axis=1))),
)


def spread(g: Any, axis: Any, keepdims: bool, a: Any) -> Any:
    """A number for each run along the axes, in a shape that broadcasts to that of ``a``."""
    if keepdims or axis is None:
        return g
    axes = axis if isinstance(axis, tuple) else (axis,)
    rank = np.ndim(a)
    return expand_dims(g, tuple(k % rank for k in axes)) if rank else g


def share(
    y_bar: Any, y: Any, a: Any, axis: Any, b: Any, keepdims: bool, weighted: bool = False
) -> Any:
    """``y_bar exp(a - y)``, or that times b; 0 where all terms of the sum are 0."""
    sign: Any = 1
    if isinstance(y, tuple):
        y, sign = y
        y_bar = y_bar[0]
        if y_bar is None:
            return None
    like = a if b is None else a + b
    level = spread(y, axis, keepdims, like)
    level = where(level == -np.inf, 0, level)
    part = spread(y_bar * sign, axis, keepdims, like) * np.conj(exp(a - level))
    return part * np.conj(b) if weighted and b is not None else part
