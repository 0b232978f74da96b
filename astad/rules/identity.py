"""Products with a multiple of the identity matrix, without one.

>>> eye_times(2.0, 2, 2, np.array([[1.0, 3.0], [0.0, 1.0]]))
array([[2., 6.],
       [0., 2.]])
>>> times_eye(np.array([[1.0, 3.0]]), 2.0, 2, 3)    # a column of zeros more
array([[2., 6., 0.]])
>>> sum_of_diagonal(np.array([[1.0, 3.0], [0.0, 2.0]]), 2, 2)
np.float64(3.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["eye_times", "sum_of_diagonal", "times_eye"]


def eye_times(number: Any, rows: int, columns: int, b: Any) -> Any:  # Any: number, matrix
    """``(number * np.eye(rows, columns)) @ b``, as a new array."""
    return number * b if rows == columns else (number * np.eye(rows, columns)) @ b


def times_eye(a: Any, number: Any, rows: int, columns: int) -> Any:  # Any: number, matrix
    """``a @ (number * np.eye(rows, columns))``, as a new array."""
    return number * a if rows == columns else a @ (number * np.eye(rows, columns))


def sum_of_diagonal(a: Any, rows: int, columns: int) -> Any:  # Any: what broadcasts to the matrix
    """``np.sum(a * np.eye(rows, columns))``."""
    if type(a) is np.ndarray and a.shape == (rows, columns):
        return a.trace()
    return np.sum(a * np.eye(rows, columns))
