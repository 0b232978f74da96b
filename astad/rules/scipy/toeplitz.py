"""Rules of Toeplitz matrices given by a column and a row: solve_toeplitz, matmul_toeplitz.

>>> import numpy
>>> diagonal_sums(numpy.array([[1.0], [2.0]]), numpy.array([[3.0], [5.0]]))
(array([13.,  6.]), array([13.,  5.]))
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import asarray, conj, ndim, shape
from scipy import linalg

from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import rule
from astad.rules.scipy.structures import stretched

__all__ = ["diagonal_sums"]


def pair(c_or_cr: Any) -> tuple[Any, Any]:
    """First column and first row."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, conj(c_or_cr))
    return asarray(c), asarray(r)


def adjoint(c_or_cr: Any) -> tuple[Any, Any]:
    """Those of the conjugate transpose."""
    c, r = pair(c_or_cr)
    return conj(np.concatenate([c[..., :1], r[..., 1:]], axis=-1)), conj(c)


def diagonal_sums(g: Any, x: Any) -> tuple[Any, Any]:
    """Sums along the lower and the upper diagonals of ``g H(x)``, of columns."""
    rows, columns = len(g), len(x)
    total: Any = 0.0
    for k in range(shape(x)[1]):
        total = total + np.correlate(g[:, k], x[:, k], "full")
    if not shape(x)[1]:
        total = np.zeros(rows + columns - 1)
    return total[columns - 1 :], total[columns - 1 :: -1]


def column_and_row(c_or_cr: Any, g: Any, x: Any, rank: int) -> Any:
    """Cotangent of what gives the matrix, from columns g and x with ``g H(x)`` that of all."""
    g, x = (g[:, None], x[:, None]) if rank == 1 else (g, x)
    c_bar, r_bar = diagonal_sums(g, x)
    r_bar = np.concatenate([[0.0], r_bar[1:]])
    return (c_bar, r_bar) if isinstance(c_or_cr, tuple) else c_bar + conj(r_bar)


VECTOR = "vector({b}, c=c_or_cr); {others}"  # of two vectors no array is made
STACKS = "ndim({b}) > 2 or max(map(ndim, pair(c_or_cr))) > 1"
rule(
    linalg.solve_toeplitz,
    "c_or_cr, b, check_finite=True",
    c_or_cr="column_and_row(c_or_cr, -linalg.solve_toeplitz(adjoint(c_or_cr), y_bar), y, ndim(b))",
    b="linalg.solve_toeplitz(adjoint(c_or_cr), y_bar)",
    refuse=STACKS.format(b="b"),
    gives=VECTOR.format(b="b", others="check_finite"),
    source="Giles 2008, NA-08-01, inverse; sums along the diagonals",
    examples=lambda: [(np.array([3.0, 0.5, -1.0]), real(3)), (imaginary(3), real(3, 2))],
)
rule(
    linalg.matmul_toeplitz,
    "c_or_cr, x, check_finite=False, workers=None",
    c_or_cr="column_and_row(c_or_cr, y_bar, asarray(x), ndim(x))",
    x="linalg.matmul_toeplitz(adjoint(c_or_cr), y_bar)",
    refuse=STACKS.format(b="x"),
    gives=VECTOR.format(b="x", others="check_finite, workers"),
    source="linear in both; sums along the diagonals",
    examples=lambda: [(real(3), real(3)), (imaginary(3), real(3, 2))],
)
