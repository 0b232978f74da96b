"""The table of cotangents by identity, made anew for each call of ``back``.

The cotangent of a value is the sum of what is handed over by value and of what lies in its shadow.
A key is never an id alone: each entry holds its object.

>>> shadows, a, l = Shadows(), np.zeros(2), [1.0, np.zeros(1)]
>>> shadows.add(a, np.ones(2)); shadows.add(a[:1], 3.0)
>>> shadows.take(a), shadows.take(a)
(array([4., 1.]), None)
>>> shadows.add(l, [2.0, np.ones(1)])
>>> shadows.take(l), shadows.take(l[1])
([2.0, None], array([1.]))
"""

from __future__ import annotations

import functools
import gc
import sys
from _thread import RLock
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from astad.code_objects import own_names
from astad.errors import AstadError, RuleError
from astad.runtime.cotangents.array_shadows import ArrayShadows
from astad.runtime.cotangents.bases import count_of
from astad.runtime.cotangents.owners import (
    attribute_store,
    class_dict,
    object_of,
    owner_of,
    slots_of,
    stored_in,
)
from astad.runtime.cotangents.slot_shadows import SlotShadows
from astad.runtime.cotangents.snapshots import Node, attributes_of
from astad.tangents.arrays import project
from astad.tangents.objects import Tangent
from astad.tangents.refused import Refused
from astad.tangents.unasked import has_in_class, pairs_of
from astad.tangents.zero import MADE_BY_CLASS, has_identity, home_of, is_number

__all__ = ["OF_THE_PROGRAM", "Shadows", "may_hold"]

Aside = tuple[Any, Any, Any, Any]
"""A holder, and its slots, keys and buffer, as far as there are such."""


UNCHANGING = frozenset({
    "_hashlib", "datetime", "nt", "os", "pathlib", "posix", "re", "uuid", "zoneinfo",
})  # fmt: skip
"""Modules of compiled types whose objects stay as they were made: where they came from is found
by the record of their making."""


class Shadows(ArrayShadows, SlotShadows):
    """One cotangent per object: arrays by ``add``, ``of``, ``take``, ``take_slot``, ``index_add``;
    elements of containers without identity by the methods named ``slot_`` and ``key_``."""

    def __init__(self) -> None:
        ArrayShadows.__init__(self)
        SlotShadows.__init__(self)
        self.depth = 0  # how many ways back through calls run, each within the one before
        self.returning: dict[int, Any] = {}  # the reverse of generators, while they run
        self.own_types: dict[
            int, Any
        ] = {}  # objects whose gradient a user's rule gave in their own class
        self.doubted: dict[Any, AstadError] = {}  # entries of memos, see `memos`
        self.resized: dict[int, tuple[Any, int]] | None = None  # by id: an array, its first length
        self.namespaces: dict[int, Node] = {}  # classes and modules among the arguments

    def add(
        self, obj: Any, g: Any
    ) -> None:  # Any: an object with identity, a cotangent of its structure
        """Add ``g`` to the cotangent of ``obj``.

        A container takes a cotangent of its structure (list, tuple, mapping, ``Tangent``): what
        belongs to elements with identity goes to these elements' own shadows. For a ``Node`` these
        are the elements that the container had when its snapshot was taken.
        """
        if g is None:
            return
        node = obj if type(obj) is Node else None
        obj = obj if node is None else node.value
        if type(g) is Refused:
            self._refuse(obj, g, set())
        elif issubclass(type(obj), np.ndarray):
            if obj.dtype.kind == "O":
                self._add_objects(obj, g)
            else:
                self.add_array(obj, g)
        elif issubclass(type(obj), (list, tuple, deque)) and not isinstance(g, (Mapping, Tangent)):
            self._add_sequence(obj, g, obj if node is None else node.parts)
        else:
            self._add_keyed(obj, g, node)

    def take(self, obj: Any) -> Any:  # Any: as ``add``
        """The whole cotangent of a fresh object, at its definition, forgotten; None if nothing
        came.

        Returns
        -------
        For an array an array; for a sequence the list of its slots; for anything else a dict of
        keys. Elements with identity have None there.
        """
        if issubclass(type(obj), np.ndarray):
            return self.take_array(obj)
        if issubclass(type(obj), (list, tuple, deque)):
            return self.slots_take(obj, count_of(obj)) if id(obj) in self._slots else None
        return self.keys_take(obj) or None

    def has(self, obj: Any) -> bool:
        """Whether a cotangent lies in the shadow of ``obj`` itself (not in those of its
        elements)."""
        if issubclass(type(obj), np.ndarray):
            return id(owner_of(obj)) in self._buffers or id(owner_of(obj)) in self._refused
        if id(obj) in self._refused or id(obj) in self._buffers:
            return True
        slots = self._slots.get(id(obj))
        if slots is not None and any(g is not None for g in slots[1]):
            return True
        return bool(self.keys_of(obj)) or bool(self.keys_of(getattr(obj, "__dict__", None)))

    def set_aside(self, holders: Iterable[Any]) -> list[Aside]:
        """The own cotangents of containers, objects and arrays, which are as if none had come."""
        found: list[Aside] = []
        for holder in holders:
            if issubclass(type(holder), np.ndarray):
                held = self._buffers.pop(id(owner_of(holder)), None)
                found.append((holder, None, None, held))
                continue
            for store in (holder, stored_in(holder)):
                slots, keys = self._slots.pop(id(store), None), self._keyed.pop(id(store), None)
                found.append((store, slots, keys, None))
        return found

    def bring_back(self, aside: Iterable[Aside]) -> None:
        """Add those that were set aside."""
        for holder, slots, keys, buffer in aside:
            for at, g in enumerate(slots[1] if slots else ()):
                self.slot_add(holder, at, g)
            for key, g in (keys[1] if keys else {}).items():
                self.key_add(holder, key, g)
            if buffer is not None:
                self.add(owner_of(holder), buffer.g)

    def ids(self) -> set[int]:
        """Of the objects to which something has come: owners of memory, containers, stores of
        attributes."""
        found = {id(each) for each, slots in self._slots.values() if any(_is_there(*slots))}
        found |= {id(each) for each, keys in self._keyed.values() if any(_is_there(*keys.values()))}
        found |= {key for key, buffer in self._buffers.items() if np.any(buffer.g)}
        return found | self._refused.keys()

    def is_empty(self) -> bool:
        """Whether nothing has come to any object."""
        return not (self._buffers or self._slots or self._keyed or self._refused)

    def refuse(self, obj: Any, g: Refused) -> None:
        """``g`` for this object itself, whatever it holds."""
        self._refused[id(obj)] = (obj, g)

    def refused_at(self, obj: Any) -> Refused | None:
        """The cotangent that cannot be had, if one reached this container or object."""
        entry = self._refused.get(id(obj)) if self._refused else None
        return None if entry is None else entry[1]

    def _refuse(self, obj: Any, g: Refused, seen: set[int]) -> None:
        """``g`` for ``obj`` and all that it holds."""
        obj = object_of(obj)
        if id(obj) in seen:
            return
        seen.add(id(obj))
        self._refused[id(obj)] = (obj, g)
        if issubclass(type(obj), np.ndarray):
            self.add_array(obj, g)
            for element in obj.flat if obj.dtype.kind == "O" else ():
                if has_identity(element):
                    self._refuse(element, g, seen)
        elif issubclass(type(obj), (list, tuple, deque)):
            for i, element in enumerate(obj):
                self._refuse(element, g, seen) if has_identity(element) else self.slot_add(
                    obj, i, g
                )
        elif issubclass(type(obj), dict):
            self._refuse_keys(obj, g, seen)
        elif issubclass(type(obj), (FunctionType, MethodType, functools.partial)):
            self._refuse_callable(obj, g, seen)
        elif type(store := getattr(obj, "__dict__", None)) is dict:
            self._refuse_keys(store, g, seen)
            self._refuse_slots(obj, g, seen)
            if issubclass(type(obj), BaseException):
                self._refuse(obj.args, g, seen)
            self._refuse_methods(type(obj), g, seen)
        elif not self._refuse_slots(obj, g, seen) and may_hold(type(obj)):
            if not _is_of_extension(type(obj)):
                g.ask()  # what it holds cannot be reached
            for held in gc.get_referents(obj):  # numbers came into it by a call, which has a record
                if has_identity(held) and not issubclass(type(held), OF_THE_PROGRAM):
                    self._refuse(held, g, seen)

    def _refuse_callable(self, fn: Any, g: Refused, seen: set[int]) -> None:
        """For what it has captured and its defaults; its object, for a bound method."""
        if issubclass(type(fn), MethodType):
            self._refuse(fn.__self__, g, seen)
            return
        for store, key, content in attributes_of(fn).values():
            self._refuse(content, g, seen) if has_identity(content) else self.key_add(store, key, g)
        for defaults in (getattr(fn, "__defaults__", None), getattr(fn, "__kwdefaults__", None)):
            if defaults:
                self._refuse(defaults, g, seen)

    def _refuse_methods(self, cls: type, g: Refused, seen: set[int]) -> None:
        """For what methods that C code may call read beside the object: captured variables,
        attributes of the class, globals.
        """
        if cls in (type, ModuleType) or not any(has_in_class(cls, name) for name in GIVING):
            return
        for base in cls.__mro__[:-1]:
            if not base.__flags__ & MADE_BY_CLASS or id(base) in seen:
                continue
            seen.add(id(base))
            store = class_dict(base)
            for name, content in list(store.items()):
                content = getattr(content, "fget", None) or getattr(content, "__func__", content)
                self._refuse_read(store, name, content, g, seen)

    def _refuse_read(self, store: Any, name: str, content: Any, g: Refused, seen: set[int]) -> None:
        """For a number or container that code reads by its name, and for what a function there
        reads in its turn.
        """
        if is_number(content):
            self.key_add(store, name, g)
        elif type(content) in (list, tuple, dict, deque, np.ndarray):
            self._refuse(content, g, seen)
        elif type(content) is FunctionType and id(content) not in seen:
            seen.add(id(content))
            self._refuse_callable(content, g, seen)
            space = content.__globals__
            for read in own_names(content.__code__):
                if read in space:
                    self._refuse_read(space, read, space[read], g, seen)

    def _refuse_slots(self, obj: Any, g: Refused, seen: set[int]) -> bool:
        """For what lies in ``__slots__``; is there anything?"""
        found = slots_of(obj)
        for name, element in found:
            self._refuse(element, g, seen) if has_identity(element) else self.key_add(obj, name, g)
        return bool(found)

    def _refuse_keys(self, store: Any, g: Refused, seen: set[int]) -> None:
        for key, element in list(pairs_of(store)):
            self._refuse(element, g, seen) if has_identity(element) else self.key_add(store, key, g)

    def _add_sequence(self, obj: Any, g: Any, elements: Sequence[Any]) -> None:
        has_parts = issubclass(type(g), (list, tuple, deque)) or (
            issubclass(type(g), np.ndarray) and g.ndim > 0
        )
        if not has_parts or len(g) != len(elements):
            kind = type(obj).__name__
            raise _wrong_structure(f"{g!r:.40} for a {kind} of {len(elements)} elements")
        for i, (element, part) in enumerate(zip(elements, g, strict=True)):
            self.slot_add(obj, i, self._add_element(element, part))

    def _add_element(self, element: Any, part: Any) -> Any:
        """The part of a number, to be put into its slot; what has identity gets its part at
        once."""
        if part is None:
            return None
        if is_number(element):
            return part if type(part) is Refused else project(part, element)
        if has_identity(element):
            self.add(element, part)
        return None

    def _add_objects(self, obj: Any, g: Any) -> None:
        """The numbers in an array of objects have a cotangent each; what else it holds has its
        own."""
        if np.asarray(g).dtype != object:
            self.add_array(obj, g)
            return
        parts = np.broadcast_to(np.asarray(g), obj.shape)
        numbers = np.zeros(obj.shape, complex)
        for k, (element, part) in enumerate(zip(obj.flat, parts.flat, strict=True)):
            found = self._add_element(element, part)
            numbers.flat[k] = 0 if found is None else found
        self.add_array(obj, numbers)

    def _add_keyed(self, obj: Any, g: Any, node: Node | None) -> None:
        if issubclass(type(obj), dict):
            if not issubclass(type(g), Mapping):
                raise _wrong_structure(f"a {type(g).__name__} for a dict")
            held = dict(pairs_of(obj)) if node is None else node.parts
            parts: list[Any] = [(obj, key, held.get(key), part) for key, part in g.items()]
        elif isinstance(g, (Tangent, Mapping)):
            held = {} if node is None or node.kind != "object" else node.parts
            own = _captured(obj)
            store = _own_dict(obj)
            parts = []
            for k in g:
                if k in own:
                    parts.append((*own[k][:2], held.get(k, own[k][2]), g[k]))
                elif type(store) is dict and k in store:  # also what a property caches there
                    parts.append((store, k, held.get(k, store[k]), g[k]))
                elif g[k] is not None:
                    element = held[k] if k in held else getattr(obj, k, None)
                    parts.append((attribute_store(obj, k), k, element, g[k]))
        else:
            raise _wrong_structure(f"a {type(g).__name__} for an object of {type(obj).__name__}")
        for store, key, element, part in parts:
            if type(element) is not float or type(part) is not float:
                part = self._add_element(element, part)
            self.key_add(store, key, part)


def _own_dict(obj: Any) -> Any:
    """The dict of an object; not what a property of its class gives out under that name."""
    for base in type(obj).__mro__:
        if "__dict__" in base.__dict__:
            found = base.__dict__["__dict__"]
            return found.__get__(obj) if type(found) is GetSetDescriptorType else None
    return None


def _captured(fn: Any) -> dict[str, tuple[object, str, Any]]:
    """Of a function, a method or a partial, what it holds and where; of others nothing."""
    kinds = (FunctionType, MethodType, functools.partial)
    return attributes_of(fn) if issubclass(type(fn), kinds) else {}


def _is_there(*parts: Any) -> Iterator[bool]:
    return (part is not None for part in parts)


GIVING = (
    "__float__", "__complex__", "__index__", "__array__", "__array_interface__", "__array_ufunc__",
    "__array_function__", "__getitem__", "__iter__", "__next__", "__call__", "__getattr__",
)  # fmt: skip
"""Methods by which C code asks an object for numbers."""

OF_THE_PROGRAM = (type, ModuleType, FunctionType, BuiltinFunctionType, CodeType, FrameType)
"""What an object refers to that belongs to the program, not to its data."""


def _is_of_extension(kind: type) -> bool:
    """Is it a class of a library's compiled code, and none that goes through something else?"""
    library = home_of(kind).partition(".")[0]
    return library not in sys.stdlib_module_names and not has_in_class(kind, "__next__")


def may_hold(kind: type) -> bool:
    """Whether an object without ``__dict__`` may hold others, which cannot be reached.

    One that the garbage collector does not visit holds nothing but itself, and a lock no more.
    """
    is_visited = bool(kind.__flags__ & 1 << 14) and kind is not RLock
    return is_visited and home_of(kind).partition(".")[0] not in UNCHANGING


def _wrong_structure(what: str) -> RuleError:
    return RuleError(
        "cotangent",
        what,
        why="a cotangent has the structure of its value",
        instead="give a list of as many parts, a mapping of the keys, or an astad.Tangent",
    )
