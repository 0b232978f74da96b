"""Members of an Enum that is made by a call: ``Enum("Level", {"LOW": x, "HIGH": 2 * x})``.

The value of a member lies in the member, as of one that a class statement makes (`classes.py`).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

from astad.runtime.full_rules import Cotangents, Record, Value, flows, full
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

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
    y = call_of_python(cls, *given, **keywords)
    found = list(_links(y, names)) if isinstance(y, enum.EnumType) else []
    return y, (pull_members, found) if found else None


def _links(made: Value, names: Value) -> Iterator[Link]:
    members = made.__members__
    if issubclass(type(names), dict):
        yield from ((names, key, members[key]) for key, value in names.items() if flows(value))
        return
    for pair in names if issubclass(type(names), list | tuple) else ():
        if issubclass(type(pair), list | tuple) and len(pair) == 2 and flows(pair[1]):
            yield pair, 1, members[pair[0]]


def pull_members(shadows: Shadows, y_bar: Value, found: list[Link]) -> Cotangents:
    """From the members back to where their values were given."""
    for given, key, member in found:
        part = shadows.key_take(vars(member), "_value_")
        if issubclass(type(given), dict):
            shadows.key_add(given, key, part)
        else:
            shadows.slot_add(given, key, part)
    return None
