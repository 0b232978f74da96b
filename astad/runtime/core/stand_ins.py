"""Who an object is, where a copy stands in for it.

What is passed twice, and what a user's rule hands on, gets a copy with a cotangent of its own. The
program must not notice: what asks for identity or memory is given the originals.

>>> x = np.array([1.0, 2.0])
>>> copy, versions = x.copy(), Versions()
>>> stand_in(versions, copy, x)
>>> original(versions, copy) is x, original(versions, x) is x
(True, True)
>>> is_in(versions, [copy], x)
True
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Value
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import Severed, owner_of

__all__ = [
    "OF_MEMORY",
    "asked_of",
    "check_base",
    "check_copied_once",
    "is_in",
    "laid_out",
    "original",
    "originals",
    "stand_in",
    "with_items",
]


def stand_in(versions: Versions, copy: Value, value: Value) -> None:
    """From now on ``copy`` stands in for ``value``."""
    versions.stand_ins[id(copy)] = (copy, value)


def original(versions: Versions, value: Value) -> Value:
    """What a plain run would have in its place."""
    found = versions.stand_ins.get(id(value))
    while found is not None:
        value = found[1]
        found = versions.stand_ins.get(id(value))
    if issubclass(type(value), np.ndarray) and type(value.base) is Severed:
        return original(versions, value.base.original)
    return value


def originals(versions: Versions, values: Iterable[Value]) -> tuple[Value, ...]:
    """The same of several."""
    return tuple([original(versions, value) for value in values])


def is_in(versions: Versions, container: Value, item: Value) -> bool:
    """``item in container``, which asks for identity first."""
    if versions.stand_ins:
        item = original(versions, item)
        container = with_items(versions, container)
    return item in container


def with_items(versions: Versions, value: Value) -> Value:
    """What a plain run would have in the place of a list or tuple, and in it."""
    known = original(versions, value)
    if known is not value or type(value) not in (list, tuple):
        return known
    return type(value)(originals(versions, value))


def asked_of(versions: Versions, fn: Value, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """What a function without a derivative is given in a plain run.

    Raises
    ------
    Unsupported : if it asks for the memory of a view of a copy.
    """
    found = originals(versions, args)
    if fn in _SEARCHES and args:
        return (with_items(versions, args[0]), *found[1:])
    if fn in _SHARING and any(_is_view_of_copy(versions, value) for value in found):
        raise Unsupported(
            f"np.{fn.__name__}", "a view of an array that is passed twice",
            why="each place has a derivative of its own, so a copy stands in for the array",
            instead="ask for the whole arrays, or pass a copy",
        )  # fmt: skip
    return found


_SEARCHES = (list.index, list.count, tuple.index, tuple.count, operator.countOf, operator.indexOf)
_SHARING = (np.shares_memory, np.may_share_memory, np.isfortran)


def _is_view_of_copy(versions: Versions, value: Value) -> bool:
    return issubclass(type(value), np.ndarray) and id(owner_of(value)) in versions.stand_ins


def check_copied_once(versions: Versions, values: Iterable[Value]) -> None:
    """Raise where a deep copy is made of an object and of what stands in for it: Python makes one
    copy of the one object.
    """
    found: set[int] = set()
    for value in values if versions.stand_ins else ():
        key = id(original(versions, value))
        if key in found:
            raise Unsupported(
                "copy.deepcopy", f"a {type(value).__qualname__} that is passed twice",
                why="each place has a derivative of its own, so a copy stands in for it, and two "
                "copies are made",
                instead="copy it once and use the copy twice",
            )  # fmt: skip
        found.add(key)


def check_base(versions: Versions, o: Value) -> None:
    """``o.base`` of an array that a copy stands in for. Another array has a cotangent, and may be
    another argument: that is refused.
    """
    if original(versions, o).base is not None:
        raise Unsupported(
            "ndarray.base", "what an array that is passed twice is a view of",
            why="each place has a derivative of its own, so a copy stands in for the array",
            instead="pass the array once and use it twice inside, or pass a copy",
        )  # fmt: skip


def laid_out(versions: Versions, o: Value, name: str) -> Value:
    """The array that tells how ``o`` lies in memory in a plain run.

    Raises
    ------
    Unsupported : if it is a view of an array that a copy stands in for, and a view of the copy may
        lie otherwise; or if its address is asked for.
    """
    known, owner = original(versions, o), owner_of(o)
    if known is not o:
        if name in _LAYOUT:
            return known
        alike = known.strides == o.strides
    elif id(owner) not in versions.stand_ins or not isinstance(owner, np.ndarray):
        return o
    else:
        whole = original(versions, owner)
        alike = whole.strides == owner.strides and (name != "flags" or not whole.flags.writeable)
    if alike and (name in _LAYOUT or name == "data"):
        return o
    raise Unsupported(
        f"ndarray.{name}", "how an array lies in memory that is passed twice or overlaps itself",
        why="each place has a derivative of its own, so a copy stands in for the array",
        instead="ask for strides or flags of the whole array, or pass a copy",
    )  # fmt: skip


_LAYOUT = ("strides", "flags")
OF_MEMORY = frozenset([*_LAYOUT, "data", "ctypes", "__array_interface__", "__array_struct__"])
"""Attributes of arrays that tell where and how they lie."""
