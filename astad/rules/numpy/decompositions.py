"""Rules of svd, svdvals and qr.

Singular values are always right. Vectors of equal values have no derivative: nan, with a warning.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import conj, expand_dims, eye, imag, matmul, real, shape, sum, zeros
from numpy.linalg import solve, svd

from astad.rules.numpy import samples
from astad.rules.numpy.completed_bases import determined, undetermined
from astad.rules.numpy.products import H
from astad.rules.numpy.spectra import aligned, given, over_gaps, real_row, turned
from astad.rules.numpy.triangles import from_triangle, onto_triangle
from astad.rules.registry import Keywords, rule
from astad.rules.safe import safe_quotient

# singular values


def thin(y: Any, y_bar: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
    """u, s, v and their cotangents, of the vectors that have a singular value."""
    u, s, vh = y[0], y[1], y[2]
    u_bar, s_bar, vh_bar = y_bar[0], y_bar[1], y_bar[2]
    k = shape(s)[-1]
    v = H(vh)
    u_bar = determined(u, u_bar, k, "svd") if given(u_bar) else None
    v_bar = determined(v, H(vh_bar), k, "svd") if given(vh_bar) else None
    return u[..., :k], s, v[..., :k], u_bar, s_bar, v_bar


def diagonal_matrix(d: Any) -> Any:
    """A diagonal matrix of each row."""
    return expand_dims(d, -2) * eye(shape(d)[-1])


def phased(u: Any, v: Any, u_bar: Any, v_bar: Any) -> tuple[Any, Any]:
    """Cotangents with the share of the common phases of u and v, kept by a real row of either."""
    turn = imag(
        sum(conj(u) * u_bar, axis=-2, keepdims=True) + sum(conj(v) * v_bar, axis=-2, keepdims=True)
    )
    row = real_row(v)
    if row is not None:
        return u_bar, aligned(v_bar, v, turn, row)
    row = real_row(u)
    return (u_bar, v_bar) if row is None else (aligned(u_bar, u, turn, row), v_bar)


def vectors_back(u: Any, s: Any, v: Any, u_bar: Any, v_bar: Any) -> Any:
    """Cotangent of the matrix through the vectors; those of a value 0 without a share give none."""
    u_bar = zeros(shape(u)) if u_bar is None else u_bar
    v_bar = zeros(shape(v)) if v_bar is None else v_bar
    if np.iscomplexobj(u):
        u_bar, v_bar = phased(u, v, u_bar, v_bar)
    s_row, s_column = expand_dims(s, -2), expand_dims(s, -1)
    own = matmul(H(u), u_bar)
    left = over_gaps(own, s, "singular value", 2)
    right = over_gaps(matmul(H(v), v_bar), s, "singular value", 2)
    inner = (left + H(left)) * s_row + s_column * (right + H(right))
    if np.iscomplexobj(u):
        turns = imag(np.diagonal(own, axis1=-2, axis2=-1))
        inner = inner + 1j * diagonal_matrix(safe_quotient(turns, 1.0, s))
    a_bar = matmul(matmul(u, inner), H(v))
    if shape(u)[-2] > shape(u)[-1]:
        outside = safe_quotient(u_bar - matmul(u, own), 1.0, s_row)
        a_bar = a_bar + matmul(outside, H(v))
    if shape(v)[-2] > shape(v)[-1]:
        outside = safe_quotient(v_bar - matmul(v, matmul(H(v), v_bar)), 1.0, s_row)
        a_bar = a_bar + matmul(u, H(outside))
    return a_bar


def svd_back(y: Any, y_bar: Any, hermitian: bool = False) -> Any:
    """Cotangent of the matrix."""
    u, s, v, u_bar, s_bar, v_bar = thin(y, y_bar)
    a_bar = zeros(shape(u)[:-1] + (shape(v)[-2],))
    if s_bar is not None:
        a_bar = matmul(u * expand_dims(s_bar, -2), H(v))
    if u_bar is not None or v_bar is not None:
        a_bar = a_bar + vectors_back(u, s, v, u_bar, v_bar)
    return onto_triangle(a_bar, "L") if hermitian else a_bar


def parts(a: Any, y: Any, compute_uv: bool, hermitian: bool) -> Any:
    """The whole decomposition, also where the values alone were asked for."""
    return y if compute_uv else svd(a, False, True, hermitian)


def parts_bar(y_bar: Any, compute_uv: bool) -> Any:
    """Its cotangents."""
    return y_bar if compute_uv else (None, y_bar, None)


def svd_dot(y: Any, a: Any, a_dot: Any, compute_uv: bool, hermitian: bool) -> Any:
    """Tangents of the parts that were asked for."""
    u, s, v, _, _, _ = thin(parts(a, y, compute_uv, hermitian), (None, None, None))
    change = from_triangle(a_dot, "L") if hermitian else a_dot
    inner = matmul(matmul(H(u), change), v)
    s_dot = real(np.diagonal(inner, axis1=-2, axis2=-1))
    if not compute_uv:
        return s_dot
    s_row, s_column = expand_dims(s, -2), expand_dims(s, -1)
    of_u, of_v = inner * s_row + s_column * H(inner), s_column * inner + H(inner) * s_row
    u_dot = matmul(u, over_gaps(of_u, s, "singular value", 2))
    v_dot = matmul(v, over_gaps(of_v, s, "singular value", 2))
    if np.iscomplexobj(u):
        u_dot = u_dot + 1j * u * (
            imag(np.diagonal(inner, axis1=-2, axis2=-1))[..., None, :] / s_row
        )
    if shape(u)[-2] > shape(u)[-1]:
        u_dot = u_dot + (matmul(change, v) - matmul(u, inner)) / s_row
    if shape(v)[-2] > shape(v)[-1]:
        v_dot = v_dot + (matmul(H(change), u) - matmul(v, H(inner))) / s_row
    if np.iscomplexobj(u):
        u_dot, v_dot = turned_both(u, v, u_dot, v_dot)
    return u_dot, s_dot, H(v_dot)


def turned_both(u: Any, v: Any, u_dot: Any, v_dot: Any) -> tuple[Any, Any]:
    """Tangents of both sides with the common phase that keeps a row of either real."""
    row = real_row(v)
    if row is not None:
        after = turned(v_dot, v, row)
        phase = sum(conj(v) * (after - v_dot), axis=-2, keepdims=True)
        return u_dot + u * phase, after
    row = real_row(u)
    after = turned(u_dot, u, row)
    return after, v_dot + v * sum(conj(u) * (after - u_dot), axis=-2, keepdims=True)


rule(
    np.linalg.svd,
    "a, full_matrices=True, compute_uv=True, hermitian=False",
    a="svd_back(parts(a, y, compute_uv, hermitian), parts_bar(y_bar, compute_uv), hermitian)",
    dot="svd_dot(y, a, a_dot, compute_uv, hermitian)",
    gives="parts(U=matrices(a), S=spectrum(a), Vh=matrices(a)); full_matrices",
    source="Giles 2008, NA-08-01, singular values; vectors from d(A V) = d(U S)",
    examples=lambda: [
        (samples.real(3, 3),),
        (samples.real(4, 2), False),
        (samples.real(2, 4), False),
        (samples.real(2, 3, 3), False),
        (samples.real(4, 2), Keywords(compute_uv=False)),
        (samples.imaginary(3, 3), False),
        (samples.imaginary(3, 2), False),
        (samples.imaginary(2, 3), False),
        (samples.imaginary(4, 5), False),
        (samples.imaginary(5, 1), False),
        (samples.imaginary(2, 5), False),
        (samples.hermitian(3), False, True, True),
        (samples.imaginary(2, 2), True, False),
        (samples.definite(3), False, True, True),
    ],
)
rule(
    np.linalg.svdvals,
    "x",
    x="svd_back(svd(x, False), (None, y_bar, None))",
    dot="svd_dot(y, x, x_dot, False, False)",
    gives="spectrum(x)",
    source="Giles 2008, NA-08-01, singular values",
    examples=lambda: [
        (samples.real(3, 3),),
        (samples.real(2, 4, 2),),
        (samples.imaginary(2, 3),),
    ],
)


# qr


def rotation(w: Any) -> Any:
    """Adjoint of the anti-Hermitian part that leaves an upper triangle with a real diagonal."""
    return np.tril(w - H(w), -1) + (1j * imag(w) * eye(shape(w)[-1]) if np.iscomplexobj(w) else 0.0)


def square_back(q: Any, r: Any, q_bar: Any, r_bar: Any) -> Any:
    """Cotangent of a matrix with no more columns than rows."""
    own = matmul(H(q), q_bar)
    rest = matmul(r_bar, H(r))
    inner = rest + rotation(own - rest)
    return H(solve(r, H(q_bar - matmul(q, own) + matmul(q, inner))))


def qr_back(a: Any, y: Any, y_bar: Any, mode: str) -> Any:
    """Cotangent of the matrix."""
    if mode == "r":
        return factors_back(a, np.linalg.qr(a)[0], y, None, y_bar)
    return factors_back(a, y[0], y[1], y_bar[0], y_bar[1])


def factors_back(a: Any, q: Any, r: Any, q_bar: Any, r_bar: Any) -> Any:
    """The same from both factors; of a wide matrix the square part is factored, the rest
    multiplied."""
    n = min(shape(a)[-2:])
    q_bar = zeros(shape(q[..., :n])) if q_bar is None else determined(q, q_bar, n, "qr")
    q, r = q[..., :n], r[..., :n, :]
    r_bar = zeros(shape(r)) if r_bar is None else np.triu(r_bar[..., :n, :])
    if shape(a)[-1] <= n:
        return square_back(q, r, q_bar, r_bar)
    q_bar = q_bar + matmul(a[..., n:], H(r_bar[..., n:]))
    first = square_back(q, r[..., :n], q_bar, r_bar[..., :n])
    return np.concatenate([first, matmul(q, r_bar[..., n:])], axis=-1)


def qr_dot(a: Any, a_dot: Any, y: Any, mode: str) -> Any:
    """Tangents of the factors."""
    q, r = (np.linalg.qr(a)[0], y) if mode == "r" else (y[0], y[1])
    n = shape(q)[-1]
    if n > shape(a)[-1]:
        raise undetermined("qr")
    scaled = H(solve(H(r[..., :n]), H(a_dot[..., :n])))
    inner = matmul(H(q), scaled)
    low = np.tril(inner, -1)
    spin = low - H(low) + (1j * imag(inner) * eye(n) if np.iscomplexobj(inner) else 0.0)
    q_dot = scaled - matmul(q, inner) + matmul(q, spin)
    r_dot = np.triu(matmul(inner - spin, r[..., :n]))
    if shape(a)[-1] > n:
        beyond = matmul(H(q_dot), a[..., n:]) + matmul(H(q), a_dot[..., n:])
        r_dot = np.concatenate([r_dot, beyond], axis=-1)
    return r_dot if mode == "r" else (q_dot, r_dot)


rule(
    np.linalg.qr,
    "a, mode='reduced'",
    a="qr_back(a, y, y_bar, mode)",
    dot="qr_dot(a, a_dot, y, mode)",
    refuse="mode == 'raw'",
    gives="parts(Q=factor(a, mode), R=factor(a, mode))",
    source="H(Q) dA inv(R) = H(Q) dQ + dR inv(R): anti-Hermitian plus upper triangular",
    examples=lambda: [
        (samples.real(3, 3),),
        (samples.real(4, 2),),
        (samples.real(2, 4),),
        (samples.real(2, 4, 3),),
        (samples.real(4, 3), "r"),
        (samples.imaginary(3, 2),),
        (samples.imaginary(2, 2),),
    ],
)
