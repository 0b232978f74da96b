"""Calls of classes: ``__new__`` and ``__init__`` of the user's are differentiated from their
source, those that `dataclass` and `namedtuple` wrote have rules.
"""

from __future__ import annotations

import functools
from decimal import Decimal
from types import FunctionType, SimpleNamespace
from typing import Any

from astad.runtime.calls.library import run_watched
from astad.runtime.classes.class_creation import recorded_new
from astad.runtime.containers.containers import is_container_class, make_container
from astad.runtime.containers.named_tuples import is_namedtuple, make_namedtuple
from astad.runtime.control.exceptions import make_exception
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Special,
    Value,
    callbacks,
    full,
    lookup_in_class,
    method_of,
    opaque,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.dataclass_methods import rule_of_made
from astad.tangents.add import add
from astad.tangents.refused import Refused

__all__ = ["construct"]


def construct(
    versions: Versions, cls: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """``cls(*args, **keywords)``."""
    if type(cls) is not type:
        own = python_method(type(cls), "__call__")
        if own is not None:
            y, record = callbacks.call(versions, own, cls, *args, **keywords)
            return y, None if record is None else (_pull_rest, record)
    return _made(versions, cls, args, keywords)


@full(type)
def type_forward(versions: Versions, *given: Value, **words: Value) -> tuple[Value, Record]:
    """``type(o)``, or a class from name, bases and namespace."""
    if len(given) != 3:
        return type(*given, **words), None
    return _newly_made(versions, type, type.__new__, given, words)


@full(Refused)
def make_refused(versions: Versions, error: Value) -> tuple[Value, Record]:
    """By a rule that is differentiated again; the frames that it looks through are none of the
    program's.
    """
    return Refused(error), None


@full(vars(type)["__call__"])
def call_type(
    versions: Versions, cls: Any, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """What the ``__call__`` of a metaclass calls."""
    if cls is type:
        y, record = callbacks.call(versions, type, *args, **keywords)
        return y, None if record is None else (_pull_with_class, record)
    y, record = _made(versions, cls, args, keywords)
    return y, None if record is None else (_pull_with_class, record)


def _made(
    versions: Versions, cls: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    own_new: Value = cls.__new__
    if own_new is object.__new__:  # so it is no tuple, no exception
        init = python_method(cls, "__init__")
        if init is not None:
            return _initialised(versions, init, object.__new__(cls), args, keywords)
    if issubclass(cls, type):
        return _newly_made(versions, cls, recorded_new(own_new), args, keywords)
    written = lookup_in_class(cls, "__new__")
    new = written.__func__ if issubclass(type(written), staticmethod) else written
    if type(new) is FunctionType and not new.__module__.startswith("namedtuple_"):
        return _newly_made(versions, cls, new, args, keywords)
    if type(method_of(new, "__new__")) is Special:
        return _newly_made(versions, cls, own_new, args, keywords)
    if own_new in _RECORDED or (own_new is tuple.__new__ and not keywords):
        return _newly_made(versions, cls, own_new, args, keywords)
    if is_namedtuple(cls):
        return make_namedtuple(versions, cls, *args, **keywords)
    if issubclass(cls, BaseException):
        return make_exception(versions, cls, *args, **keywords)
    if is_container_class(cls):
        return make_container(versions, cls, *args, **keywords)
    if own_new is object.__new__ and python_method(cls, "__init__") is None:
        y, given = cls(*args, **keywords), (*args, *keywords.values())
        return y, opaque(cls.__qualname__, y, given, of=cls) if given else None
    if python_method(cls, "__init__") is not None:
        return _newly_made(versions, cls, own_new, args, keywords)
    return run_watched(versions, cls, args, keywords)


_RECORDED: tuple[Value, ...] = (
    int.__new__, float.__new__, complex.__new__, Decimal.__new__, functools.partial.__new__,
    SimpleNamespace.__new__,
)  # fmt: skip
"""What makes the numbers and the partials of a class of the user's that has no ``__new__``."""


def _initialised(
    versions: Versions, init: Value, y: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    made = rule_of_made(init) if type(init) is FunctionType else None
    if made is not None:  # found at once; `dispatch` finds it too, when there is no source
        nothing, record = made(versions, init, y, *args, **keywords)
    else:
        nothing, record = callbacks.call(versions, init, y, *args, **keywords)
    if nothing is not None:
        raise TypeError(f"__init__() should return None, not '{type(nothing).__name__}'")
    return y, None if record is None else (_pull_init, record)


def _newly_made(
    versions: Versions,
    cls: Any,
    new: Value,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> tuple[Value, Record]:
    """By a ``__new__`` of the user's, then the ``__init__`` of what that gave, as Python does."""
    y, record = callbacks.call(versions, new, cls, *args, **keywords)
    init = python_method(type(y), "__init__") or lookup_in_class(type(y), "__init__")
    if not issubclass(type(y), cls) or init is object.__init__:
        return y, None if record is None else (_pull_rest, record)
    if _sets_nothing(y, init):
        return y, None if record is None else (_pull_rest, record)
    _, then = _initialised(versions, init, y, args, keywords)
    if record is None and then is None:
        return y, None
    return y, (_pull_both, record, then, len(args) + len(keywords))


def _sets_nothing(y: Value, init: Value) -> bool:
    """Is this the ``__init__`` that numbers, text, tuples and arrays have from ``object``?"""
    return (
        init is not SimpleNamespace.__init__
        and type(init) not in (FunctionType, Special)
        and not is_container_class(type(y))
    )


def _pull_init(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Value:
    del y_bar  # an object's cotangent lies in its shadow
    parts = record[0](shadows, None, *record[1:])
    return None if parts is None else parts[1:]


def _pull_rest(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    """Back through a call that had the class as its first operand."""
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else parts[1:]


def _pull_with_class(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else (None, *parts)


def _pull_both(shadows: Shadows, y_bar: Value, new: Record, init: Record, n: int) -> Cotangents:
    second = callbacks.pull(shadows, init, None, n)
    first = callbacks.pull(shadows, new, y_bar, n + 1) or (None,) * (n + 1)
    return [add(a, b) for a, b in zip(first[1:], second or (None,) * n, strict=True)]
