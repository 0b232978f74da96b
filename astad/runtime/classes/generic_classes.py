"""Classes written with parameters, ``Box[float](x)``, and ``typing.cast``: what is called, read and
written is the class itself.

>>> from astad.runtime import dispatch
>>> callbacks.call(Versions(), typing.cast, float, 2.0)[0]
2.0
"""

from __future__ import annotations

import contextlib
import types
import typing

from astad.runtime.core.full_rules import (
    CALLED,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    lookup_in_class,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows

__all__: list[str] = []


@full(typing.cast, names="typ val")
def cast(versions: Versions, typ: Value, val: Value) -> tuple[Value, Record]:
    return val, (pull_cast,) if flows(val) else None


def pull_cast(shadows: Shadows, y_bar: Value) -> dict[str, Value]:
    return {"val": y_bar}


def call_alias(
    versions: Versions, alias: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """``Box[float](*args)``: the object learns how its class was written, if it can hold that."""
    y, record = callbacks.call(versions, alias.__origin__, *args, **keywords)
    with contextlib.suppress(Exception):  # as `typing` itself does
        y.__orig_class__ = alias
    return y, record


_USER = typing.TypeVar("_USER")


class _Box(typing.Generic[_USER]):
    pass


CALLED[type(_Box[int])] = call_alias
CALLED[types.GenericAlias] = call_alias


@full(type(_Box[int]).__call__)
def alias_called(
    versions: Versions, alias: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    y, record = call_alias(versions, alias, *args, **keywords)
    return y, None if record is None else (pull_alias, record, len(args) + len(keywords))


def pull_alias(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, n)
    return None if operands is None else (None, *operands)


# --- attributes of what is no class itself ------------------------------------------------------

_written: Value = lookup_in_class(type(_Box[int]), "__setattr__")
_read: Value = lookup_in_class(type(_Box[int]), "__getattr__")


def _is_of_class(alias: Value, name: str) -> bool:
    """Is the attribute that of the class? An alias keeps names with two underscores to itself, and
    those that it was made with.
    """
    own = vars(alias)
    return "__origin__" in own and name not in own and not (name[:2] == name[-2:] == "__")


@full(_read)
def read_by_alias(versions: Versions, alias: Value, name: str) -> tuple[Value, Record]:
    if not _is_of_class(alias, name):
        return _read(alias, name), None
    return callbacks.call(versions, getattr, alias.__origin__, name)


@full(_written)
def write_by_alias(versions: Versions, alias: Value, name: str, v: Value) -> tuple[Value, Record]:
    if not _is_of_class(alias, name):
        return callbacks.call(versions, object.__setattr__, alias, name, v)
    return callbacks.call(versions, setattr, alias.__origin__, name, v)
