"""Functions of NumPy without a rule of their own, differentiated from their Python source.

They are known by name: what prints, saves or packs bits runs as compiled code does.

>>> np.piecewise in FROM_SOURCE, np.packbits in FROM_SOURCE
(True, False)
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import polynomial

from astad.rules.numpy.step_by_step import elementwise, in_memory, python_of, stands_in
from astad.runtime.arrays.array_protocol import arguments, by_array_function, in_order
from astad.runtime.calls.library import run_watched
from astad.runtime.core.full_rules import CALLED, Cotangents, Record, Value, callbacks, inert
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.array_overrides import by_array_ufunc, wraps
from astad.tangents.unasked import has_in_class

__all__ = ["FROM_SOURCE"]

FROM_SOURCE = frozenset({
    np.apply_over_axes, np.histogram2d, np.histogramdd, np.polydiv,
    np.histogram_bin_edges, np.piecewise, np.trim_zeros, polynomial.polygrid2d,
    polynomial.polyval2d, getattr(polynomial, "polyvalnd", np.polydiv),  # of NumPy 2.5
})  # fmt: skip


def from_source(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """The function behind the dispatcher; an operand with a protocol of its own goes before it."""
    source = stands_in(fn, args, keywords) or (fn._implementation if fn in FROM_SOURCE else None)
    operands = (*args, *keywords.values())
    if any(map(_asks, operands)) and in_order(arguments(operands)):
        return by_array_function(versions, fn, args, keywords)
    if source is None or any(map(_asks, operands)):
        return run_watched(versions, fn, args, keywords)
    return callbacks.call(versions, source, *args, **keywords)


def of_python(
    versions: Versions, ufunc: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """A ufunc made by ``np.frompyfunc``, as ``np.vectorize`` makes one: its function for each
    element."""
    found = by_array_ufunc(versions, ufunc, args, keywords)
    if found is not None:
        return found
    func = python_of(ufunc)
    as_array = keywords.get("out", None) is ...
    known = len(args) == ufunc.nin and keywords.keys() <= {"out"} and as_array == bool(keywords)
    if func is None or not known or wraps(*args):
        return run_watched(versions, ufunc, args, keywords)
    y, record = callbacks.call(versions, elementwise, func, ufunc.nout, as_array, *args)
    return y, None if record is None else (pull_of_python, record, len(args), len(keywords))


def pull_of_python(shadows: Shadows, y_bar: Value, record: Record, n: int, more: int) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 3 + n)
    return None if parts is None else [*parts[3:], *[None] * more]


def _asks(value: Value) -> bool:
    kind = type(value)
    return kind is not np.ndarray and has_in_class(kind, "__array_function__")


inert([in_memory, python_of])
CALLED[type(np.sum)] = from_source
CALLED[np.ufunc] = of_python
