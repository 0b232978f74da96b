"""What compiled code without a rule was given: as it was before the call, and whether it is still.

>>> xs = [1.0, 2.0]
>>> old = contents(xs)
>>> xs.reverse()
>>> is_changed(xs, old)
True
"""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any, TypeAlias

import numpy as np

from astad.runtime.full_rules import Value, flows
from astad.tangents.held import items_of, pairs_of
from astad.tangents.zero import has_identity

__all__ = ["contents", "is_changeable", "is_changed"]

Contents: TypeAlias = Any
"""A copy of an array, or the items of a container: mixed by nature."""


def is_changeable(value: Value) -> bool:
    """May a change of this change a derivative?

    Lists of names may change as they like.
    """
    if issubclass(type(value), np.ndarray):
        return value.dtype.kind in "fc"
    if issubclass(type(value), array):
        return value.typecode in "fd"
    if not issubclass(type(value), (list, dict, set, deque)):
        return False
    if issubclass(type(value), dict):
        return any(flows(v) or has_identity(v) for _, v in pairs_of(value))
    return any(flows(v) or has_identity(v) for v in items_of(value))


def contents(value: Value) -> Contents:
    """What is in it now."""
    if issubclass(type(value), np.ndarray | array):
        return np.array(value, subok=False)  # a class of the user's may have its own copy()
    if issubclass(type(value), dict):
        return list(pairs_of(value))
    return list(items_of(value))


def is_changed(value: Value, old: Contents) -> bool:
    """Is something else in it than before?"""
    if issubclass(type(value), np.ndarray | array):
        return not np.array_equal(np.asarray(value), old, equal_nan=True)
    now = contents(value)
    if len(now) != len(old):
        return True
    if issubclass(type(value), dict):
        return any(a[0] is not b[0] or a[1] is not b[1] for a, b in zip(now, old, strict=True))
    return any(a is not b for a, b in zip(now, old, strict=True))
