"""Calls: of functions of Python's, which are run; of classes; of compiled functions that are known.

A compiled function that no table knows is not run: what it reads and writes is unknown.
"""

from __future__ import annotations

import collections
import enum
import functools
import itertools
import operator
import types
from typing import Any

import numpy as np

from astad.recording import attributes, draws, operations
from astad.recording.class_calls import SETTINGS, construct, enter_or_leave
from astad.recording.equivalents import EQUIVALENTS, HELPERS
from astad.recording.function_calls import FUNCTIONS, OF_OBJECTS, pure
from astad.recording.method_calls import (
    METHODS_OF,
    TEXT_SEARCH,
    call_vectorized,
    method_of_array,
    method_of_iterator,
    method_of_number,
    of_fixed,
)
from astad.recording.outside import FIXED
from astad.recording.recording import (
    INERT,
    NUMBERS,
    Told,
    Whole,
    is_array,
)
from astad.recording.repeatable import acts, reads_more
from astad.recording.ruled_calls import is_ruled, leaf
from astad.recording.run import Args, Keywords, Run, name_of
from astad.rules.numpy.step_by_step import python_of
from astad.rules.registry import lookup
from astad.rules.scipy.filling import KERNELS, RETURNING
from astad.runtime.calls.cached_calls import leads_on
from astad.runtime.calls.python_caches import MISSING, PythonCache, found_in_cache, is_cached
from astad.runtime.core.full_rules import FOLLOWED

__all__ = ["call", "method"]


def call(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    kind = type(fn)
    if kind is functools._lru_cache_wrapper:
        return _cached(run, fn, args, keywords)
    if kind is types.FunctionType and fn in EQUIVALENTS:
        return run.function(EQUIVALENTS[fn], args, keywords)
    follow = FOLLOWED.get(id(fn)) or FOLLOWED.get(id(kind))
    if follow is not None:
        return follow(run, *(args if id(fn) in FOLLOWED else (fn, *args)), **keywords)
    if id(fn) in FUNCTIONS:
        return FUNCTIONS[id(fn)](run, *args, **keywords)
    if is_ruled(fn):
        is_made = kind is np.ufunc and python_of(fn) is not None
        return (_elementwise if is_made else leaf)(run, fn, args, keywords)
    if kind is types.FunctionType and fn.__code__ is _DISPATCHING and args:
        return _dispatched(run, fn, args, keywords)
    if kind is types.FunctionType:
        return _python(run, fn, args, keywords)
    if kind is types.MethodType and type(fn.__self__) in SETTINGS:
        return enter_or_leave(run, fn, args)
    if kind is types.MethodType and fn.__name__ in draws.METHODS.get(type(fn.__self__), ()):
        return method(run, fn.__self__, fn.__name__, args, keywords)
    if kind is types.MethodType:
        return call(run, fn.__func__, [fn.__self__, *args], keywords)
    if isinstance(fn, type):
        return construct(run, fn, args, keywords)
    if kind is functools.partial:
        return _partial(run, fn, args, keywords)
    if kind is types.BuiltinFunctionType and fn.__self__ is itertools.chain:
        return run.function(EQUIVALENTS[itertools.chain.from_iterable], args, keywords)
    if kind in (types.BuiltinFunctionType, types.MethodWrapperType):
        own = fn.__self__
        if own is not None and not isinstance(own, types.ModuleType):
            if isinstance(own, type) and not _makes_from_keys(own):
                run.recording.refuse(f"{own.__name__}.{fn.__name__}")
            return method(run, own, fn.__name__, args, keywords, bound=True)
    if kind in (types.MethodDescriptorType, types.WrapperDescriptorType) and args:
        return method(run, args[0], fn.__name__, args[1:], keywords, bound=True)
    if kind is operator.itemgetter:
        items = [operations.getitem(run, args[0], key) for key in fn.__reduce__()[1]]
        return items[0] if len(items) == 1 else run.recording.fresh(tuple(items))
    if kind is operator.attrgetter:
        found = [_path(run, args[0], name) for name in fn.__reduce__()[1]]
        return found[0] if len(found) == 1 else run.recording.fresh(tuple(found))
    if kind is np.vectorize:
        return call_vectorized(run, fn, args, keywords)
    return _compiled(run, fn, args, keywords)


def _python(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    if not _is_quiet(fn):
        return run.function(fn, args, keywords)
    run.recording.quiet = True
    with np.errstate(all="ignore"):
        return run.function(fn.__wrapped__, args, keywords)


def _elementwise(run: Run, ufunc: Any, args: Args, keywords: Keywords) -> Any:
    """What ``np.frompyfunc`` has made of a function, of numbers."""
    if keywords or len(args) != ufunc.nin or not all(_is_single(v) for v in args):
        run.recording.refuse(f"{name_of(ufunc)} of what are no numbers")
    numbers = [method(run, v, "item", [], {}) if isinstance(v, np.generic) else v for v in args]
    y = call(run, python_of(ufunc), numbers, {})
    return y if ufunc.nout == 1 else run.recording.fresh(tuple(operations.iterate(run, y)))


def _is_single(v: Any) -> bool:
    return type(v) in NUMBERS and type(v) is not np.ndarray


_MADE: Any = functools.singledispatch(functools.singledispatch)


_DISPATCHING = _MADE.__code__
"""The code of all functions that it makes."""


def _dispatched(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """By the class of the first argument: what is registered for it is asked."""
    recording, cls = run.recording, int if type(args[0]) is Whole else type(args[0])
    found = fn.dispatch(cls)
    words = [recording.constant(each) for each in (fn.dispatch, cls, found)]
    recording.require("{}({}) is {}".format(*words))
    return run.call(found, *args, **keywords)


def _compiled(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """An object that is called, or a function that fills an array."""
    own_call = attributes.in_class(run, type(fn), "__call__")
    if isinstance(own_call, types.FunctionType):
        return call(run, own_call, [fn, *args], keywords)
    inner = getattr(fn, "__wrapped__", None)
    if type(fn) is type(np.sum) and isinstance(inner, types.FunctionType):
        return run.function(inner, args, keywords)
    filled = next((made for compiled, made in KERNELS if compiled is fn), None)
    if filled is not None and {*keywords} <= {"out"}:
        return _filled_in(run, filled, [*args, *keywords.values()])
    run.recording.refuse(f"{name_of(fn)} is compiled code")


def _filled_in(run: Run, filled: Any, args: Args) -> Any:
    """A compiled function that writes into an argument: what it makes is put there."""
    rule = lookup(filled)
    place = rule.parameters.index("out") if rule is not None else len(args)
    out: Any = args[place] if place < len(args) else None
    if not is_array(out) or out.dtype != np.float64 or filled.__name__ in RETURNING:
        run.recording.refuse(f"{name_of(filled)} is compiled code")
    made = leaf(run, filled, [*args[:place], out.shape, *args[place + 1 :]], {})
    operations.setitem(run, out, ..., made)
    return None


def _is_quiet(fn: Any) -> bool:
    """Is it one of those that formulas call, under ``@np.errstate(all="ignore")``?"""
    inner = getattr(fn, "__wrapped__", None)
    is_decorated = fn.__globals__.get("errstate") is np.errstate and inner is not None
    return is_decorated and str(getattr(inner, "__module__", "")).startswith(HELPERS)


def _partial(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """Its keywords may be changed in place, and all of it by ``__setstate__``."""
    if run.outside.is_outside(fn):
        inner, held, named = [
            run.outside.read(fn, "attribute", name, getattr(fn, name), f"{{}}.{name}")
            for name in ("func", "args", "keywords")
        ]
    else:
        inner, held, named = fn.func, *map(run.recording.fresh, (fn.args, fn.keywords))
    first = [*operations.iterate(run, held)]
    return call(run, inner, [*first, *args], {**operations.as_dict(run, named), **keywords})


def _cached(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """Of a function with a cache: what lies in the cache, or of one that the run has made what its
    text gives, once for the same arguments.
    """
    recording = run.recording
    fixed = (*INERT, float, type, types.FunctionType, types.ModuleType, enum.Enum)
    what = f"{fn.__qualname__} keeps what it was given"
    if keywords or not all(isinstance(a, fixed) and type(a) not in (Told, Whole) for a in args):
        recording.refuse(what)
    args = [recording.pinned(a, what) if recording.is_followed(a) else a for a in args]
    cache = PythonCache(fn)
    key = cache.key((*args,), {})
    if run.outside.is_outside(fn):
        return _found_in_cache(run, cache, key, args)
    if (id(fn), key) not in run.cache:
        run.cache[id(fn), key] = call(run, fn.__wrapped__, args, {})
        held = sum(own == id(fn) for own, _ in run.cache)
        if cache.size is not None and held > cache.size:
            recording.refuse(f"{fn.__qualname__} forgets what it was given")
    return run.cache[id(fn), key]


def _found_in_cache(run: Run, cache: PythonCache, key: Any, args: Args) -> Any:
    """What lies there is read in each run, which then counts as a use of it."""
    recording, name = run.recording, cache.fn.__qualname__
    if leads_on(cache.inner, [each for each in args if type(each) is not float]):
        recording.refuse(f"{name} may give what comes from numbers")
    if (there := cache.find(key)) is MISSING:
        if acts(cache.inner) or reads_more(cache.inner):
            recording.refuse(f"{name} was not called for the same before")
        there = cache.fn(*args)
    head, asked = run.outside.place(cache.fn).head, recording.constant(key)
    recording.require(f"{recording.constant(is_cached)}({head}, {asked})")
    place = f"{recording.constant(found_in_cache)}({{}}, {asked})"
    kept = run.outside.read(cache.fn, "entry", (type(key), key), there, place)
    recording.effects.append(f"{head}({', '.join(map(recording.constant, args))})")
    return kept


def _path(run: Run, o: Any, names: str) -> Any:
    for name in names.split("."):
        o = run.attribute(o, name)
    return o


def _makes_from_keys(o: Any) -> bool:
    return o is dict or o is collections.OrderedDict


def method(
    run: Run, o: Any, name: str, args: Args, keywords: Keywords, *, bound: bool = False
) -> Any:
    """``o.name(*args)``."""
    recording, kind = run.recording, type(o)
    if is_array(o):
        return method_of_array(run, o, name, args, keywords)
    if kind in NUMBERS:
        return method_of_number(run, o, name, args, keywords)
    if kind in TEXT_SEARCH:
        return pure(getattr(o, name))(run, *args, **keywords)
    if kind in draws.METHODS and name in draws.METHODS[kind]:
        return draws.drawn(run, o, name, args, keywords)
    if name == "fromkeys" and _makes_from_keys(o):
        keys = list(operations.iterate(run, args[0]))
        operations.check_key(run, tuple(keys))
        return recording.fresh(o.fromkeys(keys, *args[1:]))
    table = METHODS_OF.get(kind)
    if table is None and bound:
        base = next((base for base in METHODS_OF if isinstance(o, base)), None)
        table = None if base is None else METHODS_OF[base]
    if table is not None and (bound or kind in METHODS_OF):
        found = table.get(name)
        if found is not None:
            return found(run, o, *args, **keywords)
        if name in OF_OBJECTS and hasattr(o, name):
            return OF_OBJECTS[name](run, o, *args, **keywords)
        if not hasattr(o, name):
            return getattr(o, name)
        recording.refuse(f"{kind.__name__}.{name}")
    if kind in FIXED:
        return of_fixed(run, getattr(o, name), args, keywords)
    if bound:
        if name in OF_OBJECTS:
            return OF_OBJECTS[name](run, o, *args, **keywords)
        if kind is types.GeneratorType or kind in operations.LAZY:
            return method_of_iterator(run, o, name, args)
        recording.refuse(f"{kind.__name__}.{name} is compiled code")
    return call(run, run.attribute(o, name), args, keywords)
