"""Attributes of an array that are assigned: parts of its elements, or how they are laid out.

Functions that make views by strides: the view's shadow is the same view of the shadow.

Items of an ``np.matrix``, which NumPy takes in one axis and whose ``.shape`` it assigns then.

>>> m = np.arange(4.0).reshape(2, 2).view(np.matrix)
>>> item(m, 0), item(m, (slice(None), 0)).shape, item(m, (0, 1))
(matrix([[0., 1.]]), (2, 1), np.float64(1.0))
"""

from __future__ import annotations

import operator

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from astad.errors import Unsupported
from astad.runtime.arrays.flat_iterators import write_in_turn
from astad.runtime.core.full_rules import Record, Value, callbacks, full, opaque
from astad.runtime.core.listings import plain_array
from astad.runtime.core.stand_ins import laid_out
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import aliases_any, owner_of
from astad.runtime.operations.indexing import write_array

__all__ = ["item", "write_array_attribute"]


def write_array_attribute(versions: Versions, a: Value, name: str, v: Value) -> tuple[None, Record]:
    """``a.real = v`` and ``a.flat = v`` write into the array."""
    if issubclass(type(a), np.void):
        return callbacks.call(versions, operator.setitem, a, name, v)
    if name == "real" or (name == "imag" and a.dtype.kind == "c"):
        return write_array(versions, getattr(a, name), ..., v)
    if name == "flat":
        return write_in_turn(versions, a, slice(None), v, lambda a, v: setattr(a, "flat", v))
    versions.writing(a)
    if name in LAYOUT and a.dtype.kind in "fciu" and not _is_same(a, name, v):
        raise Unsupported(
            f"ndarray.{name}",
            f"an array of which .{name} is assigned",
            why="what was recorded of the array before would be read in another layout",
            instead="bind a.reshape(...) or a.view(...) to a name",
        )
    setattr(a, name, v)
    return None, None


LAYOUT = ("shape", "strides", "dtype")


def _is_same(a: Value, name: str, new: Value) -> bool:
    if name == "shape":  # of one that does not fit, NumPy's own error
        return bool(np.ndarray.reshape(plain_array(a), new).shape == a.shape)
    old = getattr(a, name)
    return bool(old == ((new,) if issubclass(type(old), tuple) and isinstance(new, int) else new))


# --- views by strides -----------------------------------------------------------------------------


def _make_rule(function: Value) -> None:
    @full(function)
    def forward(
        versions: Versions, x: Value, *args: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        if versions.stand_ins and function is as_strided and issubclass(type(x), np.ndarray):
            laid_out(versions, x, "data")
        y = function(x, *args, **keywords)
        if issubclass(type(x), np.ndarray) and owner_of(y) is owner_of(x):
            return y, None
        return y, opaque(function.__name__, y)


for _function in (as_strided, sliding_window_view):
    _make_rule(_function)


# --- items of an np.matrix ------------------------------------------------------------------------


def item(m: Value, index: Value) -> Value:
    """``m[index]``, a row or a column of two axes without a step between."""
    found = np.asarray(m)[index]
    if not isinstance(found, np.ndarray):
        return found
    if found.ndim == 1:
        is_column = has_second(index) and np.isscalar(index[1])
        found = found.reshape((len(found), 1) if is_column else (1, len(found)))
    return found.view(type(m))


def has_second(index: Value) -> bool:
    """Has it a length, of two or more?"""
    try:
        return len(index) > 1
    except TypeError:
        return False


@full(np.matrix.__getitem__)
def item_forward(versions: Versions, m: Value, index: Value) -> tuple[Value, Record]:
    if np.ndim(np.asarray(m)[index]) > 2:
        y = m[index]
        return y, None if aliases_any(y, (m,)) else opaque("np.matrix.__getitem__", y, (m, index))
    return callbacks.call(versions, item, m, index)
