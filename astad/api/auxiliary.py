"""What a function gives beside its value: ``has_aux``.

>>> split_value(max, (2.0, "steps"))
(2.0, 'steps')
"""

from __future__ import annotations

from typing import Any

from astad.errors import WrongCall
from astad.tangents.unasked import callable_name

__all__ = ["split_value"]


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
