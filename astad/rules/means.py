"""The mean of an array of doubles, without the questions that `np.mean` asks first.

>>> mean_of(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
array([2., 3.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["mean_of"]

add: Any = np.add.reduce


def mean_of(a: np.ndarray[Any, Any], axis: Any = None, *, keepdims: bool = False) -> Any:
    """``np.mean(a, axis, keepdims=keepdims)`` of an array of doubles, to the bit, in a third of its
    time; by the function itself where nothing is to be added, or along several axes.
    """
    if axis is None:
        count = a.size
    elif type(axis) is int and -a.ndim <= axis < a.ndim:
        count = a.shape[axis]
    else:
        count = 0
    if not count:
        return np.mean(a, axis=axis, keepdims=keepdims)
    return add(a, axis, None, None, keepdims) / count
