"""Vectors that complete a basis: only what no choice among them changes has a derivative.

A decomposition gives orthonormal columns q1 that the matrix determines, and completes them by any
basis q2 of the rest. A result of q2 whose cotangent g has ``H(q2) g`` Hermitian (the projector
``q2 H(q2)``, or a single column) does not see a turn of the basis, and has a derivative through
q1: from ``H(q1) d q2 = -H(d q1) q2``.

>>> import numpy
>>> q, g = numpy.eye(3), numpy.zeros((3, 3))
>>> g[0, 2] = 1.0
>>> determined(q, g, 2, "qr")
array([[ 0.,  0.],
       [ 0.,  0.],
       [-1.,  0.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import matmul

from astad.errors import Unsupported
from astad.rules.numpy.products import H

__all__ = ["determined", "undetermined"]


def determined(q: Any, q_bar: Any, k: int, what: str) -> Any:
    """Cotangent of the first `k` columns of `q`, that of the others turned into theirs.

    Raises
    ------
    Unsupported : if the result depends on the choice of the other columns.
    """
    first_bar, rest_bar = q_bar[..., :k], q_bar[..., k:]
    if not np.size(rest_bar):
        return first_bar
    first, rest = q[..., :k], q[..., k:]
    inner = matmul(H(rest), rest_bar)
    rounding = 1e3 * np.finfo(inner.dtype).eps * np.max(abs(rest_bar))
    if np.max(abs(inner - H(inner))) > rounding:
        raise undetermined(what)
    return first_bar - matmul(rest, matmul(H(rest_bar), first))


def undetermined(what: str) -> Unsupported:
    """The error where a result depends on the choice."""
    return Unsupported(
        what,
        "derivative through the vectors that complete the basis",
        why="any basis of the rest would do, and the result depends on which",
        instead="leave them out (full_matrices=False, mode='economic' or 'reduced')",
    )
