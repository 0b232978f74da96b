"""Rules of running sums and of products of entries: cumsum, prod, cumprod, also without nan.

Products divide by nothing, so that zeros among the entries are right, also at second order.

>>> import numpy
>>> prod_back(1.0, numpy.array([2.0, 0.0, 3.0]))
array([0., 6., 0.])
>>> cumprod_back(numpy.ones(3), numpy.array([2.0, 0.0, 3.0]))
array([1., 8., 0.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    concatenate,
    conj,
    cumprod,
    cumsum,
    flip,
    isnan,
    ones_like,
    prod,
    reshape,
    shape,
    sum,
    where,
    zeros_like,
)

from astad.rules.numpy.axes import from_last, spread, to_last
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, linear, rule

NO_OUT = "out is not None"


# running sums


def cumsum_back(y_bar: Any, of: tuple[int, ...], axis: Any) -> Any:
    """Each entry is in all later sums; without an axis the sums run over the flattened array."""
    if axis is None:
        return reshape(flip(cumsum(flip(y_bar))), of)
    return flip(cumsum(flip(y_bar, axis), axis=axis), axis)


def less_first(a: Any, axis: Any, extra: bool) -> Any:
    """`a` without the initial 0 or 1 that ``include_initial`` puts before."""
    if not extra:
        return a
    return np.delete(a, 0, 0 if axis is None else axis)


linear(
    np.cumsum,
    "a, axis=None, dtype=None, out=None",
    a="cumsum_back(y_bar, shape(a), axis)",
    refuse=NO_OUT,
    method="axis",
    gives="running(a, axis)",
    entries="whole",
    finite="a",
    complexes="kept",
    source="transpose of the lower triangle of ones",
    examples=lambda: [
        (real(4),),
        (real(2, 3),),
        (real(2, 3), 1),
        (real(2, 3), -2),
        (imaginary(3),),
        (real(0),),
    ],
)
rule(
    np.nancumsum,
    "a, axis=None, dtype=None, out=None",
    a="where(isnan(a), 0, cumsum_back(y_bar, shape(a), axis))",
    dot="cumsum(where(isnan(a), 0, a_dot), axis=axis)",
    refuse=NO_OUT,
    gives="running(a, axis)",
    source="cumsum, nan entries as 0",
    examples=lambda: [(real(2, 3), 1), (np.array([1.0, np.nan, 2.0]),)],
)
linear(
    np.cumulative_sum,
    "x, *, axis=None, dtype=None, out=None, include_initial=False",
    x="cumsum_back(less_first(y_bar, axis, include_initial), shape(x), axis)",
    refuse=NO_OUT,
    gives="running(x, axis)",
    source="transpose of the lower triangle of ones",
    examples=lambda: [(real(4),), (real(2, 3), Keywords(axis=1, include_initial=True))],
)


# products


def before(a: Any) -> Any:
    """Along the last axis, the product of the entries before each one."""
    return concatenate([ones_like(a[..., :1]), cumprod(a[..., :-1], axis=-1)], axis=-1)


def others(a: Any) -> Any:
    """Along the last axis, the product of all entries but each one."""
    return before(a) * flip(before(flip(a, -1)), -1)


def among(a: Any, mask: Any) -> Any:
    """`a` with 1 outside of `mask`."""
    return a if mask is True else where(mask, a, 1)


def prod_back(y_bar: Any, a: Any, axis: Any = None, initial: Any = 1, mask: Any = True) -> Any:
    """Cotangent of `a` in its product."""
    of = shape(a)
    rest = from_last(others(to_last(among(a, mask), axis)), of, axis)
    return spread(y_bar, of, axis, mask) * conj(rest * initial)


def prod_dot(
    a: Any, a_dot: Any, axis: Any, keepdims: Any, initial: Any, initial_dot: Any, mask: Any
) -> Any:
    """Tangent of the product."""
    rest = from_last(others(to_last(among(a, mask), axis)), shape(a), axis)
    whole = prod(a, axis=axis, keepdims=keepdims, where=mask)
    return (
        sum(rest * initial * a_dot, axis=axis, keepdims=keepdims, where=mask) + initial_dot * whole
    )


def later(factor: Any, g: Any) -> Any:
    """Along the last axis, ``s[i] = g[i] + factor[i] * s[i + 1]``, in log2(n) steps."""
    n = shape(g)[-1]
    span = 1
    while span < n:  # here s[i] = g[i] + factor[i] * s[i + span]
        g = g + factor * ahead(g, span)
        factor = factor * ahead(factor, span)
        span = 2 * span
    return g


def ahead(a: Any, span: int) -> Any:
    """The entries `span` further along the last axis, zeros beyond its end."""
    return concatenate([a[..., span:], zeros_like(a[..., :span])], axis=-1)


def cumprod_back(y_bar: Any, a: Any, axis: Any = None) -> Any:
    """The products before an entry times the weighted ones from it on."""
    c = conj(to_last(a, axis))
    s = later(ahead(c, 1), to_last(y_bar, axis))
    return from_last(before(c) * s, shape(a), axis)


def cumprod_dot(a: Any, a_dot: Any, axis: Any) -> Any:
    """``y_dot[i] = y_dot[i - 1] * a[i] + y[i - 1] * a_dot[i]``: as `later`, from the other end."""
    c = to_last(a, axis)
    moved = flip(later(flip(c, -1), flip(before(c) * to_last(a_dot, axis), -1)), -1)
    return moved if axis is None else from_last(moved, shape(a), axis)


PRODUCT = "product rule; the others: the entries before times the entries after"

rule(
    np.prod,
    "a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True",
    a="prod_back(y_bar, a, axis, initial, where)",
    initial="sum(y_bar * conj(prod(a, axis=axis, keepdims=keepdims, where=where)))",
    dot="prod_dot(a, a_dot, axis, keepdims, initial, initial_dot, where)",
    refuse=NO_OUT,
    method="axis, *, keepdims",
    gives="reduced(a, axis, keepdims)",
    entries="whole",
    source=PRODUCT,
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
        (np.array([2.0, 0.0, 3.0]),),
        (np.array([2.0, 0.0, 0.0]),),
        (np.ones((0, 2)), 0),
    ],
)
rule(
    np.cumprod,
    "a, axis=None, dtype=None, out=None",
    a="cumprod_back(y_bar, a, axis)",
    dot="cumprod_dot(a, a_dot, axis)",
    refuse=NO_OUT,
    method="axis",
    gives="running(a, axis)",
    source=PRODUCT,
    examples=lambda: [
        (real(4),),
        (real(2, 3),),
        (real(2, 3), 1),
        (real(2, 3), -2),
        (imaginary(3),),
        (real(0),),
        (np.array([2.0, 0.0, 3.0]),),
        (np.array([2.0, 0.0, 3.0, 0.0, 1.5]),),
    ],
)


def present(a: Any, mask: Any = True) -> Any:
    """Where `a` counts: in `mask` and not nan."""
    return ~isnan(a) if mask is True else ~isnan(a) & mask


rule(
    np.nanprod,
    "a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True",
    a="prod_back(y_bar, a, axis, initial, present(a, where))",
    initial="sum(y_bar * conj(prod(a, axis=axis, keepdims=keepdims, where=present(a, where))))",
    dot="prod_dot(a, a_dot, axis, keepdims, initial, initial_dot, present(a, where))",
    refuse=NO_OUT,
    gives="reduced(a, axis, keepdims)",
    source=PRODUCT + "; nan entries left out",
    examples=lambda: [
        (real(2, 3), 1),
        (np.array([[1.5, np.nan, 2.0], [0.5, -1.0, np.nan]]), 0),
        (np.array([1.5, np.nan]), Keywords(initial=0.5, keepdims=True)),
    ],
)
rule(
    np.nancumprod,
    "a, axis=None, dtype=None, out=None",
    a="where(isnan(a), 0, cumprod_back(y_bar, where(isnan(a), 1, a), axis))",
    dot="cumprod_dot(where(isnan(a), 1, a), where(isnan(a), 0, a_dot), axis)",
    refuse=NO_OUT,
    gives="running(a, axis)",
    source=PRODUCT + "; nan entries left out",
    examples=lambda: [(real(2, 3), 1), (np.array([1.5, np.nan, 2.0]),)],
)
rule(
    np.cumulative_prod,
    "x, *, axis=None, dtype=None, out=None, include_initial=False",
    x="cumprod_back(less_first(y_bar, axis, include_initial), x, axis)",
    dot="with_first(cumprod_dot(x, x_dot, axis), axis, include_initial)",
    refuse=NO_OUT,
    gives="running(x, axis)",
    source=PRODUCT,
    examples=lambda: [(real(4),), (real(2, 3), Keywords(axis=1, include_initial=True))],
)


def with_first(a: Any, axis: Any, extra: bool) -> Any:
    """`a` with a zero before, the tangent of the initial value."""
    if not extra:
        return a
    return np.insert(a, 0, 0, 0 if axis is None else axis)
