"""Attributes written and deleted: ``o.name = v``, ``del o.name``, of whatever object.

>>> from astad.runtime import dispatch
>>> class Point:
...     pass
>>> p = Point()
>>> callbacks.call(Versions(), setattr, p, "x", "a"), p.x
((None, None), 'a')
"""

from __future__ import annotations

import types
from _thread import _local as _ThreadLocal

import numpy as np

from astad.runtime.arrays.array_layout import write_array_attribute
from astad.runtime.classes.written_globals import look_from_now_on
from astad.runtime.core.compiled_code import is_of_package, note_given
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    lookup_in_class,
    python_method,
)
from astad.runtime.core.rebound import binding_anew
from astad.runtime.core.versions import Versions
from astad.runtime.core.weak_proxies import behind
from astad.runtime.cotangents.owners import attribute_store
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.text.texts import leave

__all__ = ["pull_set_attribute", "pull_set_count", "set_attribute"]


@full(setattr)
def set_attribute(versions: Versions, o: Value, name: str, v: Value) -> tuple[None, Record]:
    o = behind(o)
    kind = type(o)
    own = python_method(kind, "__setattr__")
    if own is not None:
        _, record = callbacks.call(versions, own, o, name, v)
        return None, record
    return _write(versions, o, name, v, setattr)


@full(type.__setattr__)
def type_setattr(versions: Versions, cls: Value, name: str, v: Value) -> tuple[None, Record]:
    """What the ``__setattr__`` of a metaclass calls."""
    return _write(versions, cls, name, v, type.__setattr__)


def _writer(plain: Value) -> None:
    """What a ``__setattr__`` of the user's calls, and frozen dataclasses."""

    @full(plain)
    def forward(versions: Versions, o: Value, name: str, v: Value) -> tuple[None, Record]:
        return _write(versions, o, name, v, plain)


for _kind in (object, types.ModuleType, _ThreadLocal):
    _writer(_kind.__setattr__)


def _write(versions: Versions, o: Value, name: str, v: Value, plain: Value) -> tuple[None, Record]:
    found = lookup_in_class(type(o), name)
    if issubclass(type(found), property) and found.fset is not None and _is_plain(found):
        _, record = callbacks.call(versions, found.fset, o, v)
        return None, None if record is None else (pull_set_property, record)
    method = None if found is None else python_method(type(found), "__set__")
    if method is not None:
        _, record = callbacks.call(versions, method, found, o, v)
        return None, None if record is None else (pull_set_described, record)
    kind = type(o)
    if issubclass(kind, np.ndarray) and (kind is np.ndarray or hasattr(np.ndarray, name)):
        return write_array_attribute(versions, o, name, v)
    if issubclass(kind, types.ModuleType) and flows(v):
        look_from_now_on(o.__dict__, name)
    counts = type(v) is int and _held_count(o, name, found)
    if kind is types.FunctionType or issubclass(kind, (type, types.ModuleType)):
        binding_anew(o, name, v)
    plain(o, name, v)
    if type(found) is types.GetSetDescriptorType and is_of_package(kind.__module__):
        note_given(versions.made_of, [v])
    if issubclass(kind, type) and flows(v):
        versions.rebinds = True
    store = o.__dict__ if issubclass(kind, types.ModuleType) else attribute_store(o, name)
    pull = pull_set_count if counts else pull_set_attribute
    record = (pull, store, name) if flows(v) else None
    is_apart = type(found) is types.MemberDescriptorType or kind is types.CellType
    if record is not None and store is o and not is_apart:
        record = leave(versions, f"{kind.__qualname__}.{name} = v", record, (o, name, v))
    return None, record


def _held_count(o: Value, name: str, found: Value) -> bool:
    """Whether a whole number is there before the write."""
    if type(found) is types.MemberDescriptorType:
        try:
            return type(found.__get__(o)) is int
        except AttributeError:
            return False
    return type(getattr(o, "__dict__", {}).get(name)) is int


def pull_set_count(shadows: Shadows, y_bar: Value, store: Value, name: str) -> Cotangents:
    """A whole number in the place of another: it only counts, as epochs or what is done."""
    return None, None, shadows.key_take(store, name)


def pull_set_attribute(shadows: Shadows, y_bar: Value, store: Value, name: str) -> Cotangents:
    return None, None, shadows.key_take(store, name)


def pull_set_property(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, None, 2)
    return None if operands is None else (None, None, operands[1])


def pull_set_described(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, None, 3)
    return None if operands is None else (None, None, operands[2])


def _is_plain(found: property) -> bool:
    """Is it a property as Python has them, not one of a class of the user's?"""
    return python_method(type(found), "__set__") is None


# --- properties called by hand: ``Base.level.__set__(self, v)`` ---------------------------------


@full(property.__get__)
def get_property(versions: Versions, found: Value, o: Value, *cls: Value) -> tuple[Value, Record]:
    if o is None or found.fget is None:
        return property.__get__(found, o, *cls), None
    y, record = callbacks.call(versions, found.fget, o)
    return y, None if record is None else (pull_get_property_by_hand, record, len(cls))


def pull_get_property_by_hand(
    shadows: Shadows, y_bar: Value, record: Record, more: int
) -> Cotangents:
    (o_bar,) = callbacks.pull(shadows, record, y_bar, 1) or (None,)
    return None, o_bar, *[None] * more


@full(property.__set__)
def set_property(versions: Versions, found: Value, o: Value, v: Value) -> tuple[None, Record]:
    if found.fset is None:
        return found.__set__(o, v), None
    _, record = callbacks.call(versions, found.fset, o, v)
    return None, None if record is None else (pull_set_property_by_hand, record)


def pull_set_property_by_hand(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, None, 2)
    return None if operands is None else (None, *operands)


@full(property.__delete__)
def delete_property(versions: Versions, found: Value, o: Value) -> tuple[None, Record]:
    if found.fdel is None:
        return found.__delete__(o), None
    _, record = callbacks.call(versions, found.fdel, o)
    return None, None if record is None else (pull_delete, record, 1)


# --- deleting -------------------------------------------------------------------------------------


@full(delattr)
def delete_attribute(versions: Versions, o: Value, name: str) -> tuple[None, Record]:
    o = behind(o)
    own = python_method(type(o), "__delattr__")
    if own is not None:
        _, record = callbacks.call(versions, own, o, name)
        return None, record
    return _delete(versions, o, name, delattr)


@full(object.__delattr__)
def object_delattr(versions: Versions, o: Value, name: str) -> tuple[None, Record]:
    return _delete(versions, o, name, object.__delattr__)


def _delete(versions: Versions, o: Value, name: str, plain: Value) -> tuple[None, Record]:
    """By the deleter of a property, by a descriptor's ``__delete__``, or from the object."""
    found = lookup_in_class(type(o), name)
    if issubclass(type(found), property) and found.fdel is not None:
        _, record = callbacks.call(versions, found.fdel, o)
        return None, None if record is None else (pull_delete, record, 1)
    method = None if found is None else python_method(type(found), "__delete__")
    if method is not None:
        _, record = callbacks.call(versions, method, found, o)
        return None, None if record is None else (pull_delete, record, 2)
    kind = type(o)
    if kind is types.FunctionType or issubclass(kind, (type, types.ModuleType)):
        binding_anew(o, name)
    plain(o, name)
    return None, None


def pull_delete(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    callbacks.pull(shadows, record, None, n)
    return None
