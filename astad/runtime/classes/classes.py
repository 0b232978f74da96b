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
from collections.abc import Callable
from typing import Any, Generic

from astad.runtime.calls.library import INERT_MODULES
from astad.runtime.core.full_rules import (
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
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.attributes import DESCRIPTORS, pull_attribute
from astad.runtime.unseen.unrecorded import run_unrecorded
from astad.runtime.unseen.writing_code import writers_behind

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
    y, record = callbacks.call(versions, meta, name, bases, space, **words)
    return y, None if record is None else (pull_statement, record, words)


def pull_statement(
    shadows: Shadows, y_bar: Value, record: Record, words: dict[str, Value]
) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 3 + len(words)) or ()
    for key, part in zip(words, parts[3:], strict=False):
        if part is not None:
            shadows.key_add(words, key, part)
    return None


def read_member(versions: Versions, o: Value, found: Value, name: str) -> tuple[Value, Record]:
    """An attribute that Enum computes of its members."""
    y = found.__get__(o, type(o))
    is_value = name == "value" and found is lookup_in_class(enum.Enum, "value")
    return y, (pull_attribute, vars(o), "_value_") if is_value and flows(y) else None


DESCRIPTORS[enum.property] = read_member
