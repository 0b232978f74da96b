"""How `type` makes a class of a name, bases and a namespace.

The most derived metaclass of the bases makes it. Then Python calls ``__set_name__`` of each
attribute that has one, and ``__init_subclass__`` of the next base. Those of the user's are calls
of his functions: the class is first made without them.

>>> class Loud:
...     def __init_subclass__(cls):
...         raise ValueError("heard")
>>> quiet = _without_calls(type, "Quiet", (Loud,), {"gain": 1.5}, {})
>>> quiet.gain, quiet.__bases__ == (Loud,)
(1.5, True)
"""

from __future__ import annotations

import abc
import enum
import functools
import sys
import types
import typing
from collections.abc import Iterator
from typing import Any, NoReturn

from astad.errors import AstadError
from astad.runtime.calls.library import INERT_MODULES
from astad.runtime.core.full_rules import (
    FULL,
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    flows,
    full,
    lookup_in_class,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import class_dict
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.class_attributes import places_of_member
from astad.runtime.unseen.unrecorded import run_unrecorded
from astad.tangents.unasked import as_it_lies, dict_of, mro_of, pairs_of

__all__ = ["recorded_new"]

Space = dict[str, Any]  # what a class body binds is of any kind
Links = list[tuple[str, Value, Value]]
"""Name in the namespace of the body; store and key in it where its value is now."""


_GIVEN = (str, tuple, dict)


@full(type.__new__)
def new_type_forward(
    versions: Versions, meta: Value, *given: Value, **words: Value
) -> tuple[Value, Record]:
    """``type.__new__(meta, name, bases, space, **words)``."""
    if [issubclass(type(g), k) for g, k in zip(given, _GIVEN, strict=False)] != [True] * 3:
        return type.__new__(meta, *given, **words), None  # it raises
    name, bases, space = given
    winner: Value = types._calculate_meta(meta, bases)  # type: ignore[attr-defined]
    new: Value = type.__getattribute__(winner, "__new__")
    if winner is not meta and new is not type.__new__:
        return callbacks.call(versions, new, winner, *given, **words)
    body = _with_module(space)
    if not any(map(_is_told, body.values())) and not any(map(any, map(_told, bases))):
        made: Value = type.__new__(winner, name, bases, body, **words)
        return made, (pull_made, space, links(made, space))
    made = _without_calls(winner, name, bases, body, words)
    found = links(made, space)  # before what Python calls binds the names anew
    told = _tell_names(versions, made)
    record = _announce(versions, made, words)
    return made, (pull_announced, space, found, told, record, len(words))


def _announce(versions: Versions, made: Value, words: Space) -> Record:
    """``__init_subclass__`` of the next base. One of Python's, as that of Generic, calls those
    behind it where nothing is recorded.
    """
    found = super(made, made).__init_subclass__
    own = "__init_subclass__" in dict_of(made)
    told = _told(made)[own:]
    if told[:1] == [True] or not any(told):
        return callbacks.call(versions, found, **words)[1]
    run = functools.partial(found, **words)
    beside, given = mro_of(made), tuple(words.values())
    _, refusing = run_unrecorded(versions, f"class {made.__name__}", run, given, beside)
    return refusing(None)


def _with_module(space: Space) -> Space:
    """A copy which also names the module of the code that asks for the class."""
    body = dict.copy(space)
    frame = sys._getframe(1)
    while "__module__" not in body:
        home = frame.f_globals.get("__name__")
        if str(home).partition(".")[0] != "astad" or frame.f_back is None:
            body["__module__"] = home
        else:
            frame = frame.f_back
    return body


def _is_told(value: Value) -> bool:
    """Is its ``__set_name__`` the program's?"""
    method = python_method(type(value), "__set_name__")
    return method is not None and not _is_inert(method)


def _told(cls: Value) -> list[bool]:
    """Of each ``__init_subclass__`` of the class and its bases, whether it is the program's."""
    mro = mro_of(cls) if issubclass(type(cls), type) else ()
    found = [dict_of(each).get("__init_subclass__") for each in mro]
    own = [as_it_lies(each, "__func__", each) for each in found if each is not None]
    return [type(each) not in _COMPILED and not _is_inert(each) for each in own]


_COMPILED = (types.ClassMethodDescriptorType, types.BuiltinFunctionType)


def _is_inert(fn: Value) -> bool:
    return type(fn) is types.FunctionType and fn.__module__ in INERT_MODULES


class _Halt(BaseException):
    """Raised by the first attribute that is told its name, when the class is there."""


class _Finder:
    """The attribute that raises it."""

    made: Value = None

    def __set_name__(self, made: Value, name: str) -> None:
        self.made = made
        raise _Halt


def _without_calls(
    meta: Value, name: str, bases: tuple[Value, ...], space: Space, words: Space
) -> Value:
    """The class, which nobody has been told of."""
    finder = _Finder()
    try:
        type.__new__(meta, name, bases, {_FIRST: finder, **space}, **words)
    except BaseException:
        if finder.made is None:
            raise
    type.__delattr__(finder.made, _FIRST)
    return finder.made


_FIRST = "first of all"


def _tell_names(versions: Versions, made: Value) -> list[tuple[str, Record]]:
    """``value.__set_name__(made, name)`` of each attribute."""
    told = list[tuple[str, Record]]()
    for name, value in dict(vars(made)).items():
        method = lookup_in_class(type(value), "__set_name__")
        if method is None:
            continue
        method = python_method(type(value), "__set_name__") or method
        try:
            _, record = callbacks.call(versions, method, value, made, name)
        except AstadError:
            raise
        except BaseException as error:
            _raise_as_python(error, f"'{type(value).__name__}' instance {name!r}", made)
        if record is not None:
            told.append((name, record))
    return told


def _raise_as_python(error: BaseException, told: str, made: Value) -> NoReturn:
    note = f"Error calling __set_name__ on {told} in '{made.__name__}'"
    if sys.version_info < (3, 12):
        raise RuntimeError(note) from error
    error.add_note(note)
    raise error


def pull_announced(
    shadows: Shadows,
    y_bar: Value,
    space: Space,
    found: Links,
    told: list[tuple[str, Record]],
    record: Record,
    n: int,
) -> Cotangents:
    parts = callbacks.pull(shadows, record, None, n) or ()
    for name, each in reversed(told):
        own, *_ = callbacks.pull(shadows, each, None, 3) or (None,)
        if own is not None:  # the attribute is a number itself
            shadows.key_add(space, name, own)
    pull_made(shadows, None, space, found)
    return None, None, None, None, *parts


# --- classes of the standard library's metaclasses ------------------------------------------------


def recorded_new(new: Value) -> Value:
    """The ``__new__`` of a metaclass, with a rule if it is no function of the program's."""
    if id(new) not in FULL and (type(new) is types.BuiltinFunctionType or _is_inert(new)):
        full(new)(_made_by(new))
    return new


def _made_by(new: Value) -> Forward:
    """The rule of a ``__new__`` that runs as it is, with all that it calls.

    Numbers that come from the namespace into the class as they are have their derivative. What is
    stored beside is refused where it is read.
    """

    def by_python(versions: Versions, *given: Value, **words: Value) -> tuple[Value, Record]:
        run = functools.partial(new, *given, **words)
        if len(given) != 4:
            return run(), None
        _, name, bases, space = given
        beside = (space, *bases)
        of_words = tuple(words.values())
        made, refusing = run_unrecorded(versions, f"class {name}", run, of_words, beside)
        return made, (pull_by_python, space, links(made, space), refusing(None), len(words))

    return by_python


def pull_by_python(
    shadows: Shadows, y_bar: Value, space: Space, found: Links, stored: Record, n: int
) -> Cotangents:
    pull_made(shadows, None, space, found)
    return None, None, None, None, *(callbacks.pull(shadows, stored, None, n) or ())


@full(abc.ABCMeta.__new__)
def new_abstract_forward(
    versions: Versions, meta: Value, /, *given: Value, **words: Value
) -> tuple[Value, Record]:
    made, record = new_type_forward(versions, meta, *given, **words)
    prepare: Value = abc._abc_init  # type: ignore[attr-defined]
    prepare(made)
    return made, record


for _meta in (enum.EnumType, *[each for each in vars(typing).values() if isinstance(each, type)]):
    if issubclass(_meta, type):
        recorded_new(_meta.__new__)


# --- the numbers in it ----------------------------------------------------------------------------


def pull_made(shadows: Shadows, y_bar: Value, space: Value, found: Links) -> Cotangents:
    """From each place where a value of the body has got to, back into the namespace."""
    for name, store, key in found:
        part = shadows.key_take(store, key)
        if part is not None:
            shadows.key_add(space, name, part)
    return None


def links(made: Value, space: Value) -> Links:
    """Where the numbers of a class body have got to."""
    return [
        (name, *place)
        for name, value in pairs_of(space)
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
