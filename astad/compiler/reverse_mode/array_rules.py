"""Short formulas for arrays of known rank; the general rules look at shapes.

>>> from astad.compiler.analysis.given import Knowledge, bound, signature_of
>>> from astad.compiler.ir import kinds as k
>>> from astad.compiler.ir.nodes import Const
>>> matrix = Knowledge(lambda operand: k.array(2), {}, {})
>>> signature = signature_of("a, axis=None, *, keepdims=False")
>>> given = bound(signature, ("x",), (("axis", Const(1)),), matrix)
>>> array_formulas(np.sum, given)
{'a': Formula(text='y_bar[:, None]', thin=True, takes_thin=False)}
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from astad.compiler.analysis.given import Given, literal_axes, rank_of
from astad.compiler.ir.nodes import immutable

__all__ = ["MEAN", "Formula", "array_formulas"]


@immutable
class Formula:
    """``text`` of a cotangent. ``thin``: of what broadcasts to the operand's shape; ``takes_thin``:
    so may be y_bar.
    """

    text: str
    thin: bool = False
    takes_thin: bool = False


Formulas = Mapping[str, Formula] | None


def array_formulas(fn: Any, given: Given) -> Formulas:
    """By parameter of the rule; None where the general rule serves."""
    make = _TABLE.get(id(fn))
    return make(given) if make is not None else None


PRODUCTS = {
    (2, 2): ("y_bar @ b.T", "a.T @ y_bar"),
    (1, 2): ("b @ y_bar", "np.multiply.outer(a, y_bar)"),
    (2, 1): ("np.multiply.outer(y_bar, b)", "y_bar @ a"),
    (1, 1): ("y_bar * b", "y_bar * a"),
}
"""Ranks of ``a @ b`` to the cotangents of a and of b; from ``d(ab) = da b + a db``."""


def _product(given: Given) -> Formulas:
    texts = PRODUCTS.get((rank_of(given, "a") or 0, rank_of(given, "b") or 0))
    return texts and {"a": Formula(texts[0]), "b": Formula(texts[1])}


def _outer(given: Given) -> Formulas:
    if rank_of(given, "a") != 1 or rank_of(given, "b") != 1:
        return None
    return {"a": Formula("y_bar @ b"), "b": Formula("a @ y_bar")}


def _cross(given: Given) -> Formulas:
    """Of two vectors; of rank 1 a written result is one with three entries."""
    if rank_of(given, "a") != 1 or rank_of(given, "b") != 1:
        return None
    return {"a": Formula("crossed(b, y_bar)"), "b": Formula("crossed(y_bar, a)")}


def _is_default(given: Given, *names: str) -> bool:
    return not any(given.has(name) for name in names)


def _spread(given: Given, part: str) -> Formulas:
    """The cotangent of a sum, with the axes it lacks where broadcasting does not add them."""
    rank, axis = rank_of(given), given.literal("axis")
    if rank is None or not _is_default(given, "dtype", "out", "initial", "where"):
        return None
    axes = tuple(range(rank)) if axis is None else literal_axes(given, rank)
    if axes is None:
        return None  # no program is known: a sum of a known kind has literal axes
    if given.literal("keepdims") or axes == tuple(range(len(axes))):
        return {"a": Formula(part, thin=True, takes_thin=True)}
    index = ", ".join("None" if at in axes else ":" for at in range(rank))
    return {"a": Formula(part.replace("y_bar", f"y_bar[{index}]"), thin=True)}


def _sum(given: Given) -> Formulas:
    return _spread(given, "y_bar")


MEAN = "y_bar / max(a.size, 1)"


def _mean(given: Given) -> Formulas:
    rank, axis = rank_of(given), given.literal("axis")
    if axis is None:
        return _spread(given, MEAN)
    axes = literal_axes(given, rank) if rank else None
    if not axes:
        return None
    count = " * ".join(f"a.shape[{each}]" for each in axes)
    return _spread(given, f"y_bar / max({count}, 1)")


def _trace(given: Given) -> Formulas:
    plain = rank_of(given) == 2 and _is_default(given, "offset", "axis1", "axis2", "dtype", "out")
    return {"a": Formula("y_bar * np.eye(a.shape[0], a.shape[1])")} if plain else None


def _reshaped(given: Given) -> Formulas:
    plain = given.literal("order") == "C" and _is_default(given, "copy")
    return {"a": Formula("y_bar.reshape(a.shape)")} if plain else None


def _back_in_shape(given: Given) -> Formulas:
    return {"a": Formula("y_bar.reshape(a.shape)")}


def _transposed(given: Given) -> Formulas:
    return {"a": Formula("y_bar.T")} if given.literal("axes") in (None, ()) else None


def _swapped(given: Given) -> Formulas:
    return {"a": Formula("y_bar.swapaxes(axis1, axis2)")}


def _same(given: Given) -> Formulas:
    plain = _is_default(given, "dtype")
    return {"a": Formula("y_bar", thin=True, takes_thin=True)} if plain else None


_TABLE: dict[int, Callable[[Given], Formulas]] = {}


def _enter(make: Callable[[Given], Formulas], *functions: Any) -> None:
    for fn in functions:
        _TABLE[id(fn)] = make


_enter(_product, operator.matmul, np.dot, np.ndarray.dot)
_enter(_outer, np.outer)
_enter(_cross, np.cross, np.linalg.cross)
_enter(_sum, np.sum, np.ndarray.sum)
_enter(_mean, np.mean, np.ndarray.mean)
_enter(_trace, np.trace, np.ndarray.trace)
_enter(_reshaped, np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ndarray.flatten)
_enter(_back_in_shape, np.expand_dims, np.squeeze, np.ndarray.squeeze)
_enter(_transposed, np.transpose, np.ndarray.transpose)
_enter(_swapped, np.swapaxes, np.ndarray.swapaxes)
_enter(_same, np.copy, np.ndarray.copy)
