"""``copy.copy`` and ``copy.deepcopy``: what is in the copy comes from the original."""

from __future__ import annotations

import copy
import copyreg
import functools
from array import array
from collections import defaultdict, deque, namedtuple
from types import MemberDescriptorType

import numpy as np

from astad.runtime.arrays.typed_arrays import take_at
from astad.runtime.containers.containers import copied_sequence, copied_set
from astad.runtime.containers.dicts import copied_dict
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    lookup_in_class,
    opaque,
    python_method,
)
from astad.runtime.core.listings import add_at
from astad.runtime.core.stand_ins import check_copied_once
from astad.runtime.core.versions import Versions
from astad.runtime.core.weak_proxies import is_proxy
from astad.runtime.cotangents.owners import has_numbers, numbers_in, object_of, slots_of, stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import deliver
from astad.runtime.python.copied_by_hooks import (
    REDUCED,
    copied_by_hooks,
    deepcopied,
    deepcopied_parts,
    reduced_by_class,
    state_by_class,
)
from astad.runtime.python.copied_iterators import REDUCED_ITERATORS
from astad.tangents.add import add
from astad.tangents.unasked import items_of, pairs_of
from astad.tangents.zero import MADE_BY_CLASS, has_identity

__all__: list[str] = []

_HOOKS = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
          "__getnewargs_ex__", "__getattr__", "__getattribute__")  # fmt: skip
"""``copy`` looks for those of an object, and asks for them where the object makes attributes."""


@full(copy.copy)
def copy_forward(versions: Versions, x: Value) -> tuple[Value, Record]:
    if issubclass(type(x), type):
        return x, None
    if is_proxy(x):
        return callbacks.call(versions, copy.copy, object_of(x))
    own = python_method(type(x), "__copy__")
    if own is not None:
        return callbacks.call(versions, own, x)
    base = next((each for each in (defaultdict, deque) if issubclass(type(x), each)), None)
    if base is not None:  # copied by a ``__copy__`` of C, which calls the class
        return callbacks.call(versions, base.__copy__, x)
    says_how = _has_hooks(type(x)) or _is_number_with_attributes(x)
    if says_how and not lookup_in_class(type(x), "__copy__"):
        y, record = callbacks.call(versions, copied_by_hooks, x, None)
        return y, None if record is None else (pull_by_hooks, record)
    y = copy.copy(x)
    return y, _copied(x, y)


@full(object.__getstate__)
def getstate_forward(versions: Versions, x: Value) -> tuple[Value, Record]:
    return callbacks.call(versions, state_by_class, x)


@full(object.__reduce_ex__)
def reduce_ex_forward(versions: Versions, x: Value, protocol: Value) -> tuple[Value, Record]:
    if protocol < 2:
        y = object.__reduce_ex__(x, protocol)
        return y, opaque("__reduce_ex__ of an old protocol", y)
    return callbacks.call(versions, reduced_by_class, x, protocol)


def _has_hooks(kind: type) -> bool:
    """Does the class say in Python what a copy is made of? A namedtuple's says nothing new; of a
    list or a dict it is what the class hands out, put there by its methods.
    """
    if kind in copyreg.dispatch_table and kind not in _OF_PYTHON:
        return True
    if _answers_in_c(kind):
        return True
    asked = next((names for base, names in _ASKED.items() if issubclass(kind, base)), ())
    found = [python_method(kind, hook) for hook in (*_HOOKS, *asked)]
    return any(hook and getattr(hook, "__code__", None) is not _OF_NAMEDTUPLES for hook in found)


def _answers_in_c(kind: type) -> bool:
    """Does its ``__reduce__`` of C show what a copy is made of, with the numbers that it holds?"""
    return kind in REDUCED_ITERATORS or issubclass(kind, (BaseException, functools.partial))


_OF_PYTHON = frozenset(copyreg.dispatch_table)
_OF_NAMEDTUPLES = namedtuple("_Any", "").__getnewargs__.__code__  # type: ignore[attr-defined]
_ASKED = {
    list: ("__iter__", "append", "extend"),
    dict: ("items", "__setitem__"),
    deque: ("__iter__", "append", "extend"),
}


def pull_by_hooks(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, 2)
    return None if operands is None else operands[:1]


def _copied(x: Value, y: Value) -> Record:
    """Record of a shallow copy; an immutable object is its own copy."""
    if y is x or not has_identity(y):
        return (pull_same,) if flows(y) else None
    if issubclass(type(x), np.ndarray):
        return (pull_copied_array, y, x)
    if issubclass(type(x), array):
        return (pull_copied_numbers, y, x, len(x)) if has_numbers(x) else None
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


def pull_copied_numbers(shadows: Shadows, y_bar: Value, y: Value, x: Value, n: int) -> Cotangents:
    if n == len(x) == len(y):
        shadows.add(numbers_in(x), shadows.take(numbers_in(y)))
        return None
    for k in range(n):  # one of them has become longer or shorter
        add_at(shadows, x, k, take_at(shadows, y, k))
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
    x = object_of(x)
    if id(x) in memo:
        y = memo[id(x)]
        return y, (pull_known, memo, id(x)) if flows(y) else None
    fn = _text_for(x, memo)
    if fn is not None:
        y, record = callbacks.call(versions, fn, x, memo)
        if y is not x:
            memo.setdefault(id(memo), []).append(x)  # so that its id stays its own
        return y, None if record is None else (pull_named, record)
    known = set(memo)
    y = copy.deepcopy(x, memo, *rest)
    if flows(y):
        return y, (pull_number,)
    originals = {id(o): o for o in memo.get(id(memo), ())}
    check_copied_once(versions, originals.values())
    copies = [(originals[key], made) for key, made in memo.items() if key in originals]
    fresh = [(o, made) for o, made in copies if id(o) not in known and made is not o]
    if any(_copies_itself(o) for o, _ in fresh):
        return y, opaque("copy.deepcopy of a class with __deepcopy__", y)
    records = [_copied(o, made) for o, made in fresh]
    return y, (pull_all, [record for record in records if record is not None])


def pull_known(shadows: Shadows, y_bar: Value, memo: Value, key: int) -> dict[str, Value]:
    """A number that is the copy of an object: its derivative goes to where it was remembered."""
    shadows.key_add(memo, key, y_bar)
    return {}


def _text_for(x: Value, memo: Value) -> Value:
    """What copies it in Python; None where nothing in it says itself how it is copied."""
    kind: Value = type(x)
    if issubclass(kind, type):
        return None
    if _copies_itself(x):
        return deepcopied
    if not _holds_hooks(x, memo):
        return None
    if kind in (list, tuple, dict):
        return deepcopied_parts
    is_known = not lookup_in_class(kind, "__deepcopy__") and kind.__reduce__ in REDUCED
    return deepcopied if is_known else None


def _copies_itself(x: Value) -> bool:
    kind = type(x)
    if not kind.__flags__ & MADE_BY_CLASS:
        return _answers_in_c(kind)
    own = python_method(kind, "__deepcopy__") or "__deepcopy__" in (stored_in(x) or ())
    says_how = _has_hooks(kind) or _is_number_with_attributes(x)
    return bool(own) or (says_how and not lookup_in_class(kind, "__deepcopy__"))


def _is_number_with_attributes(x: Value) -> bool:
    return not has_identity(x) and bool(stored_in(x))


def pull_named(shadows: Shadows, y_bar: Value, record: Record) -> dict[str, Value]:
    operands = callbacks.pull(shadows, record, y_bar, 2)
    return {} if operands is None else {"x": operands[0]}


def _holds_hooks(x: Value, memo: Value) -> bool:
    """Is there an object in it that says itself how it is copied?"""
    seen: set[int] = {*memo}
    waiting = [x]
    while waiting:
        value = waiting.pop()
        if flows(memo.get(id(value))):  # its copy is a number, which came by its own methods
            return True
        if id(value) in seen or not (has_identity(value) or stored_in(value)):
            continue
        seen.add(id(value))
        kind = type(value)
        if _copies_itself(value):
            return True
        if issubclass(kind, (list, tuple, set, frozenset, deque)):
            waiting += items_of(value)
        elif issubclass(kind, dict):
            waiting += [part for pair in pairs_of(value) for part in pair]
        waiting += (stored_in(value) or {}).values() if kind.__flags__ & MADE_BY_CLASS else ()
        waiting += [held for _, held in slots_of(value)]
    return False


def pull_number(shadows: Shadows, y_bar: Value) -> dict[str, Value]:
    return {"x": y_bar}
