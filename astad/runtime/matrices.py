"""Items of an ``np.matrix``, which NumPy takes in one axis and whose ``.shape`` it assigns then.

>>> m = np.arange(4.0).reshape(2, 2).view(np.matrix)
>>> item(m, 0), item(m, (slice(None), 0)).shape, item(m, (0, 1))
(matrix([[0., 1.]]), (2, 1), np.float64(1.0))
"""

from __future__ import annotations

import numpy as np

from astad.runtime.aliases import aliases_any
from astad.runtime.full_rules import Record, Value, callbacks, full, opaque
from astad.runtime.versions import Versions

__all__ = ["item"]


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
