"""Members of an Enum that is made by a call: ``Enum("Level", {"LOW": x, "HIGH": 2 * x})``.

The value of a member lies in the member, as of one that a class statement makes (`classes.py`).
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator

from astad.runtime.full_rules import Cotangents, Record, Value, callbacks, flows, full
from astad.runtime.shadows import Shadows
from astad.runtime.unrecorded import run_unrecorded
from astad.runtime.versions import Versions
from astad.runtime.writing_code import writes_in

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
    y, stored = _called(versions, functools.partial(call_of_python, cls, *given, **keywords), cls)
    found = list(_links(y, names)) if isinstance(y, enum.EnumType) else []
    return y, (pull_members, found, stored) if found or stored else None


def _called(versions: Versions, run: Callable[[], Value], cls: Value) -> tuple[Value, Record]:
    """Python calls ``_missing_`` and ``_generate_next_value_`` of the user's."""
    if not writes_in(cls, ("_missing_", "_generate_next_value_")):
        return run(), None
    y, refusing = run_unrecorded(versions, cls.__name__, run, (), (cls,), gives=False)
    return y, refusing(None)


def _links(made: Value, names: Value) -> Iterator[Link]:
    members = made.__members__
    if issubclass(type(names), dict):
        yield from ((names, key, members[key]) for key, value in names.items() if flows(value))
        return
    for pair in names if issubclass(type(names), list | tuple) else ():
        if issubclass(type(pair), list | tuple) and len(pair) == 2 and flows(pair[1]):
            yield pair, 1, members[pair[0]]


def pull_members(shadows: Shadows, y_bar: Value, found: list[Link], stored: Record) -> Cotangents:
    """From the members back to where their values were given."""
    callbacks.pull(shadows, stored, None, 0)
    for given, key, member in found:
        part = shadows.key_take(vars(member), "_value_")
        if issubclass(type(given), dict):
            shadows.key_add(given, key, part)
        else:
            shadows.slot_add(given, key, part)
    return None
