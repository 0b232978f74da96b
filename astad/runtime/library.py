"""Callables without rule or source: classes, and compiled code that is run under watch."""

from __future__ import annotations

import dataclasses
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from astad.errors import RuleError, Unsupported
from astad.runtime.aliases import aliases_any
from astad.runtime.containers import (
    is_container_class,
    is_namedtuple,
    make_container,
    make_exception,
    make_namedtuple,
)
from astad.runtime.foreign import check
from astad.runtime.full_rules import Record, Value, callbacks, flows, opaque, python_method
from astad.runtime.owners import attribute_store
from astad.runtime.shadows import Shadows
from astad.runtime.shuffles import draw_into, is_shuffle, is_source_of_chance, shuffle
from astad.runtime.structures import collect, snapshot
from astad.runtime.versions import Versions
from astad.runtime.watched import contents, is_changeable, is_changed
from astad.tangents.arrays import project
from astad.tangents.objects import Tangent
from astad.tangents.zero import has_identity

__all__ = [
    "INERT_MODULES",
    "construct",
    "deliver_structure",
    "in_own_type",
    "run_watched",
    "take_structure",
]

INERT_MODULES = frozenset({
    "abc", "bdb", "datetime", "enum", "glob", "importlib", "inspect", "io", "json", "linecache",
    "locale", "logging", "ntpath", "os", "pathlib", "pdb", "platform", "posixpath", "pprint", "re",
    "reprlib", "string", "sys", "tempfile", "textwrap", "threading", "time", "traceback", "typing",
    "warnings", "weakref",
})  # fmt: skip
"""Modules whose functions carry no derivative: they run as they are."""

FIRST = object()


def construct(
    versions: Versions, cls: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """``cls(*args, **keywords)``: the constructor's source is differentiated, or its fields are
    bound by rule.
    """
    own_new: Value = cls.__new__
    if type(cls) is type and own_new is object.__new__:  # so it is no tuple, no exception
        init = python_method(cls, "__init__")
        if init is not None and init.__code__.co_filename != "<string>":
            return _initialised(versions, init, object.__new__(cls), args, keywords)
    if is_namedtuple(cls):
        return make_namedtuple(versions, cls, *args, **keywords)
    if issubclass(cls, BaseException):
        return make_exception(versions, cls, *args, **keywords)
    if type(cls) is not type and python_method(type(cls), "__call__"):
        return _plain(cls, args, keywords)
    init, new = python_method(cls, "__init__"), python_method(cls, "__new__")
    raw_new = cls.__dict__.get("__new__")
    if new is None and isinstance(raw_new, staticmethod):
        new = raw_new.__func__  # type: ignore[assignment]
    if new is None and is_container_class(cls):
        return make_container(versions, cls, *args, **keywords)
    if new is None and init is not None and cls.__new__ is object.__new__:
        y = object.__new__(cls)
        if dataclasses.is_dataclass(cls) and init.__code__.co_filename == "<string>":
            return _dataclass(versions, cls, y, args, keywords)
        return _initialised(versions, init, y, args, keywords)
    if init is None and new is None and cls.__new__ is object.__new__:
        return cls(*args, **keywords), None
    return run_watched(versions, cls, args, keywords)


def _initialised(
    versions: Versions, init: Value, y: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    nothing, record = callbacks.call(versions, init, y, *args, **keywords)
    if nothing is not None:
        raise TypeError(f"__init__() should return None, not '{type(nothing).__name__}'")
    return y, None if record is None else (_pull_init, record)


def _plain(cls: Any, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Value, Record]:
    y = cls(*args, **keywords)
    return y, opaque(cls.__qualname__, y) if not isinstance(y, BaseException) else None


def _pull_init(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Value:
    del y_bar  # an object's cotangent lies in its shadow
    parts = record[0](shadows, None, *record[1:])
    return None if parts is None else parts[1:]


def _dataclass(
    versions: Versions, cls: Any, y: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """What the ``__init__`` written by ``dataclass`` does, field by field; ``__post_init__``."""
    names, given = _bind_fields(cls, args, keywords)
    after: list[Value] = []
    for field in _init_fields(cls):
        value = _field_value(cls, field, given)
        if field._field_type is dataclasses._FIELD_INITVAR:  # type: ignore[attr-defined]
            after.append(value)
        elif value is not FIRST:
            object.__setattr__(y, field.name, value)
    post = getattr(cls, "__post_init__", None)
    record = None
    if isinstance(post, FunctionType):
        _, record = callbacks.call(versions, post, y, *after)
    initvars = [f.name for f in _init_fields(cls) if f._field_type is dataclasses._FIELD_INITVAR]  # type: ignore[attr-defined]
    return y, (_pull_dataclass, y, names, initvars, record)


def _init_fields(cls: Any) -> list[Any]:
    fields = cls.__dataclass_fields__.values()
    return [f for f in fields if f._field_type is not dataclasses._FIELD_CLASSVAR]  # type: ignore[attr-defined]


def _bind_fields(
    cls: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[list[str], dict[str, Value]]:
    """Name of the field of each operand, and value by name; Python's TypeError where they do not
    fit.
    """
    init = cls.__init__
    code = init.__code__
    wanted = code.co_varnames[1 : code.co_argcount]
    only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    names = [*wanted[: len(args)], *keywords]
    required = wanted[: len(wanted) - len(init.__defaults__ or ())]
    missing = [
        n for n in (*required, *only) if n not in names and n not in (init.__kwdefaults__ or {})
    ]
    wrong = set(names) - {*wanted, *only}
    if len(args) > len(wanted) or missing or wrong or len(set(names)) < len(names):
        cls(*args, **keywords)  # raises what Python raises
    return names, dict(zip(names, (*args, *keywords.values()), strict=False))


def _field_value(cls: Any, field: Any, given: dict[str, Value]) -> Value:
    if field.init and field.name in given:
        return given[field.name]
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    if field.default is not dataclasses.MISSING:
        return field.default
    return FIRST


def _pull_dataclass(
    shadows: Shadows, y_bar: Value, y: Value, names: list[str], initvars: list[str], record: Record
) -> list[Value]:
    del y_bar
    parts = callbacks.pull(shadows, record, None, 1 + len(initvars)) if record is not None else None
    of_initvars = dict(zip(initvars, parts[1:], strict=True)) if parts is not None else {}
    taken = {
        field.name: shadows.key_take(attribute_store(y, field.name), field.name)
        for field in _init_fields(type(y))
    }
    return [of_initvars.get(name) if name in initvars else taken[name] for name in names]


# --- compiled code without a rule


def run_watched(
    versions: Versions, fn: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """Run it; an error now if it wrote into what it was given, later if its derivative is asked
    for.
    """
    if args and is_source_of_chance(args[0]) and _is_method_of(fn, type(args[0])):
        y, record = run_watched(versions, getattr(args[0], fn.__name__), args[1:], keywords)
        return y, None if record is None else (pull_with_first, record)
    owner = getattr(fn, "__self__", None)
    if owner is not None and is_source_of_chance(owner):
        if is_shuffle(fn):
            return shuffle(versions, fn, *args, **keywords)
        if isinstance(keywords.get("out"), np.ndarray):
            return draw_into(versions, fn, args, keywords)
    owners = () if owner is None or isinstance(owner, ModuleType | type) else (owner,)
    given = tuple(v for v in (*args, *keywords.values(), *owners) if not is_source_of_chance(v))
    before = [(value, contents(value)) for value in given if is_changeable(value)]
    for value in given:
        versions.writing(value)
    y = fn(*args, **keywords)
    name = getattr(fn, "__qualname__", repr(fn))
    if any(is_changed(value, old) for value, old in before):
        raise Unsupported(
            name,
            "a call that writes into its argument",
            why="it is compiled code without a derivative rule",
            instead="give it a rule with astad.adjoint, or do the writing in Python",
        )
    if not any(flows(value) or has_identity(value) for value in given):
        return y, None
    if isinstance(y, np.ndarray) and aliases_any(y, given):
        return y, None  # a view: it has its part of the shadow
    record = opaque(name, y, given)
    return y, record if record is None or not owners else (pull_with_owner, record)


def _is_method_of(fn: Any, cls: type) -> bool:
    return getattr(cls, getattr(fn, "__name__", ""), None) is fn


def pull_with_first(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Value:
    """A source of chance is an operand without a cotangent."""
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else [None, *parts]


def pull_with_owner(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Value:
    """A bound method's own object is no operand of the call."""
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else parts[:-1]


# --- structures handed to and fro by the user's own rules


def deliver_structure(shadows: Shadows, value: Value, part: Value, fn: Any) -> Value:
    """A cotangent that a user's rule returned: to the shadow of what has identity, else back by
    value.
    """
    if part is None:
        return None
    check(part, value, getattr(fn, "__qualname__", repr(fn)))
    if not has_identity(value):
        return part
    if isinstance(value, np.ndarray):
        shadows.add(value, project(part, value, getattr(fn, "__qualname__", repr(fn))))
    elif (
        type(part) is type(value)
        and not isinstance(part, dict | list | tuple)
        and hasattr(part, "__dict__")
    ):
        shadows.add(value, Tangent(**vars(part)))
        shadows.own_types[id(value)] = value
    elif isinstance(part, dict | list | tuple) or hasattr(part, "__dict__"):
        shadows.add(value, part)
    else:
        raise RuleError(
            getattr(fn, "__qualname__", repr(fn)),
            "the rule declared with astad.adjoint",
            why=f"its back returned {type(part).__name__} "
            f"for an argument of type {type(value).__name__}",
            instead="return a cotangent of the argument's own structure",
        )
    return None


def in_own_type(shadows: Shadows, value: Value, found: Value) -> Value:
    """The gradient of an object as an object of its class, where a user's rule gave it so."""
    if id(value) not in shadows.own_types or not isinstance(found, Tangent):
        return found
    made = object.__new__(type(value))
    for name in vars(value):
        part = getattr(found, name, None)
        object.__setattr__(made, name, 0 if part is None and flows(getattr(value, name)) else part)
    return made


def take_structure(shadows: Shadows, y: Value) -> Value:
    """What lies in the shadow of a fresh structured result, in the structure of the result."""
    if not shadows.has(y) and not isinstance(y, list | tuple | dict):
        return None
    return collect(shadows, y, snapshot(y), None, False)
