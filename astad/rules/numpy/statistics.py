"""Rules of covariance, correlation and histograms.

>>> import numpy
>>> of_edges(numpy.array([1.0, 0.0, 0.0]), numpy.array([4.0, 2.0, 8.0]))   # the first is the least
array([0., 1., 0.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import diagonal, expand_dims, matmul, ndim, real, reshape, shape, sqrt, transpose

from astad.rules.numpy import samples
from astad.rules.numpy.extremes import extreme_back, extreme_dot
from astad.rules.numpy.products import H, bar
from astad.rules.numpy.renamed import known_as_y
from astad.rules.registry import Keywords, rule

# covariance


ONE_ROW_STAYS = ndim(np.cov(np.ones((1, 2)), rowvar=False, bias=True)) == 0
"""Is a single row not transposed? That depends on the version of NumPy."""


def as_rows(m: Any, rowvar: bool) -> Any:
    """Variables as rows, as ``cov`` reads them."""
    if ndim(m) < 2:
        return reshape(m, (1, -1))
    stays = rowvar or (ONE_ROW_STAYS and shape(m)[0] == 1)
    return np.asarray(m) if stays else transpose(m)


def all_rows(m: Any, more: Any, rowvar: bool) -> Any:
    """All variables."""
    rows = as_rows(m, rowvar)
    return rows if more is None else np.concatenate([rows, second_rows(more, rowvar)], axis=0)


def second_rows(more: Any, rowvar: bool) -> Any:
    """The variables of the second argument, which is transposed also when it is one row."""
    if ndim(more) < 2:
        return reshape(more, (1, -1))
    return np.asarray(more) if rowvar or shape(more)[0] == 1 else transpose(more)


def weights_of(n: int, f: Any, a: Any) -> Any:
    """Weight of each observation."""
    return np.ones(n) * (1 if f is None else np.asarray(f)) * (1 if a is None else np.asarray(a))


def scaled(n: int, bias: Any, ddof: Any, f: Any, a: Any) -> Any:
    """Weights of the observations over the degrees of freedom."""
    w = weights_of(n, f, a)
    total = np.sum(w)
    if ddof is None:
        ddof = 0 if bias else 1
    if f is None and a is None:
        free = n - ddof
    elif a is None or ddof == 0:
        free = total - ddof
    else:
        free = total - ddof * np.sum(w * np.asarray(a)) / total
    return w / np.maximum(free, 0)


def centred(rows: Any, w: Any) -> Any:
    """Rows less their weighted means."""
    return rows - expand_dims(matmul(rows, w) / np.sum(w), -1)


def square(g: Any) -> Any:
    """Cotangent of the matrix, which of one variable is a number."""
    return g if ndim(g) == 2 else reshape(g, (1, 1))


def split_rows(bars: Any, m: Any, more: Any, rowvar: bool, k: int) -> Any:
    """Cotangent of the first or the second argument."""
    count = shape(as_rows(m, rowvar))[0]
    mine, rows = (m, bars[:count]) if k == 0 else (more, bars[count:])
    if ndim(mine) < 2 or rowvar or shape(mine)[0] == 1:
        return reshape(rows, shape(mine))
    return transpose(rows)


def cov_back(y_bar: Any, rows: Any, w: Any) -> Any:
    """Cotangent of the rows; their means add nothing, as the deviations sum to 0."""
    g = square(y_bar)
    return matmul(g + H(g), centred(rows, w) * w)


def cov_dot(y: Any, rows: Any, rows_dot: Any, w: Any) -> Any:
    """Tangent of the covariance matrix."""
    half = matmul(centred(rows_dot, w) * w, H(centred(rows, w)))
    return reshape(half + H(half), shape(y))


COV = (
    "m, more=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None"
)


def weights_for(m: Any, rowvar: bool, bias: Any, ddof: Any, f: Any, a: Any) -> Any:
    """`scaled`, of the observations in `m`."""
    return scaled(shape(as_rows(m, rowvar))[1], bias, ddof, f, a)


def cov_part(
    y_bar: Any, m: Any, more: Any, rowvar: bool, bias: Any, ddof: Any, f: Any, a: Any, k: int
) -> Any:
    """Cotangent of the first or the second argument of ``cov``."""
    if np.size(y_bar) == 0:  # of no variables
        return np.zeros(shape(m if k == 0 else more))
    w = weights_for(m, rowvar, bias, ddof, f, a)
    return split_rows(cov_back(y_bar, all_rows(m, more, rowvar), w), m, more, rowvar, k)


def rows_dot(m: Any, m_dot: Any, more: Any, more_dot: Any, rowvar: bool) -> Any:
    """Tangents of all variables."""
    first = as_rows(m_dot, rowvar)
    if more is None:
        return first
    return np.concatenate([first, second_rows(more_dot, rowvar)], axis=0)


known_as_y(
    rule(
        np.cov,
        COV,
        m="cov_part(y_bar, m, more, rowvar, bias, ddof, fweights, aweights, 0)",
        more="cov_part(y_bar, m, more, rowvar, bias, ddof, fweights, aweights, 1)",
        dot="cov_dot(y, all_rows(m, more, rowvar), rows_dot(m, m_dot, more, more_dot, rowvar), "
        "weights_for(m, rowvar, bias, ddof, fweights, aweights))",
        gives="square_of_two(m, more); rowvar, bias, ddof",
        missing={"aweights": "weigh the data and call cov without", "fweights": "it is a count"},
        source="C = X W H(X) of centred rows",
        examples=lambda: [
            (samples.real(5),),
            (samples.real(2, 4),),
            (samples.real(4, 2), None, False),
            (samples.real(4), samples.real(4, seed=1)),
            (samples.real(2, 4), samples.real(4)),
            (samples.imaginary(2, 3),),
            (samples.real(2, 4), Keywords(bias=True)),
            (samples.real(2, 4), Keywords(fweights=np.array([1, 2, 1, 3]))),
            (samples.real(2, 4), Keywords(ddof=0)),
        ],
    ),
    "more",
)


def corrcoef_bar(y: Any, y_bar: Any, rows: Any) -> Any:
    """Cotangent of the rows through the correlation matrix."""
    w = scaled(shape(rows)[1], False, None, None, None)
    away = centred(rows, w)
    g, r = square(y_bar), square(y)
    variances = real(np.sum(away * bar(away) * w, axis=-1))
    both = real(bar(g) * r)
    own = -(np.sum(both, axis=0) + np.sum(both, axis=1)) / (2 * variances)
    inner = g / sqrt(variances * expand_dims(variances, -1)) + own * np.eye(len(variances))
    return cov_back(inner, rows, w)


def corrcoef_dot(y: Any, rows: Any, change: Any) -> Any:
    """Tangent of the correlation matrix."""
    w = scaled(shape(rows)[1], False, None, None, None)
    away = centred(rows, w)
    variances = real(np.sum(away * bar(away) * w, axis=-1))
    r = square(y)
    c_dot = cov_dot(r, rows, change, w)
    rate = real(diagonal(c_dot)) / (2 * variances)
    r_dot = c_dot / sqrt(variances * expand_dims(variances, -1)) - r * (
        rate + expand_dims(rate, -1)
    )
    return reshape(r_dot, shape(y))


def corrcoef_part(y: Any, y_bar: Any, x: Any, more: Any, rowvar: bool, k: int) -> Any:
    """Cotangent of the first or the second argument of ``corrcoef``."""
    return split_rows(corrcoef_bar(y, y_bar, all_rows(x, more, rowvar)), x, more, rowvar, k)


known_as_y(
    rule(
        np.corrcoef,
        "x, more=None, rowvar=True, *, dtype=None",
        x="corrcoef_part(y, y_bar, x, more, rowvar, 0)",
        more="corrcoef_part(y, y_bar, x, more, rowvar, 1)",
        dot="corrcoef_dot(y, all_rows(x, more, rowvar), "
        "rows_dot(x, x_dot, more, more_dot, rowvar))",
        gives="square_of_two(x, more); rowvar",
        source="r[i, j] = c[i, j] / sqrt(c[i, i] c[j, j])",
        examples=lambda: [
            (samples.real(3, 5),),
            (samples.real(4), samples.real(4, seed=1)),
            (samples.real(5, 2), None, False),
        ],
    ),
    "more",
)


# histograms


def of_edges(edges_bar: Any, a: Any) -> Any:
    """Cotangent of data whose least and greatest are the ends of equidistant edges."""
    t = np.linspace(0.0, 1.0, len(edges_bar))
    low = extreme_back(np.sum(edges_bar * (1 - t)), np.min(a), a, None)
    return low + extreme_back(np.sum(edges_bar * t), np.max(a), a, None)


def histogram_data(y_bar: Any, a: Any, bins: Any, limits: Any) -> Any:
    """Cotangent of the data, which move only edges; the counts move in steps."""
    if y_bar[1] is None or limits is not None or ndim(bins) > 0 or np.size(a) == 0:
        return np.zeros(shape(a))
    return of_edges(y_bar[1], a)


def histogram_weights(y: Any, y_bar: Any, a: Any, weights: Any) -> Any:
    """Cotangent of the weights: that of the bin each is added to."""
    if y_bar[0] is None:
        return np.zeros(shape(weights))
    edges = y[1]
    place = np.searchsorted(edges, a, side="right") - 1
    place = np.where(np.equal(a, edges[-1]), len(edges) - 2, place)
    inside = (place >= 0) & (place < len(edges) - 1)
    return np.where(inside, y_bar[0][np.where(inside, place, 0)], 0.0)


def histogram_dot(
    y: Any, a: Any, a_dot: Any, bins: Any, limits: Any, weights: Any, w_dot: Any
) -> Any:
    """Tangents of the sums of weights and of the edges."""
    sums = np.histogram(a, y[1], weights=w_dot)[0] if weights is not None else None
    if limits is not None or ndim(bins) > 0 or np.size(a) == 0:
        return sums, np.zeros(shape(y[1]))
    t = np.linspace(0.0, 1.0, len(y[1]))
    low = extreme_dot(np.min(a), a, a_dot, None, False)
    high = extreme_dot(np.max(a), a, a_dot, None, False)
    return sums, low * (1 - t) + high * t


rule(
    np.histogram,
    "a, bins=10, range=None, density=None, weights=None",
    a="histogram_data(y_bar, a, bins, range)",
    weights="histogram_weights(y, y_bar, a, weights)",
    dot="histogram_dot(y, a, a_dot, bins, range, weights, weights_dot)",
    missing={"bins": "compute with the edges given", "range": "compute with the edges returned"},
    refuse="density or isinstance(bins, str)",
    source="counts move in steps, weights are summed, the edges end at the extremes",
    examples=lambda: [
        (samples.real(9), 4),
        (samples.real(9), 4, (-1, 1), None, samples.positive(9)),
        (samples.real(9), Keywords(weights=samples.positive(9), bins=np.array([-3, 0, 1, 2]))),
    ],
)
