"""Cotangents and tangents of functions that return several values for one.

>>> float(along((None, 2.0), 5.0, 7.0)), along((None, None), 5.0, 7.0)
(14.0, None)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.rules.formula import fit

__all__ = ["along", "along_to", "spread"]


def along(y_bar: Any, *slopes: Any) -> Any:
    """Cotangent of the argument: that of each value times its slope."""
    total = None
    for part, slope in zip(y_bar, slopes, strict=True):
        if part is not None:
            term = part * np.conj(slope)
            total = term if total is None else total + term
    return total


def along_to(like: Any, y_bar: Any, *slopes: Any) -> Any:
    """`along`, summed over the axes along which the argument `like` was broadcast."""
    return fit(along(y_bar, *slopes), like)


def spread(dot: Any, y: Any, *slopes: Any) -> Any:
    """Tangents of the values: that of the argument times the slope of each."""
    return tuple(
        np.broadcast_to(dot * slope, np.shape(each)).copy()[()]
        for each, slope in zip(y, slopes, strict=True)
    )
