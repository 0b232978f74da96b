"""Kinds of the results of NumPy's functions and of the methods of arrays, from what they are given.

An entry is proved for float64 arrays of known rank, at least 1: where a result would be a 0-d
array, or would depend on more than kinds and literals, there is none. What may share memory with
an operand is a view of it.

>>> import numpy as np
>>> arrays = Knowledge(lambda operand: k.array(2), {}, {})
>>> result_kind(np.transpose, ("x",), (), arrays)
Result(kind=Kind(tag='ndarray', rank=2), views=('x',))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from astad.compiler.analysis.given import Given, Knowledge, bound, signature_of
from astad.compiler.analysis.joined_kinds import ENTRIES as OF_JOINS
from astad.compiler.analysis.masks import ENTRIES as OF_MASKS
from astad.compiler.analysis.masks import total
from astad.compiler.analysis.more_kinds import ENTRIES as OF_MORE
from astad.compiler.analysis.product_kinds import (
    cross,
    determinant,
    dot,
    einsum,
    inner,
    kron,
    outer,
    power,
    product,
    solution,
    spectrum,
    tensordot,
    vdot,
)
from astad.compiler.analysis.ranks import (
    array_of,
    is_float,
    length_of_shape,
    literal_axes,
    rank_of,
    reduced_to,
)
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import FLOAT, FLOATING, INT, Kind
from astad.compiler.ir.nodes import Operand

__all__ = [
    "NAMES", "Result", "as_method", "is_in_table", "makes_array", "result_kind",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """``kind`` of a result, and the operands that it may share memory with."""

    kind: Kind
    views: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    signature: str
    kind: Callable[[Given], Kind | None]
    views: tuple[str, ...]


_ENTRIES: dict[int, _Entry] = {}
NAMES: list[str] = []
"""What has an entry, as a user writes it after ``np.``."""


def result_kind(
    fn: Any,  # whatever a name stands for
    args: Sequence[Operand],
    keywords: Sequence[tuple[str, Operand]],
    knowledge: Knowledge,
) -> Result | None:
    """What a call of this object gives; None where nothing is proved."""
    entry = _ENTRIES.get(id(fn))
    given = None
    if entry is not None:
        given = bound(signature_of(entry.signature), args, keywords, knowledge)
    kind = entry.kind(given) if entry is not None and given is not None else None
    if entry is None or given is None or kind is None:
        return None
    shared = [given.operands.get(name) for name in entry.views] if k.is_array(kind) else []
    return Result(kind, tuple(operand for operand in shared if isinstance(operand, str)))


def as_method(name: object) -> Any:
    """The descriptor behind a method of arrays of which there is an entry; None for others."""
    found = getattr(np.ndarray, name, None) if isinstance(name, str) else None
    return found if id(found) in _ENTRIES else None


def is_in_table(fn: Any) -> bool:
    return id(fn) in _ENTRIES


def makes_array(fn: Any) -> bool:
    """Does it make an array out of a shape, with nothing of its operands' values in it?"""
    return id(fn) in _MAKERS


_MAKERS = {id(fn) for fn in (np.zeros, np.ones, np.empty, np.eye, np.tri, np.identity)}


def _enter(
    signature: str, kind: Callable[[Given], Kind | None], *names: str, views: tuple[str, ...] = ()
) -> None:
    """Functions by their names in NumPy, ``ndarray.sum`` for a method."""
    for name in names:
        found: Any = np
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not None:
            NAMES.append(name)
            _ENTRIES[id(found)] = _Entry(signature, kind, views)


# --- arrays made anew


def _same(given: Given) -> Kind | None:
    return array_of(rank_of(given)) if is_float(given) else None


def _made(given: Given) -> Kind | None:
    return array_of(length_of_shape(given)) if is_float(given) else None


def _filled(given: Given) -> Kind | None:
    kind = given.kind("fill_value") or k.UNKNOWN
    by_name = given.literal("dtype") in (float, np.float64)
    return _made(given) if kind == FLOAT or by_name and k.is_real(kind) else None


def _filled_like(given: Given) -> Kind | None:
    return _like(given) if k.is_real(given.kind("fill_value") or k.UNKNOWN) else None


def _like(given: Given) -> Kind | None:
    rank = length_of_shape(given) if given.has("shape") else rank_of(given)
    return array_of(rank) if rank_of(given) and is_float(given) else None


def _matrix(given: Given) -> Kind | None:
    return k.array(2) if is_float(given) else None


def _spaced(given: Given) -> Kind | None:
    """``linspace`` between numbers."""
    ends = [given.kind("start"), given.kind("stop")]
    plain = given.literal("retstep") is False and given.literal("axis") in (0, -1)
    numbers = all(kind is not None and k.is_real(kind) for kind in ends)
    return k.array(1) if plain and numbers and is_float(given) else None


_enter("shape, dtype=None, order='C'", _made, "zeros", "ones", "empty")
_enter("shape, fill_value, dtype=None, order='C'", _filled, "full")
_LIKE = "dtype=None, order='K', subok=True, shape=None"
_enter(f"a, {_LIKE}", _like, "zeros_like", "ones_like", "empty_like")
_enter(f"a, fill_value, {_LIKE}", _filled_like, "full_like")
_enter("N, M=None, k=0, dtype=None, order='C'", _matrix, "eye", "tri")
_enter("n, dtype=None", _matrix, "identity")
_enter("start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0", _spaced, "linspace")


def _counted(given: Given) -> Kind | None:
    """As many points as an int tells."""
    points = given.kind("n")
    step = given.kind("d") if given.has("d") else FLOAT
    return k.array(1) if points == INT and step is not None and k.is_real(step) else None


_enter("n", _counted, "hanning", "hamming", "blackman", "bartlett")
_enter("n, d=1.0", _counted, "fft.fftfreq", "fft.rfftfreq")


# --- copies, and the same entries in another shape


def _reshaped(given: Given) -> Kind | None:
    return array_of(length_of_shape(given)) if rank_of(given) else None


def _flat(given: Given) -> Kind | None:
    return k.array(1) if rank_of(given) else None


def _expanded(given: Given) -> Kind | None:
    rank, axis = rank_of(given), given.literal("axis")
    count = len(axis) if isinstance(axis, tuple) else 1
    ints = type(axis) is int or given.kind("axis") == INT
    if isinstance(axis, tuple):
        ints = all(type(each) is int for each in axis)
    return k.array(rank + count) if rank and ints else None


def _squeezed(given: Given) -> Kind | None:
    rank = rank_of(given)
    axes = literal_axes(given, rank) if rank else None
    return array_of(rank - len(axes)) if rank and axes is not None else None


def _at_least(least: int) -> Callable[[Given], Kind | None]:
    def found(given: Given) -> Kind | None:
        rank = rank_of(given)
        return k.array(max(rank, least)) if rank else None

    return found


def _broadcast(given: Given) -> Kind | None:
    return array_of(length_of_shape(given)) if rank_of(given) or given.kind("a") == FLOAT else None


def _diagonal(given: Given) -> Kind | None:
    """``diag``: of a matrix its diagonal, of a vector a matrix."""
    rank = rank_of(given)
    return k.array(3 - rank) if rank in (1, 2) else None


def _of_diagonal(given: Given) -> Kind | None:
    """``diagonal``: a view, of an axis less."""
    rank = rank_of(given) or 0
    return k.array(rank - 1) if rank >= 2 else None


def _appended(given: Given) -> Kind | None:
    """``append`` to all the entries, one after the other."""
    kinds = [given.kind(name) or k.UNKNOWN for name in ("a", "values")]
    known = all(k.is_real(kind) or (k.is_array(kind) and kind.rank) for kind in kinds)
    return k.array(1) if known and any(map(k.is_array, kinds)) else None


def _triangle(given: Given) -> Kind | None:
    rank = rank_of(given)
    return k.array(rank) if rank is not None and rank >= 2 else None


VIEW = ("a",)
_enter("a, order='K', subok=False", _same, "copy")
_enter("a, order='C'", _same, "ndarray.copy")
_enter("a, dtype=None, order=None", _same, "asarray", "asanyarray", views=VIEW)
_enter("a, dtype=None", _same, "ascontiguousarray", "asfortranarray", views=VIEW)
_enter("a, shape, order='C'", _reshaped, "reshape", views=VIEW)
_enter("a, *shape, order='C'", _reshaped, "ndarray.reshape", views=VIEW)
_enter("a, order='C'", _flat, "ravel", "ndarray.ravel", views=VIEW)
_enter("a, order='C'", _flat, "ndarray.flatten")
_enter("a, axes=None", _same, "transpose", views=VIEW)
_enter("a, *axes", _same, "ndarray.transpose", views=VIEW)
_enter("a, axis1, axis2", _same, "swapaxes", "ndarray.swapaxes", views=VIEW)
_enter("a, source, destination", _same, "moveaxis", views=VIEW)
_enter("a, axis, start=0", _same, "rollaxis", views=VIEW)
_enter("a", _triangle, "matrix_transpose", "linalg.matrix_transpose", views=VIEW)
_enter("a, axis", _expanded, "expand_dims", views=VIEW)
_enter("a, axis=None", _squeezed, "squeeze", "ndarray.squeeze", views=VIEW)
_enter("a", _at_least(1), "atleast_1d", views=VIEW)
_enter("a", _at_least(2), "atleast_2d", views=VIEW)
_enter("a, shape", _broadcast, "broadcast_to", views=VIEW)
_enter("a, axis=None", _same, "flip", views=VIEW)
_enter("a", _triangle, "fliplr", views=VIEW)
_enter("a", _same, "flipud", views=VIEW)
_enter("a, k=1", _triangle, "rot90", views=VIEW)
_enter("a, shift, axis=None", _same, "roll")
_enter("a, k=0", _diagonal, "diag", views=VIEW)
_enter("a, k=0", _triangle, "tril", "triu")
_enter("a, offset=0, axis1=0, axis2=1", _of_diagonal, "diagonal", "ndarray.diagonal", views=VIEW)
_enter("a, values", _appended, "append")


# --- reductions and running sums


def _reduction(given: Given) -> Kind | None:
    rank, keeps = rank_of(given), given.literal("keepdims")
    if rank is None or type(keeps) is not bool or not is_float(given):
        return None
    if keeps:
        axis = given.literal("axis")
        return k.array(rank) if axis is None or literal_axes(given, rank) is not None else None
    if given.literal("axis") is None:
        return FLOATING
    axes = literal_axes(given, rank)
    return None if axes is None else reduced_to(rank - len(axes))


def _running(given: Given) -> Kind | None:
    rank = rank_of(given)
    if rank is None or not is_float(given):
        return None
    if given.literal("axis") is None:
        return k.array(1)
    return k.array(rank) if literal_axes(given, rank) is not None else None


def _difference(given: Given) -> Kind | None:
    rank = rank_of(given)
    return k.array(rank) if rank and literal_axes(given, rank) is not None else None


def _trace(given: Given) -> Kind | None:
    rank = rank_of(given)
    return reduced_to(rank - 2) if rank is not None and rank >= 2 else None


def _total(given: Given) -> Kind | None:
    return _reduction(given) or total(given)


_PLAIN_REDUCTIONS = ("max", "min", "amax", "amin", "prod", "var", "std")
_enter("a, axis=None, *, keepdims=False", _reduction, *_PLAIN_REDUCTIONS, "ptp", "median")
_enter("a, axis=None, *, keepdims=False", _reduction, "nansum", "nanmean", "nanmax", "nanmin")
_enter("a, axis=None, *, keepdims=False", _total, "sum", "mean", "ndarray.sum", "ndarray.mean")
for _name in ("max", "min", "prod", "var", "std"):
    _enter("a, axis=None, *, keepdims=False", _reduction, f"ndarray.{_name}")
_enter("a, axis=None", _running, "cumsum", "cumprod", "ndarray.cumsum", "ndarray.cumprod")
_enter("a, n=1, axis=-1", _difference, "diff", views=VIEW)
_enter("a, offset=0, axis1=0, axis2=1", _trace, "trace", "ndarray.trace")


# --- choosing


def _clipped(given: Given) -> Kind | None:
    rank = rank_of(given)
    bounds = [given.kind(name) for name in ("low", "high") if given.has(name)]
    if any(kind is not None and k.is_complex(kind) for kind in bounds):
        return None
    ranks = [0 if kind is not None and k.is_real(kind) else kind.rank or None
             for kind in bounds if kind is not None and kind != k.INERT]  # fmt: skip
    none = [given.literal(name) is None for name in ("low", "high")]
    inert = sum(kind == k.INERT for kind in bounds)
    if rank is None or None in ranks or inert > sum(none):
        return None
    return k.array(max([rank, *(each for each in ranks if each is not None)]))


_enter("a, low=None, high=None", _clipped, "clip", "ndarray.clip")


for _signature, _kind, *_names in (*OF_MASKS, *OF_MORE, *OF_JOINS):
    _enter(_signature, _kind, *_names)
_enter("a", _same, "floor", "ceil", "trunc", "rint", "sign", "sinc", "nan_to_num", "unwrap")
_enter("a, axis=-1", _difference, "sort")


# --- products and linear algebra


def _norm(given: Given) -> Kind | None:
    """Of order None along any axes; of another of all."""
    if given.literal("ord") is None:
        return _reduction(given)
    named = given.literal("ord") in ("fro", "nuc", 1, 2, math.inf)
    of_all = given.literal("axis") is None and given.literal("keepdims") is False
    return FLOATING if named and of_all and rank_of(given) in (1, 2) else None


_enter("a, b", dot, "dot", "ndarray.dot")
_enter("a, b", product, "matmul")
_enter("a, b", outer, "outer")
_enter("a, b", inner, "inner")
_enter("a, b", vdot, "vdot")
_enter("a, b", kron, "kron")
_enter("a, b", cross, "linalg.cross")
_enter("subscripts, *operands, optimize=False", einsum, "einsum")
_enter("a, b, axes=2", tensordot, "tensordot")
_enter("a, ord=None, axis=None, keepdims=False", _norm, "linalg.norm")
_enter("a, b", solution, "linalg.solve")
_enter("a", _triangle, "linalg.inv", "linalg.cholesky", "linalg.pinv")
_enter("a", determinant, "linalg.det")
_enter("a", _trace, "linalg.trace")
_enter("a, UPLO='L'", spectrum, "linalg.eigvalsh")
_enter("a", spectrum, "linalg.svdvals")
_enter("a, n", power, "linalg.matrix_power")
