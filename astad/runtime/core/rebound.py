"""Classes and functions to which programs bind anew while they run: methods, properties, hooks,
defaults.

What a text takes from such a class or function would be that of one moment: it is looked up where
it is used.

>>> class Spring:
...     def force(self, x): return -x
>>> class Damped(Spring): pass
>>> is_rebound(Damped), note_rebound(Spring, "force"), note_rebound(Spring, "force")
(False, True, False)
>>> is_rebound(Damped), is_rebound(Spring.force)
(True, False)
"""

from __future__ import annotations

from types import FunctionType
from typing import Any
from weakref import ref

from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["REBOUND", "behind_raw", "is_rebound", "note_rebound"]

REBOUND: dict[int, tuple[ref[Any], set[str]]] = {}
"""By the id of a class or function: the names that are bound anew."""


def note_rebound(owner: Any, name: str) -> bool:
    """From now on no text takes it that what is there stays; True where that is new."""
    found = REBOUND.get(id(owner))
    if found is None or found[0]() is not owner:
        place = id(owner)
        found = REBOUND[place] = ref(owner, lambda gone: _forget(place, gone)), set()
    if name in found[1]:
        return False
    found[1].add(name)
    return True


def _forget(place: int, gone: ref[Any], held: dict[int, Any] = REBOUND) -> None:
    if place in held and held[place][0] is gone:
        del held[place]


def is_rebound(found: Any) -> bool:
    """Does a program bind anew what a text would take from it? Of a class also what its bases hold,
    and the defaults of its methods.
    """
    if not REBOUND:
        return False
    if type(found) is FunctionType:
        return _is_noted(found)
    if not issubclass(type(found), type) or not found.__flags__ & MADE_BY_CLASS:
        return _is_noted(found) if issubclass(type(found), type) else False
    return _is_noted(type(found)) or any(
        _is_noted(base) or any(map(_is_noted, _functions_in(base)))
        for base in type.mro(found)
        if base.__flags__ & MADE_BY_CLASS
    )


def _is_noted(owner: Any) -> bool:
    found = REBOUND.get(id(owner))
    return found is not None and found[0]() is owner


def _functions_in(cls: type) -> list[Any]:
    return [each for raw in list(vars(cls).values()) for each in behind_raw(raw)]


def behind_raw(raw: Any) -> list[FunctionType]:
    """The functions of an attribute as it lies in a class."""
    kind = type(raw)
    if kind is property:
        found = [raw.fget, raw.fset, raw.fdel]
    elif kind is staticmethod or kind is classmethod:
        found = [raw.__func__]
    else:
        found = [raw]
    return [each for each in found if type(each) is FunctionType]
