"""Rules of powers of matrices, of chains of products, and of tensors taken as matrices.

>>> import numpy
>>> power_change(2 * numpy.eye(1), 3, numpy.eye(1))       # d a**3 = 3 a**2 da
array([[12.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import conj, expand_dims, matmul, ndim, reshape, shape, zeros
from numpy.linalg import matrix_power, solve

from astad.rules.numpy.products import H
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import rule

# powers and chains


def power_change(a: Any, n: int, change: Any) -> Any:
    """``sum(a**k @ change @ a**(n - 1 - k))``, also for n < 0, by a power of a block matrix."""
    nothing = zeros(shape(a))
    top = np.concatenate([a, change], axis=-1)
    low = np.concatenate([nothing, a], axis=-1)
    size = shape(a)[-1]
    return matrix_power(np.concatenate([top, low], axis=-2), n)[..., :size, size:]


rule(
    np.linalg.matrix_power,
    "a, n",
    a="power_change(H(a), n, y_bar)",
    dot="power_change(a, n, a_dot)",
    gives="power(a, n)",
    view="a",
    source="Higham 2008, Functions of Matrices, theorem 3.6",
    examples=lambda: [
        (real(3, 3), 3),
        (real(2, 2, 2), 2),
        (real(2, 2), -2),
        (real(2, 2), 0),
        (real(2, 2), 1),
        (imaginary(2, 2), 3),
    ],
)


def chain(arrays: Any) -> list[Any]:
    """The factors as matrices: a first vector is a row, a last one a column."""
    factors = list(arrays)
    if ndim(factors[0]) == 1:
        factors[0] = expand_dims(factors[0], 0)
    if ndim(factors[-1]) == 1:
        factors[-1] = expand_dims(factors[-1], -1)
    return factors


def are_matrices(arrays: Any) -> bool:
    """Or vectors at the ends: two factors may be anything that ``dot`` takes."""
    return all(ndim(each) == 2 or (ndim(each) == 1 and len(arrays) > 1) for each in arrays)


def multi_dot_back(y_bar: Any, arrays: Any) -> list[Any]:
    """Cotangent of each factor: what stands before, the result's, what stands after."""
    factors = chain(arrays)
    last = len(factors) - 1
    g = reshape(y_bar, (shape(factors[0])[0], shape(factors[last])[1]))
    after = [g]  # cotangent times the factors after each one, from the end
    for k in range(last, 0, -1):
        after.append(matmul(after[-1], H(factors[k])))
    bars = [after[last]]
    left = H(factors[0])
    for k in range(1, last + 1):
        bars.append(matmul(left, after[last - k]))
        left = matmul(H(factors[k]), left)
    return [reshape(bars[k], shape(arrays[k])) for k in range(last + 1)]


def multi_dot_dot(arrays: Any, arrays_dot: Any) -> Any:
    """Tangent: one factor at a time replaced by its own."""
    total: Any = 0.0
    for k in range(len(arrays)):
        total = total + np.linalg.multi_dot([*arrays[:k], arrays_dot[k], *arrays[k + 1 :]])
    return total


rule(
    np.linalg.multi_dot,
    "arrays, *, out=None",
    arrays="multi_dot_back(y_bar, arrays)",
    dot="multi_dot_dot(arrays, arrays_dot)",
    refuse="out is not None or not are_matrices(arrays)",
    source="product rule",
    examples=lambda: [
        ([real(2, 3), real(3, 4), real(4, 2)],),
        ([real(3), real(3, 4), real(4)],),
        ([imaginary(2, 3), real(3, 2)],),
    ],
)


# tensors as matrices


def tensorinv_back(y_bar: Any, y: Any, of: tuple[int, ...], ind: int) -> Any:
    """Cotangent of a tensor of shape `of` in its inverse."""
    inside = int(np.prod(of[ind:]))
    p = reshape(y, (inside, -1))
    return reshape(-matmul(matmul(H(p), reshape(y_bar, shape(p))), H(p)), of)


rule(
    np.linalg.tensorinv,
    "a, ind=2",
    a="tensorinv_back(y_bar, y, shape(a), ind)",
    dot="-np.tensordot(np.tensordot(y, a_dot, ind), y, ndim(y) - ind)",
    source="Giles 2008, NA-08-01, inverse",
    examples=lambda: [(real(2, 3, 3, 2),), (real(6, 2, 3), 1)],
)


def moved(a: Any, axes: Any) -> Any:
    """`a` with the `axes` at the end, as ``tensorsolve`` wants them."""
    if axes is None:
        return a
    return np.transpose(a, [k for k in range(ndim(a)) if k not in axes] + list(axes))


def tensorsolve_back(y_bar: Any, y: Any, a: Any, b: tuple[int, ...], axes: Any) -> tuple[Any, Any]:
    """Cotangents of tensor and right side."""
    whole = moved(a, axes)
    size = int(np.prod(b))
    b_bar = solve(H(reshape(whole, (size, size))), reshape(y_bar, -1))
    a_bar = reshape(-np.outer(b_bar, conj(reshape(y, -1))), shape(whole))
    if axes is not None:
        a_bar = np.transpose(
            a_bar, np.argsort([k for k in range(ndim(a)) if k not in axes] + list(axes))
        )
    return a_bar, reshape(b_bar, b)


rule(
    np.linalg.tensorsolve,
    "a, b, axes=None",
    a="tensorsolve_back(y_bar, y, a, shape(b), axes)[0]",
    b="tensorsolve_back(y_bar, y, a, shape(b), axes)[1]",
    dot="np.linalg.tensorsolve(a, b_dot - np.tensordot(moved(a_dot, axes), y, ndim(y)), axes)",
    source="dA y + A dy = db",
    examples=lambda: [
        (real(2, 3, 6), real(2, 3)),
        (real(2, 6, 3), real(2, 3), (1,)),
        (imaginary(2, 2), imaginary(2)),
    ],
)
