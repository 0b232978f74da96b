"""Functions under ``functools.cache`` and ``lru_cache``, in a sweep.

Python's own cache keeps values without records. So in a sweep each such function has a model of its
cache, which begins as the cache stands, and finds, drops and counts as that does. What is found was
recorded once, where it was computed: the cotangents of those who got it again wait for that call,
so that state it read counts as it was then. What is there from before the sweep is computed once
more for its record, and must come out the same. Only where no derivative can come in, by arguments
that are no numbers but ints and by a function that reads nothing else, does the cache itself
answer.

>>> import functools
>>> from astad import gradient
>>> def rising(x, n):
...     @functools.cache
...     def power(k):
...         return x * power(k - 1) if k else 1.0
...     return power(n) + power(n - 1)
>>> gradient(rising, 3.0, 2)
(7.0, 0)

Can a function that is run as it is hand out a number that a differentiated program has put
somewhere?
"""

from __future__ import annotations

import functools
import gc
from collections import OrderedDict
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import (
    CALLED,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    opaque,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.text.texts import follow
from astad.tangents.add import add
from astad.tangents.refused import Refused
from astad.tangents.unasked import callable_name
from astad.tangents.zero import has_identity

__all__ = ["reads_state"]

_RESULT, _AGAIN = "result", "again"
_FIXED = (type, FunctionType, BuiltinFunctionType, ModuleType)
_Wrapper = functools._lru_cache_wrapper


class _Made:
    """What a call gave; as a key of shadows it collects the cotangents of all who got it again."""

    __slots__ = ("is_old", "of_ints", "partials", "reads", "record", "value", "was_old")

    def __init__(self, value: Value, record: Record, is_old: bool = False) -> None:
        self.value = value
        self.record = record
        self.is_old = is_old
        """From before the sweep: there is no record yet."""
        self.was_old = is_old and not flows(value) and type(value) is not np.ndarray
        """An object from before the sweep, of which there will be none."""
        self.partials: list[Value] | None = None
        """Of a result of real numbers, what a cotangent of 1 gives each argument, if asked for."""
        self.reads = False
        """Does it come from more than the arguments? Known with the partials."""
        self.of_ints: bool | None = None
        """Have ints a part of it? None: not looked for."""


class _Cache:
    """The model of one function's cache: the entry used last is at the end."""

    __slots__ = ("entries", "fn", "hits", "inner", "mark", "misses", "own", "size", "typed")

    def __init__(self, fn: Value) -> None:
        info, parameters = fn.cache_info(), fn.cache_parameters()
        self.fn, self.size, self.typed = fn, info.maxsize, parameters["typed"]
        self.hits, self.misses = info.hits, info.misses
        held = gc.get_referents(fn)  # its type; key, result, type of each link; and what follows
        links = 0 if self.size is None else 3 * info.currsize
        self.own, self.inner, self.mark = held[1 + links : 4 + links]
        found = self.own.items() if self.size is None else zip(held[1::3], held[2::3], strict=False)
        self.entries: OrderedDict[Value, _Made] = OrderedDict(
            (key, _Made(value, None, is_old=True)) for key, value in list(found)[: info.currsize]
        )

    def key(self, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        """As C makes it."""
        if not keywords and not self.typed and len(args) == 1 and type(args[0]) in (str, int):
            return args[0]
        words = [part for item in keywords.items() for part in item]
        kinds = [*map(type, args), *map(type, keywords.values())] if self.typed else []
        return (*args, *([self.mark, *words] if words else ()), *kinds)

    def find(self, key: Value) -> _Made | None:
        made = self.entries.get(key)
        if made is None:
            self.misses += 1
            return None
        self.hits += 1
        if self.size is not None:
            self.entries.move_to_end(key)
        return made

    def put(self, key: Value, made: _Made, by_numbers: bool) -> None:
        if self.size == 0 or (self.size is not None and key in self.entries):
            return
        if self.size is not None and len(self.entries) >= self.size:
            self.entries.popitem(last=False)
        self.entries[key] = made
        is_object = not flows(made.value) and type(made.value) is not np.ndarray
        if self.size is None and is_object and not by_numbers:
            self.own[key] = made.value  # an object that is made once is the same one later on

    def info(self) -> Value:
        kind: Value = type(self.fn.cache_info())
        return kind(self.hits, self.misses, self.size, len(self.entries))


def call_cached(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    given = (*args, *keywords.values())
    cache: _Cache | None = versions.cached.get(id(fn))
    if cache is None:
        cache = _Cache(fn)
        if not any(map(_may_carry, given)) and _reads_nothing(cache.inner):
            return _by_itself(versions, fn, cache.inner, args, keywords)
        versions.cached[id(fn)] = cache
    key = cache.key(args, keywords)
    made = cache.find(key)
    if made is None:
        y, record = callbacks.call(versions, cache.inner, *args, **keywords)
        made = _Made(y, record)
        cache.put(key, made, any(map(_is_moving, given)))
        return y, (pull_made, made, len(given)) if flows(y) else record
    if made.is_old:
        _compute_once_more(versions, cache, made, args, keywords)
        if flows(made.value):
            return made.value, (pull_made, made, len(given))
        return made.value, made.record or _unknown(cache, made, given)
    if not flows(made.value):
        return made.value, _unknown(cache, made, given) if made.was_old else None
    if any(map(_is_moving, given)):
        return made.value, (pull_again, made, len(given))
    return made.value, (pull_waiting, made, given)


CALLED[_Wrapper] = call_cached


def _by_itself(
    versions: Versions, fn: Value, inner: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """By Python's own cache: the result depends on ints at most."""
    y, given = fn(*args, **keywords), (*args, *keywords.values())
    if type(y) is int and any(map(flows, given)):
        return y, (pull_looked_up, given)
    record = opaque(callable_name(inner), y, given)
    return y, follow(versions, fn, y, record, args, keywords)


def _compute_once_more(
    versions: Versions,
    cache: _Cache,
    made: _Made,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> None:
    """The record of a number or an array that was cached before the sweep."""
    made.is_old = False
    is_array = type(made.value) is np.ndarray
    if not flows(made.value) and not is_array:
        return  # an object that was there before is what it is, as long as it is looked up so
    y, record = callbacks.call(versions, cache.inner, *args, **keywords)
    if not _is_same(y, made.value):
        raise Unsupported(
            getattr(cache.inner, "__qualname__", "functools.cache"),
            "a result that was cached before",
            why="the function gives another one by now, so what the cached one came from is lost",
            instead="call its cache_clear() first",
        )
    made.value, made.record = (y if is_array else made.value), record


def _unknown(cache: _Cache, made: _Made, given: tuple[Value, ...]) -> Record:
    """Of an object from before the sweep, found by numbers: for others there would be another."""
    if not any(map(_is_moving, given)):
        return None
    return opaque(
        getattr(cache.inner, "__qualname__", "functools.cache"), made.value, given,
        why="the object was cached before the differentiation, and how it came from the arguments "
        "is not recorded",
        instead="call its cache_clear() first, or make the object without the cache",
    )  # fmt: skip


def _is_moving(value: Value) -> bool:
    """Is it a number that may differ by a little?"""
    return flows(value) and type(value) is not int


def _is_same(y: Value, old: Value) -> bool:
    if type(old) is np.ndarray:
        return np.array_equal(y, old, equal_nan=old.dtype.kind in "fc")
    return bool(y == old or (y != y and old != old))


@full(_Wrapper.cache_info)
def cache_info(versions: Versions, fn: Value) -> tuple[Value, Record]:
    cache = versions.cached.get(id(fn))
    return (fn.cache_info() if cache is None else cache.info()), None


@full(_Wrapper.cache_clear)
def cache_clear(versions: Versions, fn: Value) -> tuple[Value, Record]:
    cache = versions.cached.get(id(fn))
    if cache is not None:
        cache.entries.clear()
        cache.hits = cache.misses = 0
    return fn.cache_clear(), None


def _may_carry(value: Value) -> bool:
    if issubclass(type(value), _FIXED):
        return False
    return has_identity(value) or (flows(value) and type(value) is not int)


def _reads_nothing(inner: Value) -> bool:
    """Does what it gives depend on nothing but its arguments?"""
    if type(inner) is not FunctionType:
        return issubclass(type(inner), BuiltinFunctionType)
    return not inner.__closure__ and not reads_state(inner)


def pull_made(shadows: Shadows, y_bar: Value, made: _Made, n: int) -> Cotangents:
    """Back through the one call, with all that came to its result; the arguments have no part of
    what came by others in their places.
    """
    again = shadows.key_take(made, _AGAIN)
    y_bar = add(y_bar, shadows.key_take(made, _RESULT))
    if again is None:
        return None if made.record is None else made.record[0](shadows, y_bar, *made.record[1:])
    if made.partials is None or type(y_bar) is Refused:
        callbacks.pull(shadows, made.record, again, n)
        return callbacks.pull(shadows, made.record, y_bar, n)
    callbacks.pull(shadows, made.record, add(y_bar, again), n)
    return None if y_bar is None else _times(y_bar, made.partials)


def pull_again(shadows: Shadows, y_bar: Value, made: _Made, n: int) -> Cotangents:
    """The parts of arguments that are other variables of the same values; all else waits for the
    one call.
    """
    if y_bar is None or made.record is None:
        return None
    if type(made.value) not in _REAL or type(y_bar) not in _REAL:
        shadows.key_add(made, _AGAIN, y_bar)
        return callbacks.pull(Shadows(), made.record, y_bar, n)
    if made.partials is None:
        apart = Shadows()
        made.partials = list(callbacks.pull(apart, made.record, 1.0, n) or (None,) * n)
        made.reads = not apart.is_empty()
    if made.reads:
        shadows.key_add(made, _AGAIN, y_bar)
    return _times(y_bar, made.partials)


def _times(y_bar: Value, partials: list[Value]) -> list[Value]:
    return [None if part is None else y_bar * part for part in partials]


_REAL = (float, np.float64)


def pull_waiting(
    shadows: Shadows, y_bar: Value, made: _Made, given: tuple[Value, ...]
) -> Cotangents:
    """The cotangent waits for the one call; which int it belongs to is not told by its value."""
    if y_bar is None:
        return None
    shadows.key_add(made, _RESULT, y_bar)
    if made.of_ints is None:
        parts = callbacks.pull(Shadows(), made.record, y_bar, len(given)) or ()
        made.of_ints = any(part is not None and not _is_zero(part) for part in parts)
    return pull_looked_up(shadows, y_bar, given) if made.of_ints else None


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


# --- functions that read what can be written ------------------------------------------------------


DEPTH = 4


def reads_state(fn: FunctionType, depth: int = DEPTH) -> bool:
    """Whether its text, or that of functions it names, reads a module-level object that can be
    written.

    >>> limits = {"low": 1.0}
    >>> def low():
    ...     return limits["low"]
    >>> low.__globals__["limits"] = limits
    >>> def half():
    ...     return 1 / 2
    >>> reads_state(low), reads_state(half)
    (True, False)
    """
    if depth == 0:
        return True
    return any(_is_state(fn.__globals__.get(name), depth) for name in _names(fn.__code__))


def _names(code: CodeType) -> set[str]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _is_state(found: Any, depth: int) -> bool:
    if type(found) is FunctionType:
        return bool(found.__closure__) or reads_state(found, depth - 1)
    fixed = (
        ModuleType,
        BuiltinFunctionType,
        type,
        str,
        bytes,
        int,
        float,
        complex,
        bool,
        type(None),
        frozenset,
    )
    return not isinstance(found, fixed)
