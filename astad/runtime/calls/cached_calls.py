"""Functions under ``functools.cache`` and ``lru_cache``, in a sweep.

Python's own cache does what a cache does (`python_caches.py`), so after the sweep it holds what it
holds after the plain run. A value that is not there is computed by a recorded call; whoever gets it
again hands the cotangent to that call, so that state it read counts as it was then. What was there
before the sweep is a constant, if no number leads to it: it was found by texts, ints and classes.
Else it is computed once more for its record, and refused where it comes out another.

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
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from astad.code_objects import names_in
from astad.errors import Unsupported
from astad.runtime.calls.computed_again import handed_on, matching, seeded
from astad.runtime.calls.python_caches import MISSING, PythonCache, uncached
from astad.runtime.core.full_rules import (
    CALLED,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    has_arrived,
    opaque,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import is_full
from astad.runtime.text.texts import follow
from astad.runtime.unseen.additional import additional, may_be_repeated, undrawn
from astad.runtime.unseen.chances import is_source_of_chance
from astad.runtime.unseen.drawn_from import behind_iterators
from astad.runtime.unseen.unrecorded import (
    LIBRARIES,
    as_it_is,
    is_of_program,
    run_unrecorded,
)
from astad.tangents.add import add
from astad.tangents.refused import Refused
from astad.tangents.unasked import items_of
from astad.tangents.zero import has_identity

__all__ = ["leads_on", "reads_nothing", "reads_state"]

_RESULT, _AGAIN = "result", "again"
_Wrapper = functools._lru_cache_wrapper


class _Made:
    """What a call gave; as a key of shadows it collects the cotangents of all who got it again."""

    __slots__ = ("given", "of_ints", "partials", "reads", "record", "value")

    def __init__(self, value: Value, record: Record, given: tuple[Value, ...]) -> None:
        self.value = value
        self.record = record
        self.given = given
        self.partials: list[Value] | None = None
        """Of a result of real numbers, what a cotangent of 1 gives each argument, if asked for."""
        self.reads = False
        """Does it come from more than the arguments? Known with the partials."""
        self.of_ints: bool | None = None
        """Have ints a part of it? None: not looked for."""


class _Cache(PythonCache):
    """One function's cache, and what was looked up there in this sweep."""

    __slots__ = ("captures", "is_cleared", "made", "reads_nothing")

    def __init__(self, fn: Value) -> None:
        super().__init__(fn)
        self.made: dict[Value, _Made] = {}
        self.reads_nothing = reads_nothing(self.inner)
        self.captures = leads_on(self.inner, ())
        self.is_cleared = False
        """In calls that the plain run does not make."""


class _Lookup(NamedTuple):
    """A call of a function with a cache; ``given``: all its operands in order."""

    cache: _Cache
    args: tuple[Value, ...]
    keywords: dict[str, Value]
    given: tuple[Value, ...]
    key: Value

    @property
    def name(self) -> str:
        return getattr(self.cache.inner, "__qualname__", "functools.cache")

    @property
    def by_kinds(self) -> tuple[Value, ...]:
        return self.key, *map(type, self.given)

    def in_the_plain_run(self) -> Value:
        return self.cache.fn(*self.args, **self.keywords)

    def beside_it(self, versions: Versions) -> tuple[Value, Record]:
        """A recorded call that the plain run does not make, of which nothing stays."""
        inner = uncached(self.cache.inner)
        if not may_be_repeated(inner, self.given):
            raise Unsupported(
                self.name, "a call beside those of the plain run",
                why="it draws from an iterator or a stream made outside",
                instead="draw from that before, and hand over what it gave",
            )  # fmt: skip
        with undrawn(inner, self.given):
            return additional(versions, inner, *self.args, **self.keywords)

    def noted(self, y: Value, record: Record) -> tuple[Value, Record]:
        """What it gave, for those who look it up again in this sweep."""
        made = self.cache.made[self.key] = _Made(y, record, self.given)
        return y, (pull_made, made, len(self.given)) if flows(y) else record


def call_cached(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    cache: _Cache | None = versions.cached.get(id(fn))
    if cache is None:
        cache = versions.cached[id(fn)] = _Cache(fn)
    given = (*args, *keywords.values())
    asked = _Lookup(cache, args, keywords, given, cache.key(args, keywords))
    if versions.is_additional:
        return _beside(versions, asked)
    is_new = asked.key not in cache.entries
    by_ints = is_new and any(map(flows, given))
    if cache.reads_nothing and not by_ints and not any(map(_may_carry, given)):
        y = asked.in_the_plain_run()
        return y, follow(versions, fn, y, _of_ints(asked, y), args, keywords)
    if is_new:
        return _computed(versions, asked)
    y = asked.in_the_plain_run()
    made = cache.made.get(asked.key)
    if made is not None and made.value is y:
        return _again(versions, asked, made)
    return _from_before(versions, asked, y)


CALLED[_Wrapper] = call_cached


def _computed(versions: Versions, asked: _Lookup) -> tuple[Value, Record]:
    """It is not in the cache, which keeps what the recorded call gives."""
    cache, records = asked.cache, list[Record]()

    def compute(inner: Value) -> Value:
        y, record = callbacks.call(versions, inner, *asked.args, **asked.keywords)
        records.append(record)
        return y

    def look_up() -> Value:
        return cache.look_up(asked.args, asked.keywords, compute)

    refusing: Callable[[Record], Record] = as_it_is
    if cache.is_handed_over:
        y = look_up()
    else:  # where compiled code runs the function, what that stores is looked at
        y, refusing = run_unrecorded(
            versions, asked.name, look_up, asked.given, (cache.inner,), gives=False
        )
    versions.cached_anywhere[id(cache.fn), asked.key] = y
    if records:
        return asked.noted(y, _with_note(asked, y, records[0]))
    y, record = _from_before(versions, asked, y)  # computed in C, or put there meanwhile
    return y, refusing(record)


def _again(versions: Versions, asked: _Lookup, made: _Made) -> tuple[Value, Record]:
    """It was looked up in this sweep before, by operands that are equal."""
    y, given = made.value, asked.given
    if any(map(_is_another, given, made.given)):
        return y, _once_more(versions, asked, y)
    if not flows(y):
        return y, None
    if any(map(_is_moving, given)):
        return y, (pull_again, made, len(given))
    return y, (pull_waiting, made, given)


def _is_another(value: Value, other: Value) -> bool:
    """Equal, and a container or an object of its own, with numbers of its own?"""
    return value is not other and not flows(value) and _may_carry(value)


def _from_before(versions: Versions, asked: _Lookup, y: Value) -> tuple[Value, Record]:
    """It was in the cache already, and has no record.

    Where no number leads to it, it is a constant like all that lies outside. Else it is computed
    once more for its record.
    """
    cache = asked.cache
    is_of_sweep = versions.cached_anywhere.get((id(cache.fn), asked.key), MISSING) is y
    if not (is_of_sweep or cache.captures or any(map(_may_carry, asked.given))):
        return y, _of_ints(asked, y)
    return asked.noted(y, _once_more(versions, asked, y))


def _beside(versions: Versions, asked: _Lookup) -> tuple[Value, Record]:
    """In a call that the plain run does not make: the cache stays as it is."""
    cache = asked.cache
    made = cache.made.get(asked.key)
    if made is not None:
        return _again(versions, asked, made)
    inner = uncached(cache.inner)
    y, record = callbacks.call(versions, inner, *asked.args, **asked.keywords)
    there = MISSING if cache.is_cleared else cache.find(asked.key)
    if there is not MISSING:
        y, record = there, _record_of(asked, there, y, record)
    return asked.noted(y, record)


def _once_more(versions: Versions, asked: _Lookup, y: Value) -> Record:
    """The record of what is in the cache: that of a call beside those of the plain run."""
    before, calls = versions.refused, versions.calls
    versions.calls = None
    try:
        again, record = asked.beside_it(versions)
    except Exception:
        versions.refused = before
        return _unknown(asked, y)
    finally:
        versions.calls = calls
    return _record_of(asked, y, again, record)


def _record_of(asked: _Lookup, y: Value, again: Value, record: Record) -> Record:
    """Of ``y``, which is in the cache, where the function gives ``again`` by now."""
    both = matching(y, again)
    return _unknown(asked, y) if both is None else handed_on(y, again, both, record)


def _unknown(asked: _Lookup, y: Value) -> Record:
    """Refused to all that it may come from."""
    inner = asked.cache.inner
    given = [each if flows(each) or _may_carry(each) else None for each in asked.given]
    held = behind_iterators(_captured(inner)) if type(inner) is FunctionType else [inner]
    record = opaque(
        asked.name, y, (*given, *held),
        why="the result was cached before the differentiation, and the function does not give it "
        "once more, so how it came from the arguments is not known",
        instead="call its cache_clear() first, or compute it without the cache",
    )  # fmt: skip
    return None if record is None else (pull_unknown, record, len(asked.given))


def pull_unknown(shadows: Shadows, y_bar: Value, record: tuple[Value, ...], n: int) -> Cotangents:
    parts: Cotangents = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else parts[:n]


def _is_moving(value: Value) -> bool:
    """Is it a number that may differ by a little?"""
    return flows(value) and type(value) is not int


@full(_Wrapper.cache_info)
def cache_info(versions: Versions, fn: Value) -> tuple[Value, Record]:
    return fn.cache_info(), None


@full(_Wrapper.cache_clear)
def cache_clear(versions: Versions, fn: Value) -> tuple[Value, Record]:
    cache: _Cache | None = versions.cached.get(id(fn))
    if versions.is_additional and cache is None:
        cache = versions.cached[id(fn)] = _Cache(fn)
    if cache is not None:
        cache.made.clear()
        cache.is_cleared = True
    return None if versions.is_additional else fn.cache_clear(), None


def _may_carry(value: Value) -> bool:
    """May a number be in it, or be read by what it does, that a derivative comes to?"""
    kind = type(value)
    if kind is FunctionType:
        return any(map(_may_carry, _captured(value))) or reads_state(value, of_numbers=True)
    if issubclass(kind, BuiltinFunctionType):
        return False
    if issubclass(kind, (type, ModuleType)):
        return _keeps(value, set(), DEPTH)
    if kind is tuple or kind is frozenset:
        return any(map(_may_carry, items_of(value)))
    return _is_moving(value) or (has_identity(value) and not is_source_of_chance(value))


def _captured(fn: Value) -> list[Value]:
    """What a function has captured."""
    cells = getattr(fn, "__closure__", None) or ()
    return [cell.cell_contents for cell in cells if is_full(cell)]


def leads_on(inner: Value, given: Sequence[Value]) -> bool:
    """May what a function with a cache gives come from numbers, by what it is given or has
    captured?
    """
    return any(map(_may_carry, (*given, *_captured(inner))))


def reads_nothing(inner: Value) -> bool:
    """Does what it gives depend on nothing but its arguments?"""
    if type(inner) is not FunctionType:
        return issubclass(type(inner), BuiltinFunctionType)
    return not inner.__closure__ and not reads_state(inner, of_numbers=True)


# --- ints -----------------------------------------------------------------------------------------


def _of_ints(asked: _Lookup, y: Value) -> Record:
    """Of a constant that was found by ints: they have no part of it if they are sizes and counts.
    Which it is shows where a cotangent comes to it.
    """
    is_of_ints = any(map(flows, asked.given))
    if not is_of_ints or opaque("", y) is None and not flows(y):
        return None
    return pull_of_ints, asked, y


def pull_of_ints(shadows: Shadows, y_bar: Value, asked: _Lookup, y: Value) -> Cotangents:
    if y_bar is None and not has_arrived(shadows, y):
        return None
    known = _by_ints.get(asked.cache.fn, {}).get(asked.by_kinds)
    if known is not None and (asked.cache.reads_nothing or (known.y is y and type(y) is not int)):
        counts = known.counts
    else:
        counts = _note(asked, y, _counts(asked))
    return pull_looked_up(shadows, 1.0, asked.given) if counts else None


class _Known(NamedTuple):
    """Whether the ints that an entry was found by count, and the entry."""

    counts: bool
    y: Value


MOST = 256
"""Entries of one cache of which that is remembered."""
_by_ints: WeakKeyDictionary[Value, dict[Value, _Known]] = WeakKeyDictionary()
"""By function and operands."""


def _note(asked: _Lookup, y: Value, counts: bool) -> bool:
    known = _by_ints.setdefault(asked.cache.fn, {})
    if len(known) >= MOST:
        known.clear()
    known[asked.by_kinds] = _Known(counts, None if asked.cache.reads_nothing else y)
    return counts


def _with_note(asked: _Lookup, y: Value, record: Record) -> Record:
    """The record of a call by ints: whether they count is noted, for those who find the entry in
    a later sweep, and should not have to run the function for it.
    """
    if record is None or not any(map(flows, asked.given)) or any(map(_may_carry, asked.given)):
        return record
    return pull_noting, asked, y, record


def pull_noting(
    shadows: Shadows, y_bar: Value, asked: _Lookup, y: Value, record: Record
) -> Cotangents:
    assert record is not None
    if y_bar is not None or has_arrived(shadows, y):
        apart = Shadows()
        parts = callbacks.pull(apart, record, seeded(apart, y), len(asked.given)) or ()
        counts = any(part is not None and not _is_zero(part) for part in parts)
        if _note(asked, y, counts) and asked.cache.reads_nothing:
            return pull_looked_up(shadows, 1.0, asked.given)  # as whoever finds the entry later
    parts_of_all: Cotangents = record[0](shadows, y_bar, *record[1:])
    return parts_of_all


def _counts(asked: _Lookup) -> bool:
    """Would a cotangent of the result be one of an int?"""
    shadows, count = Shadows(), len(asked.given)
    try:
        again, record = asked.beside_it(Versions())
        parts = callbacks.pull(shadows, record, seeded(shadows, again), count) or ()
    except Exception:
        return True
    return any(part is not None and not _is_zero(part) for part in parts)


# --- backwards ------------------------------------------------------------------------------------


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


def reads_state(fn: FunctionType, depth: int = DEPTH, *, of_numbers: bool = False) -> bool:
    """Whether its text, or that of functions it names, reads a module-level object that can be
    written; ``of_numbers``: or what may hold numbers of another run, as a global that is bound
    anew, a class, or a module of the program's.

    >>> limits = {"low": 1.0}
    >>> def low():
    ...     return limits["low"]
    >>> low.__globals__["limits"] = limits
    >>> def half():
    ...     return 1 / 2
    >>> reads_state(low), reads_state(half)
    (True, False)
    >>> low.__globals__["limits"] = 1.0
    >>> reads_state(low), reads_state(low, of_numbers=True)
    (False, True)
    """
    if depth == 0:
        return True
    held = (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values(), *vars(fn).values())
    if of_numbers and any(flows(each) or has_identity(each) for each in held):
        return True
    names = names_in(fn.__code__)
    found = [fn.__globals__.get(name) for name in names]
    if of_numbers and any(_keeps(each, names, depth) for each in found):
        return True
    return any(_is_state(each, depth, of_numbers) for each in found)


def _is_state(found: Any, depth: int, of_numbers: bool) -> bool:
    if type(found) is FunctionType:
        return bool(found.__closure__) or reads_state(found, depth - 1, of_numbers=of_numbers)
    if of_numbers and flows(found):
        return True
    return not isinstance(found, _UNCHANGED)


def _keeps(found: Any, names: set[str], depth: int) -> bool:
    """Is it a module of the program's, or a class with data in it, or of which a method reads what
    may be written? ``names`` are those of which the methods may run.
    """
    if isinstance(found, ModuleType):
        return found.__name__.partition(".")[0] not in LIBRARIES
    if not isinstance(found, type) or not is_of_program(found):
        return False
    held = [item for base in found.__mro__ if is_of_program(base) for item in vars(base).items()]
    runs = [v for name, v in held if type(v) is FunctionType and name in {*names, "__init__"}]
    if any(reads_state(each, depth - 1, of_numbers=True) for each in runs):
        return True
    own = [v for name, v in held if not name.startswith("__") and not hasattr(v, "__get__")]
    return any(flows(each) or has_identity(each) for each in own)


_UNCHANGED = (
    ModuleType, BuiltinFunctionType, type, str, bytes, int, float, complex, bool, type(None),
    frozenset,
)  # fmt: skip
