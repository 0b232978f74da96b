"""What a called name stands for when the function is read: ``builtins.sum``, ``math.fsum``.

An object is known by where it is defined, so that nothing has to be imported to compare with it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any  # trees: gast ships no types; and objects of any kind

import gast

from astad.compiler.lower.builder import Builder, holds_call
from astad.originals import builtins

__all__ = ["assume", "is_plain_container", "is_quiet", "known_name"]

_CONTAINERS = (tuple, list, set, frozenset, dict)


def known_name(b: Builder, func: Any) -> str | None:
    """Module and name of the object that ``sum`` or ``np.fromiter`` means now, None for others."""
    found = _object(b, func)
    module, name = getattr(found, "__module__", None), getattr(found, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    home = builtins if module == "builtins" else sys.modules.get(module)
    return f"{module}.{name}" if home and vars(home).get(name) is found else None


def assume(b: Builder, func: Any) -> None:
    """Take note that the program is right only as long as the name stands for this object."""
    b.assumed[_path(func)] = None


def is_plain_container(b: Builder, func: Any) -> bool:
    """Whether it is a class of the user's that makes itself as a list, tuple, set or dict does."""
    found = _object(b, func)
    if not isinstance(found, type):
        return False
    base = next((base for base in _CONTAINERS if issubclass(found, base)), None)
    return base is not None and found.__new__ is base.__new__ and _init(found) is _init(base)


def _init(kind: type) -> object:
    return kind.__init__  # type: ignore[misc]  # only compared


def is_quiet(b: Builder, node: Any) -> bool:
    """Whether a function has no effects: a builtin, a getter, None, a lambda that calls nothing."""
    if isinstance(node, gast.Lambda):
        return not holds_call(node.body)
    if isinstance(node, gast.Call):
        return (known_name(b, node.func) or "").startswith("operator.")
    quiet = "builtins.", "_operator.", "math."
    return isinstance(node, gast.Constant) or (known_name(b, node) or "").startswith(quiet)


def _object(b: Builder, func: Any) -> object:
    """The object, by the function's globals; None where a local name hides it."""
    if isinstance(func, gast.Name):
        return b.scope.resolve(func.id) if b.place(func.id) is None else None
    if isinstance(func, gast.Attribute) and isinstance(func.value, gast.Name | gast.Attribute):
        module = _object(b, func.value)
        return vars(module).get(func.attr) if issubclass(type(module), ModuleType) else None
    return None


def _path(func: Any) -> str:
    if isinstance(func, gast.Name):
        return str(func.id)
    return f"{_path(func.value)}.{func.attr}"
