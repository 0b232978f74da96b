"""The compiled loops of scipy.sparse: products, sums, copies, conversions between formats.

All else of scipy.sparse is Python, and is differentiated from its source. Each loop fills arrays
that it is given. What it adds to an array leaves the cotangent of that where it is; what it writes
over takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import conj
from scipy.sparse import _sparsetools, csr_array

from astad.rules.scipy.sparse_entries import (
    csc_entries,
    csr_entries,
    diagonal_entries,
    found_at,
    per_key,
    product_bars,
    rows_of,
)
from astad.runtime.core.full_rules import Cotangents, Record, Value, full
from astad.runtime.core.listings import restore
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.refused import Refused

__all__ = ["give", "placed"]

Back = Callable[..., dict[int, Any]]
"""Of the cotangent of the result and the arguments: the place of an argument to its cotangent."""


def loop(
    name: str, out: int, ints: Sequence[int] = (), adds: bool = False
) -> Callable[[Back], Back]:
    """Declare how to go back through a loop of this name, where SciPy has it.

    Parameters
    ----------
    name : str
    out : int
        The place of the array of numbers that is filled, -1 for none.
    ints : sequence of int
        Places of the arrays of whole numbers that are filled.
    adds : bool
        Are the numbers added to what is there?
    """
    compiled = getattr(_sparsetools, name, None)

    def declare(back: Back) -> Back:
        if compiled is None:
            return back

        @full(compiled)
        def forward(versions: Versions, *args: Value) -> tuple[Value, Record]:
            written = {out % len(args), *ints} if out != NOTHING else set(ints)
            before = [None if k in written else kept(versions, a) for k, a in enumerate(args)]
            if name in IN_PLACE:
                before = [kept(versions, a) for a in args]
            for k in written:
                versions.writing(args[k])
            y = compiled(*args)
            if out == NOTHING or args[out].dtype.kind not in NUMBERS:
                return y, None
            if name not in IN_PLACE:
                before = [
                    kept(versions, a) if k in ints else b
                    for k, (a, b) in enumerate(zip(args, before, strict=True))
                ]
            return y, (pull_loop, back, args, before, out, adds)

        return back

    return declare


NOTHING = 99
NUMBERS = "fciu"
"""Whole numbers too: SciPy takes the common type of both operands, and rounds none."""
IN_PLACE = {"csr_sort_indices", "csr_sum_duplicates"}


def kept(versions: Versions, a: Value) -> Value:
    return versions.keep(a) if issubclass(type(a), np.ndarray) else a


def pull_loop(
    shadows: Shadows, y_bar: Value, back: Back, args: Value, before: Value, out: int, adds: bool
) -> Cotangents:
    filled = args[out]
    if not shadows.has(filled):
        return None
    g: Value = shadows.refused_of(filled)
    if g is None:
        g = shadows.of(filled) if adds else shadows.take_slot(filled, ...)
    if g is None:
        return None
    if type(g) is Refused:
        kinds = "fc" if filled.dtype.kind in "fc" else NUMBERS  # indices are whole numbers as well
        for k, a in enumerate(args):
            if k != out % len(args) and issubclass(type(a), np.ndarray) and a.dtype.kind in kinds:
                shadows.add_array(a, g)
        return None
    for k, bar in back(g, *map(restore, before)).items():
        give(shadows, args[k], bar)
    return None


def give(shadows: Shadows, a: Value, bar: Value) -> None:
    """Add to the cotangent of an array of numbers."""
    if a.dtype.kind in NUMBERS:
        bar = bar.real if a.dtype.kind != "c" and np.iscomplexobj(bar) else bar
        shadows.add_array(a, bar.reshape(a.shape))


# products with dense arrays


def in_columns(a: Any, count: int) -> Any:
    return a.reshape(-1, count)


def compressed(entries: Any, vectors: bool) -> Back:
    """Of ``csr_matvec(M, N, indptr, indices, data, x, y)`` and the like."""

    def back(g: Any, *args: Any) -> dict[int, Any]:
        count, at = (args[2], 3) if vectors else (1, 2)
        indptr, indices, data, x = args[at : at + 4]
        data_bar, x_bar = product_bars(
            entries(indptr, indices), data, in_columns(x, count), in_columns(g, count)
        )
        return {at + 2: data_bar, at + 3: x_bar}

    return back


for _format, _entries in (("csr", csr_entries), ("csc", csc_entries)):
    loop(f"{_format}_matvec", -1, adds=True)(compressed(_entries, False))
    loop(f"{_format}_matvecs", -1, adds=True)(compressed(_entries, True))


@loop("coo_matvec", -1, adds=True)
def coo_vector(g: Any, nnz: int, row: Any, col: Any, data: Any, x: Any, out: Any) -> Any:
    data_bar, x_bar = product_bars((row, col, slice(nnz)), data, in_columns(x, 1), in_columns(g, 1))
    return {3: data_bar, 4: x_bar}


@loop("coo_matmat_dense", -1, adds=True)
def coo_columns(
    g: Any, nnz: int, count: int, row: Any, col: Any, data: Any, x: Any, out: Any
) -> Any:
    at = (row, col, slice(nnz))
    data_bar, x_bar = product_bars(at, data, in_columns(x, count), in_columns(g, count))
    return {4: data_bar, 5: x_bar}


@loop("dia_matvec", -1, adds=True)
def dia_vector(
    g: Any, m: int, n: int, count: int, length: int, offsets: Any, data: Any, x: Any, out: Any
) -> Any:
    at = diagonal_entries(m, n, length, offsets[:count])
    data_bar, x_bar = product_bars(at, data, in_columns(x, 1), in_columns(g, 1))
    return {5: data_bar, 6: x_bar}


@loop("dia_matvecs", -1, adds=True)
def dia_columns(
    g: Any, m: int, n: int, count: int, length: int, offsets: Any, data: Any, vectors: int,
    x: Any, out: Any,
) -> Any:  # fmt: skip
    at = diagonal_entries(m, n, length, offsets[:count])
    data_bar, x_bar = product_bars(at, data, in_columns(x, vectors), in_columns(g, vectors))
    return {5: data_bar, 7: x_bar}


# into dense arrays


def placed(data: Any, values: Any) -> Any:
    """The cotangent of data of which the first entries have these."""
    bar = np.zeros(data.shape, values.dtype)
    bar[: len(values)] = values
    return bar


@loop("csr_todense", -1, adds=True)
def csr_dense(g: Any, m: int, n: int, indptr: Any, indices: Any, data: Any, out: Any) -> Any:
    row, column, _ = csr_entries(indptr, indices)
    return {4: placed(data, g[row, column])}


@loop("coo_todense", 6, adds=True)
def coo_dense(
    g: Any, m: int, n: int, nnz: int, row: Any, col: Any, data: Any, out: Any, fortran: Any
) -> Any:
    at = col.astype(int) * m + row if fortran else row.astype(int) * n + col
    return {5: placed(data, g.reshape(-1)[at[:nnz]])}


@loop("coo_todense_nd", 5, adds=True)
def coo_dense_nd(
    g: Any, strides: Any, nnz: int, rank: int, coords: Any, data: Any, out: Any, fortran: Any
) -> Any:
    at = np.asarray(strides, int) @ np.asarray(coords, int).reshape(rank, nnz)
    return {4: placed(data, g.reshape(-1)[at])}


@loop("csr_diagonal", -1)
def csr_diagonal(
    g: Any, k: int, m: int, n: int, indptr: Any, indices: Any, data: Any, out: Any
) -> Any:
    row, column, _ = csr_entries(indptr, indices)
    on = column - row == k
    values = np.zeros(len(row), g.dtype)
    values[on] = g[row[on] - max(0, -k)]
    return {5: placed(data, values)}


@loop("csr_sample_values", -1)
def csr_sample(
    g: Any, m: int, n: int, indptr: Any, indices: Any, data: Any, count: int, rows: Any,
    columns: Any, out: Any,
) -> Any:  # fmt: skip
    row, column, _ = csr_entries(indptr, indices)
    asked = (np.asarray(rows, int) % m) * n + np.asarray(columns, int) % n
    return {4: placed(data, per_key(asked, g.reshape(-1), row * n + column))}


# numbers that move from one place to another


def moves(name: str, source: int, out: int = -1, ints: Sequence[int] = ()) -> None:
    """A loop that copies entries: where each came from is seen by sending numbered ones."""
    compiled = getattr(_sparsetools, name, None)

    def back(g: Any, *args: Any) -> dict[int, Any]:
        data = args[source]
        numbered = np.arange(1.0, data.size + 1).reshape(data.shape) * np.not_equal(data, 0)
        if name != "dia_tocsr":  # which leaves stored zeros out
            numbered = np.arange(1.0, data.size + 1).reshape(data.shape)
        again: list[Any] = [np.array(a) if k in ints else a for k, a in enumerate(args)]
        again[source] = numbered
        if out % len(args) != source:
            again[out] = np.zeros(g.shape)
        assert compiled is not None
        compiled(*again)
        came = again[out].reshape(-1).astype(int)
        bar = np.zeros(data.size + 1, g.dtype)
        np.add.at(bar, came, g.reshape(-1))
        return {source: bar[1:].reshape(data.shape)}

    loop(name, out, ints)(back)


moves("coo_tocsr", 5, ints=(6, 7))
moves("csr_tocsc", 4, ints=(5, 6))
moves("csr_sort_indices", 3, out=3, ints=(2,))
moves("csr_row_index", 4, ints=(5,))
moves("csr_row_slice", 5, ints=(6,))
moves("csr_column_index2", 4, ints=(5,))
moves("csr_hstack", 5, ints=(6, 7))
moves("dia_tocsr", 5, out=7, ints=(8, 9))


@loop("csr_sum_duplicates", 4, ints=(2, 3))
def summed(g: Any, m: int, n: int, indptr: Any, indices: Any, data: Any) -> Any:
    row, column, _ = csr_entries(indptr, indices)
    keys = row * n + column
    new = np.concatenate([[0], np.cumsum(keys[1:] != keys[:-1])]) if len(keys) else keys
    return {4: placed(data, g[new])}


# a block


@full(_sparsetools.get_csr_submatrix)
def block(versions: Versions, *args: Value) -> tuple[Value, Record]:
    y = _sparsetools.get_csr_submatrix(*args)
    numbered = list(args)
    numbered[4] = np.arange(1.0, args[4].size + 1)
    came = _sparsetools.get_csr_submatrix(*numbered)[2].astype(int) - 1
    return y, (pull_block, y[2], came, args[4])


def pull_block(shadows: Shadows, y_bar: Value, y: Value, came: Value, data: Value) -> Cotangents:
    g = shadows.take(y)
    if type(g) is Refused:
        shadows.add_array(data, g)
    elif g is not None:
        bar = np.zeros(data.shape, g.dtype)
        np.add.at(bar, came, g)
        give(shadows, data, bar)
    return None


# two sparse arrays

SLOPES: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "plus": lambda a, b: (np.ones(a.shape), np.ones(a.shape)),
    "minus": lambda a, b: (np.ones(a.shape), -np.ones(a.shape)),
    "elmul": lambda a, b: (conj(b), conj(a)),
    "eldiv": lambda a, b: (conj(1 / b), conj(-a / (b * b))),
    "maximum": lambda a, b: ((a > b) + 0.5 * (a == b), (b > a) + 0.5 * (a == b)),
    "minimum": lambda a, b: ((a < b) + 0.5 * (a == b), (b < a) + 0.5 * (a == b)),
}


def by_entries(slopes: Any) -> Back:
    """Of ``csr_plus_csr(M, N, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx)`` and the like."""

    def back(g: Any, *args: Any) -> dict[int, Any]:
        n, (ap, aj, ax, bp, bj, bx, cp, cj) = args[1], args[2:10]
        a_keys, b_keys, c_keys = [
            rows_of(p) * n + j[: int(p[-1])] for p, j in ((ap, aj), (bp, bj), (cp, cj))
        ]
        a, b = (
            per_key(a_keys, ax[: len(a_keys)], c_keys),
            per_key(b_keys, bx[: len(b_keys)], c_keys),
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            in_a, in_b = slopes(a * 1.0, b * 1.0)  # ints would overflow in squares
        g = g[: len(c_keys)]
        order = np.argsort(c_keys)
        return {
            4: placed(ax, taken(c_keys[order], (g * in_a)[order], a_keys)),
            7: placed(bx, taken(c_keys[order], (g * in_b)[order], b_keys)),
        }

    return back


def taken(keys: Any, values: Any, wanted: Any) -> Any:
    """The values at the wanted keys, 0 where there is none."""
    return np.concatenate([values, [0.0]])[found_at(keys, wanted)]


for _name, _slopes in SLOPES.items():
    loop(f"csr_{_name}_csr", -1, ints=(8, 9))(by_entries(_slopes))


@loop("csr_matmat", -1, ints=(8, 9))
def product(g: Any, m: int, n: int, *args: Any) -> dict[int, Any]:
    ap, aj, ax, bp, bj, bx, cp, cj = args[:8]
    inner = len(bp) - 1
    a = csr_array((ax, aj, ap), shape=(m, inner))
    b = csr_array((bx, bj, bp), shape=(inner, n))
    c_bar = csr_array((g[: len(cj)], cj, cp), shape=(m, n))
    return {
        4: placed(ax, at_entries(c_bar @ b.conj().T, ap, aj)),
        7: placed(bx, at_entries(a.conj().T @ c_bar, bp, bj)),
    }


def at_entries(a: Any, indptr: Any, indices: Any) -> Any:
    """The numbers of a sparse array at the entries of a pattern."""
    row, column, _ = csr_entries(indptr, indices)
    a = a.tocoo()
    n = a.shape[1]
    return per_key(a.row.astype(int) * n + a.col, a.data, row * n + column)


# whole numbers alone


def counted(g: Any, *args: Any) -> dict[int, Any]:
    return {}


loop("csr_column_index1", NOTHING, ints=(6, 7))(counted)
loop("expandptr", NOTHING, ints=(2,))(counted)
