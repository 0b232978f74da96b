"""The gradient of an object: a record with the object's attribute names."""

from __future__ import annotations

from collections.abc import Iterator
from reprlib import recursive_repr
from typing import Any

import numpy as np

__all__ = ["Tangent"]


class Tangent:
    """Cotangents of the attributes of an object, under the attributes' own names.

    Parameters
    ----------
    **attributes
        The cotangent of each attribute; ``None`` for one without a differentiable path.

    Notes
    -----
    Iterating gives the names, ``in`` asks for one, ``record["name"]`` is the same as
    ``record.name``. Two records are equal if they have the same names and the same values, arrays
    compared by all their elements.

    Examples
    --------
    >>> bar = Tangent(weight=2.0, label=None)
    >>> bar.weight, list(bar), bar == Tangent(label=None, weight=2.0)
    (2.0, ['weight', 'label'], True)
    >>> bar
    Tangent(weight=2.0, label=None)
    """

    def __init__(self, /, **attributes: Any) -> None:  # Any: of each attribute its own kind
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        known = ", ".join(self.__dict__) or "nothing"
        raise AttributeError(f"no cotangent named {name!r} in this record, which holds {known}")

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __contains__(self, name: object) -> bool:
        return name in self.__dict__

    def __len__(self) -> int:
        return len(self.__dict__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tangent):
            return NotImplemented
        mine, others = self.__dict__, other.__dict__
        return mine.keys() == others.keys() and all(_same(mine[k], others[k]) for k in mine)

    __hash__ = None  # type: ignore[assignment]  # compared by content, which may change

    @recursive_repr("Tangent(...)")
    def __repr__(self) -> str:
        return f"Tangent({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"


def _same(a: object, b: object) -> bool:
    """Equality that also answers for arrays and for containers of arrays."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)  # type: ignore[arg-type]  # numbers and lists are compared as arrays
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return bool(a == b)
