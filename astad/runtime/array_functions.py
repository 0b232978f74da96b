"""Functions of NumPy without a rule of their own, differentiated from their Python source.

They are known by name: what prints, saves or packs bits runs as compiled code does.

>>> np.piecewise in FROM_SOURCE, np.packbits in FROM_SOURCE
(True, False)
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import polynomial

from astad.rules.numpy.step_by_step import stands_in
from astad.runtime.full_rules import CALLED, Record, Value, callbacks
from astad.runtime.library import run_watched
from astad.runtime.versions import Versions

__all__ = ["FROM_SOURCE"]

FROM_SOURCE = frozenset({
    np.apply_over_axes, np.histogram2d, np.histogramdd, np.polydiv,
    np.histogram_bin_edges, np.piecewise, np.trim_zeros, polynomial.polygrid2d,
    polynomial.polyval2d,
})  # fmt: skip


def from_source(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """The function behind the dispatcher; an operand with a protocol of its own goes before it."""
    source = stands_in(fn, args, keywords) or (fn._implementation if fn in FROM_SOURCE else None)
    if source is None or any(map(_asks, (*args, *keywords.values()))):
        return run_watched(versions, fn, args, keywords)
    return callbacks.call(versions, source, *args, **keywords)


def _asks(value: Value) -> bool:
    kind = type(value)
    return kind is not np.ndarray and hasattr(kind, "__array_function__")


CALLED[type(np.sum)] = from_source
