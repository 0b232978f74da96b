"""What part of a matrix SciPy reads, where it is told a structure; batches of matrices, one by one.

>>> import numpy
>>> meant(numpy.array([[2.0, 1.0], [9.0, 3.0]]), "sym", False)
array([[2., 1.],
       [1., 3.]])
>>> onto(numpy.ones((2, 2)), "lower triangular", False)
array([[1., 0.],
       [1., 1.]])
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import imag, ndim, shape, swapaxes

from astad.rules.numpy.products import H
from astad.rules.numpy.triangles import from_triangle, onto_triangle
from astad.tangents.arrays import sum_to_shape

__all__ = ["diagonals", "meant", "onto", "stacked", "stretched"]

SYMMETRIC = {"sym", "symmetric"}
HERMITIAN = {"pos", "positive definite", "her", "hermitian"}
BANDS = {
    "diagonal": (0, 0),
    "tridiagonal": (-1, 1),
    "upper triangular": (0, None),
    "lower triangular": (None, 0),
}


def meant(a: Any, kind: Any, lower: bool) -> Any:
    """The matrix that is meant by the part of `a` that is read."""
    a = np.asarray(a)
    if kind in HERMITIAN:
        return from_triangle(a, "L" if lower else "U")
    if kind in SYMMETRIC:
        half = np.tril(a) if lower else np.triu(a)
        return half + swapaxes(np.tril(a, -1) if lower else np.triu(a, 1), -1, -2)
    return diagonals(a, *BANDS[kind]) if kind in BANDS else a


def onto(g: Any, kind: Any, lower: bool) -> Any:
    """Cotangent of the part that is read, from that of the matrix meant."""
    if kind in HERMITIAN:
        return onto_triangle(g, "L" if lower else "U")
    if kind in SYMMETRIC:
        other = swapaxes(g, -1, -2)
        return np.tril(g) + np.tril(other, -1) if lower else np.triu(g) + np.triu(other, 1)
    return diagonals(g, *BANDS[kind]) if kind in BANDS else g


def diagonals(a: Any, first: int | None, last: int | None) -> Any:
    """The matrix with 0 outside these diagonals; None: no limit."""
    a = a if first is None else np.triu(a, first)
    return a if last is None else np.tril(a, last)


def stacked(*ranks: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function of matrices take stacks of them: its first arguments have these ranks.

    What it returns, an array or a tuple of arrays, is stacked as well; None stays None.
    """

    def over(f: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(f)
        def each(*args: Any) -> Any:
            arrays = args[: len(ranks)]
            if all(ndim(a) <= r for a, r in zip(arrays, ranks, strict=True)):
                return f(*args)
            return _one_by_one(f, arrays, ranks, args[len(ranks) :])

        return each

    return over


def _one_by_one(
    f: Callable[..., Any], arrays: tuple[Any, ...], ranks: tuple[int, ...], rest: tuple[Any, ...]
) -> Any:
    batch = np.broadcast_shapes(
        *[shape(a)[: ndim(a) - r] for a, r in zip(arrays, ranks, strict=True) if a is not None]
    )
    whole = [
        a if a is None else np.broadcast_to(a, batch + shape(a)[ndim(a) - r :])
        for a, r in zip(arrays, ranks, strict=True)
    ]
    found = [
        f(*[a if a is None else a[index] for a in whole], *rest) for index in np.ndindex(batch)
    ]
    if isinstance(found[0], tuple):
        return tuple([_joined(parts, batch) for parts in zip(*found, strict=True)])
    return _joined(found, batch)


def _joined(parts: Any, batch: tuple[int, ...]) -> Any:
    if parts[0] is None:
        return None
    return np.reshape(np.stack(parts), batch + shape(parts[0]))


def stretched(g: Any, a: Any) -> Any:
    """The cotangent of `a`, which was repeated along the axes of a stack."""
    return None if g is None else sum_to_shape(g, shape(a))


def phases(v: Any, v_bar: Any) -> Any:
    """How much a result would change with the phase of each column of `v`.

    >>> phases(np.eye(1), np.array([[2j]]))
    array([2.])
    """
    return imag(np.einsum("...ij,...ij->...j", np.conj(v), v_bar))


def conjugate_transpose(a: Any) -> Any:
    return H(np.asarray(a))
