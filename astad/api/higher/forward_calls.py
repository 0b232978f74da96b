"""What forward mode is asked for: a function, its arguments, and the tangents of those that move.

>>> asked = asked_of(lambda x, n: x**n, (1.5, 2), (1.0, None))
>>> asked.moved, asked.given, asked.plain
((0,), (1.5, 1.0, 2), True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from sys import gettrace
from types import FunctionType, MethodType
from typing import Any, NamedTuple  # whatever a function takes

import numpy as np

from astad import settings
from astad.api.variants.arguments import contents_of
from astad.api.variants.derived import Derived, as_function
from astad.api.variants.ruled import is_ruled
from astad.code_objects import STARRED
from astad.rules.in_force import CUSTOM
from astad.runtime.core.variants import bound_arguments, is_monitored
from astad.runtime.cotangents.owners import are_apart

__all__ = [
    "Asked", "Parts", "are_all_apart", "are_in_step", "asked_of", "in_places", "is_float",
    "is_plain", "own_places", "shift_of", "taken_apart", "tangent_of",
]  # fmt: skip


class Asked(NamedTuple):
    """A call in forward mode: ``args`` with what ``fn`` has captured behind them, the positions
    that are ``moved``, and what a text is ``given``: behind each argument that moves its tangent.
    ``plain``: these are numbers and arrays of such.
    """

    fn: Any  # a FunctionType, which mypy would take for a method
    args: tuple[Any, ...]
    moved: tuple[int, ...]
    given: tuple[Any, ...]
    plain: bool


def asked_of(
    f: Any, primals: Sequence[Any], tangents: Sequence[Any], *, many: bool = False
) -> Asked | None:
    """None where no text could serve."""
    fn: Any = as_function(f, len(primals)) if type(f) is Derived else f
    args, dots = tuple(primals), tuple(tangents)
    if type(fn) is MethodType and id(fn) not in CUSTOM:
        fn, args, dots = fn.__func__, (fn.__self__, *args), (None, *dots)
    if type(fn) is not FunctionType or is_ruled(fn) or gettrace() is not None or is_monitored():
        return None
    code = fn.__code__
    if code.co_flags & STARRED or settings.checks or settings.only_generic:
        return None
    if len(args) != code.co_argcount or code.co_kwonlyargcount:
        args = tuple(bound_arguments(fn, args, {}))  # with the defaults
    if fn.__closure__:
        captured = contents_of(fn.__closure__)
        if captured is None:
            return None
        args = (*args, *captured)
    moved = [at for at, dot in enumerate(dots) if dot is not None]
    known = {at: tangent_of(args[at], dots[at], many) for at in moved}
    held = [at for at in moved if known[at] is None]
    if not moved or not are_all_apart(args):
        return None
    if held and (many or not all(_holds_numbers(args[at]) for at in held)):
        return None
    given: list[Any] = []
    for at, arg in enumerate(args):
        given.append(arg)
        if at in known:
            given.append(dots[at] if known[at] is None else known[at])
    return Asked(fn, args, tuple(moved), tuple(given), not held)


def _holds_numbers(arg: Any) -> bool:
    """May it be a container or an object?"""
    return not isinstance(arg, (int, float, complex, np.generic, np.ndarray))


def tangent_of(x: Any, v: Any, many: bool) -> Any:
    """As the text expects it, and nobody else's; None where it expects none such."""
    is_array = type(x) is np.ndarray and x.dtype == np.float64
    if not is_array and type(x) is not float and type(x) is not int:
        return None
    if np.asarray(v).dtype.kind not in "fiub":
        return None
    if many or (is_array and x.ndim):
        return np.array(v, np.float64, order="C")
    return None if is_array else float(v)


def are_all_apart(args: Sequence[Any]) -> bool:
    arrays = [arg for arg in args if issubclass(type(arg), np.ndarray)]
    return len(arrays) < 2 or all(are_apart(*both) for both in combinations(arrays, 2))


# --- parts of a structure


Parts = Mapping[tuple[int, str], Any]
"""Numbers and arrays by the argument in which they lie, and where, as Python spells it."""


def shift_of(f: Any) -> int:
    """How many arguments are put before those that are given."""
    return int(type(f) is MethodType)


def in_places(args: Sequence[Any], vectors: Mapping[int, Any]) -> list[Any]:
    """One for each argument, None where there is none."""
    return [vectors.get(at) for at in range(len(args))]


def own_places(numbers: Sequence[Any], places: Sequence[int]) -> list[int]:
    """Of what is given without the tangents between."""
    return [at + sum(place < at for place in places) for at in range(len(numbers))]


def is_plain(x: Any, v: Any) -> bool:
    """Is it a float, or an array of such, with a tangent that fits?"""
    if type(x) is float:
        return type(v) is float
    is_array = type(x) is np.ndarray and x.dtype == np.float64 and type(v) is np.ndarray
    return bool(is_array and v.shape == x.shape and v.dtype.kind == "f")


def is_float(x: Any) -> bool:
    """Or an array."""
    return type(x) is float or type(x) is np.ndarray


def taken_apart(whole: Any, likes: Sequence[Any]) -> list[Any]:
    """One array as numbers and arrays like these."""
    if not any(isinstance(like, np.ndarray) for like in likes):
        return whole.tolist()  # type: ignore[no-any-return]
    parts, begin = list[Any](), 0
    for like in likes:
        is_array = isinstance(like, np.ndarray)
        end = begin + (like.size if is_array else 1)
        parts.append(whole[begin:end].reshape(like.shape).copy() if is_array else whole.item(begin))
        begin = end
    return parts


def are_in_step(primals: Sequence[Any], tangents: Sequence[Any]) -> bool:
    """Is each argument held, or a float, an array, or a list or dict of such of which nothing lies
    in two places, with a tangent that fits?
    """
    seen: set[int] = set()
    arrays: list[Any] = []
    for x, v in zip(primals, tangents, strict=True):
        if type(v) is float:
            if type(x) is not float:
                return False
        elif v is not None and not _is_in_step(x, v, seen, arrays):
            return False
    return True


def _is_in_step(x: Any, v: Any, seen: set[int], arrays: list[Any]) -> bool:
    """``seen`` are the numbers of containers, ``arrays`` those that were met."""
    kind = type(x)
    if kind is float:
        return type(v) is float
    if kind is np.ndarray:
        if type(v) is not np.ndarray or v.shape != x.shape or v.dtype.kind != "f":
            return False
        if not x.flags.forc or any(np.may_share_memory(x, each) for each in arrays):
            return False  # it may overlap itself
        arrays.append(x)
        return True
    if v is None:
        return kind is str or (kind in _STRUCTURES and not x)
    if kind is not type(v) or kind not in _STRUCTURES or len(v) != len(x) or id(x) in seen:
        return False
    if x:
        seen.add(id(x))
    parts: Any = zip(x, v, strict=True)
    if kind is dict:
        if v.keys() != x.keys():
            return False
        parts = [(x[key], v[key]) for key in x]
    return all(_is_in_step(part, dot, seen, arrays) for part, dot in parts)


_STRUCTURES = (list, tuple, dict)
