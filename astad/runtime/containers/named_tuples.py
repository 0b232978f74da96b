"""Named tuples: each argument is a field, the others have their defaults.

>>> from astad.runtime.core.versions import Versions
>>> Pair, _ = namedtuple_forward(Versions(), "Pair", "a b", defaults=[2.0])
>>> is_namedtuple(Pair), make_namedtuple(Versions(), Pair, 1.0)[0]
(True, Pair(a=1.0, b=2.0))
"""

from __future__ import annotations

import operator
from collections import namedtuple

from astad.runtime.containers.containers import pull_display
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows, full, python_method
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.dataclass_methods import to_defaults
from astad.tangents.unasked import has_in_class

__all__ = ["is_namedtuple", "make_namedtuple"]

MAKE: Value = namedtuple


def is_namedtuple(cls: type) -> bool:
    """Whether calling `cls` binds its arguments to fields, by the ``__new__`` that ``namedtuple``
    wrote."""
    new = python_method(cls, "__new__") or getattr(cls.__dict__.get("__new__"), "__func__", None)
    for base in cls.__mro__ if new is None else ():
        new = new or getattr(base.__dict__.get("__new__"), "__func__", None)
    return (
        has_in_class(cls, "_fields")
        and new is not None
        and new.__module__.startswith("namedtuple_")
    )


def make_namedtuple(
    versions: Versions, cls: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """``cls(*args, **keywords)`` of a namedtuple: each operand is a field."""
    y = cls(*args, **keywords)
    if not any(map(flows, y)):
        return y, None
    fields = cls._fields
    defaults = getattr(cls.__new__, "__defaults__", None) or ()
    return y, (pull_fields, y, [*range(len(args)), *map(fields.index, keywords)], defaults)


def pull_fields(
    shadows: Shadows, y_bar: Value, y: Value, places: list[int], defaults: tuple[Value, ...]
) -> Cotangents:
    """What was not given is a default: one of those that the class has begun with, or of a tuple
    that was put in their place.
    """
    cls: Value = type(y)
    slots = pull_display(shadows, y_bar, y, len(cls._fields))
    if slots is None:
        return None
    first = [*cls._field_defaults.values()]
    if len(first) == len(defaults) and all(map(operator.is_, first, defaults)):
        to_defaults(shadows, cls, slots, places)
        return [slots[i] for i in places]
    for at, part in enumerate(slots[len(slots) - len(defaults) :]):
        if part is not None and at + len(slots) - len(defaults) not in places:
            shadows.slot_add(defaults, at, part)
    return [slots[i] for i in places]


@full(namedtuple, order="typename field_names")
def namedtuple_forward(
    versions: Versions, name: str, fields: Value, /, **options: Value
) -> tuple[Value, Record]:
    made: Value = MAKE(name, fields, **options)
    defaults = options.get("defaults")
    if not isinstance(defaults, (list, tuple)) or not any(map(flows, defaults)):
        return made, None
    return made, (pull_defaults, made._field_defaults, defaults)


def pull_defaults(
    shadows: Shadows, y_bar: Value, held: dict[str, Value], defaults: Value
) -> Cotangents:
    for at, name in enumerate(held):
        part = shadows.key_take(held, name)
        if part is not None:
            shadows.slot_add(defaults, at, part)
    return None
