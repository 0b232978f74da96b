"""From a dotted name to the function it stands for, without running anything but imports.

>>> find_function("textwrap.TextWrapper.fill").__qualname__
'TextWrapper.fill'
>>> find_function("textwrap.filled")
Traceback (most recent call last):
astad.api.inspection.named_functions.NotFound: textwrap has no filled
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import sys
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from astad.code_objects import inner_codes
from astad.runtime.core.full_rules import python_method

__all__ = ["NotFound", "find_function"]


class NotFound(LookupError):
    """A name that stands for no function; the text says which part of it, in one line."""


def find_function(dotted: str) -> FunctionType:
    """The function named ``module.function``, ``module.Class.method`` or ``module.function.inner``.

    An inner function is found in the code of the outer one, as it would be made by it;
    ``<locals>`` may stand between.
    """
    module, names = _imported(dotted)
    found: Any = module
    path = module.__name__
    for name in names:
        if name != "<locals>":
            found = _part(found, name, path)
            path = f"{path}.{name}"
    return _function(found, path)


def _imported(dotted: str) -> tuple[ModuleType, list[str]]:
    """The longest part of the name that is a module, and the rest."""
    names = dotted.split(".")
    if not all(names) or names[-1] == "py" or len(names) < 2:
        raise NotFound(f"{dotted} is no dotted name of a function, such as module.function")
    if names[0] not in sys.modules and importlib.util.find_spec(names[0]) is None:
        raise NotFound(f"no module named {names[0]}")
    module = _import(names.pop(0))
    while names and (inner := _submodule(module, names[0])):
        module = inner
        del names[0]
    return module, names


def _submodule(module: ModuleType, name: str) -> ModuleType | None:
    found = getattr(module, name, None)
    if issubclass(type(found), ModuleType):
        return found
    path = f"{module.__name__}.{name}"
    if (
        found is not None
        or not hasattr(module, "__path__")
        or importlib.util.find_spec(path) is None
    ):
        return None
    return _import(path)


def _import(name: str) -> ModuleType:
    try:
        with contextlib.redirect_stdout(
            sys.stderr
        ):  # what the module prints is no part of the answer
            return importlib.import_module(name)
    except Exception as error:  # whatever a module raises while it is imported
        raise NotFound(f"importing {name} raised {type(error).__name__}: {error}") from error


def _part(found: Any, name: str, path: str) -> Any:
    if issubclass(type(found), type):
        for owner in found.__mro__:
            if name in vars(owner):
                return vars(owner)[name]
    if hasattr(found, name):
        return getattr(found, name)
    outer = _unwrapped(found)
    if type(outer) is FunctionType:
        return _inner(outer, name, path)
    raise NotFound(f"{path} has no {name}")


def _inner(outer: FunctionType, name: str, path: str) -> FunctionType:
    """A function like the one that ``outer`` would make, with empty cells."""
    for code in inner_codes(outer.__code__):
        if code.co_name == name and isinstance(code, CodeType):
            cells = tuple(CellType() for _ in code.co_freevars)
            made = FunctionType(code, outer.__globals__, name, None, cells)
            made.__qualname__ = code.co_qualname
            return made
    raise NotFound(f"{path} has no {name}")


def _unwrapped(found: Any) -> Any:
    """The function in a method, a property, a static or class method, a partial object."""
    while True:
        if issubclass(type(found), (staticmethod, classmethod, MethodType)):
            found = found.__func__
        elif issubclass(type(found), property):
            found = found.fget
        elif issubclass(type(found), functools.partial):
            found = found.func
        else:
            return found


def _function(found: Any, path: str) -> FunctionType:
    found = _unwrapped(found)
    if type(found) is FunctionType:
        return found
    if issubclass(type(found), type):
        raise NotFound(f"{path} is a class: name one of its methods, such as {path}.__init__")
    method = python_method(type(found), "__call__")
    if type(method) is FunctionType:
        return method
    raise NotFound(f"{path} is no function written in Python: {type(found).__name__}")
