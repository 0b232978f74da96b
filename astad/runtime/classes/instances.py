"""Attributes of plain instances, in short: what lies in the instance's ``__dict__`` and under no
name of its classes. All else is left to `attributes`.

>>> class Point:
...     pass
>>> p = Point()
>>> write(None, p, "x", 2.0)[0], read(None, p, "x")[0]
(None, 2.0)
>>> read(None, p, "__class__") is None
True
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from astad.rules.registry import QUICK
from astad.runtime.classes.attribute_writes import pull_set_attribute, pull_set_count
from astad.runtime.core.full_rules import NUMBERS, Record, Value, flows
from astad.runtime.core.listings import pull_attribute
from astad.runtime.core.versions import Versions

__all__ = ["read", "write"]

_READ: Value = object.__getattribute__
_WRITE: Value = object.__setattr__
_OTHERS: frozenset[type] = NUMBERS | {np.ndarray, ModuleType, type}
"""Types with readers and writers of their own."""


def read(versions: Versions, o: Value, name: str) -> tuple[Value, Record] | None:
    """``o.name``; None where it is not as simple."""
    kind = type(o)
    if kind in _OTHERS or kind.__getattribute__ is not _READ:
        return None
    for base in kind.__mro__:
        if name in base.__dict__:
            return None
    try:
        held = o.__dict__
        y = held[name]
    except (AttributeError, KeyError):
        return None
    return y, (pull_attribute, held, name) if type(y) is float or flows(y) else None


def write(versions: Versions, o: Value, name: str, v: Value) -> tuple[None, Record] | None:
    """``o.name = v``; None where it is not as simple."""
    kind = type(o)
    if (
        kind in _OTHERS
        or kind.__setattr__ is not _WRITE
        or issubclass(kind, (np.ndarray, ModuleType))
    ):
        return None
    for base in kind.__mro__:
        if name in base.__dict__:
            return None
    was = _READ(o, "__dict__").get(name) if type(v) is int and hasattr(o, "__dict__") else None
    setattr(o, name, v)
    pull = pull_set_count if type(was) is int else pull_set_attribute
    return None, (pull, _READ(o, "__dict__"), name) if flows(v) else None


QUICK[id(getattr)] = (2, read)
QUICK[id(setattr)] = (3, write)
