"""Attributes of classes, and those reached through ``super()``.

What the metaclass says goes first, then the class and its bases; descriptors of the user's are
calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from astad.runtime.core.full_rules import (
    MISSING,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    is_data_descriptor,
    lookup_in_class,
    opaque,
    python_method,
)
from astad.runtime.core.listings import pull_attribute
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import attribute_store, class_dict
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.unasked import dict_of, mro_of

__all__ = ["BOUND", "places_of_member", "read_chained", "read_class_attribute", "read_super"]

Attribute = tuple[Value, Record]

BOUND = "__self__"
"""Key under which a bound method of a number holds the number's cotangent."""


def places_of_member(member: Value) -> list[tuple[Value, str]]:
    """Store and key of each place where the value of a member of an Enum lies: in the member, and
    in the class where the member is the number itself.
    """
    cls = type(member)
    found = [(vars(member), "_value_")]
    if vars(cls).get("_new_member_") is float.__new__:
        found.append((class_dict(cls), member._name_))
    return found


def pull_read(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    """Back through a call that a look-up has made."""
    callbacks.pull(shadows, record, y_bar, n)
    return None


def _by_call(versions: Versions, fn: Value, *args: Value) -> Attribute:
    y, record = callbacks.call(versions, fn, *args)
    return y, None if record is None else (pull_read, record, len(args))


@full(type.__getattribute__)
def read_in_class(versions: Versions, cls: Value, name: str) -> Attribute:
    """As a ``__getattribute__`` of a metaclass calls it: without the ``__getattr__``."""
    return _read_class(versions, cls, name, type.__getattribute__)


def read_class_attribute(versions: Versions, cls: Value, name: str) -> Attribute:
    """``C.name``, where no ``__getattr__`` of the metaclass is asked."""
    return _read_class(versions, cls, name, getattr)


def _read_class(
    versions: Versions, cls: Value, name: str, read: Callable[[Value, str], Value]
) -> Attribute:
    """As Python does: data descriptors of the metaclass, then the class and its bases, then what
    else the metaclass and its bases have.
    """
    above = lookup_in_class(type(cls), name, MISSING)
    owner = _owner(cls, name)
    if owner is None or is_data_descriptor(above):
        return _read_above(versions, cls, name, above) or (read(cls, name), None)
    raw = dict_of(owner)[name]
    if flows(raw):
        return raw, (pull_attribute, class_dict(owner), name)
    method = python_method(type(raw), "__get__")
    if method is not None:
        return _by_call(versions, method, raw, None, cls)
    return read_chained(versions, raw, cls) or (read(cls, name), None)


def _read_above(versions: Versions, cls: Value, name: str, above: Value) -> Attribute | None:
    """What the metaclass has under the name, as a class has it: a number lies in the one of its
    bases that holds it.
    """
    if above is MISSING:
        return None
    if flows(above):
        return above, (pull_attribute, class_dict(_owner(type(cls), name)), name)
    found = _described(versions, above, cls, type(cls))
    return found or read_chained(versions, above, type(cls))


def _owner(cls: Value, name: str) -> Value:
    """The class or the first of its bases that has the name itself."""
    return next((base for base in mro_of(cls) if name in dict_of(base)), None)


def read_chained(versions: Versions, raw: Value, cls: Value) -> Attribute | None:
    """``@classmethod`` over ``@property``: up to Python 3.12 it gives what the property computes of
    the class.
    """
    if type(raw) is not classmethod or sys.version_info >= (3, 13):
        return None
    return _described(versions, raw.__func__, cls, cls)


def _described(versions: Versions, raw: Value, o: Value, kind: type) -> Attribute | None:
    """What a descriptor gives, if that is the user's own code."""
    method = python_method(type(raw), "__get__")
    if method is not None:
        return _by_call(versions, method, raw, o, kind)
    if issubclass(type(raw), property) and raw.fget is not None:
        return _by_call(versions, raw.fget, o)
    return None


def read_super(versions: Versions, o: Value, name: str) -> Attribute:
    """An attribute of ``super()``: of the first class behind the one that asks."""
    this, start = o.__self__, o.__thisclass__
    if this is None:
        return getattr(o, name), None
    if flows(this):
        return _read_number(o, name)
    for_class = issubclass(type(this), type) and start in this.__mro__
    mro: Sequence[type] = this.__mro__ if for_class else type(this).__mro__
    base = next((b for b in mro[mro.index(start) + 1 :] if name in b.__dict__), None)
    if base is None:
        return getattr(o, name), None
    raw = base.__dict__[name]
    if flows(raw):
        return raw, (pull_attribute, class_dict(base), name)
    method = python_method(type(raw), "__get__")
    if method is not None:
        return _by_call(versions, method, raw, None if for_class else this, o.__self_class__)
    found = read_chained(versions, raw, o.__self_class__)
    if found is None and not for_class:
        found = _described(versions, raw, this, type(this))
    if found is not None:
        return found
    y = getattr(o, name)
    return y, (pull_attribute, attribute_store(this, name), name) if flows(y) else None


def _read_number(o: Value, name: str) -> Attribute:
    """Of a number nothing but its methods: each holds the part of the number that it is bound to,
    as ``super()`` itself then does.
    """
    y = getattr(o, name)
    return y, (pull_bound, o, y) if callable(y) else opaque(f"super().{name}", y, (o,))


def pull_bound(shadows: Shadows, y_bar: Value, o: Value, method: Value) -> Cotangents:
    shadows.key_add(o, BOUND, shadows.key_take(method, BOUND))
    return None


@full(super)
def make_super(versions: Versions, *given: Value) -> tuple[Value, Record]:
    y = super(*given)
    return y, (pull_super, y) if len(given) == 2 and flows(given[1]) else None


def pull_super(shadows: Shadows, y_bar: Value, y: Value) -> Cotangents:
    return None, shadows.key_take(y, BOUND)
