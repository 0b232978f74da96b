"""Attributes of an array that are assigned: parts of its elements, or how they are laid out."""

from __future__ import annotations

import operator

import numpy as np

from astad.errors import Unsupported
from astad.runtime.flat_iterators import write_in_turn
from astad.runtime.full_rules import Record, Value, callbacks
from astad.runtime.indexing import write_array
from astad.runtime.listings import plain_array
from astad.runtime.versions import Versions

__all__ = ["write_array_attribute"]


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
