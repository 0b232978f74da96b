"""What a generated text took for granted of the user's globals, for another process to check.

>>> import math
>>> from types import FunctionType
>>> fn = FunctionType((lambda x: sin(x)).__code__, {"sin": math.sin, "scale": 2.0})
>>> identity(["sin"], fn), identity(["scale"], fn), identity(["cos"], fn)
('builtin_function_or_method math.sin', 'float', 'nothing')
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from astad.api.variants.kinds_of_values import word_of_data
from astad.code_objects import CAPTURED, captured_at
from astad.importing.key import digest_of_code
from astad.rules.in_force import CUSTOM, NO_PATH, REGISTRY, module_named
from astad.rules.shipped import read_shipped
from astad.spelling import spelled
from astad.tangents.zero import MADE_BY_CLASS

if TYPE_CHECKING:
    from astad.rules.formula import Rule

__all__ = ["find", "globals_of", "identity"]

_NOTHING = object()


def find(path: str, namespace: Mapping[str, Any]) -> Any:
    """What a dotted path stands for in the globals of a function, builtins included; behind the
    name of a module and a colon, in that module's.
    """
    module, head, rest = _steps(path)
    namespace = globals_of(module) if module else namespace
    found = namespace.get(head, _NOTHING)
    if found is _NOTHING:
        found = getattr(builtins, head, _NOTHING)
    for name, read in rest:
        found = read(found, name, _NOTHING)
    return found


@functools.lru_cache(maxsize=4096)
def _steps(path: str) -> tuple[str, str, tuple[tuple[str, Callable[..., Any]], ...]]:
    """The module of a path, the name there, and how each further name is read."""
    module, _, names = path.rpartition(":")
    head, *rest = names.split(".")
    return (
        module,
        head,
        tuple((name, captured_at if name.startswith(CAPTURED) else getattr) for name in rest),
    )


def globals_of(module: str | None) -> dict[str, Any]:
    """Those of a module that has been imported; none of one that has not."""
    found = module_named(module)
    return vars(found) if found is not None else {}


def identity(chain: Sequence[str], fn: FunctionType) -> str:
    """What a path stands for in a function's globals, as far as a text depends on it.

    In a chain of several, each but the first is a path in the globals of the function that the one
    before stands for. A function is its code, since that may be written out in the text; a number
    is its type, an array its dtype and rank, since the text reads them by name.
    """
    found: Any = fn
    space: Mapping[str, Any] = {}
    for path in chain:
        space = found.__globals__ if type(found) is FunctionType else {}
        found = find(path, space)
    is_own = type(found) is FunctionType and str(found.__module__).startswith("astad.")
    if is_own and id(found) not in CUSTOM:
        return f"{found.__module__}.{found.__qualname__}"  # every key covers astad's sources
    if type(found) is FunctionType and not has_rule_of_others(found):
        # only with the same globals do its names stand for the same in another's text
        where = "here" if found.__globals__ is space else f"in {found.__module__}"
        where += "" if globals_of(found.__module__) is found.__globals__ else " apart"
        return f"function {found.__qualname__} {where} {digest_of_code(found.__code__)}"
    return _identity(found)


def has_rule_of_others(fn: FunctionType) -> bool:
    """Is there a rule for it that is not astad's own? Of those some may still be unread, in a
    process that compiles nothing.
    """
    read_shipped()
    rule = REGISTRY.get(id(fn))
    return id(fn) in CUSTOM or (rule is not None and not rule.is_own)


def _identity(found: Any) -> str:
    if id(found) in CUSTOM:
        return "custom rule, no path" if id(found) in NO_PATH else "custom rule"
    rule = REGISTRY.get(id(found))  # of astad's own, some may still be unread: they say no more
    if rule is not None and not rule.is_own:
        return _identity_of_rule(rule)
    if issubclass(type(found), ModuleType):
        return f"module {found.__name__}"
    if issubclass(type(found), np.ndarray):
        return f"{type(found).__qualname__} {found.dtype} {found.ndim}"
    if found is _NOTHING:
        return "nothing"
    kind = type(found)
    if kind.__module__ == "astad.api.variants.derived":
        maker, f, argnums = found.made_by
        what = f"{f.__module__} {digest_of_code(f.__code__)}" if type(f) is FunctionType else ""
        return f"derived {maker.__name__} {argnums!r} of {_identity(f)} {what}"
    if kind is type and found.__flags__ & MADE_BY_CLASS:
        return f"class {found.__module__}.{found.__qualname__} {_parts_of(found)}"
    if kind is list:
        return f"list {word_of_data(found)}"
    if kind is tuple:  # the defaults of a function: they stand in the text
        return f"defaults {tuple(map(_literal, found))}"
    if kind is dict:
        return f"defaults {[(word, _literal(value)) for word, value in found.items()]}"
    if issubclass(type(found), (int, float, complex, str)):
        return kind.__name__
    name = getattr(found, "__qualname__", "") or getattr(found, "__name__", "")
    module = getattr(found, "__module__", None) or ""
    if isinstance(found, np.ufunc) and getattr(np, name, None) is found:
        module = "numpy"  # scipy.special has some of the same names
    return f"{kind.__qualname__} {module}.{name}"


_MADE_BY_PYTHON = frozenset({
    "__doc__", "__dict__", "__weakref__", "__module__", "__annotations__", "__firstlineno__",
    "__static_attributes__", "__annotations_cache__", "__annotate_func__", "__annotate__",
    "_abc_impl",
})  # fmt: skip


def _parts_of(cls: type) -> str:
    """What a class holds under which names: of that, objects are taken to be plain or not."""
    held = [base.__dict__ for base in cls.__mro__ if base.__flags__ & MADE_BY_CLASS]
    words = [
        f"{name}={type(raw).__name__}"
        for names in held
        for name, raw in names.items()
        if name not in _MADE_BY_PYTHON
    ]
    return " ".join(words)


def _literal(value: Any) -> str:
    if issubclass(type(value), type):  # one of the classes in which an attribute is looked for
        return f"{value.__module__}.{value.__qualname__}"
    plain = type(value) in (int, float, bool, str, type(None))
    return spelled(value) if plain else type(value).__qualname__


def _identity_of_rule(rule: Rule) -> str:
    """Spelled out: unlike those of astad it does not stand in the sources that every key covers."""
    text = rule.form, rule.signature_text, rule.back, rule.dot, rule.zero_safe, rule.refuse
    more = rule.on_floats, rule.on_arrays, sorted(rule.missing), rule.gives, rule.view
    return f"rule {rule.name} {(*text, *more)!r}"
