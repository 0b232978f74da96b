"""Rules of scipy.linalg: eigh, eig, their values alone, schur; subsets, generalised problems.

Values are always right. Vectors of equal values have no derivative: nan, with a warning. Where the
phase of complex vectors is not known from LAPACK, a result that depends on it is refused.

>>> import numpy
>>> a = numpy.diag([1.0, 2.0, 4.0])
>>> v_bar = numpy.array([[0.0], [1.0], [0.0]])               # of the first vector alone
>>> hermitian_bar(a, numpy.ones(1), numpy.eye(3)[:, :1], None, v_bar, True)
array([[ 0.,  0.,  0.],
       [-1.,  0.,  0.],
       [ 0.,  0.,  0.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import asarray, conj, imag, matmul, shape, zeros
from scipy import linalg

from astad.errors import Unsupported
from astad.rules.numpy.products import H
from astad.rules.numpy.samples import definite, graded, hermitian, imaginary, real
from astad.rules.numpy.spectra import (
    aligned,
    general_back,
    given,
    inverse_gaps,
    over_gaps,
    real_row,
    separated,
)
from astad.rules.numpy.triangles import from_triangle, onto_triangle
from astad.rules.registry import Keywords, rule
from astad.rules.scipy.structures import stacked

__all__ = ["hermitian_bar", "invariant"]

GILES = "Giles 2008, NA-08-01, eigenvalues and eigenvectors"


def invariant(v: Any, v_bar: Any, what: str) -> None:
    """Refuse a result that depends on the phase of complex vectors."""
    if np.isrealobj(v):
        return
    turn = imag(np.sum(conj(v) * v_bar, axis=-2))
    if np.max(abs(turn), initial=0.0) > 1e3 * np.finfo(v.dtype).eps * np.max(abs(v_bar)):
        raise Unsupported(
            what,
            "derivative through the phase of complex vectors",
            why="any phase would do, and that which LAPACK takes has no formula",
            instead="use what no phase changes (absolute values, projectors)",
        )


# Hermitian


@stacked(2, 1, 2, 1, 2)
def hermitian_bar(a: Any, w: Any, v: Any, w_bar: Any, v_bar: Any, lower: bool) -> Any:
    """Cotangent of the triangle that is read, from some of the values and vectors."""
    part = "L" if lower else "U"
    inner = zeros((len(w), len(w))) if w_bar is None else np.diag(w_bar)
    a_bar: Any = 0.0
    if given(v_bar):
        if np.iscomplexobj(v):
            v_bar = phased(v, v_bar)
        inner = inner + over_gaps(matmul(H(v), v_bar), w, "eigenvalue")
        if len(w) < len(v):
            a_bar = through_others(from_triangle(a, part), w, v, v_bar)
    return onto_triangle(a_bar + matmul(matmul(v, inner), H(v)), part)


def phased(v: Any, v_bar: Any) -> Any:
    """The cotangent with the share of the phases, by the row that LAPACK makes real."""
    row = real_row(v)
    if row is None:
        invariant(v, v_bar, "eigenvectors")
        return v_bar
    return aligned(v_bar, v, imag(np.sum(conj(v) * v_bar, axis=-2, keepdims=True)), row)


def through_others(a: Any, w: Any, v: Any, v_bar: Any) -> Any:
    """The share of the vectors that were not asked for."""
    every, vectors = np.linalg.eigh(a)
    k, n = len(w), len(every)
    start = min(range(n - k + 1), key=lambda s: np.sum(abs(every[s : s + k] - w)))
    others = np.r_[0:start, start + k : n]
    gaps = w - every[others, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = matmul(H(vectors[:, others]), v_bar) / np.where(gaps == 0, np.nan, gaps)
    return matmul(matmul(vectors[:, others], inner), H(v))


def pair_bars(
    a: Any, b: Any, y: tuple[Any, Any], y_bar: tuple[Any, Any], kind: int, lower: bool
) -> tuple[Any, Any]:
    """Cotangents of both matrices of ``A V = B V W`` (1), ``A B V = V W`` (2), ``B A V = V W``
    (3)."""
    (w, v), (w_bar, v_bar), part = y, y_bar, "L" if lower else "U"
    a, b = from_triangle(asarray(a), part), from_triangle(asarray(b), part)
    inner = zeros((len(w), len(w))) if w_bar is None else np.diag(w_bar)
    own: Any = 0.0
    if given(v_bar):
        if len(w) < len(v):
            raise Unsupported(
                "scipy.linalg.eigh",
                "derivative through some of the vectors of a generalised problem",
                why="it needs the others",
                instead="ask for all vectors and take some",
            )
        invariant(v, v_bar, "eigenvectors of a generalised problem")
        along = matmul(H(v), v_bar)
        inner = inner + over_gaps(along, w, "eigenvalue")
        own = np.diag(np.diag(along)) / 2
    a_bar = matmul(matmul(v, inner), H(v))
    b_bar = -matmul(matmul(v, inner * w + own), H(v))
    if kind == 3:  # A V = inv(B) V W
        inverse = np.linalg.inv(b)
        b_bar = -matmul(matmul(inverse, b_bar), inverse)
    if kind == 2:  # B A B V = B V W
        b_bar = b_bar + matmul(matmul(a_bar, b), a) + matmul(matmul(a, b), a_bar)
        a_bar = matmul(matmul(b, a_bar), b)
    return onto_triangle(a_bar, part), onto_triangle(b_bar, part)


def eigh_bars(
    a: Any, b: Any, y: Any, y_bar: Any, lower: bool, only: bool, kind: int, subset: tuple[Any, Any]
) -> tuple[Any, Any]:
    """Cotangents of both matrices in ``eigh`` and ``eigvalsh``."""
    if np.size(a) == 0:
        return np.zeros(np.shape(a)), np.zeros(np.shape(b))
    if only:
        y = linalg.eigh(
            a, b, lower=lower, type=kind, subset_by_index=subset[0], subset_by_value=subset[1]
        )
        y_bar = (y_bar, None)
    if b is None:
        return hermitian_bar(asarray(a), *y[:2], *y_bar[:2], lower), None
    return pair_bars(a, b, (y[0], y[1]), (y_bar[0], y_bar[1]), kind, lower)


REFUSED = "overwrite_a or overwrite_b or (b is not None and (np.ndim(a) > 2 or np.ndim(b) > 2))"
EIGH = "eigh_bars(a, b, y, y_bar, lower, {only}, type, (subset_by_index, subset_by_value))[{which}]"
rule(
    linalg.eigh,
    "a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, "
    "check_finite=True, subset_by_index=None, subset_by_value=None, driver=None",
    a=EIGH.format(only="eigvals_only", which=0),
    b=EIGH.format(only="eigvals_only", which=1),
    refuse=REFUSED,
    gives="parts(spectrum(a), matrices(a)); lower, check_finite, driver",
    source=GILES + "; the triangle that is read",
    examples=lambda: [
        (definite(3), Keywords(driver="evd")),  # the signs of the default driver jump
        (definite(3), Keywords(lower=False, driver="ev")),
        (hermitian(3), Keywords(driver="ev")),
        (hermitian(3), Keywords(lower=False, driver="evd")),
        (definite(2, 3), Keywords(driver="evd")),
        (definite(4), Keywords(subset_by_index=[1, 2], driver="evx")),
        (hermitian(4), Keywords(subset_by_index=[0, 1], driver="evx")),
        (definite(3), definite(3, seed=1)),
        (definite(3), definite(3, seed=1), Keywords(type=2, lower=False)),
        (definite(3), definite(3, seed=1), Keywords(type=3)),
        (definite(3), Keywords(eigvals_only=True)),
    ],
)
rule(
    linalg.eigvalsh,
    "a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, "
    "subset_by_index=None, subset_by_value=None, driver=None",
    a=EIGH.format(only=True, which=0),
    b=EIGH.format(only=True, which=1),
    refuse=REFUSED,
    gives="spectrum(a); lower, check_finite, driver",
    source=GILES + "; the triangle that is read",
    examples=lambda: [
        (definite(3),),
        (hermitian(3), Keywords(lower=False)),
        (definite(3), definite(3, seed=1), Keywords(type=2)),
        (hermitian(3), hermitian(3, seed=1)),
        (definite(4), Keywords(subset_by_index=[1, 2])),
    ],
)


# general


@stacked(2, 1, 2, 2, 1, 2, 2)
def standard_bar(
    a: Any, w: Any, left: Any, right: Any, w_bar: Any, left_bar: Any, right_bar: Any
) -> Any:
    """Cotangent of the matrix from values, left and right vectors."""
    if right is None:
        w, right = ordered(a, w)
    a_bar = general_back((w, right), (w_bar, right_bar))
    if given(left_bar):
        a_bar = a_bar + H(general_back((conj(w), left), (None, left_bar)))
    return a_bar


def ordered(a: Any, w: Any) -> tuple[Any, Any]:
    """Values and vectors in the order of the values."""
    values, v = np.linalg.eig(a)
    order = np.argmin(abs(asarray(w)[:, None] - values), axis=1)
    if len(set(order.tolist())) < len(w):
        order = np.arange(len(w))
    return values[order], v[:, order]


def parts(y: Any, left: bool, right: bool) -> tuple[Any, Any, Any]:
    """Values, left and right vectors, None for what was not asked for."""
    if not (left or right):
        return y, None, None
    return y[0], y[1] if left else None, y[-1] if right else None


def eig_bars(a: Any, b: Any, y: Any, y_bar: Any, left: bool, right: bool) -> tuple[Any, Any]:
    """Cotangents of both matrices in ``eig`` and ``eigvals``."""
    w, vl, vr = parts(y, left, right)
    w_bar, vl_bar, vr_bar = parts(y_bar, left, right)
    if b is None:
        return standard_bar(asarray(a), w, vl, vr, w_bar, vl_bar, vr_bar), None
    if given(vr_bar):
        invariant(vr, vr_bar, "eigenvectors of a generalised problem")
    if vl_bar is not None and np.any(vl_bar):
        raise Unsupported(
            "scipy.linalg.eig",
            "derivative through left vectors of a generalised problem",
            why="no rule is known",
            instead="use the right vectors of the transposed matrices",
        )
    try:
        quotient = np.linalg.solve(b, a)
    except np.linalg.LinAlgError:
        if given(vr_bar):
            raise
        return pencil_bars(asarray(a), asarray(b), w, w_bar)
    bar = standard_bar(quotient, w, None, vr, w_bar, None, vr_bar)
    a_bar = np.linalg.solve(H(asarray(b)), bar)
    return a_bar, -matmul(a_bar, H(quotient))


def pencil_bars(a: Any, b: Any, w: Any, w_bar: Any) -> tuple[Any, Any]:
    """Cotangents of both matrices by the eigenvalues of ``A V = B V W`` alone, where B may be
    singular: with left vectors U, ``dW = inv(H(U) B V) H(U) (dA V - dB V W)`` on the diagonal. An
    infinite eigenvalue has none: nan where a cotangent comes to one, or vectors are missing.
    """
    if not given(w_bar):
        return zeros(shape(a)), zeros(shape(b))
    values, u, v = linalg.eig(a, b, left=True, right=True)
    is_finite = np.isfinite(values)
    values, u, v = values[is_finite], u[:, is_finite], v[:, is_finite]
    there = np.isfinite(w)
    missing = np.full(shape(a), np.nan)
    if np.any(asarray(w_bar)[~there]) or np.sum(there) != len(values):
        return missing, missing
    order = np.argmin(abs(asarray(w)[there][:, None] - values), axis=1)
    if len(set(order.tolist())) == len(values):
        values, u, v = values[order], u[:, order], v[:, order]
    bar = asarray(w_bar)[there]
    pairing = H(matmul(H(u), matmul(b, v)))
    try:
        by_a = np.linalg.solve(pairing, bar[:, None] * H(v))
        by_b = np.linalg.solve(pairing, (conj(values) * bar)[:, None] * H(v))
    except np.linalg.LinAlgError:  # too few vectors: the values have no derivative there
        return missing, missing
    return matmul(u, by_a), -matmul(u, by_b)


PAIR = "homogeneous_eigvals or overwrite_a or overwrite_b or (b is not None and np.ndim(a) > 2)"
rule(
    linalg.eig,
    "a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True, "
    "homogeneous_eigvals=False",
    a="eig_bars(a, b, y, y_bar, left, right)[0]",
    b="eig_bars(a, b, y, y_bar, left, right)[1]",
    refuse=PAIR,
    source=GILES,
    examples=lambda: [
        (graded(3),),
        (imaginary(3, 3),),
        (real(3, 3), None, False, False),
        (imaginary(3, 3), None, True),
        (real(3, 3), definite(3, seed=1), False, False),
    ],
)
rule(
    linalg.eigvals,
    "a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False",
    a="eig_bars(a, b, y, y_bar, False, False)[0]",
    b="eig_bars(a, b, y, y_bar, False, False)[1]",
    refuse=PAIR.replace(" or overwrite_b", ""),
    source=GILES,
    examples=lambda: [(real(3, 3),), (imaginary(3, 3),), (real(3, 3), definite(3))],
)


# Schur


@stacked(2, 2, 2, 2)
def schur_bar(t: Any, z: Any, t_bar: Any, z_bar: Any) -> Any:
    """Cotangent of the matrix from a triangle and its basis: with W = H(Z) dZ below the diagonal,
    H(Z) dA Z = W T - T W + dT.
    """
    x_bar = zeros(shape(t)) if t_bar is None else np.triu(t_bar)
    turn = matmul(H(t), x_bar) - matmul(x_bar, H(t))
    if z_bar is not None:
        turn = turn + matmul(H(z), z_bar)
    if np.iscomplexobj(t):
        invariant(np.eye(len(t)) + 0j, turn, "basis of a Schur form")
    low = np.tril(turn - H(turn), -1)
    eps = np.finfo(t.dtype).eps
    is_there = np.max(abs(low), initial=0.0) > 1e2 * eps * np.max(abs(x_bar), initial=1)
    # what is but rounding has a derivative, which is left out where small gaps would blow it up
    if is_there or separated(np.diag(t), eps**0.5 * np.max(abs(t), initial=0.0)):
        x_bar = x_bar + from_lower(t, low)
    return matmul(matmul(z, x_bar), H(z))


def from_lower(t: Any, low: Any) -> Any:
    """The strictly lower S with ``S H(T) - H(T) S = low`` below the diagonal."""
    n, c = len(t), conj(t)
    factor = inverse_gaps(np.diag(c), "eigenvalue")
    s = zeros(shape(t), np.result_type(t, low))
    for apart in range(1, n):
        for j in range(n - apart):
            i = j + apart
            rest = low[i, j] - s[i, j + 1 :] @ c[j, j + 1 :] + c[:i, i] @ s[:i, j]
            s[i, j] = rest * factor[i, j]
    return s


rule(
    linalg.schur,
    "a, output='real', lwork=None, overwrite_a=False, sort=None, check_finite=True",
    a="schur_bar(triangular(y[0]), y[1], y_bar[0], y_bar[1])",
    refuse="overwrite_a",
    source="H(Z) dA Z = W T - T W + dT, W below the diagonal",
    examples=lambda: [(graded(3),)],
)


def triangular(t: Any) -> Any:
    """The form, which has to be a triangle."""
    if np.any(np.tril(t, -1)):
        raise Unsupported(
            "scipy.linalg.schur",
            "derivative of a real Schur form with complex eigenvalues",
            why="its blocks of two have no formula here",
            instead="call schur with output='complex'",
        )
    return t
