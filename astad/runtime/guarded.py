"""What the guards of generated variants compare with, and raise in the middle of a run."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from types import NoneType
from typing import Any

import numpy
from numpy import bool_ as _bool_
from numpy import dtype, geterr, may_share_memory, ndarray
from numpy import float64 as _float64
from numpy import int64 as _int64

from astad.errors import Unsupported
from astad.runtime.cotangents.owners import are_apart, may_overlap_itself

__all__ = [
    "FLOATS", "INERT_TYPES", "INTS", "NUMBERS", "REALS", "apart", "are_apart", "are_rows", "bool_",
    "float64", "int64", "ndarray", "passes_over_underflow", "rebound",
    "types_in",
]  # fmt: skip

REALS = frozenset({_float64})
FLOATS, INTS, NUMBERS = frozenset({float}), frozenset({int}), frozenset({float, int, _float64})
INERT_TYPES = frozenset({NoneType, str, bool, bytes})
_umath = getattr(getattr(numpy, "_core", None), "umath", None)
_settings: Any = getattr(_umath, "_extobj_contextvar", None)  # 40 ns; geterr takes 4 us
_USUAL = _settings.get() if _settings is not None and geterr()["under"] == "ignore" else None
float64 = dtype(_float64)
int64 = dtype(_int64)
bool_ = dtype(_bool_)


def apart(*values: Any) -> bool:
    """Is each an object of its own, and the memory of each array its own?

    What comes twice in a container has the total for its derivative, in both places, which is more
    than a cotangent that is handed over by value.
    """
    if len({id(value) for value in values}) < len(values):
        return False
    views = [value for value in values if type(value) is ndarray and value.base is not None]
    return not views or _views_apart(views, values)


def _views_apart(views: list[Any], values: tuple[Any, ...]) -> bool:
    if any(may_overlap_itself(view) for view in views):
        return False
    arrays = [value for value in values if type(value) is ndarray]
    return not any(a is not view and may_share_memory(a, view) for view in views for a in arrays)


def are_rows(
    values: Any, forms: tuple[type, ...], types: Any, distinct: bool, last: Any = None
) -> bool:
    """Are the items lists or tuples, level by level, and at last numbers of these types?

    ``distinct``: no row comes twice; ``last``: the types of each row of the last level, in order.

    >>> are_rows([[1.0], []], (list,), FLOATS, True), are_rows([(1.0,)], (list,), FLOATS, True)
    (True, False)
    >>> are_rows([(1, 2.0)], (tuple,), NUMBERS, True, last=(int, float))
    True
    """
    for form in forms:
        if not {*map(type, values)} <= {form}:
            return False
        if distinct and len({*map(id, values)}) < len(values):
            return False
        rows, values = values, [*chain.from_iterable(values)]
    if last is not None and not {tuple(map(type, row)) for row in rows} <= {last}:
        return False
    return types.issuperset(map(type, values))  # type: ignore[no-any-return]


def types_in(keys: Iterable[Any]) -> tuple[type, ...]:
    """The types of what lies in keys that are tuples, and in tuples in them.

    >>> types_in({("N", (1,)): 2.0, "scale": 3.0, (True,): 4.0})
    (<class 'str'>, <class 'tuple'>, <class 'bool'>, <class 'int'>)
    """
    parts = [*chain.from_iterable([key for key in keys if type(key) is tuple])]
    found = tuple(map(type, parts))
    return (*found, *types_in(parts)) if tuple in found else found


def passes_over_underflow() -> bool:
    """Does NumPy keep silent of results that are too small, as it does unless told otherwise?"""
    if _settings is not None and _settings.get() is _USUAL:
        return True
    return geterr()["under"] == "ignore"


def rebound(*paths: str) -> None:
    """Refuse to go on: one of these stood for something else when the derivative began to run."""
    raise Unsupported(
        " or ".join(paths), "a name bound anew while the function that reads it is differentiated",
        why="the derivative of what it stood for is written out there already",
        instead="bind it before the function is called, or hand the callable over as an argument",
    )  # fmt: skip
