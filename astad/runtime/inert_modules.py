"""Which functions of modules that carry no derivative run as they are.

Some of them hand on what they are given, or call methods that a class of the user's overrides:
those are differentiated like any other function.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, NewType

from astad.runtime.full_rules import CALLED, Record, Value, flows
from astad.runtime.library import INERT_MODULES
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__ = ["runs_as_it_is"]

HANDING_ON = frozenset({
    "BoundArguments.__init__", "BoundArguments.apply_defaults", "BoundArguments.args",
    "BoundArguments.kwargs", "Signature._bind", "Signature.bind",
    "Signature.bind_partial", "_check_class",
    "_check_instance", "_getmembers", "assert_type", "cast", "getattr_static",
    "getcallargs", "getmembers", "getmembers_static", "member.__init__", "nonmember.__init__",
    "reveal_type",
})  # fmt: skip
"""Functions of `enum`, `inspect` and `typing` that give back what they are given."""
ASKING = frozenset({"reprlib", "string"})
"""Modules of which a class may be given other methods, and functions may hold what it is given."""


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
    if module in ("enum", "inspect", "typing") and fn.__qualname__ in HANDING_ON:
        given = (*args, *keywords.values())
        return not any(flows(value) or _holds(value) for value in given)
    if module not in ASKING:
        return True
    return not fn.__closure__ and not (args and _is_of_user(type(args[0]), module))


def _is_of_user(cls: type, module: str) -> bool:
    """Whether it is a class of the user's, made from one of the module."""
    bases = [base.__module__ for base in cls.__mro__]
    return bases[0] != module and module in bases


def _holds(value: Value) -> bool:
    """May there be a number in it?"""
    return not issubclass(type(value), type | FunctionType | str | bytes | type(None))


def _called_new_type(versions: Versions, fn: Value, x: Value) -> tuple[Value, Record]:
    """A type of `typing.NewType` gives back what it is given."""
    return x, (pull_given,) if flows(x) else None


def pull_given(shadows: Shadows, y_bar: Value) -> tuple[Value]:
    return (y_bar,)


CALLED[NewType] = _called_new_type
