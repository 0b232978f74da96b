"""What `dataclass` makes of a class: a number in its body becomes the default of a field.

>>> from astad.runtime.core.versions import Versions
>>> class Box:
...     width: float
...     height: float = 2.0
>>> made, _ = process(Versions(), Box, *[True] * 3, *[False] * 3, True, *[False] * 3)
>>> made(1.0)
Box(width=1.0, height=2.0)
"""

from __future__ import annotations

import dataclasses
from types import FunctionType
from typing import Any

from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    opaque,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import class_dict
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.dataclass_methods import is_made
from astad.runtime.unseen.writing_code import writes

__all__ = ["process"]

PROCESS: Value = getattr(dataclasses, "_process_class")  # noqa: B009  (private: unknown to mypy)
ADD_SLOTS: Value = getattr(dataclasses, "_add_slots")  # noqa: B009
_OPTIONS = PROCESS.__code__.co_varnames[1 : PROCESS.__code__.co_argcount]
Place = tuple[Value, str]
"""A holder, which may be the dict of a class or a ``field``, and the name in it."""
Source = tuple[Place, Place | None]
"""Where a default was written, and where else it then lies, beside those of ``__init__``."""

Read = tuple[Place, Record]
"""The place of a default that a descriptor gave, and the record of how."""


@full(PROCESS)
def process(
    versions: Versions, cls: Value, /, *options: Value, **named: Value
) -> tuple[Value, Record]:
    """With ``slots``, the class is made once more, which is a call."""
    wanted = {**dict(zip(_OPTIONS, options, strict=False)), **named}
    if not wanted.get("slots"):
        return _processed(versions, cls, wanted)
    made, first = _processed(versions, cls, {**wanted, "slots": False, "weakref_slot": False})
    again, last = callbacks.call(
        versions, ADD_SLOTS, made, wanted["frozen"], wanted["weakref_slot"]
    )
    return again, (pull_slots, first, last)


def pull_slots(shadows: Shadows, y_bar: Value, first: Record, last: Record) -> Cotangents:
    callbacks.pull(shadows, last, None, 3)
    callbacks.pull(shadows, first, None, len(_OPTIONS) + 1)
    return None


def _processed(versions: Versions, cls: Value, options: dict[str, Value]) -> tuple[Value, Record]:
    bound = dict(vars(cls))
    made: Value = PROCESS(cls, **options)
    sources, read = dict[str, Source](), list[Read]()
    for field in made.__dataclass_fields__.values():
        if flows(field.default):
            own = bound.get(field.name)
            sources[field.name] = source = _source(cls, field, own)
            if source[1] is None and source[0][0] is not field:
                read.append((source[0], _read_default(versions, cls, own, field)))
    init = vars(made).get("__init__")
    known = init if type(init) is FunctionType and is_made(init) else _nothing
    return made, (pull_process, known, sources, read) if sources else None


def _source(cls: Value, field: Value, bound: Value) -> Source:
    """Of an inherited field the default is that of the base, whatever the attribute is."""
    bases = [vars(base).get("__dataclass_fields__", {}) for base in cls.__mro__[1:]]
    if any(fields.get(field.name) is field for fields in bases):
        return (field, "default"), None
    if issubclass(type(bound), dataclasses.Field):
        return (field, "default"), (class_dict(cls), field.name)
    if python_method(type(bound), "__get__") is not None:
        return ({}, field.name), None
    return (class_dict(cls), field.name), (field, "default")


def _read_default(versions: Versions, cls: Value, descriptor: Value, field: Value) -> Record:
    """What a descriptor gave for the class: read again, if nobody can tell."""
    method = python_method(type(descriptor), "__get__")
    if not writes(method, type(descriptor)):
        return callbacks.call(versions, method, descriptor, None, cls)[1]
    return opaque(
        f"{cls.__qualname__}.{field.name}", field.default, (descriptor,),
        why="its __get__, which gives the default of the field, also writes",
        instead="let __get__ return the default and do nothing else where the object is None",
    )  # fmt: skip


def _nothing() -> None:
    """In the place of an ``__init__`` that `dataclass` did not write."""


def pull_process(
    shadows: Shadows, y_bar: Value, init: Any, sources: dict[str, Source], read: list[Read]
) -> Cotangents:
    """From the defaults of ``__init__``, from the attributes that came out of a ``field``, and from
    the fields that were made for attributes.
    """
    code, defaults, words = init.__code__, init.__defaults__ or (), init.__kwdefaults__ or {}
    late = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    for name, (source, other) in sources.items():
        parts = [] if other is None else [shadows.key_take(*other)]
        if name in late:
            parts.append(shadows.slot_take(defaults, late.index(name)))
        if name in words:
            parts.append(shadows.key_take(words, name))
        for part in parts:
            if part is not None:
                shadows.key_add(*source, part)
    for source, record in read:
        callbacks.pull(shadows, record, shadows.key_take(*source), 3)
    return None
