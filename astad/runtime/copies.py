"""``copy.copy`` and ``copy.deepcopy``: what is in the copy comes from the original."""

from __future__ import annotations

import copy
import functools
from collections import deque
from types import MemberDescriptorType

import numpy as np

from astad.runtime.containers import copied_sequence, copied_set
from astad.runtime.copied_by_hooks import copied_by_hooks, copied_parts
from astad.runtime.dicts import copied_dict
from astad.runtime.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    opaque,
    python_method,
)
from astad.runtime.iterate import deliver
from astad.runtime.owners import slots_of, stored_in
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.add import add
from astad.tangents.held import items_of, pairs_of
from astad.tangents.zero import MADE_BY_CLASS, has_identity

__all__: list[str] = []

_HOOKS = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
          "__getnewargs_ex__")  # fmt: skip


@full(copy.copy)
def copy_forward(versions: Versions, x: Value) -> tuple[Value, Record]:
    own = python_method(type(x), "__copy__")
    if own is not None:
        return callbacks.call(versions, own, x)
    if _has_hooks(type(x)):
        y, record = callbacks.call(versions, copied_by_hooks, x, _same)
        return y, None if record is None else (pull_by_hooks, record)
    y = copy.copy(x)
    return y, _copied(x, y)


def _has_hooks(kind: type) -> bool:
    """Does the class say in Python what a copy is made of? A namedtuple's says nothing new; of a
    list or a dict it is what the class hands out, put there by its methods.
    """
    if issubclass(kind, tuple):
        return False
    asked = next((names for base, names in _ASKED.items() if issubclass(kind, base)), ())
    return any(python_method(kind, hook) for hook in (*_HOOKS, *asked))


_ASKED = {list: ("__iter__", "append", "extend"), dict: ("items", "__setitem__")}


def _same(value: Value) -> Value:
    """What an object holds is not copied by a shallow copy."""
    return value


def pull_by_hooks(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, 2)
    return None if operands is None else operands[:1]


def _copied(x: Value, y: Value) -> Record:
    """Record of a shallow copy; an immutable object is its own copy."""
    if y is x or not has_identity(y):
        return (pull_same,) if flows(y) else None
    if issubclass(type(x), np.ndarray):
        return (pull_copied_array, y, x)
    if _has_hooks(type(x)):  # in what is copied deeply by a class of C
        return opaque(f"copy of {type(x).__qualname__}", y)
    records = [_copied_contents(x, y), _copied_slots(x, y)]
    attributes = stored_in(x)
    if type(attributes) is dict:
        records.append(copied_dict(vars(y), attributes))
    found = [record for record in records if record is not None]
    return (pull_all, found) if found else None


def _copied_contents(x: Value, y: Value) -> Record:
    if issubclass(type(x), (list, tuple, deque)):
        return copied_sequence(y, x)
    if issubclass(type(x), dict):
        return copied_dict(y, x)
    return copied_set(y, x) if issubclass(type(x), (set, frozenset)) else None


def _copied_slots(x: Value, y: Value) -> Record:
    """Record of the numbers in the ``__slots__`` of an object."""
    names = [
        name
        for cls in type(y).__mro__
        for name, found in cls.__dict__.items()
        if type(found) is MemberDescriptorType and flows(getattr(y, name, None))
    ]
    return (pull_copied_slots, y, x, names) if names else None


def pull_copied_slots(
    shadows: Shadows, y_bar: Value, y: Value, x: Value, names: list[str]
) -> Cotangents:
    for name in names:
        shadows.key_add(x, name, shadows.key_take(y, name))
    return None


def pull_same(shadows: Shadows, y_bar: Value) -> Cotangents:
    return (y_bar,)


def pull_copied_array(shadows: Shadows, y_bar: Value, y: Value, x: Value) -> Cotangents:
    shadows.add(x, add(y_bar, shadows.take(y)))
    return None


def pull_all(shadows: Shadows, y_bar: Value, records: list[Record]) -> Cotangents:
    for record in reversed(records):
        deliver(shadows, record, None)
    return None


@full(copy.deepcopy, names="x memo")
def deepcopy_forward(
    versions: Versions, x: Value, memo: Value = None, *rest: Value
) -> tuple[Value, Record]:
    """The memo of ``deepcopy`` tells what is a copy of what."""
    memo = {} if memo is None else memo
    if id(x) in memo:
        return memo[id(x)], None
    found = _by_own_hooks(versions, x, memo)
    if found is not None:
        return found
    if has_identity(x) and _holds_hooks(x, memo):
        return _part_by_part(versions, x, memo)
    known = set(memo)
    y = copy.deepcopy(x, memo, *rest)
    if flows(y):
        return y, (pull_number,)
    originals = {id(o): o for o in memo.get(id(memo), ())}
    copies = [(originals[key], made) for key, made in memo.items() if key in originals]
    fresh = [(o, made) for o, made in copies if id(o) not in known and made is not o]
    if any(python_method(type(o), "__deepcopy__") for o, _ in fresh):
        return y, opaque("copy.deepcopy of a class with __deepcopy__", y)
    records = [_copied(o, made) for o, made in fresh]
    return y, (pull_all, [record for record in records if record is not None])


def _by_own_hooks(versions: Versions, x: Value, memo: Value) -> tuple[Value, Record] | None:
    """By a method of the object's class; None where it has none."""
    own = python_method(type(x), "__deepcopy__")
    if own is None and not _has_hooks(type(x)):
        return None
    if own is not None:
        y, record = callbacks.call(versions, own, x, memo)
    else:
        copier = functools.partial(copy.deepcopy, memo=memo)
        y, record = callbacks.call(versions, copied_by_hooks, x, copier)
    if y is not x:
        memo[id(x)] = y
        memo.setdefault(id(memo), []).append(x)  # so that its id stays its own
    return y, None if record is None else (pull_named, record)


def pull_named(shadows: Shadows, y_bar: Value, record: Record) -> dict[str, Value]:
    operands = callbacks.pull(shadows, record, y_bar, 2)
    return {} if operands is None else {"x": operands[0]}


def _holds_hooks(x: Value, memo: Value) -> bool:
    """Is there an object in it that says itself how it is copied?"""
    seen: set[int] = {*memo}
    waiting = [x]
    while waiting:
        value = waiting.pop()
        if id(value) in seen or not has_identity(value):
            continue
        seen.add(id(value))
        kind = type(value)
        if python_method(kind, "__deepcopy__") or _has_hooks(kind):
            return True
        if issubclass(kind, list | tuple | set | frozenset | deque):
            waiting += items_of(value)
        elif issubclass(kind, dict):
            waiting += [part for pair in pairs_of(value) for part in pair]
        waiting += (stored_in(value) or {}).values() if kind.__flags__ & MADE_BY_CLASS else ()
        waiting += [held for _, held in slots_of(value)]
    return False


def _part_by_part(versions: Versions, x: Value, memo: Value) -> tuple[Value, Record]:
    """A copy whose parts are copied one by one, each by its own rule."""
    copier = functools.partial(copy.deepcopy, memo=memo)
    y, record = callbacks.call(versions, copied_parts, x, copier, memo)
    return y, None if record is None else (pull_parts, record)


def pull_parts(shadows: Shadows, y_bar: Value, record: Record) -> None:
    callbacks.pull(shadows, record, y_bar, 3)


def pull_number(shadows: Shadows, y_bar: Value) -> dict[str, Value]:
    return {"x": y_bar}
