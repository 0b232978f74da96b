"""Members of an Enum that is made by a call: ``Enum("Level", {"LOW": x, "HIGH": 2 * x})``.

The value of a member lies in the member, as of one that a class statement makes (`classes.py`).
"""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Callable, Iterator

from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, flows, full
from astad.runtime.core.listings import member_record
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.class_attributes import places_of_member
from astad.runtime.unseen.debuggers import users_frame
from astad.runtime.unseen.unrecorded import run_unrecorded
from astad.runtime.unseen.writing_code import writes_in

__all__: list[str] = []

Link = tuple[Value, Value, Value]
"""The mapping or pair that was given, the key or position of a value in it, and the member."""
call_of_python: Value = vars(enum.EnumType)["__call__"]


@full(call_of_python)
def call_enum(
    versions: Versions, cls: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """A new class, or a member by its value."""
    names = args[1] if len(args) > 1 else keywords.get("names")
    names = list(names) if isinstance(names, Iterator) else names
    given = (args[0], names, *args[2:]) if len(args) > 1 else args
    if "names" in keywords:
        keywords["names"] = names
    if names is not None:
        keywords.setdefault("module", _users_module())
    run = functools.partial(call_of_python, cls, *given, **keywords)
    if names is None:
        y, stored = _member(versions, run, cls)
    else:
        y, refusing = run_unrecorded(versions, f"class {args[0]}", run, (), (cls, names))
        stored = refusing(None)
    if not isinstance(y, enum.EnumType):
        own = member_record(y)
        return y, own if stored is None else (pull_member, own, stored)
    found = list(_links(y, names))
    return y, (pull_members, found, stored) if found or stored else None


@full(vars(enum.EnumType)["__getitem__"])
def member_by_name(versions: Versions, cls: Value, name: str) -> tuple[Value, Record]:
    y = cls[name]
    return y, member_record(y)


_put: Value = vars(enum.EnumType)["__setattr__"]


@full(_put)
def put_in_class(versions: Versions, cls: Value, name: str, v: Value) -> tuple[Value, Record]:
    """As of any class, but for the names of members, which are for ever."""
    if name in cls.__dict__.get("_member_map_", ()):
        return _put(cls, name, v), None  # raises Python's own AttributeError
    return callbacks.call(versions, type.__setattr__, cls, name, v)


def _users_module() -> str | None:
    """Python goes by the frame of the caller."""
    frame = users_frame(sys._getframe(0))
    return None if frame is None else frame.f_globals.get("__name__")


def _member(versions: Versions, run: Callable[[], Value], cls: Value) -> tuple[Value, Record]:
    """Python calls ``_missing_`` of the user's."""
    if not writes_in(cls, ("_missing_",)):
        return run(), None
    y, refusing = run_unrecorded(versions, cls.__name__, run, (), (cls,), gives=False)
    return y, refusing(None)


def _links(made: Value, names: Value) -> Iterator[Link]:
    members = made.__members__
    if issubclass(type(names), dict):
        yield from ((names, key, members[key]) for key, value in names.items() if flows(value))
        return
    for pair in names if issubclass(type(names), (list, tuple)) else ():
        if issubclass(type(pair), (list, tuple)) and len(pair) == 2 and flows(pair[1]):
            yield pair, 1, members[pair[0]]


def pull_member(shadows: Shadows, y_bar: Value, own: Record, stored: Record) -> Cotangents:
    for record in (own, stored):
        callbacks.pull(shadows, record, y_bar, 0)
    return None


def pull_members(shadows: Shadows, y_bar: Value, found: list[Link], stored: Record) -> Cotangents:
    """From the members back to where their values were given."""
    for given, key, member in found:
        for place in places_of_member(member):
            part = shadows.key_take(*place)
            if issubclass(type(given), dict):
                shadows.key_add(given, key, part)
            else:
                shadows.slot_add(given, key, part)
    callbacks.pull(shadows, stored, None, 0)
    return None
