"""Rules of eigenvalues and eigenvectors: eigh, eigvalsh, which read one triangle, eig, eigvals.

Values are always right. Vectors of equal values have no derivative: nan, with a warning that names
the pair. The length and the phase of a vector are LAPACK's, whose derivative is included.

>>> import numpy
>>> y = numpy.linalg.eigh(numpy.array([[2.0, 1.0], [1.0, 3.0]]))
>>> hermitian_back(y, (numpy.ones(2), None), "L").round(12) + 0.0
array([[1., 0.],
       [0., 1.]])
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy import (
    argmax,
    conj,
    expand_dims,
    imag,
    matmul,
    real,
    shape,
    sum,
    take_along_axis,
    where,
    zeros,
)
from numpy.linalg import solve

from astad.rules.numpy import samples
from astad.rules.numpy.products import H
from astad.rules.numpy.triangles import from_triangle, onto_triangle
from astad.rules.registry import Keywords, rule

GILES = "Giles 2008, NA-08-01, eigenvalues and eigenvectors"


def inverse_gaps(values: Any, what: str) -> Any:
    """``1 / (values[j] - values[i])``, 0 on the diagonal; nan where two are equal."""
    gaps = expand_dims(values, -2) - expand_dims(values, -1)
    own = np.eye(shape(values)[-1], dtype=bool)
    equal = np.equal(gaps, 0) & ~own
    warn_of(equal, what)
    return where(own, 0.0, where(equal, np.nan, 1 / where(own | equal, 1.0, gaps)))


ROUNDING = 1e5
"""Units of rounding in the largest value: of gaps below, five digits or fewer would be left."""


def over_gaps(inner: Any, values: Any, what: str, power: int = 1) -> Any:
    """``inner[i, j] / (values[j]**power - values[i]**power)``, 0 on the diagonal.

    nan where two values are equal but for rounding. What a function of the matrix has there is the
    slope of that function, of which the cotangents of values and vectors know nothing, and small
    numerators are rounding. Where neither vector has a share, as of those that a slice has left
    out, and the gap is not 0, there is none.
    """
    raised = values**power
    gaps = expand_dims(raised, -2) - expand_dims(raised, -1)
    apart = abs(expand_dims(values, -2) - expand_dims(values, -1))
    own = np.eye(shape(values)[-1], dtype=bool)
    least = ROUNDING * np.finfo(values.dtype).eps * np.max(abs(values), axis=-1, initial=0.0)
    idle = np.equal(inner, 0) & np.equal(np.swapaxes(inner, -1, -2), 0) & np.not_equal(gaps, 0)
    equal = (apart <= least[..., None, None]) & ~own & ~idle
    warn_of(equal, what)
    return where(own, 0.0, where(equal, np.nan, inner / where(own | equal, 1.0, gaps)))


def warn_of(equal: Any, what: str) -> None:
    """Name the first two values that are equal."""
    if np.any(equal):
        *_, first, second = np.argwhere(equal)[0]
        warnings.warn(
            f"{what}s {first} and {second} are equal: their vectors have no derivative",
            RuntimeWarning,
            stacklevel=3,
        )


def given(v_bar: Any) -> bool:
    """Whether a cotangent of vectors is there: without one no gap is divided by. One of zeros
    counts: of ``v @ diag(log(w)) @ v.T`` it is 0 at the identity, and the derivative is not.
    """
    return v_bar is not None and np.size(v_bar) > 0


def separated(values: Any, least: float) -> bool:
    """Whether all values differ by more than this."""
    gaps = abs(expand_dims(values, -2) - expand_dims(values, -1))
    return bool(np.all((gaps > least) | np.eye(shape(values)[-1], dtype=bool)))


def aligned(v_bar: Any, v: Any, turn: Any, row: Any) -> Any:
    """`v_bar` with the share of phases that keep `row` real; `turn`: its part along each phase."""
    fixed = real(take_along_axis(v, row, -2))
    share = where(np.equal(fixed, 0), 0, -1j * turn / where(np.equal(fixed, 0), 1, fixed))
    at = np.equal(np.arange(shape(v)[-2])[:, None], row)
    return v_bar + where(at, share, 0)


def real_row(v: Any) -> Any:
    """First or last row, whichever LAPACK made real, to rounding; None if neither."""
    rounding = 100 * np.finfo(v.dtype).eps
    for row in (0, shape(v)[-2] - 1):
        if np.all(abs(imag(v[..., row, :])) <= rounding):
            return np.full(shape(v)[:-2] + (1, shape(v)[-1]), row)
    return None


# Hermitian


def hermitian_back(y: Any, y_bar: Any, part: str) -> Any:
    """Cotangent of the triangle that was read."""
    w, v = y[0], y[1]
    w_bar, v_bar = y_bar[0], y_bar[1]
    inner = zeros(shape(v)) if w_bar is None else expand_dims(w_bar, -2) * np.eye(shape(w)[-1])
    if given(v_bar):
        row = real_row(v) if np.iscomplexobj(v) else None
        if row is not None:
            v_bar = aligned(v_bar, v, imag(sum(conj(v) * v_bar, axis=-2, keepdims=True)), row)
        inner = inner + over_gaps(matmul(H(v), v_bar), w, "eigenvalue")
    return onto_triangle(matmul(matmul(v, inner), H(v)), part)


def turned(v_dot: Any, v: Any, row: Any) -> Any:
    """Tangents of vectors, turned so that the entries at `row` stay real."""
    if row is None:
        return v_dot
    fixed = real(take_along_axis(v, row, -2))
    moved = imag(take_along_axis(v_dot, row, -2))
    return v_dot - 1j * v * where(
        np.equal(fixed, 0), 0, moved / where(np.equal(fixed, 0), 1, fixed)
    )


def hermitian_dot(y: Any, a_dot: Any, part: str) -> tuple[Any, Any]:
    """Tangents of values and vectors."""
    w, v = y[0], y[1]
    inner = matmul(matmul(H(v), from_triangle(a_dot, part)), v)
    v_dot = matmul(v, over_gaps(inner, w, "eigenvalue"))
    row = real_row(v) if np.iscomplexobj(v) else None
    return real(np.diagonal(inner, axis1=-2, axis2=-1)), turned(v_dot, v, row)


def letter(part: Any) -> str:
    """'L' or 'U'."""
    return str(part).upper()


rule(
    np.linalg.eigh,
    "a, UPLO='L'",
    a="hermitian_back(y, y_bar, letter(UPLO))",
    dot="hermitian_dot(y, a_dot, letter(UPLO))",
    gives="parts(eigenvalues=spectrum(a), eigenvectors=matrices(a)); UPLO",
    entries="mixed",
    source=GILES + "; the lower triangle is read",
    examples=lambda: [
        (samples.definite(3),),
        (samples.definite(2, 2),),
        (samples.definite(3), "U"),
        (samples.hermitian(3),),
        (samples.hermitian(2, 3), Keywords(UPLO="U")),
        (samples.real(1, 1),),
    ],
)
rule(
    np.linalg.eigvalsh,
    "a, UPLO='L'",
    a="hermitian_back(np.linalg.eigh(a, UPLO), (y_bar, None), letter(UPLO))",
    dot="hermitian_dot(np.linalg.eigh(a, UPLO), a_dot, letter(UPLO))[0]",
    gives="spectrum(a); UPLO",
    entries="mixed",
    source=GILES + "; the lower triangle is read",
    examples=lambda: [
        (samples.definite(3),),
        (samples.definite(2, 2),),
        (samples.definite(3), "U"),
        (samples.hermitian(3),),
    ],
)


# general


def largest(v: Any) -> Any:
    """Row of the largest entry of each vector, which LAPACK makes real."""
    return argmax(abs(v), axis=-2, keepdims=True)


def general_back(y: Any, y_bar: Any) -> Any:
    """Cotangent of a matrix in its eigenvalues and unit eigenvectors."""
    w, v = y[0], y[1]
    w_bar, v_bar = y_bar[0], y_bar[1]
    inner = zeros(shape(v)) if w_bar is None else expand_dims(w_bar, -2) * np.eye(shape(w)[-1])
    if given(v_bar):
        along = sum(conj(v) * v_bar, axis=-2, keepdims=True)
        v_bar = v_bar - v * real(along)
        if np.iscomplexobj(v):
            v_bar = aligned(v_bar, v, imag(along), largest(v))
        inner = inner + over_gaps(matmul(H(v), v_bar), conj(w), "eigenvalue")
    return solve(H(v), matmul(inner, H(v)))


def general_dot(y: Any, a_dot: Any) -> tuple[Any, Any]:
    """Tangents of values and vectors."""
    w, v = y[0], y[1]
    inner = solve(v, matmul(a_dot, v))
    v_dot = matmul(v, over_gaps(inner, w, "eigenvalue"))
    v_dot = v_dot - v * real(sum(conj(v) * v_dot, axis=-2, keepdims=True))
    if np.iscomplexobj(v):
        v_dot = turned(v_dot, v, largest(v))
    return np.diagonal(inner, axis1=-2, axis2=-1), v_dot


def values_dot(a: Any, a_dot: Any) -> Any:
    """Tangents of the values, in the order of ``eig``, which is that of ``eigvals``."""
    v = np.linalg.eig(a)[1]
    return np.diagonal(solve(v, matmul(a_dot, v)), axis1=-2, axis2=-1)


rule(
    np.linalg.eig,
    "a",
    a="general_back(y, y_bar)",
    dot="general_dot(y, a_dot)",
    source=GILES,
    examples=lambda: [
        (samples.definite(3) + samples.real(3, 3) / 9,),
        (samples.imaginary(3, 3),),
        (samples.real(3, 3),),
    ],
)
rule(
    np.linalg.eigvals,
    "a",
    a="general_back(np.linalg.eig(a), (y_bar, None))",
    dot="values_dot(a, a_dot)",
    source=GILES,
    examples=lambda: [
        (samples.definite(3) + samples.real(3, 3) / 9,),
        (samples.imaginary(3, 3),),
        (samples.real(3, 3),),
    ],
)
