"""Attributes: ``o.name``, ``o.name = v``, ``del o.name`` of whatever object.

A number in an instance is the slot of its name in the instance's ``__dict__`` (so
``vars(self)["x"]`` is the same one), or in the object itself where it has ``__slots__``. Properties
are calls of the user's function.
"""

from __future__ import annotations

import functools
import types
from _thread import _local as _ThreadLocal
from collections import deque, namedtuple
from collections.abc import Callable

import numpy as np

from astad.runtime.array_layout import write_array_attribute
from astad.runtime.exact_numbers import PARTS, pull_numerator
from astad.runtime.full_rules import (
    NUMBERS,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    inert,
    is_data_descriptor,
    lookup_in_class,
    opaque,
    python_method,
)
from astad.runtime.owners import attribute_store, owner_of
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.add import add

__all__ = ["BOUND", "get_attribute", "set_attribute"]

BOUND = "__self__"
"""Key under which a bound method of a number holds the number's cotangent."""

Attribute = tuple[Value, Record]


# --- reading --------------------------------------------------------------------------------------


@full(getattr)
def get_attribute(versions: Versions, o: Value, name: str, *default: Value) -> Attribute:
    kind = type(o)
    if not default:
        reader = _READERS.get(kind)
        return _read(versions, o, kind, name) if reader is None else reader(o, name)
    try:
        y, record = get_attribute(versions, o, name)
    except AttributeError:
        return default[0], (pull_default,) if flows(default[0]) else None
    return y, None if record is None else (pull_found, record)


def pull_found(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    """Back through ``getattr(o, name, default)`` where the attribute was there."""
    operands = record[0](shadows, y_bar, *record[1:])
    return None if operands is None else (*operands, None)


def pull_default(shadows: Shadows, y_bar: Value) -> Cotangents:
    return None, None, y_bar


def _read(versions: Versions, o: Value, kind: type, name: str) -> Attribute:
    own_lookup: Value = kind.__getattribute__
    if own_lookup is object.__getattribute__:
        return _read_object(versions, o, kind, name)
    own = python_method(kind, "__getattribute__")
    if own is not None:
        y, record = callbacks.call(versions, own, o, name)
        return y, _one_more(record, False)
    if isinstance(o, _ORDINARY):
        return _read_object(versions, o, kind, name)
    if kind is super:
        return _read_super(versions, o, name)
    for base, reader in _READERS.items():
        if isinstance(o, base):
            return reader(o, name)
    y = getattr(o, name)
    if isinstance(o, _ThreadLocal):
        return y, (pull_attribute, attribute_store(o, name), name) if flows(y) else None
    return y, opaque(f"{kind.__qualname__}.{name}", y, (o, name))


_ORDINARY = (
    dict, list, tuple, set, frozenset, deque, str, bytes, BaseException, types.SimpleNamespace,
    types.FunctionType, functools.partial,
)  # fmt: skip
"""Types of C whose attributes are looked up as those of any object."""


def _read_object(versions: Versions, o: Value, kind: type, name: str) -> Attribute:
    """As ``object.__getattribute__``: data descriptor, instance, class, ``__getattr__``."""
    found = lookup_in_class(kind, name)
    special = _DESCRIPTORS.get(type(found))
    if special is not None:
        return special(versions, o, found, name)
    if is_data_descriptor(found):
        return _read_described(versions, o, found, name)
    held = getattr(o, "__dict__", None)
    if held is not None and name in held:
        y = held[name]
        return y, (pull_attribute, held, name) if flows(y) else None
    if found is not None:
        return _read_from_class(versions, o, kind, found, name)
    fallback = python_method(kind, "__getattr__")
    if fallback is not None:
        y, record = callbacks.call(versions, fallback, o, name)
        return y, _one_more(record, True)
    return getattr(o, name), None  # what C classes compute, or Python's own AttributeError


def _read_from_class(
    versions: Versions, o: Value, kind: type, found: Value, name: str
) -> Attribute:
    if flows(found):
        owner = next(base for base in kind.__mro__ if name in base.__dict__)
        return found, (pull_attribute, owner, name)
    if hasattr(type(found), "__get__"):
        return _read_described(versions, o, found, name)
    return found, None


def _read_described(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    """A descriptor other than those known: a method is bound; one of the user's is a call of its
    ``__get__``."""
    method = python_method(type(found), "__get__")
    if method is not None:
        y, record = callbacks.call(versions, method, found, o, type(o))
        return y, None if record is None else (pull_described, record)
    y = found.__get__(o, type(o))
    if flows(o) and callable(y):
        return y, (pull_bound, y)
    if type(found) in _INERT_DESCRIPTORS:
        return y, None
    return y, opaque(f"{type(o).__name__}.{name}", y, (o, name))


def pull_described(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 3)
    return None


_INERT_DESCRIPTORS = frozenset([
    types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType, types.BuiltinFunctionType, classmethod, staticmethod,
    functools.partialmethod, functools.singledispatchmethod,
])  # fmt: skip


def _read_property(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    if found.fget is None:
        return getattr(o, name), None  # raises Python's own AttributeError
    y, record = callbacks.call(versions, found.fget, o)
    return y, _one_more(record, True)


def _one_more(record: Record, add_name: bool) -> Record:
    """The record of a call on (o,) or (o, name) as one of ``getattr(o, name, ...)``."""
    return None if record is None else (pull_on_object, record, 1 if add_name else 2)


def pull_on_object(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, n)
    return None if operands is None else (operands[0], None)


def _read_cached(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    """``functools.cached_property``: computed once, then an attribute of the instance."""
    held = o.__dict__
    if name in held:
        y = held[name]
        return y, (pull_attribute, held, name) if flows(y) else None
    y, record = callbacks.call(versions, found.func, o)
    held[found.attrname or name] = y
    if record is None and not flows(y):
        return y, None
    return y, (pull_cached, held, name, record)


def pull_cached(
    shadows: Shadows, y_bar: Value, held: Value, name: str, record: Record
) -> Cotangents:
    y_bar = add(y_bar, shadows.key_take(held, name))
    if record is not None:
        callbacks.pull(shadows, record, y_bar, 1)
    return None


def _read_slot(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    y = found.__get__(o, type(o))
    return y, (pull_attribute, o, name) if flows(y) else None


def pull_attribute(shadows: Shadows, y_bar: Value, store: Value, name: str) -> Cotangents:
    if y_bar is not None:
        shadows.key_add(store, name, y_bar)
    return None


def _read_computed(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    """Attributes that C code computes: ``__dict__``, ``__class__``; of numbers they may carry a
    derivative."""
    y = found.__get__(o, type(o))
    return y, opaque(f"{type(o).__name__}.{name}", y, (o, name)) if flows(y) else None


def _read_field(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    """A field of a namedtuple is the slot of its position."""
    y = found.__get__(o, type(o))
    return y, (pull_field, o, found.__reduce__()[1][0]) if flows(y) else None


def pull_field(shadows: Shadows, y_bar: Value, o: Value, i: int) -> Cotangents:
    if y_bar is not None:
        shadows.slot_add(o, i, y_bar)
    return None


_DESCRIPTORS: dict[type, Callable[[Versions, Value, Value, str], Attribute]] = {
    property: _read_property,
    functools.cached_property: _read_cached,
    types.MemberDescriptorType: _read_slot,
    type(vars(namedtuple("_Pair", "first second"))["first"]): _read_field,
    types.GetSetDescriptorType: _read_computed,
}


def _read_super(versions: Versions, o: Value, name: str) -> Attribute:
    """A property reached through ``super()`` is still a call of the user's function."""
    this, start = o.__self__, o.__thisclass__
    if this is not None and not isinstance(this, type):
        mro = type(this).__mro__
        for base in mro[mro.index(start) + 1 :]:
            found = base.__dict__.get(name)
            if type(found) is property:
                y, record = callbacks.call(versions, found.fget, this)
                return y, None if record is None else (pull_super, record)
            if found is not None:
                return getattr(o, name), (pull_attribute, base, name) if flows(found) else None
    return getattr(o, name), None


def pull_super(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 1)
    return None


# --- arrays, numbers, modules, classes ------------------------------------------------------------


def _read_array(o: Value, name: str) -> Attribute:
    """Views share the shadow of the array; ``imag`` of a real array is a fresh zero."""
    y = getattr(o, name)
    if not isinstance(y, np.ndarray) or owner_of(y) is owner_of(o):
        return y, opaque(f"ndarray.{name}", y, (o, name)) if type(y) is np.flatiter else None
    if name == "imag" and o.dtype.kind != "c":
        return y, None
    return y, opaque(f"ndarray.{name}", y, (o, name))


def _read_number(o: Value, name: str) -> Attribute:
    y = getattr(o, name)
    if name == "real":
        return y, (pull_real, type(o) in NUMBERS and _is_complex(o))
    if name == "imag":
        return y, (pull_imag,) if _is_complex(o) else None
    if name == "T":
        return y, (pull_real, False)
    if callable(y):
        return y, (pull_bound, y)
    if name in PARTS:
        return y, (pull_numerator, o) if PARTS[name] else None
    return y, opaque(f"{type(o).__name__}.{name}", y, (o, name))


def _is_complex(o: Value) -> bool:
    return isinstance(o, (complex, np.complexfloating))


def pull_real(shadows: Shadows, y_bar: Value, make_real: bool) -> Cotangents:
    return (None if y_bar is None else y_bar.real if make_real else y_bar), None


def pull_imag(shadows: Shadows, y_bar: Value) -> Cotangents:
    """The cotangent du/dx + i du/dy of a number of which only y is read."""
    return (None if y_bar is None else y_bar.real * 1j), None


def pull_bound(shadows: Shadows, y_bar: Value, method: Value) -> Cotangents:
    """A bound method of a number: calling it leaves the number's cotangent under `BOUND`."""
    return shadows.key_take(method, BOUND), None


def _read_module(o: Value, name: str) -> Attribute:
    """A global of a module is a slot of its namespace."""
    y = getattr(o, name)
    return y, (pull_attribute, o.__dict__, name) if flows(y) and name in o.__dict__ else None


def _read_type(o: Value, name: str) -> Attribute:
    y = getattr(o, name)
    if not flows(y):
        return y, None
    owner = next((base for base in o.__mro__ if name in base.__dict__), o)
    return y, (pull_attribute, owner, name)


_READERS: dict[type, Callable[..., Attribute]] = {
    np.ndarray: _read_array, types.ModuleType: _read_module, type: _read_type,
    np.generic: _read_number, **dict.fromkeys(NUMBERS, _read_number),
}  # fmt: skip


@full(object.__getattribute__)
def object_getattribute(versions: Versions, o: Value, name: str) -> Attribute:
    return _read_object(versions, o, type(o), name)


# --- writing --------------------------------------------------------------------------------------


@full(setattr)
def set_attribute(versions: Versions, o: Value, name: str, v: Value) -> tuple[None, Record]:
    kind = type(o)
    own = python_method(kind, "__setattr__")
    if own is not None:
        _, record = callbacks.call(versions, own, o, name, v)
        return None, record
    return _write(versions, o, name, v, setattr)


@full(object.__setattr__)
def object_setattr(versions: Versions, o: Value, name: str, v: Value) -> tuple[None, Record]:
    """What frozen dataclasses call."""
    return _write(versions, o, name, v, object.__setattr__)


def _write(versions: Versions, o: Value, name: str, v: Value, plain: Value) -> tuple[None, Record]:
    found = lookup_in_class(type(o), name)
    if type(found) is property and found.fset is not None:
        _, record = callbacks.call(versions, found.fset, o, v)
        return None, None if record is None else (pull_set_property, record)
    method = None if found is None else python_method(type(found), "__set__")
    if method is not None:
        _, record = callbacks.call(versions, method, found, o, v)
        return None, None if record is None else (pull_set_described, record)
    if isinstance(o, np.ndarray):
        return write_array_attribute(versions, o, name, v)
    plain(o, name, v)
    store = o.__dict__ if isinstance(o, types.ModuleType) else attribute_store(o, name)
    return None, (pull_set_attribute, store, name) if flows(v) else None


def pull_set_attribute(shadows: Shadows, y_bar: Value, store: Value, name: str) -> Cotangents:
    return None, None, shadows.key_take(store, name)


def pull_set_property(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, None, 2)
    return None if operands is None else (None, None, operands[1])


def pull_set_described(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, None, 3)
    return None if operands is None else (None, None, operands[2])


@full(delattr)
def delete_attribute(versions: Versions, o: Value, name: str) -> tuple[None, Record]:
    own = python_method(type(o), "__delattr__")
    if own is not None:
        _, record = callbacks.call(versions, own, o, name)
        return None, record
    delattr(o, name)
    return None, None


@full(object.__delattr__)
def object_delattr(versions: Versions, o: Value, name: str) -> tuple[None, Record]:
    object.__delattr__(o, name)
    return None, None


inert([hasattr])
