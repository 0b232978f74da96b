"""Hermitian matrices of which NumPy reads one triangle.

>>> import numpy
>>> from_triangle(numpy.array([[2.0, 9.0], [1.0, 3.0]]), "L")
array([[2., 1.],
       [1., 3.]])
>>> onto_triangle(numpy.array([[1.0, 1.0], [1.0, 1.0]]), "L")
array([[1., 0.],
       [2., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import eye, shape

from astad.rules.numpy.products import H

__all__ = ["from_triangle", "onto_triangle"]


def onto_triangle(g: Any, part: str) -> Any:
    """Cotangent of the triangle that is read, from that of the whole Hermitian matrix."""
    both = g + H(g)
    half = np.tril(both, -1) if part == "L" else np.triu(both, 1)
    return half + np.real(both) * (0.5 * eye(shape(g)[-1]))


def from_triangle(a: Any, part: str) -> Any:
    """The Hermitian matrix of which one triangle is given."""
    half = np.tril(a, -1) if part == "L" else np.triu(a, 1)
    return half + H(half) + np.real(a) * eye(shape(a)[-1])
