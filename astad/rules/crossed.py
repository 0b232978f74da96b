"""The cross product of two vectors in space, by their numbers: `np.cross` is made for stacks.

>>> crossed(np.array([1.0, 0.0, 0.0]), np.array([0.0, 2.0, 0.0]))
array([0., 0., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["crossed"]

Vector = np.ndarray[Any, Any]


def crossed(a: Vector, b: Vector) -> Vector:
    """``np.cross(a, b)`` of two vectors of three floats."""
    (a_1, a_2, a_3), (b_1, b_2, b_3) = a.tolist(), b.tolist()
    return np.array((a_2 * b_3 - a_3 * b_2, a_3 * b_1 - a_1 * b_3, a_1 * b_2 - a_2 * b_1))
