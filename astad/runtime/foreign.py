"""Cotangents that come from outside, from a user's rule or as a seed: do they fit their value?

>>> check(2.0, 0.5, "seed")
>>> check([1.0, None], (0.5, 0.5), "seed")
>>> check("a", 0.5, "seed")
Traceback (most recent call last):
astad.errors.RuleError: seed: cotangent of type str for a value of type float: ...
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from astad.errors import RuleError
from astad.tangents.zero import is_number

__all__ = ["check"]

_DOUBLE = frozenset({float, int, np.float64})


def check(part: Any, value: Any, where: str) -> None:
    """Raise if a cotangent has not the structure of its value; None fits everything.

    A number fits an array, and an array one that it broadcasts to: the cotangent is the same then
    in all places. Keys that are left out have none.

    Raises
    ------
    RuleError : with ``where`` as the place.
    """
    if part is None or (type(value) in _DOUBLE and type(part) in _DOUBLE):
        return
    if is_number(value):
        if not _is_numeric(part):
            raise _wrong_type(part, value, where)
        if np.ndim(part) > 0:
            raise _wrong_shape(np.shape(part), (), where)
    elif issubclass(type(value), np.ndarray) and not value.dtype.hasobject:
        _check_array(part, value, where)
    elif issubclass(type(value), dict) and issubclass(type(part), Mapping):
        for key, each in part.items():
            if key not in value:
                raise _wrong_key(key, where)
            check(each, value[key], where)
    elif issubclass(type(value), list | tuple) and issubclass(type(part), list | tuple):
        for inner, each in zip(value, part, strict=False):  # other lengths: the table says so
            check(each, inner, where)


def _check_array(part: Any, value: np.ndarray[Any, Any], where: str) -> None:
    if not _is_numeric(part) and not issubclass(type(part), list):
        raise _wrong_type(part, value, where)
    try:
        shape = np.shape(part)
    except ValueError:  # a list of lists of unequal lengths
        raise _wrong_type(part, value, where) from None
    try:
        np.broadcast_to(np.empty(shape), value.shape)
    except ValueError:
        raise _wrong_shape(shape, value.shape, where) from None


def _is_numeric(part: Any) -> bool:
    if issubclass(type(part), np.ndarray):
        return part.dtype.kind in "biufcO"
    return is_number(part) or issubclass(type(part), bool | np.bool_)


def _wrong_type(part: Any, value: Any, where: str) -> RuleError:
    return RuleError(
        where,
        f"cotangent of type {type(part).__name__} for a value of type {type(value).__name__}",
        why="a cotangent has the structure of its value",
        instead="give a number for a number, an array for an array, None where there is none",
    )


def _wrong_shape(got: tuple[int, ...], wanted: tuple[int, ...], where: str) -> RuleError:
    return RuleError(
        where,
        f"cotangent of shape {got} for a value of shape {wanted}",
        why="a cotangent has the shape of its value",
        instead="sum it over the axes along which the value was broadcast",
    )


def _wrong_key(key: Any, where: str) -> RuleError:
    return RuleError(
        where,
        f"cotangent under the key {key!r}",
        why="the value has no such key",
        instead="use the keys of the value; those that are left out have no cotangent",
    )
