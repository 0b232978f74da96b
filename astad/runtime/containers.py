"""Tuples, lists, sets and deques: displays, conversions, copies, namedtuples.

Making one moves each number into its slot; what has identity moves nothing.
"""

from __future__ import annotations

import copy
from collections import deque

import numpy as np

from astad.runtime.dicts import copied_dict
from astad.runtime.full_rules import (
    Cotangents,
    Record,
    Value,
    flows,
    full,
    python_method,
)  # fmt: skip
from astad.runtime.indexing import pull_window
from astad.runtime.iterate import deliver, gather, take_gathered
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.add import add
from astad.tangents.zero import has_identity

__all__ = [
    "copied_sequence", "display", "is_namedtuple", "make_namedtuple", "pull_display", "set_display",
]  # fmt: skip


# --- displays -------------------------------------------------------------------------------------


def display(y: Value, items: tuple[Value, ...]) -> tuple[Value, Record]:
    """A fresh list or tuple `y` of these operands."""
    return y, (pull_display, y, len(items)) if any(map(flows, items)) else None


def pull_display(shadows: Shadows, y_bar: Value, y: Value, n: int) -> Cotangents:
    if y_bar is not None:
        shadows.add(y, y_bar)
    return shadows.slots_take(y, n)


def set_display(y: Value, items: tuple[Value, ...]) -> tuple[Value, Record]:
    """A fresh set `y` of these operands: of equal ones the first is in it."""
    return y, (pull_set_display, y, items) if any(map(flows, items)) else None


def pull_set_display(
    shadows: Shadows, y_bar: Value, y: Value, items: tuple[Value, ...]
) -> Cotangents:
    return [shadows.key_take(y, v) if flows(v) else None for v in items]


def copied_sequence(y: Value, source: Value) -> Record:
    """Record of a fresh list, tuple or deque `y` with the elements of `source` in the same
    positions."""
    if y is source or not any(map(flows, y)):
        return None
    return (pull_window, y, source, range(len(y)))


# --- conversions ----------------------------------------------------------------------------------


@full(list)
def list_forward(versions: Versions, *iterable: Value) -> tuple[Value, Record]:
    if not iterable:
        return [], None
    if type(iterable[0]) in (list, tuple):
        y = list(iterable[0])
        return y, copied_sequence(y, iterable[0])
    y, routes = gather(versions, iterable[0])
    return y, (take_gathered, y, routes) if any(routes) else None


@full(tuple)
def tuple_forward(versions: Versions, *iterable: Value) -> tuple[Value, Record]:
    if not iterable:
        return (), None
    if type(iterable[0]) in (list, tuple):
        y = tuple(iterable[0])
        return y, copied_sequence(y, iterable[0])
    items, routes = gather(versions, iterable[0])
    y = tuple(items)
    return y, (take_gathered, y, routes) if any(routes) else None


@full(deque, names="iterable maxlen")
def deque_forward(
    versions: Versions, iterable: Value = (), maxlen: Value = None
) -> tuple[Value, Record]:
    items, routes = gather(versions, iterable)
    y = deque(items, maxlen)
    dropped = len(items) - len(y)
    return y, (take_deque, y, routes, dropped) if any(routes) else None


def take_deque(
    shadows: Shadows, y_bar: Value, y: Value, routes: list[Record], dropped: int
) -> None:
    """A deque of bounded length keeps only the last ones; the others still go back, without
    cotangent."""
    take_gathered(shadows, y_bar, y, routes[dropped:])
    for route in reversed(routes[:dropped]):
        deliver(shadows, route, None)


def _make_set(kind: Value) -> None:
    @full(kind)
    def forward(versions: Versions, *iterable: Value) -> tuple[Value, Record]:
        if not iterable:
            return kind(), None
        items, routes = gather(versions, iterable[0])
        y = kind(items)
        return y, (take_set, y, items, routes) if any(routes) else None


def take_set(
    shadows: Shadows, y_bar: Value, y: Value, items: list[Value], routes: list[Record]
) -> Cotangents:
    """Of equal elements the first one is in the set and gets the cotangent."""
    taken = [shadows.key_take(y, v) if flows(v) else None for v in items]
    for g, route in zip(reversed(taken), reversed(routes), strict=True):
        deliver(shadows, route, g)
    return None


for _kind in (set, frozenset):
    _make_set(_kind)


# --- classes of tuples ----------------------------------------------------------------------------


def is_namedtuple(cls: type) -> bool:
    """Whether calling `cls` binds its arguments to fields, by the ``__new__`` that ``namedtuple``
    wrote."""
    new = python_method(cls, "__new__") or getattr(cls.__dict__.get("__new__"), "__func__", None)
    for base in cls.__mro__ if new is None else ():
        new = new or getattr(base.__dict__.get("__new__"), "__func__", None)
    return hasattr(cls, "_fields") and new is not None and new.__module__.startswith("namedtuple_")


def make_namedtuple(
    versions: Versions, cls: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """``cls(*args, **keywords)`` of a namedtuple: each operand is a field."""
    y = cls(*args, **keywords)
    if not any(map(flows, y)):
        return y, None
    fields = cls._fields
    return y, (pull_fields, y, [*range(len(args)), *map(fields.index, keywords)], len(fields))


def pull_fields(shadows: Shadows, y_bar: Value, y: Value, places: list[int], n: int) -> Cotangents:
    slots = pull_display(shadows, y_bar, y, n)
    return None if slots is None else [slots[i] for i in places]


@full(tuple.__new__)
def new_tuple(versions: Versions, cls: Value, *iterable: Value) -> tuple[Value, Record]:
    """What the ``__new__`` of a subclass of tuple calls."""
    if not iterable:
        return tuple.__new__(cls), None
    items, routes = gather(versions, iterable[0])
    y = tuple.__new__(cls, items)
    return y, (take_gathered, y, routes) if any(routes) else None


@full(list.__init__)
def init_list(versions: Versions, xs: Value, *iterable: Value) -> tuple[Value, Record]:
    """What the ``__init__`` of a subclass of list calls."""
    if not iterable:
        list.__init__(xs)
        return None, None
    items, routes = gather(versions, iterable[0])
    list.__init__(xs, items)
    return None, (take_gathered, xs, routes) if any(routes) else None


# --- copies ---------------------------------------------------------------------------------------


@full(copy.copy)
def copy_forward(versions: Versions, x: Value) -> tuple[Value, Record]:
    y = copy.copy(x)
    return y, _copied(x, y)


def _copied(x: Value, y: Value) -> Record:
    """Record of a shallow copy; an immutable object is its own copy."""
    if y is x or not has_identity(y):
        return (pull_same,) if flows(y) else None
    if isinstance(x, np.ndarray):
        return (pull_copied_array, y, x)
    record: Record = None
    if isinstance(x, (list, tuple, deque)):
        record = copied_sequence(y, x)
    elif isinstance(x, dict):
        record = copied_dict(y, x)
    elif isinstance(x, (set, frozenset)):
        record = copied_set(y, x)
    attributes = getattr(x, "__dict__", None)
    if attributes and type(attributes) is dict:
        inner = copied_dict(vars(y), attributes)
        record = (pull_both, record, inner) if inner is not None else record
    return record


def copied_set(y: Value, x: Value) -> Record:
    """Record of a fresh set `y` whose numbers come from `x`."""
    keys = [v for v in y if flows(v)]
    return (pull_copied_keys, y, x, keys) if keys else None


def pull_copied_keys(
    shadows: Shadows, y_bar: Value, y: Value, x: Value, keys: list[Value]
) -> Cotangents:
    for key in keys:
        shadows.key_add(x, key, shadows.key_take(y, key))
    return None


def pull_same(shadows: Shadows, y_bar: Value) -> Cotangents:
    return (y_bar,)


def pull_copied_array(shadows: Shadows, y_bar: Value, y: Value, x: Value) -> Cotangents:
    shadows.add(x, add(y_bar, shadows.take(y)))
    return None


def pull_both(shadows: Shadows, y_bar: Value, first: Record, second: Record) -> Cotangents:
    deliver(shadows, second, None)
    deliver(shadows, first, None)
    return None


@full(copy.deepcopy)
def deepcopy_forward(
    versions: Versions, x: Value, memo: Value = None, *rest: Value
) -> tuple[Value, Record]:
    """The memo of ``deepcopy`` tells what is a copy of what."""
    memo = {} if memo is None else memo
    known = set(memo)
    y = copy.deepcopy(x, memo, *rest)
    if flows(y):
        return y, (pull_same,)
    originals = {id(o): o for o in memo.get(id(memo), ())}
    records = [
        _copied(originals[key], made)
        for key, made in memo.items()
        if key not in known and key in originals and made is not originals[key] and key != id(memo)
    ]
    return y, (pull_all, [record for record in records if record is not None])


def pull_all(shadows: Shadows, y_bar: Value, records: list[Record]) -> Cotangents:
    for record in reversed(records):
        deliver(shadows, record, None)
    return None
