"""What stands beside the product with a slope that is 0 at a kink, in texts that are differentiated
again: zeros, whose own derivative is refused where it is not known.

The slope of ``abs`` is 0 at 0. Where the cotangent that arrives there is 0 as well, the function
may be smooth, as ``abs(x)**2``, and what is taken for the slope tells nothing of the second
derivative. Where it is not, there is a kink, and the product stays 0.

>>> at_kink(np.zeros(2), np.array([0.0, 3.0]), np.array([True, False]))
array([0., 0.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.tangents.refused import Refused

__all__ = [
    "along_kink",
    "at_kink",
    "bar_at_kink",
    "bar_along_kink",
    "dot_along_kink",
    "dot_at_kink",
    "lost_at_kink",
]


def at_kink(g: Any, x: Any, at: Any) -> Any:
    """Zeros beside the product of a cotangent `g` and the slope at `x`, a kink where `at` holds."""
    if type(g) is Refused:
        return g
    return np.zeros_like(x) if isinstance(x, np.ndarray) else type(x)(0)


def along_kink(u: Any, x: Any, at: Any) -> Any:
    """Zeros beside the product of the slope and a tangent `u`."""
    return at_kink(u, x, at)


def bar_at_kink(y_bar: Any, g: Any, at: Any) -> Any:
    """Cotangent of `g`, of which nobody asks where it is a constant."""
    if np.any(at & np.equal(g, 0) & np.not_equal(y_bar, 0)):
        return lost_at_kink()
    return np.zeros_like(g) if isinstance(g, np.ndarray) else 0.0


def dot_at_kink(x_dot: Any, g: Any, x: Any, at: Any, g_moves: bool) -> Any:
    """Tangent of what `at_kink` gives."""
    if g_moves and np.any(at & np.equal(g, 0) & np.not_equal(x_dot, 0)):
        lost_at_kink().ask()
    return at_kink(g, x, at)


def bar_along_kink(y_bar: Any, u: Any, x: Any, at: Any) -> Any:
    """Cotangent of `x`: what leads on from the tangent may be smooth where `y_bar` is 0."""
    if np.any(at & np.equal(y_bar, 0) & np.not_equal(u, 0)):
        return lost_at_kink()
    return at_kink(u, x, at)


def dot_along_kink(x_dot: Any, u: Any, x: Any, at: Any) -> Any:
    """Tangent of what `along_kink` gives: nothing tells how the tangent is used."""
    if np.any(at & np.not_equal(u, 0) & np.not_equal(x_dot, 0)):
        lost_at_kink().ask()
    return at_kink(u, x, at)


def lost_at_kink() -> Refused:
    """A derivative that is not known."""
    error = Unsupported(
        "a derivative of a derivative", "where an absolute value or a norm is 0",
        why="its slope is taken for 0 at this point, which says nothing of how it changes",
        instead="write its square as x * x, of a complex number as z.real**2 + z.imag**2 and of a "
        "norm as a sum of these, or take the derivative beside that point",
    )  # fmt: skip
    return Refused(error)
