"""Where the entries of SciPy's sparse formats stand: rows and columns, one per stored number.

The cotangent of a sparse array lives on its pattern: an entry that is not stored has none.

>>> import numpy
>>> rows_of(numpy.array([0, 2, 3])).tolist()
[0, 0, 1]
>>> diagonal_entries(2, 3, 3, numpy.array([1]))
(array([0, 1]), array([1, 2]), array([1, 2]))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import conj

__all__ = ["diagonal_entries", "found_at", "per_key", "product_bars", "rows_of"]

Entries = tuple[Any, Any, Any]
"""Row, column, and place in the data, of each entry."""


def rows_of(indptr: Any) -> Any:
    """The row of each entry of a compressed array."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def csr_entries(indptr: Any, indices: Any) -> Entries:
    """The entries of an array compressed by rows."""
    count = int(indptr[-1])
    return rows_of(indptr), indices[:count], slice(count)


def csc_entries(indptr: Any, indices: Any) -> Entries:
    """The entries of an array compressed by columns."""
    count = int(indptr[-1])
    return indices[:count], rows_of(indptr), slice(count)


def diagonal_entries(rows: int, columns: int, length: int, offsets: Any) -> Entries:
    """The entries of an array stored by diagonals of this length."""
    parts = [
        np.arange(max(0, k), max(0, k, min(columns, rows + k, length))) for k in offsets.tolist()
    ]
    column = np.concatenate([np.zeros(0, int), *parts])
    sizes = [len(part) for part in parts]
    row = column - np.repeat(offsets, sizes)
    return row, column, np.repeat(np.arange(len(parts)), sizes) * length + column


def product_bars(at: Entries, data: Any, x: Any, g: Any) -> tuple[Any, Any]:
    """Cotangents of data and of `x`, columns, in the product of the array with them."""
    row, column, place = at
    values = np.ravel(data)[place]
    data_bar = np.zeros(np.size(data), np.result_type(g, x))
    data_bar[place] = np.sum(g[row] * conj(x[column]), axis=1)
    x_bar = np.zeros(x.shape, np.result_type(g, data))
    np.add.at(x_bar, column, conj(values)[:, None] * g[row])
    return data_bar.reshape(np.shape(data)), x_bar


def per_key(keys: Any, values: Any, wanted: Any) -> Any:
    """For each of the wanted keys the sum of the values that have it.

    >>> per_key(np.array([7, 3, 7]), np.array([1.0, 2.0, 4.0]), np.array([7, 5, 3]))
    array([5., 0., 2.])
    """
    every, place = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(every) + 1, np.result_type(values, 0.0))
    np.add.at(sums, place, values)
    return sums[found_at(every, wanted)]


def found_at(every: Any, wanted: Any) -> Any:
    """Places of the wanted keys among sorted ones, ``len(every)`` for one that is not there."""
    at = np.searchsorted(every, wanted)
    if not len(every):
        return np.zeros(np.shape(wanted), int)
    inside = np.minimum(at, len(every) - 1)
    return np.where(every[inside] == wanted, inside, len(every))
