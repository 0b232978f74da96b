"""Calls: of functions of Python's, which are run; of classes; of compiled functions that are known.

A compiled function that no table here names is not run: what it reads and writes is unknown.
"""

from __future__ import annotations

import abc
import bisect
import collections
import copy
import enum
import functools
import heapq
import inspect
import itertools
import json
import math
import operator
import random
import re
import sys
import types
import typing
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from astad.recording import attributes, by_value, copies, draws, operations, views
from astad.recording.equivalents import COUNT_ELEMENTS, EQUIVALENTS, HELPERS, is_same
from astad.recording.numpy_in_python import (
    IN_PYTHON,
    cheapest_order,
    filled_by,
    is_not_written,
    is_of_floats,
    put_in_turn,
    vectorized,
)
from astad.recording.outside import FIXED, SAME, is_made_by_class
from astad.recording.recording import (
    INERT,
    LOST,
    NUMBERS,
    WHOLE_ARRAYS,
    Ident,
    Told,
    Whole,
    is_array,
    is_number,
    is_of_names,
    is_of_places,
    without_wholes,
)
from astad.recording.repeatable import acts, reads_more
from astad.recording.run import Run
from astad.rules.in_force import CUSTOM, NO_PATH, TANGENTS
from astad.rules.kinks import along_kink, at_kink, lost_at_kink
from astad.rules.numpy.scatter import added_at, scattered
from astad.rules.registry import is_zero, lookup
from astad.rules.safe import along_point, bar_along_point
from astad.rules.scipy.filling import KERNELS, RETURNING
from astad.runtime.arrays.array_functions import python_of
from astad.runtime.calls.cached_calls import leads_on, reads_nothing
from astad.runtime.calls.python_caches import MISSING, PythonCache, found_in_cache, is_cached
from astad.runtime.containers.adders import count_one, put_pair
from astad.runtime.core.full_rules import FOLLOWED
from astad.runtime.iteration.generators import resume

__all__ = ["call", "method"]

Args = Sequence[Any]
Keywords = dict[str, Any]
Table = dict[str, Callable[..., Any]]


def call(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    kind = type(fn)
    if kind is functools._lru_cache_wrapper:
        return _cached(run, fn, args, keywords)
    if kind is types.FunctionType and fn in EQUIVALENTS:
        return run.function(EQUIVALENTS[fn], args, keywords)
    follow = FOLLOWED.get(id(fn)) or FOLLOWED.get(id(kind))
    if follow is not None:
        return follow(run, *(args if id(fn) in FOLLOWED else (fn, *args)), **keywords)
    if id(fn) in _FUNCTIONS:
        return _FUNCTIONS[id(fn)](run, *args, **keywords)
    if _is_ruled(fn):
        is_made = kind is np.ufunc and python_of(fn) is not None
        return (_elementwise if is_made else _leaf)(run, fn, args, keywords)
    if kind is types.FunctionType and fn.__code__ is _DISPATCHING and args:
        return _dispatched(run, fn, args, keywords)
    if kind is types.FunctionType:
        return _python(run, fn, args, keywords)
    if kind is types.MethodType and type(fn.__self__) in _SETTINGS:
        return _enter_or_leave(run, fn, args)
    if kind is types.MethodType and fn.__name__ in draws.METHODS.get(type(fn.__self__), ()):
        return method(run, fn.__self__, fn.__name__, args, keywords)
    if kind is types.MethodType:
        return call(run, fn.__func__, [fn.__self__, *args], keywords)
    if isinstance(fn, type):
        return _construct(run, fn, args, keywords)
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
        return _vectorized(run, fn, args, keywords)
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
        run.recording.refuse(f"{_name_of(ufunc)} of what are no numbers")
    y = call(run, python_of(ufunc), args, {})
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
    run.recording.refuse(f"{_name_of(fn)} is compiled code")


def _filled_in(run: Run, filled: Any, args: Args) -> Any:
    """A compiled function that writes into an argument: what it makes is put there."""
    rule = lookup(filled)
    place = rule.parameters.index("out") if rule is not None else len(args)
    out: Any = args[place] if place < len(args) else None
    if not is_array(out) or out.dtype != np.float64 or filled.__name__ in RETURNING:
        run.recording.refuse(f"{_name_of(filled)} is compiled code")
    made = _leaf(run, filled, [*args[:place], out.shape, *args[place + 1 :]], {})
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
        if not reads_nothing(cache.inner):
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


def _name_of(fn: Any) -> str:
    name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    module = getattr(fn, "__module__", None) or type(fn).__module__
    return f"{module}.{name}"


# --- functions with a rule


def _is_ruled(fn: Any) -> bool:
    if id(fn) in CUSTOM:
        return True
    if isinstance(fn, type):
        return issubclass(fn, np.generic) and fn in (np.float64,)
    module = getattr(fn, "__module__", None) or ""
    if isinstance(fn, np.ufunc):
        return True
    if module in ("math", "cmath"):
        return not isinstance(fn, type)
    home = module.partition(".")[0]
    if module.startswith(HELPERS):  # Python, but for those whose row keeps gaps out of the reverse
        rule = lookup(fn)
        return rule is not None and rule.form == "structured"
    if home not in ("numpy", "scipy") or module.startswith(("numpy.random", "scipy.stats")):
        return False
    rule = lookup(fn)
    if rule is None or (rule.form == "zero" and type(fn) is types.FunctionType):
        name = getattr(fn, "__name__", "")
        return name in _CREATING and getattr(np, name, None) is fn
    return True


_CREATING = ("ones", "full", "eye", "identity", "tri")
"""Functions in Python's own text that make arrays of what is no number to follow."""


def _leaf(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """A line that calls it, where it gives an array or is given a number that is followed."""
    recording = run.recording
    args, keywords = _without_out(fn, args, keywords)
    filled = _filled(run, fn, args, keywords)
    if filled is not NotImplemented:
        return filled
    moves = id(fn) in CUSTOM and _reads_more(run, fn, [*args, *keywords.values()])
    args = [_operand(run, _drawn_whole(run, fn, arg)) for arg in args]
    keywords = {name: _operand(run, value) for name, value in keywords.items()}
    keywords, overwritten = _without_overwriting(run, args, keywords)
    args, keywords = _with_counts(fn, args, keywords)
    plain = [without_wholes(arg) for arg in args] if _takes_wholes(fn) else args
    _expect_plain(run, fn, [*plain, *keywords.values()])
    if fn is np.float64 and len(args) == 1 and type(args[0]) is np.float64:
        return args[0]
    scalar = _SCALAR.get(fn.__name__)
    if scalar is not None and type(fn) is not type:
        y = scalar(run, fn, *args, **keywords)
        if y is not NotImplemented:
            return y
    if fn is np.einsum and any(map(recording.is_doubled, args)):
        recording.refuse(WHOLE_ARRAYS)  # it adds them up in another order
    if fn is np.squeeze and is_array(args[0]):
        return _squeezed(run, *args, **keywords)
    y = operations.computed(run, fn, *plain, **keywords)
    if fn in (np.empty, np.empty_like) and is_of_places(y):
        y[...] = 0  # what lies there may be anything, and the text says what
    is_followed = type(y) in (float, np.float64) or is_array(y)
    if not is_followed and any(type(arg) is Whole for arg in args):
        recording.refuse(f"{_name_of(fn)} of an int that is differentiated")
    if isinstance(y, np.ndarray) and any(y is arg for arg in args):
        if id(fn) in CUSTOM:
            recording.refuse(f"{_name_of(fn)} gives its argument")
        return y
    follows = moves or recording.holds_followed([*args, *keywords.values()])
    if not follows and not _makes_array(y):
        return recording.fresh(y) if is_of_names(y) else recording.keep(y)
    if not follows and (settled := _settled(run, fn, y, args)) is not None:
        return settled
    word = recording.constant_word if is_zero(fn) else recording.word
    parts = _words_of_doubles(run, fn, args) or [_word_for(run, fn, arg, word) for arg in args]
    parts += [f"{name}={word(value)}" for name, value in keywords.items()]
    made = recording.result(f"{_spelled(run, fn)}({', '.join(parts)})", y, again=follows)
    recording.ruled = recording.ruled or id(fn) in CUSTOM
    for a in overwritten:
        recording.words[id(recording.keep(a))] = LOST
    if not _is_of_known_kind(fn):
        operations.expect_kind(run, made)
    return made


def _reads_more(run: Run, fn: Any, given: Sequence[Any]) -> bool:
    """Of a function with a rule of the user's, which is not followed: may it give something else
    for the same arguments? It runs more than once, and may do nothing that is seen.
    """
    behind = [fn, *[v for v in given if isinstance(v, types.FunctionType)]]
    if id(fn) not in NO_PATH:  # there the rule is the function itself
        behind += [CUSTOM[id(fn)][1], *TANGENTS.get(id(fn), ())[1:]]
    if any(map(acts, behind)):
        run.recording.refuse(f"{_name_of(fn)} may do what is seen, or draw what is another")
    return any(map(reads_more, behind))


def _filled(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """What ``out=`` makes of a function of one result, which is put into an array of floats."""
    recording = run.recording
    if _is_filling(fn, args, keywords):
        return call(run, filled_by, [fn, recording.fresh([*args])], keywords)
    if _is_given_out(fn, keywords):
        others = {name: v for name, v in keywords.items() if name != "out"}
        made = recording.fresh(functools.partial(fn, **others))
        return call(run, filled_by, [made, recording.fresh([*args]), keywords["out"]], {})
    if _is_put_somewhere(fn, keywords) or isinstance(fn, np.ufunc) and len(args) > fn.nin:
        recording.refuse(f"{_name_of(fn)} with out= or where=")
    return NotImplemented


def _is_filling(fn: Any, args: Args, keywords: Keywords) -> bool:
    """Is it a ufunc of one result, which it puts into an array of floats?"""
    out: Any = keywords.get("out")
    is_plain = isinstance(fn, np.ufunc) and fn.nout == 1 and len(args) == fn.nin
    is_own = is_array(out) and out.dtype == np.float64
    is_masked = keywords.get("where") is not True
    return is_plain and is_own and is_masked and {*keywords} <= {"out", "where"}


def _is_given_out(fn: Any, keywords: Keywords) -> bool:
    """Does a function of NumPy's put its one result into an array of floats?"""
    out: Any = keywords.get("out")
    is_own = is_array(out) and out.dtype == np.float64 and out.ndim > 0
    return is_own and type(fn) is type(np.sum) and "where" not in keywords and id(fn) not in CUSTOM


def _without_overwriting(
    run: Run, args: Args, keywords: Keywords
) -> tuple[Keywords, list[np.ndarray[Any, Any]]]:
    """The text overwrites none of its arrays; those that the function may overwrite nobody reads
    any more.
    """
    asked = {name for name, v in keywords.items() if name.startswith("overwrite_") and v is True}
    overwritten: list[np.ndarray[Any, Any]] = []
    for arg in args:
        if asked and is_array(arg):
            operations.expect_own(run, arg)
            overwritten += [arg, *run.recording.sharing(arg)]
    return {name: v for name, v in keywords.items() if name not in asked}, overwritten


def _is_put_somewhere(fn: Any, keywords: Keywords) -> bool:
    """Does it write into an array, or leave entries as the memory was before? A reduction takes
    what ``where`` tells.
    """
    return "out" in keywords or ("where" in keywords and isinstance(fn, np.ufunc))


def _is_of_known_kind(fn: Any) -> bool:
    """Do the operands tell whether the result is complex? Those of eigenvalues do not. Of a rule of
    the user's it is supposed: a test of what it gives would make it run more often.
    """
    if _takes_wholes(fn) or id(fn) in CUSTOM:
        return True
    rule = lookup(fn)
    return rule is not None and bool(rule.gives or rule.complexes)


def _takes_wholes(fn: Any) -> bool:
    """Is an int a number to it, and not a count or a place?"""
    return isinstance(fn, np.ufunc) or fn is np.float64 or _is_of_math(fn)


def _is_of_math(fn: Any) -> bool:
    return getattr(fn, "__module__", None) == "math"


def _without_out(fn: Any, args: Args, keywords: Keywords) -> tuple[Args, Keywords]:
    """Without an ``out`` that is None, a ``where`` that is True, and last arguments that are what
    they would be anyway: nothing is written to.
    """
    if isinstance(fn, np.ufunc):
        args = args[: fn.nin] if all(arg is None for arg in args[fn.nin :]) else args
    else:
        usual = _usual(fn)
        while args and len(args) <= len(usual) and _is_usual(args[-1], usual[len(args) - 1]):
            args = args[:-1]
    left_out = {"out": None, "where": True}
    kept = {
        name: v for name, v in keywords.items() if name not in left_out or v is not left_out[name]
    }
    return args, kept


@functools.cache
def _usual(fn: Any) -> tuple[Any, ...]:
    """The defaults of the positional parameters of a function of NumPy's or SciPy's."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(each.default for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD)


def _is_usual(v: Any, default: Any) -> bool:
    return type(v) is type(default) and type(v) in INERT and v == default


def _word_for(run: Run, fn: Any, v: Any, word_of: Callable[[Any], str] | None = None) -> str:
    """An int with a derivative is a double to a function of NumPy, which gives one."""
    word = (word_of or run.recording.word)(v)
    return f"np.float64({word})" if type(v) is Whole and isinstance(fn, np.ufunc) else word


def _words_of_doubles(run: Run, fn: Any, args: Args) -> list[str] | None:
    """A ufunc is given numbers of NumPy's where its slope is written out for these alone: it is
    what it is for Python's.
    """
    rule, followed = lookup(fn), run.recording.is_followed
    if rule is None or not isinstance(fn, np.ufunc) or len(args) != fn.nin:
        return None
    if not all(type(arg) in (float, int, bool) for arg in args):
        return None
    names = [name for name, arg in zip(rule.parameters, args, strict=False) if followed(arg)]
    if all(rule.inline(name, "float", len(args)) is not None for name in names):
        return None
    return [
        f"np.float64({run.recording.word(arg)})" if followed(arg) else run.recording.word(arg)
        for arg in args
    ]


def _copysign(run: Run, fn: Any, a: Any, b: Any) -> Any:
    """By the sign of ``b``, which carries no derivative: the size of ``a``, or less than zero."""
    if not all(type(each) in (float, np.float64, int) for each in (a, b)):
        return NotImplemented
    if not run.recording.is_followed(b) or not (b > 0.0 or b < 0.0):
        return NotImplemented
    word, y, is_up = run.recording.word(a), fn(a, b), b > 0.0
    run.recording.expect(f"({run.recording.word(b)} {'>' if is_up else '<'} 0.0)", True)
    if not run.recording.is_followed(a):
        return run.recording.keep(y)
    kind = "np.float64" if type(y) is np.float64 else "float"
    return run.recording.result(f"{kind}({'' if is_up else '-'}abs({word}))", y)


def _with_more_axes(run: Run, fn: Any, v: Any, **keywords: Any) -> Any:
    """``np.array(v, ndmin=2)`` of a number, or of an array that has fewer axes."""
    if not {*keywords} <= {"copy", "subok", "ndmin", "dtype"} or type(v) not in NUMBERS:
        return NotImplemented
    y = fn(v, **keywords)
    if y.dtype != np.float64 or np.ndim(v) == y.ndim:
        return NotImplemented
    if not is_array(v):
        return _named(run, f"np.full({y.shape!r}, {run.recording.word(v)})", y)
    if v.dtype != y.dtype or not np.may_share_memory(v, y):
        return NotImplemented
    _expect_shape(run, v)
    return run.recording.result(f"{run.recording.word(v)}.reshape({y.shape!r})", y)


def _scalar_array(run: Run, fn: Any, v: Any, *rest: Any, **keywords: Any) -> Any:
    """``np.asarray`` of a number: an array without axes, which the text has as a number."""
    if "ndmin" in keywords and not rest:
        return _with_more_axes(run, fn, v, **keywords)
    is_one = type(v) in (float, np.float64) or is_number(v)
    if not is_one or not run.recording.is_followed(v):
        return NotImplemented
    if any(kind not in (float, np.float64, None) for kind in (*rest, *keywords.values())):
        return NotImplemented
    y = fn(v, *rest, **keywords)
    if y is v:
        return y
    return _named(run, f"np.float64({run.recording.word(v)})", y) if y.ndim == 0 else NotImplemented


def _scalar_choice(run: Run, fn: Any, test: Any, *parts: Any) -> Any:
    """``np.where`` of a truth that is known."""
    if type(test) not in (bool, np.bool_) or len(parts) != 2:
        return NotImplemented
    if not all(type(part) in (float, np.float64, int) for part in parts):
        return NotImplemented
    chosen = parts[0] if test else parts[1]
    return _named(run, f"np.float64({run.recording.word(chosen)})", fn(test, *parts))


def _scalar_reduction(run: Run, fn: Any, v: Any, *rest: Any, **keywords: Any) -> Any:
    """``np.sum`` and the like of a number: the number; a sum begins with 0.0, and is never -0.0."""
    is_one = type(v) in (float, np.float64) or is_number(v)
    if not is_one or not run.recording.is_followed(v):
        return NotImplemented
    if any(given is not None for given in (*rest, *keywords.values())):
        return NotImplemented
    y = fn(v, *rest, **keywords)
    if type(y) is not np.float64 or not (y == v or v != v):
        return NotImplemented
    word = run.recording.word(v)
    adds = fn.__name__ in ("sum", "mean")
    return run.recording.result(f"np.float64({word} + 0.0)" if adds else f"np.float64({word})", y)


def _named(run: Run, text: str, y: Any) -> Any:
    name = run.recording.name()
    run.recording.say(f"{name} = {text}")
    return run.recording.array(y, name)


def _one_entry(run: Run, fn: Any, *args: Any) -> Any:
    """``np.atleast_1d``: of a number an array of one."""
    made = [_entry(run, fn, arg) for arg in args]
    return made[0] if len(made) == 1 else run.recording.fresh(type(fn(*args))(made))


def _entry(run: Run, fn: Any, v: Any) -> Any:
    if is_array(v) and v.ndim:
        return v
    if type(v) in (list, tuple) and v:
        return call(run, np.array, [v], {})
    if type(v) not in NUMBERS:
        run.recording.refuse(f"np.atleast_1d of a {type(v).__name__}")
    return _named(run, f"np.array([{run.recording.word(v)}])", fn(v))


def _broadcast(run: Run, fn: Any, *args: Any) -> Any:
    """``np.broadcast_arrays`` of arrays of one shape, and of numbers."""
    shapes = {arg.shape for arg in args if is_array(arg)} - {()}
    if len(shapes) != 1 or any(type(arg) not in NUMBERS for arg in args):
        return NotImplemented
    shape = shapes.pop()
    for arg in args:
        _expect_shape(run, arg)
    parts = []
    for arg in args:
        if is_array(arg) and arg.ndim:
            parts.append(arg)
        else:
            text = f"np.full({shape!r}, {run.recording.word(arg)})"
            parts.append(_named(run, text, np.full(shape, arg)))
    return run.recording.fresh(type(fn(*args))(parts))


_SCALAR: dict[str, Callable[..., Any]] = {
    "asarray": _scalar_array, "array": _scalar_array, "asanyarray": _scalar_array,
    "where": _scalar_choice, "copysign": _copysign, "atleast_1d": _one_entry,
    "broadcast_arrays": _broadcast,
    **dict.fromkeys(("sum", "prod", "mean", "max", "min", "amax", "amin"), _scalar_reduction),
}  # fmt: skip


def _with_counts(fn: Any, args: Args, keywords: Keywords) -> tuple[list[Any], dict[str, Any]]:
    """Ints with a derivative are ints where the function has none, as in shapes: they are the same
    in every run of the text.
    """
    rule = lookup(fn)
    if rule is not None and rule.form == "zero" or fn is np.arange and len(args) == 1:
        return [*map(_counted, args)], {name: _counted(v) for name, v in keywords.items()}
    if rule is None or rule.signature.star or isinstance(fn, np.ufunc):
        return [*args], {**keywords}
    counting = {*rule.parameters} - rule.back.keys() - rule.missing.keys()
    named = itertools.zip_longest(rule.parameters[: len(args)], args)
    by_place = [_counted(v) if name in counting else v for name, v in named]
    return by_place, {name: _counted(v) if name in counting else v for name, v in keywords.items()}


def _counted(v: Any) -> Any:
    if type(v) is tuple and any(type(part) is Whole for part in v):
        return tuple(map(_counted, v))
    return without_wholes(v)


def _expect_shape(run: Run, v: Any) -> None:
    """The text is for arrays of this shape."""
    if is_array(v) and v.ndim:
        run.attribute(v, "shape")


def _expect_plain(run: Run, fn: Any, operands: Sequence[Any]) -> None:
    """Compiled code asks nobody of the user's what such an operand is."""
    if fn in (np.shares_memory, np.may_share_memory):
        run.recording.refuse("a question about memory")
    for v in operands:
        if type(v) in (list, tuple):
            _expect_plain(run, fn, v)
        elif type(v) not in (*NUMBERS, *INERT, slice, type) and not isinstance(v, np.dtype):
            run.recording.refuse(f"{_name_of(fn)} of a {type(v).__name__}")


def _expect_inert(run: Run, fn: Any, *operands: Any) -> None:
    """A count, a place or the like: nothing that is followed, and no object that tells it."""
    for v in operands:
        if type(v) not in INERT:
            run.recording.refuse(f"{_name_of(fn)} of a {type(v).__name__}")


def _drawn_whole(run: Run, fn: Any, v: Any) -> Any:
    """What ``math.fsum`` and its like take out of an iterator, in a list."""
    if not _is_of_math(fn) or type(v) not in operations.LAZY:
        return v
    return run.recording.fresh([*operations.iterate(run, v)])


def _operand(run: Run, v: Any) -> Any:
    if type(v) is range:
        v = [*v]
    if type(v) is np._CopyMode:
        return {0: False, 1: True}.get(v.value)
    if type(v) in (list, tuple):
        held = operations.held(run, v)
        return run.recording.fresh(type(v)([_operand(run, part) for part in held]))
    return v


def _settled(run: Run, fn: Any, y: Any, args: Args) -> Any:
    """Arrays of whole numbers or truths that are made of constants, as functions give in pairs to
    be subscripts; None where they are others, or parts of what was given. What ``arange`` gives is
    counted by.
    """
    parts = y if type(y) is tuple else (y,)
    if not parts or fn is np.arange or not all(map(is_of_places, parts)):
        return None
    given = [arg for arg in args if isinstance(arg, np.ndarray)]
    if any(np.may_share_memory(v, arg) for v in parts for arg in given):
        return None
    made = tuple(run.recording.fresh(v if v.base is None else v.copy()) for v in parts)
    return run.recording.fresh(made) if type(y) is tuple else made[0]


def _makes_array(y: Any) -> bool:
    """Of numbers, which the text has to make anew."""
    if isinstance(y, np.ndarray):
        return not is_of_names(y) and (y.ndim > 0 or y.dtype.kind not in "fib")
    return isinstance(y, tuple) and any(map(_makes_array, y))


def _spelled(run: Run, fn: Any) -> str:
    """The function under a name that the text may use."""
    module = getattr(fn, "__module__", None)
    name = fn.__name__
    if module == "math" and getattr(math, name, None) is fn:
        return f"math.{name}"
    if fn is np.float64:
        return "np.float64"
    for path, home in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft)):
        if getattr(home, name, None) is fn:
            return f"{path}.{name}"
    return run.recording.constant(fn)


# --- methods


def _makes_from_keys(o: Any) -> bool:
    return o is dict or o is collections.OrderedDict


def method(
    run: Run, o: Any, name: str, args: Args, keywords: Keywords, *, bound: bool = False
) -> Any:
    """``o.name(*args)``."""
    recording, kind = run.recording, type(o)
    if is_array(o):
        return _of_array(run, o, name, args, keywords)
    if kind in NUMBERS:
        return _of_number(run, o, name, args, keywords)
    if kind in _TEXT_SEARCH:
        return _pure(getattr(o, name))(run, *args, **keywords)
    if kind in draws.METHODS and name in draws.METHODS[kind]:
        return draws.drawn(run, o, name, args, keywords)
    if name == "fromkeys" and _makes_from_keys(o):
        keys = list(operations.iterate(run, args[0]))
        operations.check_key(run, tuple(keys))
        return recording.fresh(o.fromkeys(keys, *args[1:]))
    table = _METHODS.get(kind)
    if table is None and bound:
        base = next((base for base in _METHODS if isinstance(o, base)), None)
        table = None if base is None else _METHODS[base]
    if table is not None and (bound or kind in _METHODS):
        found = table.get(name)
        if found is not None:
            return found(run, o, *args, **keywords)
        if name in _OBJECT and hasattr(o, name):
            return _OBJECT[name](run, o, *args, **keywords)
        if not hasattr(o, name):
            return getattr(o, name)
        recording.refuse(f"{kind.__name__}.{name}")
    if kind in FIXED:
        return _of_fixed(run, getattr(o, name), args, keywords)
    if bound:
        if name in _OBJECT:
            return _OBJECT[name](run, o, *args, **keywords)
        if kind is types.GeneratorType or kind in operations.LAZY:
            return _of_iterator(run, o, name, args)
        recording.refuse(f"{kind.__name__}.{name} is compiled code")
    return call(run, run.attribute(o, name), args, keywords)


def _of_number(run: Run, o: Any, name: str, args: Args, keywords: Keywords) -> Any:
    recording, kind = run.recording, type(o)
    if not hasattr(o, name):
        return getattr(o, name)
    if isinstance(o, np.ndarray):
        recording.refuse(f"{name} of an array of {o.dtype}")  # nobody tells what is in it
    if name == "as_integer_ratio" and recording.is_followed(o):
        o = recording.pinned(o, "whole numbers with a derivative")  # which may be zero here
    _expect_plain(run, getattr(type(o), name), [*args, *keywords.values()])
    y = operations.computed(run, getattr(type(o), name), o, *args, **keywords)
    if not recording.is_followed(o) and not recording.holds_followed(list(args)):
        return recording.keep(y)
    if name in _OWN_VALUE and kind in (float, np.float64) and not args and not keywords:
        word = recording.word(o)
        word = f"{word} + 0.0" if name in ("sum", "mean") else word
        text = f"np.float64({word})" if type(y) is np.float64 else f"float({word})"
        return recording.result(text, y)
    parts = ", ".join(map(recording.word, args))
    return recording.result(f"{recording.word(o)}.{name}({parts})", y)


def _of_array(run: Run, o: Any, name: str, args: Args, keywords: Keywords) -> Any:
    recording = run.recording
    if name in ("__copy__", "__deepcopy__"):
        name, args = "copy", ()
    if name == "fill" and len(args) == 1 and not keywords:
        return operations.setitem(run, o, ..., args[0])
    if name in _WRITING or name.startswith("__"):
        recording.refuse(f"ndarray.{name}")
    _, keywords = _without_out(name, (), keywords)
    if _is_put_somewhere(getattr(np.ndarray, name), keywords):
        recording.refuse(f"{name} with out= or where=")
    args = [_operand(run, arg) for arg in args]
    if name in _COUNTING:
        args, keywords = [*map(_counted, args)], {k: _counted(v) for k, v in keywords.items()}
    _expect_plain(run, getattr(np.ndarray, name), [*args, *keywords.values()])
    if is_number(o) and _SCALAR.get(name) is _scalar_reduction:
        y = _scalar_reduction(run, getattr(np, name), o, *args, **keywords)
        if y is not NotImplemented:
            return y
    if name == "squeeze":
        return _squeezed(run, o, *args, **keywords)
    y = operations.computed(run, getattr(np.ndarray, name), o, *args, **keywords)
    if name == "reshape" and o.ndim and not y.ndim:
        return _squeezed(run, o)
    if name in ("ravel", "flatten", "reshape") and not o.ndim and y.ndim and y.dtype == np.float64:
        return recording.result(f"np.full({y.shape}, {recording.word(o)})", y)
    if o.ndim == 0 and name in ("item", "tolist") and not args:
        return recording.result(f"{type(y).__name__}({recording.word(o)})", y)
    parts = [recording.word(arg) for arg in args]
    parts += [f"{key}={recording.word(value)}" for key, value in keywords.items()]
    return recording.result(f"{recording.word(o)}.{name}({', '.join(parts)})", y)


def _squeezed(run: Run, a: Any, axis: Any = None) -> Any:
    """The text says which axes go: it has the kind of what is left from that."""
    _expect_shape(run, a)
    recording = run.recording
    y = operations.computed(run, np.squeeze, a, axis)
    if y is a or y.ndim == a.ndim:
        return recording.result(f"{recording.word(a)}[...]", y)
    if not y.ndim:
        return recording.result(f"{recording.word(a)}[{', '.join('0' * a.ndim)}]", y)
    given = range(a.ndim) if axis is None else np.atleast_1d(axis)
    gone = tuple(int(at) for at in given if a.shape[at] == 1)
    return recording.result(
        f"np.squeeze({recording.word(a)}, {gone[0] if len(gone) == 1 else gone})", y
    )


_OWN_VALUE = ("copy", "item", "tolist", "conjugate", "conj", "squeeze", "sum", "max", "min", "mean")
"""Methods of a number that give it."""
_TEXT_SEARCH = (re.Pattern, re.Match)
"""Compiled types that never change, of which the methods give what lies in texts."""
_COUNTING = ("diagonal", "repeat", "reshape", "swapaxes", "take", "trace", "transpose")
"""Methods of arrays that are given counts, places and axes alone."""
_WRITING = ("sort", "fill", "resize", "put", "itemset", "partition", "setflags", "setfield",
            "byteswap", "tofile", "dump", "dumps")  # fmt: skip


def _of_fixed(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """A date and the like, or what its method gives: of what is known it is what it was."""
    for arg in (*args, *keywords.values()):
        if type(arg) not in operations.PLAIN or run.recording.is_followed(arg):
            run.recording.refuse(f"{_name_of(fn)} of a {type(arg).__name__}")
    y = fn(*args, **keywords)
    if type(y) in (*INERT, *FIXED, float):
        return run.recording.keep(y)
    return run.recording.fresh(y)


def _of_iterator(run: Run, o: Any, name: str, args: Args) -> Any:
    if name not in ("__next__", "__iter__", "send", "close", "throw"):
        run.recording.refuse(f"{type(o).__name__}.{name}")
    if name == "close":
        run.expect_nothing_left(o)
    return getattr(operations.changed(run, o), name)(*args)


def _text(name: str) -> Callable[..., Any]:
    """A method of texts: of what is known it gives what it gave."""

    def apply(run: Run, o: Any, *args: Any, **keywords: Any) -> Any:
        held = [operations.held(run, arg) for arg in args]
        if name == "join":
            held = [list(operations.iterate(run, args[0]))]
            if type(o) is str and Told in map(type, held[0]):
                if not all(isinstance(part, str) for part in held[0]):
                    run.recording.refuse("join of what is no text")
                return operations.joined(run, *held[0], between=o)
        if type(o) is Told:
            run.recording.refuse(f"{name} of a text that tells a number")
        for arg in (*held, *keywords.values()):
            parts = arg if type(arg) in (list, tuple) else [arg]
            if not all(type(part) in operations.PLAIN for part in parts):
                run.recording.refuse(f"{type(o).__name__}.{name} of what is no text")
            if run.recording.holds_followed(arg):
                run.recording.refuse("a number goes into a text")
        y = getattr(o, name)(*held, **keywords)
        return y if type(y) in INERT else run.recording.fresh(y)

    return apply


def _formatted(run: Run, o: Any, *args: Any, **keywords: Any) -> Any:
    """``str.format`` of texts and numbers."""
    parts = (*args, *keywords.values())
    if type(o) is not str or not all(map(operations.is_text_or_number, parts)):
        run.recording.refuse("str.format of what is no text and no number")
    y = operations.computed(run, o.format, *args, **keywords)
    told = any(run.recording.is_followed(v) or type(v) is Told for v in parts)
    return run.recording.told(y) if told else y


def _changing(name: str) -> Callable[..., Any]:
    """A method that changes a container and looks at none of its items."""

    def apply(run: Run, o: Any, *args: Any, **keywords: Any) -> Any:
        if name in ("insert", "pop", "rotate"):
            _expect_inert(run, getattr(o, name), *args[:1])
        _expect_inert(run, getattr(o, name), *keywords.values())
        if _is_appended(run, name, o):
            return run.writes.append(o, *args)
        return operations.of_base(operations.changed(run, o), name)(*args, **keywords)

    return apply


def _is_appended(run: Run, name: str, o: Any) -> bool:
    """Of a class of one's own ``append`` may be another."""
    is_plain = type(o) is list or type(o) is collections.deque
    return name == "append" and is_plain and run.outside.is_outside(o)


def _filling(name: str) -> Callable[..., Any]:
    """A method that puts all of an iterable into a container."""

    def apply(run: Run, o: Any, v: Any) -> Any:
        put = operations.of_base(o, name)
        if _is_appended(run, name, o):
            put = functools.partial(run.writes.append, o)
        else:
            operations.changed(run, o)
        items = operations.iterate(run, v)
        for each in items if hasattr(type(v), "__next__") else [*items]:  # it may be itself
            put(each)

    return apply


def _copied(run: Run, o: Any) -> Any:
    if operations.base_of(o) not in (type(o), list, dict):  # the copy is of its class
        run.recording.refuse(f"a copy of a {type(o).__name__}")
    return run.recording.fresh(operations.of_base(operations.held(run, o), "copy")())


def _equivalent(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda run, *args, **keywords: run.function(EQUIVALENTS[fn], args, keywords)


def _searched(fn: Any) -> Callable[..., Any]:
    """A method that looks for an item."""

    def apply(run: Run, o: Any, *args: Any) -> Any:
        is_derived = type(o) not in operations.BASES
        items = run.recording.fresh([*operations.iterate_base(run, o)]) if is_derived else o
        return run.function(EQUIVALENTS[fn], [items, *args], {})

    return apply


def _removed(run: Run, o: Any, v: Any) -> Any:
    if type(o) is list:
        return run.function(EQUIVALENTS[list.remove], [o, v], {})
    operations.delete_from_base(run, o, _searched(list.index)(run, o, v))


_VECTORIZED: Any = vectorized


def _vectorized(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """A call of what ``np.vectorize`` has made, if it is asked for nothing else."""
    others = ("otypes", "signature", "excluded", "cache")
    if keywords or any(getattr(fn, name) for name in others):
        run.recording.refuse("np.vectorize with such arguments")
    if run.outside.is_outside(fn):
        head, inner = run.outside.place(fn).head, run.recording.constant(fn.pyfunc)
        asked = " or ".join(f"{head}.{name}" for name in others)
        run.recording.require(f"{head}.pyfunc is {inner} and not ({asked})")
    return run.function(_VECTORIZED, [fn.pyfunc, *args], {})


def _sorted(run: Run, items: Any, **keywords: Any) -> Any:
    """Of a set of texts, or of whole numbers, in whatever order they come."""
    if type(items) in (set, frozenset) and keywords.get("key") is None:
        kinds = {*map(type, items)}
        if not run.outside.is_outside(items) and kinds in ({str}, {int}):
            return run.recording.fresh(sorted(items, **keywords))
    return run.function(EQUIVALENTS[sorted], [items], keywords)


def _sort(run: Run, o: Any, *, key: Any = None, reverse: bool = False) -> None:
    operations.changed(run, o)
    items = run.recording.fresh([*operations.iterate_base(run, o)])
    made = run.function(EQUIVALENTS[sorted], [items], {"key": key, "reverse": reverse})
    list.__setitem__(o, slice(None), made)


def _keyed(name: str, *, writes: bool) -> Callable[..., Any]:
    """A method of a dict that is given a key."""

    def apply(run: Run, o: Any, key: Any, *default: Any) -> Any:
        operations.check_key(run, key)
        if writes:
            if name == "setdefault" and operations.contains_of_base(run, o, key):
                return operations.item_of_base(run, o, key)
            return operations.of_base(operations.changed(run, o), name)(key, *default)
        if operations.contains_of_base(run, o, key):
            return operations.item_of_base(run, o, key)
        return default[0] if default else None

    return apply


def _updated(run: Run, o: Any, *given: Any, **more: Any) -> None:
    """``update`` of the compiled class that the class of ``o`` is, or is derived from."""
    operations.changed(run, o)
    is_ordered = isinstance(o, collections.OrderedDict)  # it asks for ``__setitem__``
    if is_ordered:
        put = functools.partial(operations.setitem, run, o)
    else:
        put = functools.partial(dict.__setitem__, o)
    for each in given:
        for key, value in _pairs(run, each):
            operations.check_key(run, key)
            put(key, value)
    for key, value in more.items():
        put(key, value)


def _pairs(run: Run, v: Any) -> Iterator[Any]:
    """What a dict is filled from."""
    if operations.is_mapping(run, v):
        return iter(dict(operations.held(run, v)).items())
    if isinstance(v, dict) or operations.special(run, v, "keys") is not None:
        run.recording.refuse(f"a dict is filled from a {type(v).__name__}")
    return (operations.iterate(run, pair) for pair in operations.iterate(run, v))


def _view(name: str) -> Callable[..., Any]:
    return lambda run, o: run.recording.fresh(operations.of_base(operations.held(run, o), name)())


def _set_method(name: str) -> Callable[..., Any]:
    def apply(run: Run, o: Any, *args: Any) -> Any:
        if name in _CHANGING_SETS:
            operations.changed(run, o)
        if name == "pop":
            operations.iterate_base(run, o)  # only where the order is the same in every run
        if name in ("discard", "remove", "pop", "clear"):
            run.recording.shrunk.add(id(o))
        held = [_items_for_set(run, arg) if name in _WHOLE else arg for arg in args]
        for arg in held:
            operations.check_key(run, tuple(arg) if name in _WHOLE else arg)
        own = run.outside.as_items(o) if name in _QUESTIONS else operations.held(run, o)
        y = operations.of_base(own, name)(*held)
        if name in _CHANGING_SETS and any(isinstance(arg, (set, frozenset)) for arg in held):
            run.recording.exact.discard(id(o))
        return y if type(y) in INERT else operations.with_order(run, y, o, *held)

    return apply


def _items_for_set(run: Run, v: Any) -> Any:
    """What a method of a set goes through: a set that the run has made in whatever order."""
    if type(v) in (set, frozenset) and not run.outside.is_outside(v):
        return v
    return list(operations.iterate(run, v))


_UPDATING = ("update", "difference_update", "intersection_update", "symmetric_difference_update")
_CHANGING_SETS = ("add", "discard", "remove", "pop", "clear", *_UPDATING)
_QUESTIONS = ("issubset", "issuperset", "isdisjoint")
_WHOLE = (*_UPDATING, *_QUESTIONS, "union", "intersection", "difference",
          "symmetric_difference")  # fmt: skip

_OF_ITEMS: Table = {
    "__contains__": operations.contains_of_base, "__getitem__": operations.item_of_base,
    "__setitem__": operations.put_in_base, "__delitem__": operations.delete_from_base,
    "__len__": operations.length_of_base,
    "__iter__": lambda run, o: run.recording.fresh(operations.iterate_base(run, o)),
}  # fmt: skip
"""What a class that is derived from a container finds in it by ``super()``."""
_LIST: Table = {
    **{name: _changing(name) for name in ("append", "insert", "pop", "reverse", "clear")},
    "extend": _filling("append"), "copy": _copied, "sort": _sort,
    "index": _searched(list.index), "count": _searched(list.count),
    "remove": _removed,
    **_OF_ITEMS,
}  # fmt: skip
_DEQUE: Table = {
    **{name: _changing(name) for name in (
        "append", "appendleft", "pop", "popleft", "reverse", "clear", "rotate", "insert")},
    "extend": _filling("append"), "extendleft": _filling("appendleft"), "copy": _copied,
    **_OF_ITEMS,
}  # fmt: skip
_DICT: Table = {
    "get": _keyed("get", writes=False), "pop": _keyed("pop", writes=True),
    "setdefault": _keyed("setdefault", writes=True), "update": _updated,
    "keys": _view("keys"), "values": _view("values"), "items": _view("items"), "copy": _copied,
    "clear": _changing("clear"), "popitem": _changing("popitem"),
    **_OF_ITEMS,
}  # fmt: skip
_ORDERED: Table = {
    **_DICT,
    "move_to_end": lambda run, o, key, last=True: operations.changed(run, o).move_to_end(key, last),
}
_TUPLE: Table = {"index": _searched(list.index), "count": _searched(list.count), **_OF_ITEMS}
_OF_UFUNCS: dict[Any, Callable[..., Any]] = {
    (np.add, "reduce"): np.sum, (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max, (np.minimum, "reduce"): np.min,
    (np.add, "accumulate"): np.cumsum, (np.multiply, "accumulate"): np.cumprod,
}  # fmt: skip
"""What methods of ufuncs are called elsewhere; there they go along the first axis, if none is told.
"""


def _reduced_by(name: str) -> Callable[..., Any]:
    def apply(run: Run, ufunc: Any, a: Any, axis: Any = 0, *more: Any, **keywords: Any) -> Any:
        found = _OF_UFUNCS.get((ufunc, name))
        if found is None or more or not keywords.keys() <= {"keepdims"}:
            return _of_ufunc(name)(run, ufunc, a, axis, *more, **keywords)
        return call(run, found, [a], {"axis": axis, **keywords})

    return apply


def _outer(run: Run, ufunc: Any, a: Any, b: Any, **keywords: Any) -> Any:
    """Of each entry of the one with each of the other, as broadcasting has it."""
    if keywords or not (is_array(a) and is_array(b)):
        return _of_ufunc("outer")(run, ufunc, a, b, **keywords)
    return call(run, ufunc, [operations.getitem(run, a, (..., *[None] * b.ndim)), b], {})


def _of_ufunc(name: str) -> Callable[..., Any]:
    """A method of a ufunc of NumPy's or SciPy's as it stands."""

    def apply(run: Run, ufunc: Any, *args: Any, **keywords: Any) -> Any:
        _, keywords = _without_out(ufunc, (), keywords)
        if {"out", "where"} & keywords.keys() or id(ufunc) in CUSTOM or lookup(ufunc) is None:
            run.recording.refuse(f"{ufunc.__name__}.{name} with such arguments")
        given = [_operand(run, arg) for arg in args]
        _expect_plain(run, ufunc, [*given, *keywords.values()])
        y = operations.computed(run, getattr(ufunc, name), *given, **keywords)
        if not run.recording.holds_followed(given):
            return run.recording.keep(y)
        parts = [_word_for(run, ufunc, arg) for arg in given]
        parts += [f"{word}={run.recording.word(value)}" for word, value in keywords.items()]
        text = f"{_spelled(run, ufunc)}.{name}({', '.join(parts)})"
        made = run.recording.result(text, y, again=True)
        operations.expect_kind(run, made)
        return made

    return apply


def _is_in_turn(a: Any, places: Any, b: Any) -> bool:
    """Are there places along one axis, and one number or one for each?"""
    is_row = is_array(places) and places.ndim == 1 and places.dtype == np.int64
    return is_row and a.ndim == 1 and np.shape(b) in ((), (len(places),))


def _added_at(run: Run, ufunc: Any, a: Any, indices: Any, b: Any = 0.0) -> None:
    """``np.add.at`` and ``np.subtract.at`` of an array that the run has made."""
    given = _operand(run, indices)
    _expect_plain(run, ufunc, given if type(given) is tuple else (given,))
    if type(b) in NUMBERS and run.recording.written_apart(a, given, b):
        return operations.computed(run, ufunc.at, a, given, b)  # type: ignore[no-any-return]
    fits = is_array(a) and a.dtype == np.float64 and type(b) in NUMBERS
    if fits and ufunc in (np.maximum, np.minimum) and _is_in_turn(a, given, b):
        call(run, put_in_turn, [ufunc, a, given, b], {})
        return
    if ufunc not in (np.add, np.subtract) or not fits:
        run.recording.refuse(f"{ufunc.__name__}.at with such arguments")
    operations.expect_own(run, a)
    sign = "-" if ufunc is np.subtract else ""
    words = run.recording.word(a), run.recording.word(given), sign + run.recording.word(b)
    operations.computed(run, ufunc.at, a, given, b)
    by_value.put_whole(run.recording, a, f"{run.recording.constant(added_at)}({', '.join(words)})")


def _joined(fn: Any) -> Callable[..., Any]:
    """Lists of numbers among what is joined are arrays first."""

    def apply(run: Run, parts: Any, *args: Any, **keywords: Any) -> Any:
        if type(parts) in (list, tuple):
            whole = [
                call(run, np.array, [part], {}) if type(part) in (list, tuple) and part else part
                for part in operations.iterate(run, parts)
            ]
            parts = run.recording.fresh(whole)
        return _leaf(run, fn, (parts, *args), keywords)

    return apply


_METHODS: dict[Any, Table] = {
    str: {name: _text(name) for name in dir(str) if not name.startswith("_")},
    bytes: {name: _text(name) for name in dir(bytes) if not name.startswith("_")},
    list: _LIST, tuple: _TUPLE, collections.deque: _DEQUE,
    collections.OrderedDict: _ORDERED, collections.defaultdict: _DICT, dict: _DICT,
    set: {name: _set_method(name) for name in dir(set) if not name.startswith("_")},
    frozenset: {name: _set_method(name) for name in dir(frozenset) if not name.startswith("_")},
    np.ufunc: {"reduce": _reduced_by("reduce"), "accumulate": _reduced_by("accumulate"),
               "reduceat": _of_ufunc("reduceat"), "outer": _outer,
               "at": _added_at},
}  # fmt: skip
for _kind in (set, frozenset):
    _METHODS[_kind] = {**_METHODS[_kind], **_OF_ITEMS}
_METHODS[str]["format"] = _formatted
del _METHODS[str]["format_map"]


# --- classes


def _construct(run: Run, cls: Any, args: Args, keywords: Keywords) -> Any:
    recording = run.recording
    known = _CLASSES.get(cls)
    if known is not None:
        return known(run, *args, **keywords)
    if cls in FIXED:
        return _of_fixed(run, cls, args, keywords)
    if cls is type and len(args) == 1:
        return str if type(args[0]) is Told else type(without_wholes(args[0]))
    if issubclass(cls, enum.Enum) and len(args) == 1 and type(args[0]) is cls:
        return args[0]
    if issubclass(cls, enum.Enum):
        if recording.holds_followed(list(args)) or not all(type(a) in INERT for a in args):
            recording.refuse("an Enum is looked up")
        return cls(*args)
    meta = type(cls)
    if meta is not type and meta is not abc.ABCMeta:
        made = attributes.in_class(run, meta, "__call__")
        if made is not type.__call__:
            recording.refuse(f"a class with a metaclass ({meta.__name__})")
    new, init = attributes.in_class(run, cls, "__new__"), attributes.in_class(run, cls, "__init__")
    new = new.__func__ if type(new) is staticmethod else new
    if isinstance(new, types.FunctionType):
        made = call(run, new, [cls, *args], keywords)
        if not isinstance(made, cls):
            return made
    elif new is object.__new__:
        made = recording.fresh(object.__new__(cls))
    elif issubclass(cls, BaseException) or new in _PLAIN_NEW:
        made = _new(run, cls, new, args)
    else:
        recording.refuse(f"{cls.__name__} is made in compiled code")
    if isinstance(init, types.FunctionType):
        call(run, init, [made, *args], keywords)
    elif init is object.__init__:
        if (args or keywords) and new is object.__new__:
            cls(*args, **keywords)  # Python's own error
    elif issubclass(cls, BaseException) or init in _FILLING:
        _filled_by_base(run, made, args, keywords)
    else:
        recording.refuse(f"{cls.__name__} is filled in compiled code")
    return made


def _filled_by_base(run: Run, o: Any, args: Args, keywords: Keywords) -> None:
    """``__init__`` of the compiled class that the class of ``o`` is derived from."""
    if isinstance(o, BaseException):
        if keywords:
            run.recording.refuse("an exception with keywords")
        BaseException.__init__(o, *args)
    elif isinstance(o, collections.defaultdict):
        collections.defaultdict.__init__(o, *args[:1])
        _updated(run, o, *args[1:], **keywords)
    elif isinstance(o, dict):
        _updated(run, o, *args, **keywords)
    elif isinstance(o, list):
        list.__init__(o, [operations.iterate(run, arg) for arg in args][0] if args else [])
    elif isinstance(o, collections.deque):
        items = _deque(run, *args, **keywords)
        collections.deque.__init__(o, items, items.maxlen)
    elif isinstance(o, set):
        items = _set_of(run, set, *args)
        set.__init__(o, items)
        if not items:
            operations.with_order(run, o)


_PLAIN_NEW = (
    list.__new__,
    dict.__new__,
    tuple.__new__,
    set.__new__,
    collections.deque.__new__,
    collections.OrderedDict.__new__,
    collections.defaultdict.__new__,
)
_FILLING = tuple(base.__init__ for base in operations.BASES if base not in (tuple, frozenset))


def _new(run: Run, cls: Any, new: Any, args: Args) -> Any:
    if new is tuple.__new__:
        return run.recording.fresh(new(cls, *[list(operations.iterate(run, arg)) for arg in args]))
    if new in _PLAIN_NEW:
        return run.recording.fresh(new(cls))
    return run.recording.fresh(new(cls, *args))


def _complex(cls: type) -> Callable[..., Any]:
    """Of numbers, and of arrays without axes."""

    def make(run: Run, *args: Any) -> Any:
        recording = run.recording
        if not all(type(v) in NUMBERS or (is_array(v) and v.ndim == 0) for v in args):
            recording.refuse(f"{cls.__name__} of what is no number")
        y = operations.computed(run, cls, *args)
        if not any(map(recording.is_followed, args)):
            return recording.keep(y)
        name = "complex" if cls is complex else f"np.{cls.__name__}"
        return recording.result(f"{name}({', '.join(map(recording.word, args))})", y)

    return make


def _float(run: Run, *args: Any) -> Any:
    v = args[0] if args else 0.0
    if type(v) is float:
        return v
    if type(v) in NUMBERS or type(v) is Whole:
        y = operations.computed(run, float, v)
        if run.recording.is_followed(v):
            return run.recording.result(f"float({run.recording.word(v)})", y)
        return y
    if type(v) is str:
        return run.recording.keep(float(v))
    found = operations.special(run, v, "__float__")
    if not operations.is_python(found):
        run.recording.refuse(f"float of a {type(v).__name__}")
    return _exactly(run, float, run.call(found, v))


def _exactly(run: Run, kind: type, y: Any) -> Any:
    """What a conversion of the user's gives; Python warns of a subclass, and refuses others."""
    if type(y) is not kind and not (kind is int and type(y) is Whole):
        run.recording.refuse(f"a conversion to {kind.__name__} that gives {type(y).__name__}")
    return y


def _whole(kind: Any) -> Callable[..., Any]:
    """``int``, ``bool``: a question about a number."""

    def apply(run: Run, *args: Any) -> Any:
        v = args[0] if args else 0
        if kind is bool:
            return run.truth(v)
        if type(v) is Whole and len(args) == 1:
            return v
        if type(v) in NUMBERS:
            _expect_plain(run, kind, args)
            y = operations.computed(run, kind, *args)
            if run.recording.is_followed(v):
                run.recording.expect(f"int({run.recording.word(v)})", y)
            return y
        if type(v) is str:
            return kind(*args)
        found = operations.special(run, v, "__int__")
        if not operations.is_python(found):
            run.recording.refuse(f"{kind.__name__} of a {type(v).__name__}")
        return _exactly(run, int, run.call(found, v))

    return apply


def _container(kind: Any) -> Callable[..., Any]:
    def apply(run: Run, *args: Any) -> Any:
        if kind in (set, frozenset):
            return _set_of(run, kind, *args)
        items = list(operations.iterate(run, args[0])) if args else []
        if kind is tuple and args and type(args[0]) is tuple:
            return args[0]
        return run.recording.fresh(kind(items) if kind is not list else items)

    return apply


def _set_of(run: Run, kind: Any, *args: Any) -> Any:
    if not args:
        return operations.with_order(run, kind())
    (v,) = args
    if type(v) is kind is frozenset:
        return v
    items = operations.held(run, v) if type(v) is dict else _items_for_set(run, v)
    operations.check_key(run, tuple(items))
    return operations.with_order(run, kind(items), items)


def _deque(run: Run, v: Any = (), maxlen: Any = None) -> Any:
    _expect_inert(run, collections.deque, maxlen)
    return run.recording.fresh(collections.deque(operations.iterate(run, v), maxlen))


def _dict(kind: Any) -> Callable[..., Any]:
    def apply(run: Run, *args: Any, **keywords: Any) -> Any:
        if kind is collections.defaultdict:
            made = run.recording.fresh(kind(args[0] if args else None))
            args = args[1:]
        else:
            made = run.recording.fresh(kind())
        _updated(run, made, *args, **keywords)
        return made

    return apply


def _zip(run: Run, *args: Any, **keywords: Any) -> Any:
    drawn = [operations.iterate(run, arg) for arg in args]
    strict = bool(keywords.get("strict", False))
    return run.recording.fresh(zip(*drawn, strict=strict))


def _enumerate(run: Run, v: Any, start: int = 0) -> Any:
    _expect_inert(run, enumerate, start)
    return run.recording.fresh(enumerate(operations.iterate(run, v), start))


def _reversed(run: Run, v: Any) -> Any:
    if is_array(v):
        count = operations.length(run, v)
        return run.recording.fresh(
            operations.getitem(run, v, at) for at in range(count - 1, -1, -1)
        )
    if type(v) in (list, tuple, range, str, collections.deque, *operations.MAPPINGS):
        return run.recording.fresh(reversed(operations.held(run, v)))
    found = operations.special(run, v, "__reversed__")
    if operations.is_of_base(v, "__reversed__", found):
        return run.recording.fresh(found(operations.changed(run, v)))
    if not operations.is_python(found):
        run.recording.refuse(f"reversed of a {type(v).__name__}")
    return run.call(found, v)


def _str(run: Run, v: Any = "") -> Any:
    if type(v) is str or type(v) is Told:
        return v
    if operations.is_text_or_number(v):
        return run.recording.told(str(v)) if run.recording.is_followed(v) else str(v)
    found = operations.special(run, v, "__str__")
    if operations.is_python(found):
        return run.call(found, v)
    if found is object.__str__:
        return _repr(run, v)
    if found is BaseException.__str__ and len(v.args) < 2:
        return _str(run, *v.args)
    run.recording.refuse(f"the text of a {type(v).__name__}")


def _repr(run: Run, v: Any) -> Any:
    found = operations.special(run, v, "__repr__")
    if operations.is_python(found):
        return run.call(found, v)
    if not operations.is_text_or_number(v) or type(v) is Told:
        run.recording.refuse(f"the text of a {type(v).__name__}")
    return run.recording.told(repr(v)) if run.recording.is_followed(v) else repr(v)


def _super(run: Run, *args: Any) -> Any:
    return run.recording.fresh(super(*args))


def _range(run: Run, *args: Any) -> Any:
    args = tuple(map(without_wholes, args))
    _expect_inert(run, range, *args)
    return range(*args)


def _drawn(fn: Any) -> Callable[..., Any]:
    """An iterator over the items of its first argument, which asks for counts besides."""

    def apply(run: Run, v: Any, *counts: Any) -> Any:
        _expect_inert(run, fn, *counts)
        return run.recording.fresh(fn(operations.iterate(run, v), *counts))

    return apply


def _count(run: Run, *args: Any) -> Any:
    _expect_inert(run, itertools.count, *args)
    return run.recording.fresh(itertools.count(*args))


def _repeat(run: Run, v: Any, *times: Any) -> Any:
    _expect_inert(run, itertools.repeat, *times)
    return run.recording.fresh(itertools.repeat(v, *times))


def _integer(cls: Any) -> Callable[..., Any]:
    """An integer of NumPy's, of a whole number."""

    def make(run: Run, v: Any = 0) -> Any:
        _expect_inert(run, cls, v)
        return cls(v)

    return make


def _product(run: Run, *args: Any, repeat: Any = 1) -> Any:
    _expect_inert(run, itertools.product, repeat)
    drawn = [operations.iterate(run, arg) for arg in args]
    return run.recording.fresh(itertools.product(*drawn, repeat=repeat))


def _getter(kind: Any) -> Callable[..., Any]:
    def apply(run: Run, *asked: Any) -> Any:
        _expect_inert(run, kind, *asked)
        return run.recording.fresh(kind(*asked))

    return apply


def _errstate(run: Run, **keywords: Any) -> Any:
    """Warnings of NumPy put off: what is recorded runs without them."""
    if not set(keywords.values()) <= {"ignore", "warn"}:
        run.recording.refuse("np.errstate that raises")
    run.recording.quiet = True
    return run.recording.fresh(np.errstate(**keywords))


def _catch_warnings(run: Run, **keywords: Any) -> Any:
    if keywords.get("record"):
        _strict(run)
    run.recording.quiet = True
    return run.recording.fresh(warnings.catch_warnings(**keywords))


def _filter(run: Run, action: str, *args: Any, **keywords: Any) -> None:
    """A filter of warnings, which is undone: where a warning is an error, NumPy raises too."""
    if not run.catching:
        run.recording.refuse("a filter of warnings that stays")
    if action not in ("ignore", "default", "always", "once", "module"):
        _strict(run)


def _strict(run: Run) -> None:
    run.recording.strict = True
    np.seterr(divide="raise", over="raise", invalid="raise")  # undone after the run


def _enter_or_leave(run: Run, fn: Any, args: Args) -> Any:
    if type(fn.__self__) is np.errstate:
        return fn(*args)
    run.catching += 1 if fn.__name__ == "__enter__" else -1
    return run.recording.fresh([]) if fn.__self__._record else None


_SETTINGS = (np.errstate, warnings.catch_warnings)


def _limits(kind: Any) -> Callable[..., Any]:
    """``np.finfo``, ``np.iinfo``: of a type, or of that of a number."""

    def apply(run: Run, v: Any) -> Any:
        if type(v) in NUMBERS:
            v = v.dtype if is_array(v) else type(v)
        if not isinstance(v, np.dtype) and type(v) is not type and type(v) is not str:
            run.recording.refuse(f"np.{kind.__name__} of a {type(v).__name__}")
        return run.recording.fresh(kind(v))

    return apply


_CLASSES: dict[Any, Callable[..., Any]] = {
    np.finfo: _limits(np.finfo), np.iinfo: _limits(np.iinfo),
    float: _float, complex: _complex(complex), np.complex128: _complex(np.complex128),
    int: _whole(int), bool: _whole(bool), str: _str, list: _container(list),
    tuple: _container(tuple), set: _container(set), frozenset: _container(frozenset),
    dict: _dict(dict), collections.OrderedDict: _dict(collections.OrderedDict),
    collections.defaultdict: _dict(collections.defaultdict), collections.deque: _deque,
    zip: _zip, enumerate: _enumerate, reversed: _reversed, super: _super, range: _range,
    slice: lambda run, *parts: slice(*parts),
    np.dtype: lambda run, what: run.recording.keep(np.dtype(what)),
    functools._lru_cache_wrapper: lambda run, *args: run.recording.fresh(
        functools._lru_cache_wrapper(*args)
    ),
    types.SimpleNamespace: lambda run, **keywords: run.recording.fresh(
        types.SimpleNamespace(**keywords)
    ),
    object: lambda run: run.recording.fresh(object()),
    types.MethodType: lambda run, fn, o: run.recording.fresh(types.MethodType(fn, o)),
    functools.partial: lambda run, fn, *args, **keywords: run.recording.fresh(
        functools.partial(fn, *args, **keywords)
    ),
    property: lambda run, *args: run.recording.fresh(property(*args)),
    operator.itemgetter: _getter(operator.itemgetter),
    operator.attrgetter: _getter(operator.attrgetter),
    itertools.groupby: _equivalent(itertools.groupby),
    np.ndindex: _equivalent(np.ndindex), np.ndenumerate: _equivalent(np.ndenumerate),
    map: _equivalent(map), filter: _equivalent(filter),
    itertools.accumulate: _equivalent(itertools.accumulate),
    itertools.chain: _equivalent(itertools.chain),
    itertools.takewhile: _equivalent(itertools.takewhile),
    itertools.dropwhile: _equivalent(itertools.dropwhile),
    itertools.starmap: _equivalent(itertools.starmap),
    itertools.pairwise: _equivalent(itertools.pairwise),
    itertools.compress: _equivalent(itertools.compress),
    itertools.cycle: _equivalent(itertools.cycle),
    itertools.zip_longest: _equivalent(itertools.zip_longest),
    itertools.count: _count, itertools.repeat: _repeat, itertools.product: _product,
    itertools.islice: _drawn(itertools.islice),
    itertools.combinations: _drawn(itertools.combinations),
    itertools.combinations_with_replacement: _drawn(itertools.combinations_with_replacement),
    itertools.permutations: _drawn(itertools.permutations),
    **{cls: _integer(cls) for cls in (np.int64, np.int32, np.bool_)},
    random.Random: draws.seeded(random.Random),
    np.random.RandomState: draws.seeded(np.random.RandomState),
    np.errstate: _errstate, warnings.catch_warnings: _catch_warnings,
}  # fmt: skip


# --- builtin functions


def _abs(run: Run, v: Any) -> Any:
    if type(v) in NUMBERS:
        y = abs(v)
        if run.recording.is_followed(v):
            return run.recording.result(f"abs({run.recording.word(v)})", y)
        return run.recording.keep(y)
    found = operations.special(run, v, "__abs__")
    if not operations.is_python(found):
        run.recording.refuse(f"abs of a {type(v).__name__}")
    return run.call(found, v)


def _extreme(fn: Any) -> Callable[..., Any]:
    """``max`` and ``min``: of numbers one line, of all else the comparisons."""

    def apply(run: Run, *args: Any, **keywords: Any) -> Any:
        items = list(operations.iterate(run, args[0])) if len(args) == 1 else list(args)
        numbers = items and all(type(v) in NUMBERS and type(v) is not np.ndarray for v in items)
        if numbers and not keywords:
            y = operations.computed(run, fn, items)
            if not any(map(run.recording.is_followed, items)):
                return y
            if len(items) == 1:
                return items[0]
            run.recording.mixed = run.recording.mixed or len({*map(type, items)}) > 1
            words = ", ".join(map(run.recording.word, items))
            return run.recording.result(f"{fn.__name__}({words})", y, again=True)
        return run.function(EQUIVALENTS[fn], [run.recording.fresh(items)], keywords)

    return apply


def _rounded(run: Run, v: Any, *digits: Any) -> Any:
    if type(v) not in NUMBERS:
        found = operations.special(run, v, "__round__")
        if not operations.is_python(found):
            run.recording.refuse(f"round of a {type(v).__name__}")
        return run.call(found, v, *digits)
    _expect_plain(run, round, digits)
    y = operations.computed(run, round, v, *digits)
    if not run.recording.is_followed(v):
        return y
    words = ", ".join(map(run.recording.word, (v, *digits)))
    return run.recording.result(f"round({words})", y)


def _divmod(run: Run, a: Any, b: Any) -> Any:
    parts = operations.binary(run, "floordiv", a, b), operations.binary(run, "mod", a, b)
    return run.recording.fresh(parts)


def _pow(run: Run, base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is not None:
        if any(map(run.recording.is_followed, (base, exp, mod))):
            run.recording.refuse("pow with a modulus")
        return pow(base, exp, mod)
    return operations.binary(run, "pow", base, exp)


def _isinstance(run: Run, o: Any, kinds: Any) -> bool:
    return _asked(run, isinstance, o, kinds)


def _issubclass(run: Run, cls: Any, kinds: Any) -> bool:
    return _asked(run, issubclass, cls, kinds)


_ALIAS: Any = type(typing.Sequence)
"""Of names of `typing` that stand for classes of `collections.abc` and the like."""


def _asked(run: Run, ask: Any, o: Any, kinds: Any) -> bool:
    o = without_wholes(o)
    cls = o if isinstance(o, type) and ask is issubclass else type(o)
    attributes.expect_order(run, cls)
    each = operations.held(run, kinds) if type(kinds) is tuple else [kinds]
    for kind in each:
        if type(kind) is tuple:
            if _asked(run, ask, o, kind):
                return True
            continue
        if isinstance(kind, types.UnionType):
            if _asked(run, ask, o, kind.__args__):
                return True
            continue
        if type(kind) is _ALIAS:  # it asks for the class of the object, whatever that says it is
            if _asked(run, issubclass, cls, kind.__origin__):
                return True
            continue
        check = attributes.in_class(run, type(kind), f"__{ask.__name__[2:]}check__")
        if isinstance(check, types.FunctionType) and type(kind) is not abc.ABCMeta:
            run.recording.refuse("a class that is asked what is its own")
        answer = ask(o, kind)
        if type(kind) is abc.ABCMeta:  # more classes may be registered later
            asked = run.recording.constant(o if ask is issubclass else type(o))
            name = run.recording.constant(kind)
            run.recording.require(f"issubclass({asked}, {name}) is {answer}")
        if answer:
            return True
    return False


def _vars(run: Run, o: Any) -> Any:
    return attributes.attribute(run, o, "__dict__")


def _hasattr(run: Run, o: Any, name: str) -> bool:
    if is_array(o) or type(o) in NUMBERS:
        return hasattr(o, name)
    return attributes.attribute(run, o, name, _ABSENT) is not _ABSENT


_ABSENT = object()


def _next(run: Run, v: Any, *default: Any) -> Any:
    if type(v) in operations.LAZY or type(v).__module__ == "itertools":
        return next(operations.changed(run, v), *default)
    found = operations.special(run, v, "__next__")
    if not operations.is_python(found):
        run.recording.refuse(f"next of a {type(v).__name__}")
    try:
        return run.call(found, v)
    except StopIteration:
        if default:
            return default[0]
        raise


def _iter(run: Run, v: Any, *sentinel: Any) -> Any:
    if sentinel:
        run.recording.refuse("iter with a sentinel")
    found = operations.iterate(run, v)
    return found if found is v else run.recording.fresh(found)


def _sum(run: Run, v: Any, start: Any = 0) -> Any:
    """One addition after the other; where Python adds floats more exactly, a line that does so."""
    items = list(operations.iterate(run, v))
    numbers = all(type(each) in NUMBERS for each in (*items, start))
    if not numbers or _IN_ORDER or not any(type(each) is float for each in (*items, start)):
        return _added(run, items, start)
    y = operations.computed(run, sum, items, start)
    if not run.recording.holds_followed([*items, start]):
        return run.recording.keep(y)
    words = ", ".join(map(run.recording.word, items))
    begin = "" if type(start) is int and start == 0 else f", {run.recording.word(start)}"
    return run.recording.result(f"sum([{words}]{begin})", y, again=True)


def _multiplied(run: Run, v: Any, *, start: Any = 1) -> Any:
    """``math.prod``: one product after the other; 1 times a float is that."""
    y = start
    for item in list(operations.iterate(run, v)):
        is_first = type(y) is int and y == 1 and type(item) in (float, np.float64)
        y = item if is_first else operations.binary(run, "mul", y, item)
    return y


def _multi_dot(run: Run, arrays: Any, **keywords: Any) -> Any:
    """Of matrices: one product after the other, in the order that takes the fewest."""
    items = list(operations.iterate(run, arrays))
    if keywords or len(items) < 2 or not all(is_array(each) and each.ndim == 2 for each in items):
        return _leaf(run, np.linalg.multi_dot, [arrays], keywords)

    def product(order: Any) -> Any:
        if type(order) is int:
            return items[order]
        return operations.binary(run, "matmul", *map(product, order))

    return product(cheapest_order(tuple([each.shape for each in items])))


def _added(run: Run, items: Sequence[Any], total: Any) -> Any:
    for item in items:
        total = operations.binary(run, "add", total, item)
    return total


_IN_ORDER = sum([1e16, 1.0, 1.0, -1e16]) == 0.0
"""Before Python 3.12 `sum` adds one float after the other."""


_OBJECT: dict[str, Callable[..., Any]] = {
    "__setattr__": attributes.put,
    "__init__": lambda run, o, *args, **keywords: _filled_by_base(run, o, args, keywords),
    "__getattribute__": attributes.attribute,
    "__len__": operations.length,
    "__iter__": lambda run, o: _iter(run, o),
    "__eq__": lambda run, a, b: operations.compare(run, "eq", a, b),
}  # fmt: skip


def _callable(run: Run, v: Any) -> bool:
    if is_made_by_class(type(v)) and not isinstance(v, type):
        return attributes.in_class(run, type(v), "__call__") is not None
    return callable(v)


def _bare(run: Run, cls: Any, *args: Any) -> Any:
    return run.recording.fresh(object.__new__(cls))


def _place(run: Run, a: Any, mask: Any, values: Any) -> None:
    """``np.place`` and ``np.putmask`` of one value, or of one for each place: an assignment by a
    mask, which fails where there is another count of places another time.
    """
    if is_array(a) and a.ndim == 0 and np.ndim(mask) == 0:
        if run.truth(mask):
            at = (0,) * np.ndim(values)
            operations.setitem(run, a, (), operations.getitem(run, values, at) if at else values)
        return
    if not is_array(a) or not is_array(mask):
        run.recording.refuse("np.place of other than an array by an array")
    if mask.dtype != bool:
        mask = operations.compare(run, "ne", mask, 0)
    is_of_each = np.ndim(values) == 1 and np.size(values) == np.count_nonzero(mask)
    if mask.shape != a.shape or not (np.size(values) == 1 or is_of_each):
        run.recording.refuse("np.place of several values")
    _expect_shape(run, values)
    if is_array(values) and np.size(values) == 1 and values.ndim:
        values = operations.getitem(run, values, (0,) * values.ndim)
    operations.setitem(run, a, mask, values)


def _broadcast_shapes(run: Run, *shapes: Any) -> Any:
    for each in shapes:
        _expect_inert(run, np.broadcast_shapes, *(each if type(each) is tuple else (each,)))
    return run.recording.fresh(np.broadcast_shapes(*shapes))


def _of_shape(fn: Any) -> Callable[..., Any]:
    """Of an array its attribute; a number has none."""

    def apply(run: Run, a: Any, *args: Any, **keywords: Any) -> Any:
        if is_array(a) and not args and not keywords:
            return run.attribute(a, fn.__name__)
        if type(a) in NUMBERS and not is_array(a):
            return fn(a, *args, **keywords)
        return _leaf(run, fn, [a, *args], keywords)

    return apply


def _resume(run: Run, v: Any, sent: Any) -> Any:
    if sent is None:
        return _next(run, v)
    return resume(operations.changed(run, v), sent)


def _format(run: Run, v: Any, spec: str = "") -> Any:
    return operations.operate(run, "format", (v, None, spec), {})


def _pure(fn: Any) -> Callable[..., Any]:
    """A function of texts and whole numbers that gives the same for the same."""

    def apply(run: Run, *args: Any, **keywords: Any) -> Any:
        for v in (*args, *keywords.values()):
            if type(v) not in (*INERT, re.Pattern, re.RegexFlag):
                run.recording.refuse(f"{_name_of(fn)} of a {type(v).__name__}")
        return _owned(run, fn(*args, **keywords))

    return apply


def _owned(run: Run, y: Any) -> Any:
    """What the run has made, with all that is in it."""
    if type(y) in INERT:
        return y
    if type(y) in (list, tuple, dict):
        for part in y.values() if type(y) is dict else y:
            _owned(run, part)
    return run.recording.fresh(y)


def _id(run: Run, o: Any) -> int:
    """Of what is one object for ever. Of one that the run has made the number is another in each
    run, and all that may be asked is which object it is of.
    """
    outside = run.outside
    if not outside.is_outside(o) and is_made_by_class(type(o)):
        return Ident(id(o))
    if (
        not isinstance(o, SAME)
        or isinstance(o, types.MethodType)
        or not outside.is_outside(o)
        or not outside.place(o).fixed
    ):
        run.recording.refuse("the id of an object")
    return id(o)


def _recursion_limit(run: Run) -> int:
    limit, asked = sys.getrecursionlimit(), run.recording.constant(sys.getrecursionlimit)
    run.recording.require(f"{asked}() == {limit}")
    return limit


def _named_tuple(run: Run, name: Any, fields: Any, **keywords: Any) -> Any:
    """A class of its own in each run; all of them do the same."""
    given = operations.held(run, fields)
    _expect_inert(run, collections.namedtuple, name, *keywords.values())
    if type(given) is not str and not all(type(each) is str for each in given):
        run.recording.refuse("a named tuple whose names are no texts")
    return run.recording.fresh(collections.namedtuple(name, given, **keywords))


def _signature(run: Run, fn: Any, *, asked: Callable[[Any], Any]) -> Any:
    """Of a function that is the same in every run: so is what it tells."""
    if not (type(fn) in SAME and run.outside.is_outside(fn) and run.outside.place(fn).fixed):
        run.recording.refuse("the signature of a function that may be another")
    return run.recording.keep(asked(fn))


def _exception(run: Run) -> Any:
    """What is handled just now."""
    return run.caught[-1] if run.caught else None


def _exc_info(run: Run) -> Any:
    if (error := _exception(run)) is None:
        return None, None, None
    return run.recording.fresh((type(error), error, error.__traceback__))


def _of_inert(fn: Any) -> Callable[..., Any]:
    def apply(run: Run, *args: Any) -> Any:
        _expect_inert(run, fn, *args)
        return fn(*args)

    return apply


_BY_FUNCTION: dict[Any, Callable[..., Any]] = {
    abs: _abs, max: _extreme(max), min: _extreme(min), round: _rounded, divmod: _divmod,
    pow: _pow, len: operations.length, isinstance: _isinstance, issubclass: _issubclass,
    setattr: attributes.store, hasattr: _hasattr, vars: _vars, getattr: attributes.attribute,
    next: _next, iter: _iter, sum: _sum, any: _equivalent(any), all: _equivalent(all),
    sorted: _sorted, callable: _callable, ord: _of_inert(ord), chr: _of_inert(chr),
    operator.index: _of_inert(operator.index), repr: _repr, format: _format,
    hash: _of_inert(hash), id: _id, copy.copy: copies.copied, copy.deepcopy: copies.deeply_copied,
    sys.getrecursionlimit: _recursion_limit,
    **{fn: _pure(fn) for fn in (
        re.compile, re.search, re.match, re.fullmatch, re.findall, re.finditer, re.split, re.escape,
        json.loads)},
    functools.reduce: _equivalent(functools.reduce),
    heapq.heappush: _equivalent(heapq.heappush), heapq.heappop: _equivalent(heapq.heappop),
    heapq.heapify: _equivalent(heapq.heapify),
    **{fn: _equivalent(fn) for fn in (
        heapq.heapreplace, heapq.heappushpop, bisect.bisect_left, bisect.bisect_right,
        bisect.insort_left, bisect.insort_right, COUNT_ELEMENTS)},
    np.random.default_rng: draws.seeded(np.random.default_rng),
    object.__setattr__: attributes.put, object.__new__: _bare,
    object.__init__: lambda run, o, *args: None,
    tuple.__new__: lambda run, cls, *args: _new(run, cls, tuple.__new__, args),
    scattered: lambda run, *args: _leaf(run, scattered, args, {}),
    added_at: lambda run, *args: _leaf(run, added_at, args, {}),
    is_not_written: lambda run, what: run.recording.refuse(what),
    is_of_floats: lambda run, y: is_of_floats(y),  # the text is for these kinds
    **{fn: _equivalent(fn) for fn in IN_PYTHON},
    at_kink: lambda run, *args: _leaf(run, at_kink, args, {}),
    along_kink: lambda run, *args: _leaf(run, along_kink, args, {}),
    along_point: lambda run, *args: _leaf(run, along_point, args, {}),
    bar_along_point: lambda run, *args: run.recording.refuse(
        "the slope at a single point says nothing of how it changes"
    ),
    lost_at_kink: lambda run: run.recording.refuse(
        "the slope of an absolute value or a norm where it is 0 says nothing of how it changes"
    ),
    is_same: operations.same, math.dist: _equivalent(math.dist), math.prod: _multiplied,
    np.linalg.multi_dot: _multi_dot,
    collections.namedtuple: _named_tuple,
    **{fn: functools.partial(_signature, asked=fn) for fn in (
        inspect.signature, inspect.getfullargspec)},
    put_pair: lambda run, d, pair: _updated(run, d, [pair]),
    count_one: lambda run, counts, item: run.method(counts, "update", [[item]], {}),
    np.concatenate: _joined(np.concatenate), np.hstack: _joined(np.hstack),
    np.place: _place, np.putmask: _place, resume: _resume,
    sliding_window_view: views.windows, as_strided: views.strided,
    sys.exc_info: _exc_info, sys.exception: _exception,
    normalize_axis_index: _of_inert(normalize_axis_index),
    **{fn: views.of_counts(fn) for fn in (np.triu_indices, np.tril_indices, np.diag_indices)},
    np.broadcast_shapes: _broadcast_shapes,
    np.shape: _of_shape(np.shape), np.ndim: _of_shape(np.ndim), np.size: _of_shape(np.size),
    warnings.simplefilter: _filter, warnings.filterwarnings: _filter,
}  # fmt: skip
_FUNCTIONS = {id(fn): known for fn, known in _BY_FUNCTION.items()}
for _name in (*operations.SIGNS, *operations.COMPARE, *operations.UNARY, "not_", "truth", "is_",
              "is_not", "getitem", "setitem", "delitem", "contains",
              *[f"i{name.rstrip('_')}" for name in operations.SIGNS]):  # fmt: skip
    _FUNCTIONS[id(getattr(operator, _name))] = functools.partial(
        lambda run, *args, name: operations.operate(run, name, args, {}), name=_name
    )
