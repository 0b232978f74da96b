"""Rule of cholesky, block by block from the last columns to the first.

The work is that of the factorisation twice over, nearly all of it products of matrices; the closed
formula over the whole matrix takes seven times that.

>>> import numpy
>>> y = numpy.linalg.cholesky(numpy.array([[2.0, 1.0], [1.0, 3.0]]))
>>> cholesky_back(y, numpy.ones((2, 2)), False).round(4)
array([[0.2558, 0.    ],
       [0.3909, 0.3162]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import matmul, shape
from numpy.linalg import solve

from astad.rules.numpy import samples
from astad.rules.numpy.products import H
from astad.rules.numpy.triangles import from_triangle, inverse_of_lower, onto_triangle
from astad.rules.registry import Keywords, rule

BLOCK = 48
"""Columns taken at once: for a block the closed formula is as quick as the products around it."""


def cholesky_back(y: Any, y_bar: Any, upper: bool) -> Any:
    """Cotangent of the triangle that was read."""
    low, low_bar = (H(y), H(y_bar)) if upper else (y, y_bar)
    bar = np.tril(low_bar).astype(np.result_type(y_bar, y), copy=False)
    for start in reversed(range(0, shape(low)[-1], BLOCK)):
        back_through_columns(low, bar, start, start + BLOCK)
    return H(bar) if upper else bar


def back_through_columns(low: Any, bar: Any, start: int, stop: int) -> None:
    """Turn the cotangent of columns of the factor, in place, into that of the matrix's.

    The columns are a diagonal block d d' = a - r r' and what is below it, c d' = e - b r',
    where r and b stand to the left of them: their cotangents get their parts.
    """
    d, c = low[..., start:stop, start:stop], low[..., stop:, start:stop]
    r, b = low[..., start:stop, :start], low[..., stop:, :start]
    inverse = inverse_of_lower(d)
    c_bar = matmul(bar[..., stop:, start:stop], inverse)
    d_bar = bar[..., start:stop, start:stop] - np.tril(matmul(H(c_bar), c))
    whole = matmul(matmul(H(inverse), half_lower(matmul(H(d), d_bar))), inverse)
    # each write names its place in bar: a view by a name is in the way of the second derivative
    bar[..., stop:, start:stop] = c_bar
    bar[..., stop:, :start] -= matmul(c_bar, r)
    bar[..., start:stop, :start] -= matmul(H(c_bar), b) + matmul(whole + H(whole), r)
    bar[..., start:stop, start:stop] = onto_triangle(whole, "L")


def half_lower(a: Any) -> Any:
    """Lower triangle with half the diagonal."""
    low, at = np.tril(a), np.arange(shape(a)[-1])
    low[..., at, at] *= 0.5
    return low


def cholesky_dot(y: Any, a_dot: Any, upper: bool) -> Any:
    """Tangent of the factor."""
    low = H(y) if upper else y
    change = from_triangle(a_dot, "U" if upper else "L")
    low_dot = matmul(low, half_lower(solve(low, H(solve(low, change)))))
    return H(low_dot) if upper else low_dot


rule(
    np.linalg.cholesky,
    "a, *, upper=False",
    a="cholesky_back(y, y_bar, upper)",
    dot="cholesky_dot(y, a_dot, upper)",
    gives="matrices(a)",
    entries="mixed",
    source="Murray 2016, arXiv:1602.07527; the lower triangle is read",
    examples=lambda: [
        (samples.definite(3),),
        (samples.definite(2, 2),),
        (samples.hermitian(3),),
        (samples.definite(3), Keywords(upper=True)),
        (samples.hermitian(2), Keywords(upper=True)),
    ],
)
