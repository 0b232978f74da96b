"""The cross product of two vectors in space, by their numbers: `np.cross` is made for stacks.

>>> crossed(np.array([1.0, 0.0, 0.0]), np.array([0.0, 2.0, 0.0]))
array([0., 0., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cross_in_space", "crossed"]

Vector = np.ndarray[Any, Any]
LEAST = 2.3e-308
"""A product below it, other than 0, has lost digits."""


def crossed(a: Vector, b: Vector) -> Vector:
    """``np.cross(a, b)`` of two vectors of three floats, without warnings."""
    (a_1, a_2, a_3), (b_1, b_2, b_3) = a.tolist(), b.tolist()
    return np.array((a_2 * b_3 - a_3 * b_2, a_3 * b_1 - a_1 * b_3, a_1 * b_2 - a_2 * b_1))


def cross_in_space(a: Vector, b: Vector) -> Vector:
    """``np.cross(a, b)`` of two vectors of three floats, to the bit, a tenth of its time.

    Where NumPy may warn of the numbers, it does: then the function itself is called.
    """
    (a_1, a_2, a_3), (b_1, b_2, b_3) = a.tolist(), b.tolist()
    p, q, r = a_2 * b_3, a_3 * b_1, a_1 * b_2
    s, t, u = a_3 * b_2, a_1 * b_3, a_2 * b_1
    x, y, z = p - s, q - t, r - u
    if not (x + y + z) - (x + y + z) == 0.0:
        return np.cross(a, b)
    least = min(abs(p), abs(q), abs(r), abs(s), abs(t), abs(u))
    if least < LEAST and np.geterr()["under"] != "ignore":
        return np.cross(a, b)
    return np.array((x, y, z))
