"""Descriptors of C that a program calls itself: ``Point.x.__get__(p)`` of a class with slots reads
the attribute, ``__set__`` writes it, ``__delete__`` deletes it.

>>> from astad import gradient
>>> class Point:
...     __slots__ = ("x",)
>>> def doubled(x):
...     p = Point()
...     Point.x.__set__(p, 2 * x)
...     return Point.x.__get__(p) * x
>>> gradient(doubled, 3.0)
(12.0,)
"""

from __future__ import annotations

from types import GetSetDescriptorType, MemberDescriptorType

from astad.errors import Unsupported
from astad.runtime.core.full_rules import (
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

DESCRIPTORS = (MemberDescriptorType, GetSetDescriptorType)


@full(*(vars(kind)["__get__"] for kind in DESCRIPTORS))
def read_by_hand(versions: Versions, found: Value, o: Value, *cls: Value) -> tuple[Value, Record]:
    if o is None or not _is_the_one(found, o):
        y = found.__get__(o, *cls)
        if flows(y):
            raise _hidden(found, "__get__")
        return y, None
    fetch: Value = getattr if flows(o) else object.__getattribute__
    y, record = callbacks.call(versions, fetch, o, found.__name__)
    return y, None if record is None else (pull_read, record, 2 + len(cls))


def pull_read(shadows: Shadows, y_bar: Value, record: Record, count: int) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 2)
    return None if parts is None else [None, parts[0], *[None] * (count - 2)]


@full(*(vars(kind)["__set__"] for kind in DESCRIPTORS))
def write_by_hand(versions: Versions, found: Value, o: Value, v: Value) -> tuple[None, Record]:
    if not _is_the_one(found, o):
        if flows(v):
            raise _hidden(found, "__set__")
        return found.__set__(o, v), None
    _, record = callbacks.call(versions, setattr_of(o), o, found.__name__, v)
    return None, None if record is None else (pull_written, record)


def setattr_of(o: Value) -> Value:
    """What stores an attribute of the object, past a ``__setattr__`` of the user's."""
    return next(
        vars(cls)["__setattr__"]
        for cls in type(o).__mro__
        if "__setattr__" in vars(cls) and type(vars(cls)["__setattr__"]) is type(_PLAIN)
    )


_PLAIN = object.__setattr__


def pull_written(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 3)
    return None if parts is None else [None, parts[0], parts[2]]


def _is_the_one(found: Value, o: Value) -> bool:
    """Does the name of the descriptor lead to it? Another class may have a slot of this name."""
    return lookup_in_class(type(o), found.__name__) is found


def _hidden(found: Value, method: str) -> Unsupported:
    return Unsupported(
        f"{found.__objclass__.__qualname__}.{found.__name__}.{method}",
        "a number in an attribute that another class has under the same name",
        why="attributes are followed by their names",
        instead="give the slots of the two classes different names",
    )


# --- cells ----------------------------------------------------------------------------------------
