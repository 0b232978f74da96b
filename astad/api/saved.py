"""What a text that `python -m astad.show` printed, saved to a file and imported, finds again: the
names of the user's modules that it reads.

>>> live_names_of("math").pi
3.141592653589793
>>> named("numpy", "ndarray.sum").__name__
'sum'
"""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from types import ModuleType
from typing import Any  # whatever a name stands for

import astad.api.variants.wiring  # noqa: F401  (what is called is compiled)
from astad.api.inspection.named_functions import find_function
from astad.api.variants.assumptions import find
from astad.api.variants.loading import InnerFunction, of_class
from astad.api.variants.loading import live_names_of as _live_names_of
from astad.api.variants.loading import namespace_of as _namespace_of
from astad.rules.in_force import is_generated, module_named

__all__ = ["attribute", "held_by", "live_names_of", "maker_of", "named", "names_of"]


def _module(name: str) -> ModuleType:
    """An importable one, or that of a gradient's text, which is made anew."""
    found = module_named(name) if is_generated(name) else import_module(name)
    if found is None:
        raise ImportError(f"{name} cannot be made again", name=name)
    return found


def _globals(module: str) -> dict[str, Any]:
    return vars(_module(module))


def names_of(module: str) -> Any:
    """An object whose attributes are the global names of a module, as they are when they are read;
    then the builtins.
    """
    return _namespace_of(_globals(module))


def live_names_of(module: str) -> Any:
    """The same for a guard."""
    return _live_names_of(_globals(module))


def named(module: str, path: str) -> Any:
    """What a path such as ``math.sqrt`` stands for in a module."""
    return find(path, _globals(module))


def attribute(module: str, path: str) -> Any:
    """An attribute of what a module has."""
    return reduce(getattr, path.split("."), _module(module))


def held_by(module: str, what: str) -> Any:
    """What a class of an order of look-up holds: all names of it, or what is under one."""
    return of_class(what, _globals(module))


def maker_of(function: str, key: str) -> Any:
    """Makes an inner function of a function."""
    return InnerFunction(find_function(function), key)
