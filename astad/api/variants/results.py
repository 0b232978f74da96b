"""A gradient is that of a real scalar: what other results are told.

What a function gives beside its value: ``has_aux``.

>>> split_value(max, (2.0, "steps"))
(2.0, 'steps')
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.errors import NotScalar, WrongCall
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_number

__all__ = ["check_scalar", "split_value"]


def check_scalar(f: Any, y: Any) -> None:
    """Raise unless the result of ``f`` is a real number, or an array of rank 0."""
    name = callable_name(f)
    if issubclass(type(y), (complex, np.complexfloating)) or (
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
    if not is_number(y) and not issubclass(type(y), (bool, np.bool_)):
        raise NotScalar(
            name,
            f"gradient of a result of type {type(y).__name__}",
            why="a gradient is that of a scalar",
            instead="reduce it to a scalar, or use astad.pullback with a seed",
        )


# --- what is beside the value ---------------------------------------------------------------------


def split_value(f: Any, result: Any) -> tuple[Any, Any]:
    """The value, and what is beside it.

    Raises
    ------
    WrongCall : if the result is no pair.
    """
    if issubclass(type(result), tuple) and len(result) == 2:
        return result[0], result[1]
    raise WrongCall(
        callable_name(f), f"has_aux=True, and a result that is a {type(result).__name__}",
        why="the derivative is that of the first of two, and the second comes back as it is",
        instead="return (y, aux), or leave has_aux out",
    )  # fmt: skip
