"""Subclasses of ndarray with an ``__array_finalize__`` or ``__array_wrap__`` in Python.

NumPy calls these for each new array, outside of what is recorded. What they hand on from an operand
to the result, under the same name, has its cotangent handed back; a derivative through any other
number they put there is refused.

>>> class Scaled(np.ndarray):
...     def __array_finalize__(self, source):
...         self.scale = getattr(source, "scale", 1.0)
>>> is_finalized(Scaled), is_finalized(np.matrix), is_finalized(np.ndarray)
(True, False, False)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows, python_method
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.operators import BINARY
from astad.tangents.zero import has_identity

__all__ = ["MAKING", "finalize", "is_finalized"]

MAKING = {
    id(getattr),
    id(operator.getitem),
    *(id(getattr(operator, f"__{name}__")) for name in BINARY),
}
"""Operations with full rules of their own that make arrays."""


def is_finalized(kind: type) -> bool:
    """Has this class of arrays such methods of the user's?"""
    if kind is np.ndarray or not issubclass(kind, np.ndarray) or kind.__module__ == "numpy":
        return False
    return any(python_method(kind, name) for name in ("__array_finalize__", "__array_wrap__"))


def finalize(y: Value, record: Record, operands: Sequence[Value]) -> Record:
    """The record of an operation that made the array ``y``, with what NumPy's calls put there."""
    if any(y is each for each in operands) or not is_finalized(type(y)):
        return record
    if any(_does_it_itself(type(each)) for each in operands):
        return record
    if issubclass(type(operands[-1]), str) and operands[-1] not in _VIEWS:
        return record
    own = vars(y)
    names = [name for name, value in own.items() if flows(value) or has_identity(value)]
    if not names:
        return record
    sources = [
        vars(each) for each in operands if issubclass(type(each), np.ndarray) and _has_dict(each)
    ]
    return (pull_finalized, own, [(n, _source(own[n], n, sources)) for n in names], record)


_VIEWS = ("T", "mT", "real", "imag")
"""Attributes of arrays that are new arrays."""


def _does_it_itself(kind: type) -> bool:
    """Methods of the user's make the result, step by step."""
    names = ("__array_ufunc__", "__array_function__")
    return issubclass(kind, np.ndarray) and any(python_method(kind, name) for name in names)


def _has_dict(value: Value) -> bool:
    return type(stored_in(value)) is dict


def _source(value: Value, name: str, sources: Sequence[Value]) -> Value:
    return next((each for each in sources if each.get(name) is value), None)


def pull_finalized(
    shadows: Shadows, y_bar: Value, own: Value, names: list[tuple[str, Value]], record: Record
) -> Cotangents:
    for name, source in names:
        bar = shadows.key_take(own, name)
        if bar is None:
            continue
        if source is None:
            raise Unsupported(
                name,
                "an attribute that __array_finalize__ or __array_wrap__ computed",
                why="NumPy calls them, so what they compute is not recorded",
                instead="compute it where the array is made",
            )
        shadows.key_add(source, name, bar)
    return None if record is None else record[0](shadows, y_bar, *record[1:])
