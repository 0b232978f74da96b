"""``del o[i]``: elements that go take no cotangent with them, those behind them move back."""

from __future__ import annotations

import operator
from collections import deque

from astad.runtime.bases import BASES, base_of, plain_place
from astad.runtime.full_rules import (
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    full,
    python_method,
)
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__ = ["delete_from_base", "delete_item"]


DELETERS: dict[type, Forward] = {}
"""Classes of C beside these, and what ``del o[i]`` does to their objects."""


@full(operator.delitem)
def delete_item(versions: Versions, o: Value, i: Value) -> tuple[None, Record]:
    method = python_method(type(o), "__delitem__")
    if method is not None:
        _, record = callbacks.call(versions, method, o, i)
        return None, record
    if isinstance(o, BASES):
        return delete_from_base(versions, o, i)
    del o[i]
    return None, None


def delete_from_base(versions: Versions, o: Value, i: Value) -> tuple[None, Record]:
    """``del o[i]`` by the builtin class of `o`."""
    base = base_of(o)
    if base is not list and base is not deque:
        if base in DELETERS:
            return DELETERS[base](versions, o, i)
        base.__delitem__(o, i)
        return None, None
    i = plain_place(i)
    n = base.__len__(o)
    base.__delitem__(o, i)
    if base is list and type(i) is slice:
        return None, (pull_delete, o, sorted(range(*i.indices(n))))
    i = operator.index(i)
    i = i if i >= 0 else i + n
    return None, (pull_delete, o, [i]) if i < n - 1 else None


def pull_delete(shadows: Shadows, y_bar: Value, o: Value, places: list[int]) -> Cotangents:
    shadows.undelete(o, places)
    return None
