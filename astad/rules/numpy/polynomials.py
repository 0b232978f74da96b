"""Rules of polynomials by their coefficients, the highest power first, of their roots and of fits.

>>> import numpy
>>> print(slope_of(numpy.array([3.0, 2.0, 1.0]), 5.0))              # of 3 x**2 + 2 x + 1
32.0
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import conj, expand_dims, ndim, reshape, shape, sum

from astad.rules.numpy.products import H
from astad.rules.numpy.pseudoinverses import pinv_back, pinv_dot
from astad.rules.numpy.renamed import known_as_y
from astad.rules.numpy.samples import imaginary, positive, real
from astad.rules.registry import Keywords, linear, rule, zero
from astad.tangents.arrays import sum_to_shape


def slope_of(p: Any, x: Any) -> Any:
    """Derivative of the polynomial at x; of several ones, whose coefficients lie in columns."""
    p = np.asarray(p)
    degrees = np.arange(len(p) - 1, 0, -1).reshape(-1, *[1] * (ndim(p) - 1))
    return np.polyval(p[:-1] * degrees, x)


def powers(x: Any, n: int) -> Any:
    """The powers n - 1 to 0 of x, along a new last axis."""
    return expand_dims(x, -1) ** np.arange(n - 1, -1, -1)


def coefficients_back(y_bar: Any, x: Any, n: int) -> Any:
    """Cotangent of the coefficients."""
    terms = expand_dims(y_bar, -1) * conj(powers(x, n))
    return sum(terms, axis=tuple(range(terms.ndim - 1)))


def columns_back(y_bar: Any, x: Any, p: Any) -> Any:
    """Cotangent of coefficients of several polynomials, whose values were broadcast."""
    if ndim(p) < 2:
        return coefficients_back(y_bar, x, len(p))
    if len(p) == 0:
        return np.zeros(shape(p))
    steps = reversed(range(len(p)))
    return np.stack([sum_to_shape(y_bar * conj(x) ** k, shape(p)[1:]) for k in steps])


rule(
    np.polyval,
    "p, x",
    p="columns_back(y_bar, x, p)",
    x="sum_to_shape(y_bar * conj(slope_of(p, x)), shape(x))",
    dot="np.polyval(p_dot, x) + slope_of(p, x) * x_dot",
    refuse="isinstance(x, np.poly1d) or isinstance(p, np.poly1d)",
    gives="interpolated(x, p=p)",
    source="term by term",
    examples=lambda: [
        (real(4), 1.5),
        (real(3), real(2, 3)),
        (real(1), real(2)),
        (imaginary(3), imaginary(2)),
        (real(3, 2), 1.5),
        (real(3, 2), real(2)),
        (real(4, 2, 1), real(3)),
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
    gives="with_powers(x, N); increasing",
    source="entry by entry",
    examples=lambda: [(real(3),), (real(3), 4, True), (imaginary(2), 3)],
)


# arithmetic of coefficients, the highest power first


def aligned(y_bar: Any, a: Any, other: Any) -> Any:
    """Cotangent of the last coefficients, as many as `a` has; a number is one."""
    of = shape(a) or (1,)
    count = max(of[0], len(other) if ndim(other) else 1)
    g = sum_to_shape(y_bar, (count, *of[1:]))
    return reshape(g[count - of[0] :], shape(a))


def derived_factors(n: int, m: int) -> Any:
    """What the coefficients are multiplied with by `m` derivatives, those that stay."""
    powers_left = np.arange(n - 1, m - 1, -1)
    factors = np.ones(len(powers_left))
    for k in range(m):
        factors = factors * (powers_left - k)
    return factors


def derived_back(y_bar: Any, n: int, m: int) -> Any:
    """Cotangent of `n` coefficients through `m` derivatives."""
    kept = max(n - m, 0)
    return np.concatenate([y_bar[:kept] * derived_factors(n, m), np.zeros(n - kept)])


def integrated_back(y_bar: Any, n: int, m: int) -> Any:
    """Cotangent of `n` coefficients through `m` integrals."""
    return y_bar[:n] / derived_factors(n + m, m)


def constants_back(y_bar: Any, n: int, m: int, k: Any) -> Any:
    """Cotangent of the constants, of which the j-th is integrated m - 1 - j times."""
    each = [y_bar[n + j] / math.factorial(m - 1 - j) for j in range(m)]
    every = np.stack(each)
    return reshape(sum(every) if np.size(k) == 1 and m > 1 else every, shape(k))


def integrated_dot(p_dot: Any, m: int, k: Any, k_dot: Any) -> Any:
    """Tangent of the integral."""
    return np.polyint(p_dot, m, None if k is None else k_dot)


PLAIN = "isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d)"
rule(
    np.polyadd,
    "a1, a2",
    a1="aligned(y_bar, a1, a2)",
    a2="aligned(y_bar, a2, a1)",
    dot="np.polyadd(a1_dot, a2_dot)",
    refuse=PLAIN,
    gives="vector(a1, a2)",
    source="coefficient by coefficient",
    examples=lambda: [(real(3), real(2)), (real(2), real(2)), (real(3), 1.5)],
)
rule(
    np.polysub,
    "a1, a2",
    a1="aligned(y_bar, a1, a2)",
    a2="-aligned(y_bar, a2, a1)",
    dot="np.polysub(a1_dot, a2_dot)",
    refuse=PLAIN,
    gives="vector(a1, a2)",
    source="coefficient by coefficient",
    examples=lambda: [(real(3), real(2)), (real(2), real(3))],
)


def trimmed(a: Any) -> bool:
    """Whether ``polymul`` leaves coefficients out."""
    every = np.atleast_1d(a)
    return len(every) == 0 or every[0] == 0


def factor_back(y_bar: Any, a: Any, other: Any) -> Any:
    """Cotangent of the factor `a`; a number is a polynomial of one coefficient."""
    return reshape(np.correlate(y_bar, np.atleast_1d(other), "valid"), shape(a))


def product(a1: Any, a2: Any) -> Any:
    """As ``polymul``, that leaves leading zeros out; a tangent may have some."""
    return np.convolve(np.atleast_1d(a1), np.atleast_1d(a2))


linear(
    np.polymul,
    "a1, a2",
    a1="factor_back(y_bar, a1, a2)",
    a2="factor_back(y_bar, a2, a1)",
    dot="product(a1_dot, a2) + product(a1, a2_dot)",
    refuse=PLAIN + " or trimmed(a1) or trimmed(a2)",
    gives="vector(a1, a2)",
    source="a product of polynomials is a convolution",
    examples=lambda: [(real(3), real(2)), (real(2), real(4)), (imaginary(2), imaginary(3))],
)
rule(
    np.polyder,
    "p, m=1",
    p="derived_back(y_bar, len(p), m)",
    dot="np.polyder(p_dot, m)",
    refuse="isinstance(p, np.poly1d) or ndim(p) != 1",
    gives="vector(p); m",
    view="p",
    source="term by term",
    examples=lambda: [(real(4),), (real(4), 2), (real(4), 0), (real(2), 3)],
)
rule(
    np.polyint,
    "p, m=1, k=None",
    p="integrated_back(y_bar, len(p), m)",
    k="constants_back(y_bar, len(p), m, k)",
    dot="integrated_dot(p_dot, m, k, k_dot)",
    refuse="isinstance(p, np.poly1d)",
    gives="vector(p); m",
    view="p",
    source="term by term",
    examples=lambda: [
        (real(3),),
        (real(3), 2),
        (real(3), 2, real(2)),
        (real(3), 2, 1.5),
        (real(3), 1, [0.5]),
    ],
)


# roots


def implicit(p: Any, roots: Any) -> Any:
    """``-1 / p'`` at the roots: how a root answers to the value of the polynomial."""
    return -1 / np.polyval(np.polyder(p), roots)


rule(
    np.roots,
    "p",
    p="coefficients_back(y_bar * conj(implicit(p, y)), y, len(p))",
    dot="np.polyval(p_dot, y) * implicit(p, y)",
    source="p(r) = 0: dp(r) + p'(r) dr = 0",
    examples=lambda: [
        (real(4),),
        (real(3),),
        (imaginary(3),),
        (real(2),),
        (np.array([1.0, -3.0, 2.0, 0.0]),),
    ],
)


def other_roots(roots: Any) -> Any:
    """One row for each root: minus the coefficients of the product over the others."""
    rows = [-np.atleast_1d(np.poly(np.delete(roots, k))) for k in range(len(roots))]
    return np.stack(rows)


rule(
    np.poly,
    "seq_of_zeros",
    seq_of_zeros="np.dot(conj(other_roots(seq_of_zeros)), y_bar[1:])",
    dot="np.concatenate([np.zeros(1), np.dot(seq_of_zeros_dot, other_roots(seq_of_zeros))])",
    refuse="np.ndim(seq_of_zeros) != 1 or len(seq_of_zeros) == 0",
    source="product rule on the linear factors",
    examples=lambda: [(real(3),), (real(1),), (imaginary(2),)],
)


# fit


def design(x: Any, deg: int, w: Any) -> Any:
    """Matrix of the weighted least squares problem."""
    columns = np.vander(x, deg + 1)
    return columns if w is None else columns * expand_dims(w, -1)


def is_deficient(x: Any, deg: Any, w: Any) -> bool:
    """Does the fit leave something open? Then the solution depends on how columns are scaled."""
    if ndim(x) != 1 or ndim(deg) != 0 or ndim(w if w is not None else x) != 1 or deg < 0:
        return True
    matrix = design(np.asarray(x) * 1.0, deg, None if w is None else np.asarray(w))
    scale = np.sqrt(sum(np.abs(matrix) ** 2, axis=0))
    if not np.all(np.isfinite(scale)) or not np.all(scale):
        return True
    eps = len(x) * np.finfo(matrix.dtype).eps
    return bool(np.linalg.matrix_rank(matrix / scale, rtol=eps) < deg + 1)


zero(is_deficient, why="a count moves in steps")


def fit_bars(y: Any, y_bar: Any, x: Any, values: Any, deg: int, w: Any) -> list[Any]:
    """Cotangents of places, values and weights."""
    matrix = design(x, deg, w)
    right = values if w is None else (values.T * w).T
    p = np.linalg.pinv(matrix)
    right_bar = np.matmul(H(p), y_bar)
    column, column_bar = reshape(right, (len(x), -1)), reshape(y_bar, (deg + 1, -1))
    matrix_bar = pinv_back(np.matmul(column_bar, H(column)), matrix, p)
    slopes = vander_slope(x, np.arange(deg, -1, -1))
    if w is None:
        return [sum(matrix_bar * conj(slopes), axis=-1), right_bar, None]
    x_bar = sum(matrix_bar * conj(slopes), axis=-1) * w
    w_bar = sum(matrix_bar * conj(np.vander(x, deg + 1)), axis=-1)
    w_bar = w_bar + sum(reshape(right_bar * conj(values), (len(x), -1)), axis=-1)
    return [x_bar, (right_bar.T * w).T, w_bar]


def fit_dot(x: Any, x_dot: Any, values: Any, values_dot: Any, deg: int, w: Any, w_dot: Any) -> Any:
    """Tangent of the coefficients."""
    matrix = design(x, deg, w)
    p = np.linalg.pinv(matrix)
    change = vander_slope(x, np.arange(deg, -1, -1)) * expand_dims(x_dot, -1)
    right, right_dot = values, values_dot
    if w is not None:
        change = change * expand_dims(w, -1) + np.vander(x, deg + 1) * expand_dims(w_dot, -1)
        right = (values.T * w).T
        right_dot = (values_dot.T * w + values.T * w_dot).T
    return np.matmul(pinv_dot(matrix, change, p), right) + np.matmul(p, right_dot)


known_as_y(
    rule(
        np.polyfit,
        "x, values, deg, rcond=None, full=False, w=None, cov=False",
        x="fit_bars(y, y_bar, x, np.asarray(values), deg, w)[0]",
        values="fit_bars(y, y_bar, x, np.asarray(values), deg, w)[1]",
        w="fit_bars(y, y_bar, x, np.asarray(values), deg, w)[2]",
        dot="fit_dot(x, x_dot, np.asarray(values), values_dot, deg, w, w_dot)",
        refuse="full or cov or rcond is not None or is_deficient(x, deg, w)",
        gives="vector(values, x); deg",
        source="least squares: pinv of the Vandermonde matrix; Golub and Pereyra 1973, 4.12",
        examples=lambda: [
            (real(6), real(6, seed=1), 2),
            (real(6), real(6, 2), 1),
            (real(6), real(6, seed=1), 2, Keywords(w=positive(6))),
        ],
    ),
    "values",
)
