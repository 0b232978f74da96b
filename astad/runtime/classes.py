"""Class statements: the namespace of the body, and the class that is made of it.

A number in a class is the slot of its name in the class; before the class is there, of its name in
the namespace of the body.

>>> meta, prepare, bases, words = class_head((float,), {})
>>> meta, prepare("Weight", bases), bases
(<class 'type'>, {}, (<class 'float'>,))
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, Generic

from astad.errors import Unsupported
from astad.runtime.attributes import DESCRIPTORS, pull_attribute
from astad.runtime.class_attributes import places_of_member
from astad.runtime.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    inert,
    lookup_in_class,
    python_method,
)
from astad.runtime.library import INERT_MODULES
from astad.runtime.owners import class_dict
from astad.runtime.shadows import Shadows
from astad.runtime.unrecorded import run_unrecorded
from astad.runtime.versions import Versions
from astad.runtime.writing_code import writers_behind

__all__ = ["class_head", "class_made", "class_set"]

Space = dict[str, Any]  # what a class body binds is of any kind
Links = list[tuple[str, Value, Value]]
"""Name in the namespace of the body; store and key in it where its value is now."""


def class_head(
    bases: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Callable[..., Value], tuple[Value, ...], dict[str, Value]]:
    """Metaclass, what prepares the namespace, the bases and keywords as the metaclass gets them:
    the dict is the class statement's own.
    """
    resolved: tuple[Value, ...] = types.resolve_bases(bases)
    meta: Value = keywords.pop("metaclass", type(resolved[0]) if resolved else type)
    if issubclass(type(meta), type):
        meta = types._calculate_meta(meta, resolved)  # type: ignore[attr-defined]
    prepare: Value = getattr(meta, "__prepare__", None)
    if resolved is not bases:
        plain: Value = prepare or _empty
        return meta, _with_bases(plain, bases), resolved, keywords
    is_plain = prepare is None or issubclass(type(prepare), types.BuiltinFunctionType)
    return meta, _empty if is_plain else prepare, resolved, keywords


def _empty(*args: Value, **keywords: Value) -> Space:
    return {}


def _with_bases(prepare: Callable[..., Value], bases: tuple[Value, ...]) -> Callable[..., Value]:
    """The namespace also tells what was written in the place of the bases."""

    def prepared(*args: Value, **keywords: Value) -> Value:
        space = prepare(*args, **keywords)
        space["__orig_bases__"] = bases
        return space

    inert([prepared])
    return prepared


def class_generic(parameters: tuple[Value, ...]) -> Value:
    """The base of a class with type parameters."""
    base: Value = Generic
    return base[parameters]


inert([class_head, class_generic, _empty])


def class_set(space: Value, name: str, value: Value) -> None:
    space[name] = value


@full(class_set)
def class_set_forward(
    versions: Versions, space: Value, name: str, value: Value
) -> tuple[None, Record]:
    """A name bound in a class body."""
    own = python_method(type(space), "__setitem__")
    if own is not None and own.__module__ not in INERT_MODULES:
        _, record = callbacks.call(versions, own, space, name, value)
        return None, record
    record = (pull_set, space, name) if flows(value) else None
    writers = [] if own is None else writers_behind((space,))
    if not writers:
        space[name] = value
        return None, record
    run = functools.partial(class_set, space, name, value)
    _, refusing = run_unrecorded(versions, f"class body of {name}", run, (), writers, gives=False)
    return None, refusing(record)


def pull_set(shadows: Shadows, y_bar: Value, space: Value, name: str) -> Cotangents:
    return None, None, shadows.key_take(space, name)


def class_made(
    meta: Value, name: str, bases: tuple[Value, ...], space: Value, words: dict[str, Value]
) -> Value:
    return meta(name, bases, space, **words)


@full(class_made)
def class_made_forward(
    versions: Versions,
    meta: Value,
    name: str,
    bases: tuple[Value, ...],
    space: Value,
    words: dict[str, Value],
) -> tuple[Value, Record]:
    """``meta(name, bases, space, **words)``; the parts of the metaclass that are the user's are
    calls of his functions.
    """
    if not issubclass(type(meta), type):
        return callbacks.call(versions, meta, name, bases, space, **words)
    new = _of_user(meta, "__new__")
    init = _of_user(meta, "__init__")
    if _of_user(type(meta), "__call__") is not None or (new is init is None and meta is not type):
        run = functools.partial(meta, name, bases, space, **words)
        made, refusing = run_unrecorded(versions, f"class {name}", run, (), (space,))
        return made, (pull_made, space, links(made, space), refusing(None))
    if new is None:
        made, first = new_type_forward(versions, meta, name, bases, space, **words)
    else:
        made, first = callbacks.call(versions, new, meta, name, bases, space, **words)
    last = None
    if init is not None and isinstance(made, meta):
        _, last = callbacks.call(versions, init, made, name, bases, space, **words)
    return made, (pull_parts, first, last, space, words)


def _of_user(cls: type, name: str) -> Value:
    """A method of a metaclass that is neither Python's nor inert."""
    found = lookup_in_class(cls, name)
    found = getattr(found, "__func__", found)
    is_own = type(found) is types.FunctionType and found.__module__ not in INERT_MODULES
    return found if is_own else None


def pull_parts(
    shadows: Shadows, y_bar: Value, first: Record, last: Record, space: Value, words: Space
) -> Cotangents:
    for record in (last, first):
        parts = callbacks.pull(shadows, record, None, 4 + len(words)) or ()
        for key, part in zip(words, parts[4:], strict=False):
            if part is not None:
                shadows.key_add(words, key, part)
    return None


def pull_made(
    shadows: Shadows, y_bar: Value, space: Value, found: Links, stored: Record = None
) -> Cotangents:
    """From each place where a value of the body has got to, back into the namespace.

    ``stored``: the record of what the metaclass has put elsewhere, as Enum does.
    """
    for name, store, key in found:
        part = shadows.key_take(store, key)
        if part is not None:
            shadows.key_add(space, name, part)
    callbacks.pull(shadows, stored, None, 0)
    return None


def links(made: Value, space: Value) -> Links:
    """Where the numbers of a class body have got to."""
    return [
        (name, *place)
        for name, value in space.items()
        if flows(value)
        for place in _places(made, name, value)
    ]


def _places(made: Value, name: str, value: Value) -> Iterator[tuple[Value, Value]]:
    """Attribute of the class, default of a named tuple, value of a member of an Enum."""
    held = vars(made)
    if held.get(name) is value:
        yield class_dict(made), name
    defaults = held.get("_field_defaults", {})
    if defaults.get(name) is value:
        yield defaults, name
    member = held.get("_member_map_", {}).get(name)
    if member is not None and vars(member).get("_value_") is value:
        yield from places_of_member(member)


# --- type ----------------------------------------------------------------------------------------


@full(type.__new__)
def new_type_forward(
    versions: Versions, meta: Value, *given: Value, **words: Value
) -> tuple[Value, Record]:
    """The class; ``__init_subclass__`` of the user's is a call."""
    if len(given) != 3:
        return type.__new__(meta, *given, **words), None
    name, bases, space = given
    if all(_is_plain(base) for base in bases):
        made: Value = type.__new__(meta, name, bases, space, **words)
        return made, (pull_made, space, links(made, space))
    made = type.__new__(meta, name, (_Silent, *bases), space)
    try:
        made.__bases__ = bases
    except TypeError:
        return _announced_by_python(meta, name, bases, space, words)
    _, record = callbacks.call(versions, super(made, made).__init_subclass__, **words)
    return made, (pull_announced, space, links(made, space), record, words)


def _announced_by_python(
    meta: Value, name: str, bases: tuple[Value, ...], space: Space, words: Space
) -> tuple[Value, Record]:
    """Where memory is laid out so that the bases cannot be put in place later."""
    if any(map(flows, words.values())):
        raise Unsupported(
            f"class {name}", "numbers given to __init_subclass__",
            why="Python calls it while it makes the class, which is not recorded for these bases",
            instead="write the attribute after the class statement",
        )  # fmt: skip
    made: Value = type.__new__(meta, name, bases, space, **words)
    return made, (pull_made, space, links(made, space))


class _Silent:
    """The first base of a class while it is made: nothing is announced to the others."""

    def __init_subclass__(cls, **words: Value) -> None:
        del words


def _is_plain(base: Value) -> bool:
    return not issubclass(type(base), type) or _of_user(base, "__init_subclass__") is None


def pull_announced(
    shadows: Shadows, y_bar: Value, space: Value, found: Links, record: Record, words: Space
) -> Cotangents:
    parts = callbacks.pull(shadows, record, None, len(words)) or ()
    pull_made(shadows, None, space, found)
    return None, None, None, None, *parts


def read_member(versions: Versions, o: Value, found: Value, name: str) -> tuple[Value, Record]:
    """An attribute that Enum computes of its members."""
    y = found.__get__(o, type(o))
    is_value = name == "value" and found is lookup_in_class(enum.Enum, "value")
    return y, (pull_attribute, vars(o), "_value_") if is_value and flows(y) else None


DESCRIPTORS[enum.property] = read_member


@full(type)
def type_forward(versions: Versions, *given: Value, **words: Value) -> tuple[Value, Record]:
    """``type(o)``, or a class from name, bases and namespace."""
    if len(given) != 3:
        return type(*given, **words), None
    made, record = new_type_forward(versions, _meta_of(given[1]), *given, **words)
    return made, None if record is None else (pull_type, record)


def _meta_of(bases: tuple[Value, ...]) -> Value:
    return types._calculate_meta(type, bases)  # type: ignore[attr-defined]


def pull_type(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 4)
    return parts[1:] if parts is not None else None
