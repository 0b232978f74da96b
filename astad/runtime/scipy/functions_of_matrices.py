"""``scipy.linalg.funm``: a function of numbers applied to a matrix.

With A = V diag(w) V^-1, dY = V (S * (V^-1 dA V)) V^-1, where S has the divided differences of the
function between eigenvalues; between eigenvalues that are close, its slope half-way, so that
nothing is divided by their gap. The function is called once more, at these points, to be recorded.
Source: Daleckii and Krein 1965; Higham 2008, Functions of Matrices, theorem 3.11.

>>> import numpy as np
>>> from scipy import linalg
>>> from astad import gradient
>>> gradient(lambda a: linalg.funm(a, lambda t: t**3)[0, 1], np.eye(2))[0].round(9)
array([[0., 3.],
       [0., 0.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.structures import scatter
from astad.runtime.scipy.recorded import (
    Array,
    Point,
    announce,
    at_point,
    part_of_point,
    pull_back,
    refuse_arrived,
)
from astad.tangents.refused import Refused

__all__: list[str] = []


@full(linalg.funm, names="A func disp")
def funm(versions: Versions, A: Value, func: Value, disp: Value = True) -> tuple[Value, Record]:
    announce(versions, func)
    y = linalg.funm(A, func, disp)
    matrix = np.asarray_chkfinite(A)
    if not matrix.size:
        return y, None
    if matrix.ndim > 2:
        return y, (pull_stack, y[0] if issubclass(type(y), tuple) else y)
    values, vectors = _eigen(matrix.astype(np.result_type(matrix, np.float32), copy=True))
    close = _close(values)
    rows, columns = np.nonzero(np.triu(close, 1))
    points = np.concatenate([values, (values[rows] + values[columns]) / 2])
    at = points.astype(np.result_type(points, np.complex64))  # as SciPy asks for them
    point = at_point(versions, func, at, ())
    return y, (pull_funm, A, y, vectors, point, close)


def pull_stack(shadows: Shadows, y_bar: Value, y: Value) -> None:
    if shadows.take(y) is not None:
        raise Unsupported(
            "scipy.linalg.funm",
            "a stack of matrices",
            why="its rule is that of one matrix",
            instead="call it for each matrix of the stack",
        )


def _eigen(matrix: Array) -> tuple[Array, Array]:
    is_hermitian = np.array_equal(matrix, matrix.conj().T)
    values, vectors = (np.linalg.eigh if is_hermitian else np.linalg.eig)(matrix)
    return values, vectors


def _close(values: Array) -> Any:
    """Pairs of eigenvalues between which a difference has more error than a slope half-way."""
    gaps = np.abs(values[:, None] - values)
    return gaps <= np.cbrt(np.finfo(values.dtype).eps) * np.max(np.abs(values), initial=0.0)


def pull_funm(
    shadows: Shadows, y_bar: Value, A: Value, y: Value, vectors: Array, point: Point, close: Array
) -> dict[str, Value] | None:
    whole = y[0] if issubclass(type(y), tuple) else y
    g = shadows.take(whole)
    if issubclass(type(y), tuple):
        refuse_arrived(shadows, "scipy.linalg.funm", y[1], shadows.slot_take(y, 1))
    if g is None:
        return None
    if type(g) is Refused:
        raise g.error
    inverse = _inverse(vectors)
    inner = vectors.conj().T @ g @ inverse.conj().T
    part = inverse.conj().T @ (_slopes(point, close) * inner) @ vectors.conj().T
    rest = np.zeros(len(point.x) - len(inner))
    pull_back(shadows, point, np.concatenate([np.diagonal(inner), rest]))
    real = not np.iscomplexobj(A)
    return {"A": scatter(shadows, A, (part.real if real else part).reshape(np.shape(A)))}


def _inverse(vectors: Array) -> Any:
    limit = 1 / np.sqrt(np.finfo(vectors.dtype).eps)
    if not np.linalg.cond(vectors) < limit:
        raise Unsupported(
            "scipy.linalg.funm",
            "the derivative at a matrix without a basis of eigenvectors",
            why="there it takes higher derivatives of the function",
            instead="use expm, logm, sqrtm, cosm, ... of scipy.linalg, which have rules",
        )
    return np.linalg.inv(vectors)


def _slopes(point: Point, close: Array) -> Any:
    """The conjugates of the divided differences of the function between eigenvalues."""
    count = len(close)
    values, found = point.x[:count], np.conj(np.asarray(point.value)[:count])
    slopes = part_of_point(point, np.ones(len(point.x)))
    gaps = np.conj(values[:, None] - values)
    quotients = (found[:, None] - found) / np.where(close, 1.0, gaps)
    quotients[np.diag_indices(count)] = slopes[:count]
    rows, columns = np.nonzero(np.triu(close, 1))
    quotients[rows, columns] = quotients[columns, rows] = slopes[count:]
    return quotients
