"""A gradient is that of a real scalar: what other results are told."""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.errors import NotScalar
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_number

__all__ = ["check_scalar"]


def check_scalar(f: Any, y: Any) -> None:
    """Raise unless the result of ``f`` is a real number, or an array of rank 0."""
    name = callable_name(f)
    if issubclass(type(y), complex | np.complexfloating) or (
        issubclass(type(y), np.ndarray) and y.dtype.kind == "c"
    ):
        raise NotScalar(
            name,
            "gradient of a complex result",
            why="it has no single gradient",
            instead="take the gradient of a real scalar such as its real part, "
            "or use astad.pullback with a seed",
        )
    if issubclass(type(y), np.ndarray) and y.ndim == 0:
        return
    if not is_number(y) and not issubclass(type(y), bool | np.bool_):
        raise NotScalar(
            name,
            f"gradient of a result of type {type(y).__name__}",
            why="a gradient is that of a scalar",
            instead="reduce it to a scalar, or use astad.pullback with a seed",
        )
