"""A value that lies in a cache, and the same one computed once more: its record is that of the
other, with what has come to the one handed to the other.

>>> both = matching([1.5, {"a": np.ones(2)}], [1.5, {"a": np.ones(2)}])
>>> len(both.numbers), len(both.arrays), matching([1.5], [2.5])
(1, 1, None)
"""

from __future__ import annotations

from collections import deque
from types import CellType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from astad.runtime.core.departed import is_of_user
from astad.runtime.core.full_rules import Cotangents, Record, Value
from astad.runtime.cotangents.owners import attribute_store, slots_of, stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import CELL, is_full
from astad.tangents.unasked import items_of, pairs_of
from astad.tangents.zero import has_identity, is_number

__all__ = ["handed_on", "is_same", "matching", "seeded"]

_SEQUENCES = (list, tuple, deque)
_TEXTS = (str, bytes, bool, type(None), range, np.bool_, np.dtype)


class Both(NamedTuple):
    """Where the numbers of two values lie that are the same: arrays, and for each number the
    containers and the key in them.
    """

    arrays: list[tuple[Value, Value]]
    numbers: list[tuple[Value, Value, Any]]


def matching(old: Value, new: Value) -> Both | None:
    """The numbers of two values of one structure and the same content; None for others."""
    found = Both([], [])
    theirs: dict[int, Value] = {}
    waiting: list[tuple[Value, Value]] = [(old, new)]
    while waiting:
        a, b = waiting.pop()
        if a is b:
            continue
        if id(a) in theirs:
            if theirs[id(a)] is not b:
                return None
            continue
        if is_number(a) or type(a) in _TEXTS:
            if not is_same(a, b):
                return None
            continue
        theirs[id(a)] = b
        inside = _inside(a, b, found)
        if inside is None:
            return None
        waiting += inside
    return found


def is_same(y: Value, old: Value) -> bool:
    if type(y) is not type(old):
        return False
    if issubclass(type(old), np.ndarray):
        is_laid_so = y.dtype == old.dtype and y.shape == old.shape
        return is_laid_so and np.array_equal(y, old, equal_nan=old.dtype.kind in "fc")
    return bool(y == old or (y != y and old != old))


def _inside(a: Value, b: Value, found: Both) -> list[tuple[Value, Value]] | None:
    """What two objects hold, in pairs; None where they are not of one structure."""
    if type(a) is not type(b):
        return None
    if issubclass(type(a), np.ndarray):
        found.arrays.append((a, b))
        return [] if a.dtype.kind not in "OV" and is_same(a, b) else None
    one, other = _parts(a), _parts(b)
    if one is None or other is None or [*one] != [*other]:
        return None
    if type(a) is FunctionType and a.__code__ is not b.__code__:
        return None
    found.numbers.extend((a, b, key) for key, part in one.items() if is_number(part))
    return [(part, other[key]) for key, part in one.items()]


def _parts(one: Value) -> dict[Any, Value] | None:
    """What it holds, by place; None where that is not known."""
    kind = type(one)
    if kind in _SEQUENCES or (issubclass(kind, tuple) and not hasattr(one, "__dict__")):
        return dict(enumerate(items_of(one)))
    if kind is dict:
        return dict(pairs_of(one))
    if kind is CellType:
        return {CELL: one.cell_contents} if is_full(one) else {}
    if kind is FunctionType:
        return dict(enumerate((*(one.__closure__ or ()), one.__defaults__, one.__kwdefaults__)))
    holds_more = issubclass(kind, (*_SEQUENCES, dict, set, frozenset, BaseException))
    if not is_of_user(kind) or holds_more or not has_identity(one):
        return None
    store = stored_in(one)
    return {**(store if type(store) is dict else {}), **dict(slots_of(one))}


def handed_on(y: Value, again: Value, both: Both, record: Record) -> Record:
    """The record of ``again``, as that of ``y``, which is the same."""
    if y is again or not has_identity(y):
        return record
    return None if record is None else (pull_handed_on, y, again, both, record)


def pull_handed_on(
    shadows: Shadows, y_bar: Value, y: Value, again: Value, both: Both, record: Record
) -> Cotangents:
    assert record is not None
    if y_bar is not None:
        shadows.add(y, y_bar)
    for old, new in both.arrays:
        if shadows.has(old):
            shadows.add(new, shadows.take(old))
    for old, new, key in both.numbers:
        if issubclass(type(old), _SEQUENCES):
            shadows.slot_add(new, key, shadows.slot_take(old, key))
        else:
            shadows.key_add(_store(new, key), key, shadows.key_take(_store(old, key), key))
    refused = shadows.refused_at(y)
    if refused is not None:
        shadows.refuse(again, refused)
    parts: Cotangents = record[0](shadows, None, *record[1:])
    return parts


def _store(holder: Value, key: Any) -> Value:
    is_own = issubclass(type(holder), dict) or type(holder) is CellType
    return holder if is_own else attribute_store(holder, key)


def seeded(shadows: Shadows, y: Value) -> Value:
    """A cotangent for each number of ``y``, no two alike: of a number itself it is given."""
    if not has_identity(y):
        return 1.0 if is_number(y) else None
    seen, waiting, count = set[int](), [y], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or not has_identity(one):
            continue
        seen.add(id(one))
        if issubclass(type(one), np.ndarray):
            if one.dtype.kind in "fc":
                shadows.add(one, np.cos(1.0 + count + np.arange(one.size)).reshape(one.shape))
            count += one.size
            continue
        for key, part in (_parts(one) or {}).items():
            count += 1
            if not is_number(part):
                waiting.append(part)
            elif issubclass(type(one), _SEQUENCES):
                shadows.slot_add(one, key, np.cos(float(count)).item())
            else:
                shadows.key_add(_store(one, key), key, np.cos(float(count)).item())
    return None
