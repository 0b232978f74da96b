"""Which functions of modules that carry no derivative run as they are.

Some of them hand on what they are given, or call methods that a class of the user's overrides:
those are differentiated like any other function.
"""

from __future__ import annotations

import functools
import sys
from types import FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any, NewType

import numpy as np

from astad.runtime.calls.library import INERT_MODULES
from astad.runtime.core.full_rules import CALLED, Record, Value, flows
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import is_full

__all__ = ["calls_back", "runs_as_it_is"]

HANDING_ON = frozenset({
    "BoundArguments.__init__", "BoundArguments.apply_defaults", "BoundArguments.args",
    "BoundArguments.kwargs", "Formatter.convert_field", "Formatter.get_field",
    "Formatter.get_value", "Parameter.__init__", "Parameter.annotation",
    "Parameter.default", "Parameter.replace", "Signature._bind", "Signature.bind",
    "Signature.bind_partial", "_check_class",
    "_check_instance", "_getmembers", "assert_type", "cast", "getattr_static",
    "getcallargs", "getmembers", "getmembers_static", "member.__init__", "nonmember.__init__",
    "reveal_type",
})  # fmt: skip
"""Functions of `enum`, `inspect`, `string` and `typing` that give back what they are given."""
ASKING = frozenset({"pprint", "reprlib", "string", "textwrap"})
"""Modules of which a class may be given other methods, and functions may hold what it is given."""


CALLING = frozenset({"json", "re", "string", "threading"})
"""Modules of which functions call what they are given, or what their objects hold."""
CHECKERS = "beartype."
"""Modules of what looks at types alone, in tens of functions: decorators, and checks that raise."""


def runs_as_it_is(fn: FunctionType, args: tuple[Value, ...], keywords: dict[str, Value]) -> bool:
    """Whether a call of the function neither hands a derivative on nor may write one.

    >>> import string, typing
    >>> runs_as_it_is(typing.cast, (float, 2.0), {}), runs_as_it_is(typing.cast, (str, "a"), {})
    (False, True)
    >>> runs_as_it_is(string.capwords, ("a b",), {})
    True
    """
    module: Any = fn.__module__
    if module not in INERT_MODULES:
        return type(module) is str and module.startswith(CHECKERS)
    given = (*args, *keywords.values())
    if module in CALLING and any(map(calls_back, given)) and not fn.__name__.startswith("dump"):
        return False
    if module == "inspect" and any(map(holds_numbers, given)):
        return False
    if module in ("enum", "inspect", "string", "typing") and fn.__qualname__ in HANDING_ON:
        return not any(flows(value) or _holds(value) for value in given)
    if module not in ASKING:
        return True
    return not fn.__closure__ and not (args and _is_of_user(type(args[0]), module))


def _is_of_user(cls: type, module: str) -> bool:
    """Whether it is a class of the user's, made from one of the module."""
    bases = [base.__module__ for base in cls.__mro__]
    return bases[0] != module and module in bases


def calls_back(value: Value, depth: int = 4) -> bool:
    """May a call that is given the value call a function of the user's?

    >>> calls_back(calls_back), calls_back([("a", lambda: 1)]), calls_back([len, 1.5])
    (True, True, False)
    """
    kind = type(value)
    if kind in _CALLED:
        return not is_of_python(getattr(value, "__module__", None))
    if issubclass(kind, type):
        return not is_of_python(value.__module__)
    if kind in _NONE or depth == 0:
        return False
    held = value.values() if kind is dict else value if kind in (list, tuple) else ()
    own = stored_in(value)
    if type(own) is dict:
        held = [*held, *own.values()]
    return any(calls_back(each, depth - 1) for each in held)


_CALLED = (FunctionType, MethodType, functools.partial)
_NONE = (str, bytes, float, int, bool, type(None), ModuleType)


def holds_numbers(fn: Value) -> bool:
    """Are there numbers or arrays among the defaults of a function, in what it closes over, or
    among the variables of a generator?

    >>> holds_numbers(lambda a, b=1.5: a), holds_numbers(lambda a, b=None: a)
    (True, False)
    """
    if type(fn) is MethodType:
        return holds_numbers(fn.__func__)
    if type(fn) is functools.partial:
        return any(map(_carries, (*fn.args, *fn.keywords.values()))) or holds_numbers(fn.func)
    if type(fn) is GeneratorType:
        return fn.gi_frame is not None and any(map(_carries, fn.gi_frame.f_locals.values()))
    if type(fn) is not FunctionType:
        return False
    held = [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]
    held += [cell.cell_contents for cell in fn.__closure__ or () if is_full(cell)]
    return any(map(_carries, [*held, *fn.__annotations__.values()]))


def _carries(value: Value) -> bool:
    return flows(value) or issubclass(type(value), (np.ndarray, list, tuple, dict))


def is_of_python(module: Any) -> bool:
    return type(module) is str and module.partition(".")[0] in sys.stdlib_module_names


def _holds(value: Value) -> bool:
    """May there be a number in it?"""
    return not issubclass(type(value), (type, FunctionType, str, bytes, type(None)))


def _called_new_type(versions: Versions, fn: Value, x: Value) -> tuple[Value, Record]:
    """A type of `typing.NewType` gives back what it is given."""
    return x, (pull_given,) if flows(x) else None


def pull_given(shadows: Shadows, y_bar: Value) -> tuple[Value]:
    return (y_bar,)


CALLED[NewType] = _called_new_type
