"""Every function that a module defines, found without running anything of it.

Functions, methods, properties, what decorators have wrapped, and the functions these make: those
under ``def`` and the lambdas.

>>> import colorsys
>>> [found.name for found in functions_of(colorsys)][:3]
['rgb_to_yiq', 'yiq_to_rgb', 'rgb_to_hls']
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from astad.code_objects import OPTIMIZED, inner_codes
from astad.slotted import dataclass

__all__ = ["FoundFunction", "functions_of"]


@dataclass(frozen=True, slots=True)
class FoundFunction:
    """A function, or one as another would make it: then its cells are empty; its name in the
    module, and the module's file.
    """

    fn: FunctionType
    name: str
    file: str

    @property
    def line(self) -> int:
        return self.fn.__code__.co_firstlineno


def functions_of(module: ModuleType) -> list[FoundFunction]:
    """The functions of a module in the order of its text; each text once."""
    finder = _Finder(module)
    for value in list(vars(module).values()):
        finder.look(value)
    found = {(each.name, each.line, each.fn.__code__): each for each in finder.found}
    return sorted(found.values(), key=lambda each: each.line)


class _Finder:
    """Goes through what a module's names stand for; attributes are read past the hooks of their
    classes.
    """

    def __init__(self, module: ModuleType) -> None:
        self.module = module.__name__
        self.files = _files(module)
        self.frozen = str(vars(module).get("__file__"))
        self.seen: dict[int, Any] = {}
        self.found: list[FoundFunction] = []

    def look(self, value: Any) -> None:
        """Take what is a function, and what is behind a class or a wrapper."""
        pending = [value]
        while pending:
            each = pending.pop()
            if id(each) in self.seen:
                continue
            self.seen[id(each)] = each
            if type(each) is FunctionType:
                self._function(each)
            pending += self._behind(each)

    def _behind(self, value: Any) -> Iterable[Any]:
        kind = type(value)
        if issubclass(kind, type):
            inside = _attributes_of_class(value)
            return inside.values() if inside.get("__module__") == self.module else ()
        if kind is FunctionType:
            return _held(value)
        if issubclass(kind, property):
            return [getter for getter in _of_property(value) if getter is not None]
        if issubclass(kind, (staticmethod, classmethod)):
            return [kind.__func__.__get__(value)]
        if kind is MethodType:
            return [value.__func__]
        if kind in (functools.partial, functools.partialmethod):
            return [value.func]
        if kind is functools.cached_property:
            return [value.func]
        return _wrapped(value)

    def _function(self, fn: FunctionType) -> None:
        file = fn.__code__.co_filename
        if file not in self.files:
            return
        file = self.frozen if file.startswith("<frozen") else file
        self.found.append(FoundFunction(fn, fn.__code__.co_qualname, file))
        for code in _all_inner(fn.__code__):
            self.found.append(FoundFunction(_made(code, fn), code.co_qualname, file))


def _files(module: ModuleType) -> set[str]:
    """The names under which the code of a module may have been compiled."""
    names = {str(vars(module).get("__file__")), f"<frozen {module.__name__}>"}
    return names | {
        value.__code__.co_filename  # a bytecode file that was moved has the place where it was made
        for value in vars(module).values()
        if type(value) is FunctionType
        and value.__globals__ is vars(module)
        and "__wrapped__" not in vars(value)
    }


def _attributes_of_class(cls: type) -> dict[str, Any]:
    found: GetSetDescriptorType = type.__dict__["__dict__"]
    return dict(found.__get__(cls))


_OF_PROPERTY: tuple[Any, ...] = (property.fget, property.fset, property.fdel)


def _of_property(value: property) -> list[Any]:
    return [part.__get__(value) for part in _OF_PROPERTY]


def _held(fn: FunctionType) -> list[Any]:
    """What a decorator has put behind the function that it left, and its defaults."""
    held: list[Any] = [vars(fn).get("__wrapped__")]
    for cell in fn.__closure__ or ():
        held += _content(cell)
    return [each for each in held if type(each) in (FunctionType, staticmethod, classmethod)]


def _content(cell: CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # not bound yet
        return []


def _wrapped(value: Any) -> list[Any]:
    """What an object keeps as ``__wrapped__``, as that of `functools.lru_cache` does."""
    reader = _dict_of(type(value))
    if reader is None:
        return []
    held = reader.__get__(value)
    found = dict.get(held, "__wrapped__") if issubclass(type(held), dict) else None
    return [found] if found is not None else []


def _dict_of(kind: type) -> Any:
    """The descriptor that gives the ``__dict__`` of a class's objects, if it is Python's own."""
    for base in type.mro(kind) if kind is not type else ():
        found = _attributes_of_class(base).get("__dict__")
        if found is not None:
            return found if type(found) in (GetSetDescriptorType, WrapperDescriptorType) else None
    return None


def _all_inner(code: CodeType) -> Iterator[CodeType]:
    """The functions that a function makes, and those that they make; the bodies of classes are
    looked through.
    """
    for inner in inner_codes(code):
        if inner.co_flags & OPTIMIZED:
            yield inner
        yield from _all_inner(inner)


def _made(code: CodeType, outer: FunctionType) -> FunctionType:
    """A function like the one that the outer one makes, with empty cells."""
    cells = tuple(CellType() for _ in code.co_freevars)
    made = FunctionType(code, outer.__globals__, code.co_name, None, cells)
    made.__qualname__ = code.co_qualname
    made.__module__ = outer.__module__
    return made
