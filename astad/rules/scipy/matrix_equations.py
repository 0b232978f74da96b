"""Rules of matrix equations: Sylvester, Lyapunov, Riccati; each by the adjoint of its linear part.

>>> import numpy
>>> a = numpy.array([[2.0, 1.0], [0.0, 3.0]])
>>> g = lyapunov_adjoint(numpy.eye(2), a)
>>> bool(numpy.allclose(a.T @ g + g @ a, numpy.eye(2)))
True
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import asarray, matmul, ndim, shape
from scipy import linalg
from scipy.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov, solve_sylvester

from astad.rules.numpy.products import H
from astad.rules.numpy.samples import definite, hermitian, imaginary, real
from astad.rules.registry import Keywords, rule
from astad.rules.scipy.structures import stretched

__all__ = ["lyapunov_adjoint"]

# Sylvester


def is_uneven(q: Any, a: Any, b: Any) -> bool:
    """Are there matrices that do not fit together? SciPy stretches numbers, or returns at once."""
    if all(ndim(each) == 0 for each in (q, a, b)):
        return False
    if any(ndim(each) < 2 for each in (q, a, b)):
        return True
    (k, n), (m, j) = shape(a)[-2:], shape(b)[-2:]
    return bool(k != n or m != j or shape(q)[-2:] != (n, m))


def sylvester_adjoint(y_bar: Any, a: Any, b: Any) -> Any:
    """The z with ``H(a) z + z H(b) = y_bar``."""
    return solve_sylvester(H(asarray(a)), H(asarray(b)), y_bar)


rule(
    linalg.solve_sylvester,
    "a, b, q",
    a="stretched(-matmul(sylvester_adjoint(y_bar, a, b), H(y)), a)",
    b="stretched(-matmul(H(y), sylvester_adjoint(y_bar, a, b)), b)",
    q="stretched(sylvester_adjoint(y_bar, a, b), q)",
    dot="solve_sylvester(a, b, q_dot - matmul(a_dot, y) - matmul(y, b_dot))",
    refuse="is_uneven(q, a, b)",
    gives="one_matrix(q, a, b)",
    source="A dY + dY B = dQ - dA Y - Y dB",
    examples=lambda: [
        (definite(3), definite(2), real(3, 2)),
        (imaginary(3, 3) + 5 * np.eye(3), definite(2), real(3, 2)),
        (definite(2, 2), definite(2), real(2, 2)),
    ],
)


# Lyapunov


def lyapunov_adjoint(y_bar: Any, a: Any) -> Any:
    """The z with ``H(a) z + z a = y_bar``."""
    return solve_continuous_lyapunov(H(np.atleast_2d(a)), y_bar)


def both(z: Any, y: Any) -> Any:
    """Cotangent of a matrix that stands left, and conjugate transposed right, of `y`."""
    return matmul(z, H(y)) + matmul(H(z), y)


def lyapunov_dot(y: Any, a: Any, a_dot: Any, q_dot: Any) -> Any:
    """Tangent of the solution."""
    a_dot = np.atleast_2d(a_dot)  # SciPy takes a number for a matrix of one
    return solve_continuous_lyapunov(a, q_dot - matmul(a_dot, y) - matmul(y, H(a_dot)))


rule(
    linalg.solve_continuous_lyapunov,
    "a, q",
    a="stretched(-both(lyapunov_adjoint(y_bar, a), y), a)",
    q="stretched(lyapunov_adjoint(y_bar, a), q)",
    dot="lyapunov_dot(y, a, a_dot, q_dot)",
    refuse="is_uneven(q, a, a)",
    gives="one_matrix(q, a)",
    source="A dY + dY A* = dQ - dA Y - Y dA*",
    examples=lambda: [
        (definite(3) + real(3, 3) / 3, real(3, 3)),
        (imaginary(2, 2) + 4 * np.eye(2), imaginary(2, 2)),
        (1.5, 0.5),
        (definite(2, 2), real(2, 2)),
    ],
)


def discrete_adjoint(y_bar: Any, a: Any) -> Any:
    """The z with ``z = H(a) z a + y_bar``."""
    return solve_discrete_lyapunov(H(asarray(a)), y_bar)


def discrete_both(z: Any, a: Any, y: Any) -> Any:
    """Cotangent of `a` in ``a y H(a)``."""
    return matmul(matmul(z, a), H(y)) + matmul(matmul(H(z), a), y)


def discrete_dot(y: Any, a: Any, a_dot: Any, q_dot: Any) -> Any:
    """Tangent of the solution."""
    change = matmul(matmul(a_dot, y), H(a)) + matmul(matmul(a, y), H(a_dot))
    return solve_discrete_lyapunov(a, q_dot + change)


rule(
    linalg.solve_discrete_lyapunov,
    "a, q, method=None",
    a="stretched(discrete_both(discrete_adjoint(y_bar, a), asarray(a), y), a)",
    q="stretched(discrete_adjoint(y_bar, a), q)",
    dot="discrete_dot(y, a, a_dot, q_dot)",
    refuse="is_uneven(q, a, a)",
    gives="one_matrix(q, a); method",
    source="dY = A dY A* + dQ + dA Y A* + A Y dA*",
    examples=lambda: [
        (real(3, 3) / 5, real(3, 3)),
        (imaginary(2, 2) / 5, imaginary(2, 2), "bilinear"),
        (real(2, 2, 2) / 5, real(2, 2)),
    ],
)


# Riccati: the solution is Hermitian, and so are q and r


def hermitian_part(g: Any) -> Any:
    """What a Hermitian change sees of a cotangent."""
    return (g + H(g)) / 2


def continuous_bars(y_bar: Any, y: Any, a: Any, b: Any, r: Any) -> tuple[Any, Any, Any, Any]:
    """Cotangents of a, b, q and r."""
    a, b, r = asarray(a), asarray(b), asarray(r)
    k = linalg.solve(r, matmul(H(b), y))
    f = a - matmul(b, k)
    z = solve_continuous_lyapunov(f, -hermitian_part(y_bar))
    yz = matmul(y, z)
    return 2 * yz, -2 * matmul(yz, H(k)), z, matmul(matmul(k, z), H(k))


def discrete_bars(y_bar: Any, y: Any, a: Any, b: Any, r: Any) -> tuple[Any, Any, Any, Any]:
    """Cotangents of a, b, q and r."""
    a, b, r = asarray(a), asarray(b), asarray(r)
    k = linalg.solve(r + matmul(matmul(H(b), y), b), matmul(matmul(H(b), y), a))
    f = a - matmul(b, k)
    z = solve_discrete_lyapunov(f, hermitian_part(y_bar))
    yfz = matmul(matmul(y, f), z)
    return 2 * yfz, -2 * matmul(yfz, H(k)), z, matmul(matmul(k, z), H(k))


for _fn, _bars in (
    (linalg.solve_continuous_are, "continuous_bars"),
    (linalg.solve_discrete_are, "discrete_bars"),
):
    rule(
        _fn,
        "a, b, q, r, e=None, s=None, balanced=True",
        a=f"{_bars}(y_bar, y, a, b, r)[0]",
        b=f"{_bars}(y_bar, y, a, b, r)[1]",
        q=f"{_bars}(y_bar, y, a, b, r)[2]",
        r=f"{_bars}(y_bar, y, a, b, r)[3]",
        refuse="e is not None or s is not None or np.ndim(a) > 2",
        source="Kao and Hennequin 2020, arXiv:2011.11430; q and r Hermitian",
        examples=lambda: [
            (real(3, 3), real(3, 2), definite(3), definite(2)),
            (imaginary(2, 2), real(2, 2), hermitian(2), definite(2)),
            (real(3, 3)[::-1] / 2, imaginary(3, 1), definite(3), definite(1)),
        ],
    )
