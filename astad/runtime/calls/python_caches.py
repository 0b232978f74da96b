"""The caches that Python keeps for functions under ``functools.cache`` and ``lru_cache``.

Keys, hits, misses, the order of use and what is dropped are the business of the cache itself: a
call goes to it. Only what it would compute is computed by somebody else, and handed to it. For that
the function behind it has another code, from the call of the cache until that calls the function.

>>> import functools
>>> @functools.cache
... def double(x):
...     return 2 * x
>>> cache = PythonCache(double)
>>> cache.look_up((3,), {}, lambda fn: fn(3) + 1)
7
>>> cache.look_up((3,), {}, lambda fn: fn(3) + 1), double(3), double.cache_info().hits
(7, 7, 2)
"""

from __future__ import annotations

import contextlib
import gc
from _thread import RLock, get_ident
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

from astad.rules.in_force import CUSTOM, QUICK, REGISTRY
from astad.runtime.core.full_rules import FULL, INERT
from astad.runtime.unseen.unrecorded import is_of_program
from astad.tangents.unasked import lookup_in_class
from astad.threads import after_fork, restoring

__all__ = ["MISSING", "PythonCache", "found_in_cache", "is_cached", "uncached"]

MISSING = object()
Args = tuple[Any, ...]
Keywords = dict[str, Any]


class PythonCache:
    """One function's cache.

    Attributes
    ----------
    fn : functools._lru_cache_wrapper
        What the program calls.
    inner : callable
        What computes a value that is not there.
    size : int or None
        How many values it keeps at most.
    entries : dict
        The cache's own dict: values by key, or by key what holds one where the size is bounded.
    """

    __slots__ = ("_mark", "_typed", "entries", "fn", "inner", "size")

    def __init__(self, fn: Any) -> None:
        parameters = fn.cache_parameters()
        self.fn, self.size, self._typed = fn, parameters["maxsize"], parameters["typed"]
        vars(fn)  # which makes it where there is none: it is the last of what the cache holds
        self.entries, self.inner, self._mark = gc.get_referents(fn)[-6:-3]

    def key(self, args: Args, keywords: Keywords) -> Any:
        """As C makes it."""
        if not keywords and not self._typed and len(args) == 1 and type(args[0]) in (str, int):
            return args[0]
        words = [part for item in keywords.items() for part in item]
        kinds = [*map(type, args), *map(type, keywords.values())] if self._typed else []
        return (*args, *([self._mark, *words] if words else ()), *kinds)

    def find(self, key: Any) -> Any:
        """What is there, which is not noted as a use of it; else `MISSING`."""
        if self.size is None or key not in self.entries:
            return self.entries.get(key, MISSING)
        held = gc.get_referents(self.fn)  # its type; key, value, type of each; the three; more
        for at in range(1, len(held) - 6, 3):
            if held[at] is key or held[at] == key:
                return held[at + 1]
        return MISSING

    @property
    def is_handed_over(self) -> bool:
        """Is what is not there computed by whoever asks? A function in C computes it itself."""
        return self._first_of_inner() is not None

    def look_up(self, args: Args, keywords: Keywords, compute: Callable[[Any], Any]) -> Any:
        """``fn(*args, **keywords)``, but that what is not there is what ``compute`` gives. That is
        handed the function behind the cache.
        """
        first = self._first_of_inner()
        if first is None:
            return self.fn(*args, **keywords)
        function, *owner = first
        asked = _Asked(function, (*owner, *args), keywords, compute, self.inner)
        return restoring(lambda: asked.run(self.fn, args, keywords), asked.restore)

    def _first_of_inner(self) -> tuple[Any, ...] | None:
        """The function in Python that a call of it runs, with the operand that it has before all
        others, if there is one.
        """
        inner = self.inner
        if type(inner) is FunctionType:
            return (inner,)
        if type(inner) is MethodType and type(inner.__func__) is FunctionType:
            return inner.__func__, inner.__self__
        call = lookup_in_class(type(inner), "__call__")
        return (call, inner) if type(call) is FunctionType else None


def is_cached(fn: Any, key: Any) -> bool:
    return key in PythonCache(fn).entries


def found_in_cache(fn: Any, key: Any) -> Any:
    """
    >>> import functools
    >>> square = functools.lru_cache(lambda x: x * x)
    >>> square(3)
    9
    >>> found_in_cache(square, 3), is_cached(square, 4), square.cache_info().hits
    (9, False, 0)
    """
    return PythonCache(fn).find(key)


def uncached(inner: Any) -> Any:
    """What computes a value, by the function behind a cache; one that a rule is for is known by the
    object.
    """
    if type(inner) is not FunctionType or not is_of_program(inner):
        return inner
    has_rule = any(id(inner) in table for table in (CUSTOM, FULL, INERT, QUICK, REGISTRY))
    return inner if has_rule else with_own_code(inner)


# --- the code that hands the call over ------------------------------------------------------------


_lock = RLock()
"""Held while a function has another code."""
_waiting: set[_Asked] = set()


def _handing_over(*args: Any, **keywords: Any) -> Any:
    begin: Any = ...
    return begin(args, keywords)


_CODE = _handing_over.__code__


class _Asked:
    """A call of a cache: for its time the function behind it has a code that calls this object.

    That may be called from elsewhere, too: by another thread, or by code that compares the keys.
    """

    __slots__ = (
        "args",
        "code",
        "compute",
        "function",
        "has_begun",
        "inner",
        "keywords",
        "stub",
        "thread",
    )

    def __init__(
        self,
        function: Any,
        args: Args,
        keywords: Keywords,
        compute: Callable[[Any], Any],
        inner: Any,
    ) -> None:
        self.function = function
        self.inner = inner
        self.args = args
        self.keywords = keywords
        self.compute = compute
        self.thread = get_ident()
        self.has_begun = False
        self.code: Any = None  # no code before it runs
        self.stub: Any = None

    def run(self, fn: Any, args: Args, keywords: Keywords) -> Any:
        _waiting.add(self)
        _lock.acquire()
        self.code = code = self.function.__code__
        self.stub = _CODE.replace(
            co_consts=tuple([self.begin if each is ... else each for each in _CODE.co_consts]),
            co_freevars=tuple([f"{name}'" for name in code.co_freevars]),
            co_name=code.co_name,
        )
        self.function.__code__ = self.stub
        return fn(*args, **keywords)

    def restore(self) -> None:
        """The function has its own code again. This may be called twice, wherever an interrupt has
        ended it or `run`.
        """
        if self not in _waiting:
            return
        self.give_back()
        with contextlib.suppress(RuntimeError):  # it was not taken yet, or is let go of already
            _lock.release()
        _waiting.discard(self)

    def give_back(self) -> None:
        if self.code is not None and self.function.__code__ is self.stub:
            self.function.__code__ = self.code

    def begin(self, args: Args, keywords: Keywords) -> Any:
        """What the other code does."""
        if get_ident() != self.thread or self.has_begun or not self._is_meant(args, keywords):
            return with_own_code(self.function)(*args, **keywords)
        self.has_begun = True
        self.restore()
        return self.compute(uncached(self.inner))

    def _is_meant(self, args: Args, keywords: Keywords) -> bool:
        """Is it the call of the cache?"""
        return (
            len(args) == len(self.args)
            and all(map(_is, args, self.args))
            and keywords.keys() == self.keywords.keys()
            and all(value is self.keywords[name] for name, value in keywords.items())
        )


def with_own_code(fn: FunctionType) -> FunctionType:
    """A function like this one, that has its own code whatever a thread gives that meanwhile."""
    code: Any = fn.__code__
    while (asked := _asked_by(code)) is not None:
        code = asked.code  # two calls of one cache may be one within the other
    made = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__qualname__, made.__module__ = fn.__qualname__, fn.__module__
    vars(made).update(vars(fn))
    return made


def _asked_by(code: CodeType) -> _Asked | None:
    """The call that has made it, if it is one of those that hand over."""
    asked = getattr(code.co_consts[-1] if code.co_consts else None, "__self__", None)
    return asked if type(asked) is _Asked else None


def _is(a: Any, b: Any) -> bool:
    return a is b


def _begin_in_child() -> None:
    """Threads that are not here have no call that goes on."""
    global _lock
    own = get_ident()
    left = [asked for asked in _waiting if asked.thread != own]
    _waiting.difference_update(left)
    for asked in left:
        asked.give_back()
    _lock = RLock()
    for _ in _waiting:
        _lock.acquire()


after_fork(_begin_in_child)
