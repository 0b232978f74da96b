"""Classes, functions and modules to which programs bind anew while they run: methods, properties,
hooks, defaults.

What a text takes from such a class or function would be that of one moment: it is looked up where
it is used. What the code of a program tells is noted before it is compiled. What is met only while
it runs is noted for what is compiled from then on; a text that runs and took for granted what was
there is an error, before anything is written.

>>> class Spring:
...     def force(self, x): return -x
>>> class Damped(Spring): pass
>>> is_rebound(Damped), note_rebound(Spring, "force"), note_rebound(Spring, "force")
(False, True, False)
>>> is_rebound(Damped), is_rebound(Spring.force)
(True, False)
>>> [may_answer(Spring, name) for name in ("force", "stiffness", "__len__")]
[True, False, True]
"""

from __future__ import annotations

import sys
from types import FrameType, FunctionType, ModuleType
from typing import Any
from weakref import ref

from astad.errors import Unsupported
from astad.originals import builtins
from astad.rules.in_force import module_named
from astad.runtime.core.variants import forget_all, note_written
from astad.tangents.unasked import lookup_in_class, mro_of
from astad.tangents.zero import MADE_BY_CLASS

__all__ = [
    "GENERATED", "OF_FUNCTIONS", "REBOUND", "behind_raw", "bind_item_of_namespace", "binding_anew",
    "is_part", "is_rebound", "may_answer", "note_rebound",
]  # fmt: skip

GENERATED = "__astad__"
"""Global name under which generated functions know their text."""
OF_FUNCTIONS = frozenset({"__code__", "__defaults__", "__kwdefaults__"})
_NOTHING = object()

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
    if not issubclass(type(found), type):
        return False
    if not found.__flags__ & MADE_BY_CLASS:
        return _is_noted(found)
    return _is_noted(type(found)) or any(
        _is_noted(base) or any(map(_is_noted, _functions_in(base)))
        for base in mro_of(found)
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


# --- while a program runs ------------------------------------------------------------------------


def binding_anew(o: Any, name: str, v: Any = None) -> None:
    """Announce that an attribute is bound, or deleted."""
    kind = type(o)
    if kind is FunctionType:
        matters = name in OF_FUNCTIONS
    elif issubclass(kind, type):
        matters = may_answer(o, name) or hasattr(type(v), "__set__")
    else:
        matters = issubclass(kind, ModuleType) and is_part(vars(o).get(name))
    if matters:
        _note(o, name)


def bind_item_of_namespace(space: dict[Any, Any], name: Any) -> None:
    """The same of the globals of a module, written as a dict."""
    if type(name) is str and "__builtins__" in space and "__name__" in space:
        module = sys.modules.get(space["__name__"])
        if module is not None and vars(module) is space:
            found = space.get(name, getattr(builtins, name, None))
            if is_part(found) or issubclass(type(found), ModuleType):
                _note(module, name)


def may_answer(cls: Any, name: str) -> bool:
    """Does an attribute of the class answer for its instances? A number does not."""
    if name[:2] == name[-2:] == "__":
        return True
    return is_part(lookup_in_class(cls, name))


def is_part(raw: Any) -> bool:
    """Is it a function, a class, or something through which an attribute is read?"""
    return callable(raw) or hasattr(type(raw), "__get__")


def _note(o: Any, name: str) -> None:
    if issubclass(type(o), ModuleType):
        is_new = note_written(vars(o), name)
    else:
        is_new = note_rebound(o, name)
    if is_new:
        forget_all()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        text = frame.f_globals.get(GENERATED)
        if text is not None and _relies(text, o, name):
            raise Unsupported(
                name if issubclass(type(o), ModuleType) else f"{o.__qualname__}.{name}",
                "a name bound anew while the function that reads it is differentiated",
                why="what it stood for is taken for granted there already",
                instead="bind it before the function is called, or differentiate again: from now "
                "on it is looked up where it is used",
            )
        frame = frame.f_back


def _relies(text: Any, o: Any, name: str) -> bool:
    """Does a text that runs take for granted what is there?"""
    is_told = issubclass(type(o), type) and f"{name!r} not in " in text.source
    return any(
        _leads_through(chain[0], text.globals, o, name, is_told=is_told)
        for chain, _ in text.relied_on
        if len(chain) == 1
    )


def _leads_through(path: str, space: dict[str, Any], o: Any, name: str, *, is_told: bool) -> bool:
    """Is this one of the words of the path, or does it lead to such a class?"""
    home, _, words = path.rpartition(":")
    found: Any = module_named(home) if home else None
    space = vars(found) if found is not None else space
    first, *rest = words.split(".")
    if issubclass(type(o), ModuleType) and vars(o) is space and first == name:
        return True
    found = space.get(first, _NOTHING)
    for word in rest:
        if word == name and _is_of(found, o):
            return True
        if word == "__mro__":
            return is_told and _is_of(found, o)
        found = getattr(found, word, _NOTHING)
    return False


def _is_of(found: Any, o: Any) -> bool:
    """Is it this object, or a class that is derived from it?"""
    return found is o or (issubclass(type(found), type) and any(b is o for b in found.__mro__))
