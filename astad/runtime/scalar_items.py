"""Items of NumPy's numbers: ``x[()]``, and the arrays ``x[mask]`` and ``x[None]``.

>>> from astad.runtime.versions import Versions
>>> x = np.float64(3.0)
>>> y, record = read_scalar(Versions(), x, np.True_)
>>> y, pull_spread(Shadows(), np.array([2.0]), y)[0]
(array([3.]), np.float64(2.0))
"""

from __future__ import annotations

import numpy as np

from astad.runtime.full_rules import Cotangents, Record, Value, flows, opaque
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.add import add

__all__ = ["pull_same", "pull_spread", "read_scalar"]


def read_scalar(versions: Versions, x: Value, i: Value) -> tuple[Value, Record]:
    """``x[i]``: the number, or a fresh array of which it is every element."""
    y = x[i]
    if flows(y):
        return y, (pull_same,)
    if issubclass(type(y), np.ndarray) and y.dtype.kind in "fc":
        return y, (pull_spread, y)
    return y, opaque(f"{type(x).__name__}[...]", y, (x, i))


def pull_same(shadows: Shadows, y_bar: Value) -> Cotangents:
    return y_bar, None


def pull_spread(shadows: Shadows, y_bar: Value, y: Value) -> Cotangents:
    bar = add(y_bar, shadows.take(y))
    return None if bar is None else np.sum(bar), None
