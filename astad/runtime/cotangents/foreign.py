"""Cotangents that come from outside, from a user's rule or as a seed: do they fit their value?

>>> check(2.0, 0.5, "seed")
>>> check([1.0, None], (0.5, 0.5), "seed")
>>> check("a", 0.5, "seed")
Traceback (most recent call last):
astad.errors.RuleError: seed: cotangent of type str for a value of type float: ...
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from astad.errors import RuleError
from astad.runtime.cotangents.snapshots import Node, attributes_of
from astad.tangents.objects import Tangent
from astad.tangents.zero import has_identity, is_number

__all__ = ["check"]

_DOUBLE = frozenset({float, int, np.float64})


def check(part: Any, value: Any, where: str) -> None:
    """Raise if a cotangent has not the structure of its value; None fits everything.

    A number fits an array: the cotangent is the same then in all places. Keys and attributes that
    are left out have none.

    Raises
    ------
    RuleError : with ``where`` as the place.
    """
    if part is None or (type(value) in _DOUBLE and type(part) in _DOUBLE):
        return
    whole = value.value if type(value) is Node else value
    if type(value) is Node and value.kind in ("sequence", "mapping"):
        value = value.parts
    if is_number(value):
        if not _is_numeric(part):
            raise _wrong_type(part, value, where)
        if np.ndim(part) > 0:
            raise _wrong_shape(np.shape(part), (), where)
    elif issubclass(type(value), np.ndarray) and value.dtype.kind == "O":
        _check_objects(part, value, where)
    elif issubclass(type(value), np.ndarray) and not value.dtype.hasobject:
        _check_array(part, value, where)
    elif issubclass(type(value), np.ndarray):
        return
    elif issubclass(type(value), dict) and issubclass(type(part), Mapping):
        for key, each in part.items():
            if key not in value:
                raise _wrong_key("key", key, where)
            check(each, value[key], where)
    elif issubclass(type(value), (list, tuple, deque)) and issubclass(
        type(part), (list, tuple, deque)
    ):
        for inner, each in zip(value, part, strict=False):  # other lengths: the table says so
            check(each, inner, where)
    elif issubclass(type(value), (list, tuple, deque)) and issubclass(type(part), np.ndarray):
        return
    elif not (issubclass(type(value), (bool, np.bool_)) and _is_numeric(part)):
        _check_object(part, value, whole, where)


def _check_object(part: Any, value: Any, whole: Any, where: str) -> None:
    """A record for an object: the names are those of its attributes."""
    parts = part if issubclass(type(part), (Tangent, Mapping)) else getattr(part, "__dict__", None)
    if parts is None or not has_identity(value) or issubclass(type(value), _NO_RECORDS):
        raise _wrong_type(part, whole, where)
    if type(value) is Node:
        held, value = value.parts if value.kind == "object" else {}, value.value
    else:
        held = {name: content for name, (_, _, content) in attributes_of(value).items()}
    for name in parts:
        if parts[name] is None:
            continue
        if name in held:
            check(parts[name], held[name], where)
        elif (
            type(name) is not str
            or not hasattr(value, name)
            or hasattr(type(getattr(type(value), name, None)), "__set__")
        ):
            raise _wrong_key("attribute", name, where)


_NO_RECORDS = (list, tuple, dict, deque, ModuleType)


def _check_array(part: Any, value: np.ndarray[Any, Any], where: str) -> None:
    if not _is_numeric(part) and not issubclass(type(part), list):
        raise _wrong_type(part, value, where)
    try:
        shape = np.shape(part)
    except ValueError:  # a list of lists of unequal lengths
        raise _wrong_type(part, value, where) from None
    if shape not in ((), value.shape):
        raise _wrong_shape(shape, value.shape, where)


def _check_objects(part: Any, value: np.ndarray[Any, Any], where: str) -> None:
    """An array of objects: its numbers have a cotangent each, and so has what else it holds."""
    _check_array(part, value, where)
    parts = np.asarray(part)
    if parts.dtype.kind not in "biufcO":
        raise _wrong_type(part, value, where)
    if parts.dtype != object:
        return
    for each, inner in zip(np.broadcast_to(parts, value.shape).flat, value.flat, strict=True):
        if is_number(inner) or has_identity(inner):
            check(each, inner, where)


def _is_numeric(part: Any) -> bool:
    if issubclass(type(part), np.ndarray):
        return part.dtype.kind in "biufcO"
    return is_number(part) or issubclass(type(part), (bool, np.bool_))


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


def _wrong_key(kind: str, key: Any, where: str) -> RuleError:
    return RuleError(
        where,
        f"cotangent under the {kind} {key!r}",
        why=f"the value has no such {kind}",
        instead=f"use the {kind}s of the value; those that are left out have no cotangent",
    )
