"""Functions under ``functools.cache`` and ``lru_cache``, in a sweep.

What such a function gave before the sweep has no record, so it is called once more for each set of
arguments, and what it gives then is handed out for the rest of the sweep. The cotangents of those
who got it again wait for the one call. Only where no derivative can come in, by arguments that are
no numbers but ints and by a function that reads nothing else, does Python's own cache answer.

>>> import functools
>>> from astad import gradient
>>> def rising(x, n):
...     @functools.cache
...     def power(k):
...         return x * power(k - 1) if k else 1.0
...     return power(n) + power(n - 1)
>>> gradient(rising, 3.0, 2)
(7.0, 0)
"""

from __future__ import annotations

import functools
from types import BuiltinFunctionType, FunctionType, ModuleType

import numpy as np

from astad.errors import Unsupported
from astad.runtime.full_rules import CALLED, Cotangents, Record, Value, callbacks, flows, opaque
from astad.runtime.shadows import Shadows
from astad.runtime.state import reads_state
from astad.runtime.versions import Versions
from astad.tangents.add import add
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity

__all__: list[str] = []

_RESULT = "result"
_FIXED = (type, FunctionType, BuiltinFunctionType, ModuleType)


class _Made:
    """What a call gave; as a key of shadows it collects the cotangents of all who got it again."""

    __slots__ = ("partials", "record", "value")

    def __init__(self, value: Value, record: Record) -> None:
        self.value = value
        self.record = record
        self.partials: Cotangents | bool = True  # True: not looked for, False: there are none
        """Of a result of numbers, what a cotangent of 1 gives each; None: ints have a part."""


def call_cached(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    inner, given = fn.__wrapped__, (*args, *keywords.values())
    if not any(map(_may_carry, given)) and _reads_nothing(inner):
        y = fn(*args, **keywords)
        if type(y) is int:
            return y, (pull_looked_up, given) if any(map(flows, given)) else None
        return y, opaque(getattr(inner, "__qualname__", repr(inner)), y, given)
    parameters = fn.cache_parameters()
    if parameters["maxsize"] == 0:
        return callbacks.call(versions, inner, *args, **keywords)
    key = id(fn), functools._make_key(args, keywords, parameters["typed"])
    entry = versions.cached.get(key)
    if entry is None:
        y, record = callbacks.call(versions, inner, *args, **keywords)
        made = _Made(y, record)
        versions.cached[key] = fn, made
        return y, (pull_made, made) if flows(y) else record
    made = entry[1]
    if not flows(made.value):
        return made.value, None  # it has its shadow, or carries nothing
    if any(flows(value) and type(value) is not int for value in given):
        return made.value, (pull_again, made, len(given))
    return made.value, (pull_waiting, made, given)


CALLED[functools._lru_cache_wrapper] = call_cached


def _may_carry(value: Value) -> bool:
    if issubclass(type(value), _FIXED):
        return False
    return has_identity(value) or (flows(value) and type(value) is not int)


def _reads_nothing(inner: Value) -> bool:
    """Does what it gives depend on nothing but its arguments?"""
    if type(inner) is not FunctionType:
        return issubclass(type(inner), BuiltinFunctionType)
    return not inner.__closure__ and not reads_state(inner)


def pull_made(shadows: Shadows, y_bar: Value, made: _Made) -> Cotangents:
    """Back through the one call, with all that came to its result."""
    y_bar = add(y_bar, shadows.key_take(made, _RESULT))
    return None if made.record is None else made.record[0](shadows, y_bar, *made.record[1:])


def pull_again(shadows: Shadows, y_bar: Value, made: _Made, n: int) -> Cotangents:
    """Back through the call with other variables of the same values: each has its own part."""
    if y_bar is None or made.record is None:
        return None
    if made.partials is True:
        made.partials = _partials(made, n) if type(made.value) in _REAL else False
    if made.partials and type(y_bar) in _REAL:
        return [None if part is None else y_bar * part for part in made.partials]  # type: ignore[union-attr]
    return callbacks.pull(shadows, made.record, y_bar, n)


_REAL = (float, np.float64)


def _partials(made: _Made, n: int) -> Cotangents | bool:
    """What a cotangent of 1 gives, if nothing but the arguments gets a part of it: so recursion
    takes no longer backwards than forwards.
    """
    shadows = Shadows()
    parts = callbacks.pull(shadows, made.record, 1.0, n)
    plain = parts is not None and all(part is None or type(part) in (int, *_REAL) for part in parts)
    return parts if plain and shadows.is_empty() else False


def pull_waiting(
    shadows: Shadows, y_bar: Value, made: _Made, given: tuple[Value, ...]
) -> Cotangents:
    """The cotangent waits for the one call; which int it belongs to is not told by its value."""
    if y_bar is None:
        return None
    shadows.key_add(made, _RESULT, y_bar)
    if made.partials is True:
        parts = callbacks.pull(Shadows(), made.record, y_bar, len(given)) or ()
        made.partials = any(part is not None and not _is_zero(part) for part in parts) and None
    return None if made.partials is False else pull_looked_up(shadows, y_bar, given)


def _is_zero(part: Value) -> bool:
    return type(part) in (int, *_REAL) and part == 0


def pull_looked_up(shadows: Shadows, y_bar: Value, given: tuple[Value, ...]) -> Cotangents:
    if y_bar is None:
        return None
    error = Unsupported(
        "functools.cache",
        "a derivative by an int that was looked up in a cache",
        why="the result was computed for another variable of the same value",
        instead="call the function without its cache: f.__wrapped__(...)",
    )
    refused = Refused(error)
    return [refused if flows(value) else None for value in given]
