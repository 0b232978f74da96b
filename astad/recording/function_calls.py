"""Calls of builtin functions, and of compiled ones of the library and of NumPy that are known."""

from __future__ import annotations

import abc
import bisect
import collections
import copy
import functools
import heapq
import inspect
import json
import math
import operator
import re
import sys
import types
import typing
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from astad.recording import attributes, copies, draws, operations, views
from astad.recording.class_calls import filled_by_base, filter_warnings, made_by_new, repr_of
from astad.recording.equivalents import COUNT_ELEMENTS, EQUIVALENTS, expect_quiet, is_same
from astad.recording.method_calls import equivalent, joining, sort_items, update_dict
from astad.recording.numpy_in_python import (
    IN_PYTHON,
    cheapest_order,
    is_not_written,
    is_of_floats,
)
from astad.recording.outside import SAME, is_made_by_class
from astad.recording.recording import (
    INERT,
    NUMBERS,
    Ident,
    is_array,
    without_wholes,
)
from astad.recording.repeatable import acts
from astad.recording.ruled_calls import expect_inert, expect_plain, expect_shape, leaf
from astad.recording.run import Run, name_of
from astad.rules.kinks import along_kink, at_kink, lost_at_kink
from astad.rules.numpy.scatter import added_at, scattered
from astad.rules.safe import along_point, bar_along_point
from astad.runtime.containers.adders import count_one, put_pair
from astad.runtime.iteration.generators import resume
from astad.tangents.unasked import lookup_in_class

__all__ = ["FUNCTIONS", "OF_OBJECTS", "pure"]


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
    expect_plain(run, round, digits)
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
        return leaf(run, np.linalg.multi_dot, [arrays], keywords)

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


OF_OBJECTS: dict[str, Callable[..., Any]] = {
    "__setattr__": attributes.put,
    "__init__": lambda run, o, *args, **keywords: filled_by_base(run, o, args, keywords),
    "__getattribute__": attributes.attribute,
    "__len__": operations.length,
    "__iter__": lambda run, o: _iter(run, o),
    "__eq__": lambda run, a, b: operations.compare(run, "eq", a, b),
}  # fmt: skip


def _expect_quiet(run: Run, keys: Any) -> None:
    """Nobody sees how often they are compared: no code of theirs does more than that."""
    waiting, kinds = [*keys], set[type]()
    while waiting:
        each = waiting.pop()
        kinds.add(type(each))
        if isinstance(each, (tuple, list)):
            waiting += each
    for kind in kinds:
        for name in ("__lt__", "__gt__", "__eq__"):
            method = lookup_in_class(kind, name)
            if isinstance(method, types.FunctionType) and acts(method):
                run.recording.refuse(f"{kind.__name__}.{name} does more than compare")


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
    expect_shape(run, values)
    if is_array(values) and np.size(values) == 1 and values.ndim:
        values = operations.getitem(run, values, (0,) * values.ndim)
    operations.setitem(run, a, mask, values)


def _broadcast_shapes(run: Run, *shapes: Any) -> Any:
    for each in shapes:
        expect_inert(run, np.broadcast_shapes, *(each if type(each) is tuple else (each,)))
    return run.recording.fresh(np.broadcast_shapes(*shapes))


def _of_shape(fn: Any) -> Callable[..., Any]:
    """Of an array its attribute; a number has none."""

    def apply(run: Run, a: Any, *args: Any, **keywords: Any) -> Any:
        if is_array(a) and not args and not keywords:
            return run.attribute(a, fn.__name__)
        if type(a) in NUMBERS and not is_array(a):
            return fn(a, *args, **keywords)
        return leaf(run, fn, [a, *args], keywords)

    return apply


def _resume(run: Run, v: Any, sent: Any) -> Any:
    if sent is None:
        return _next(run, v)
    return resume(operations.changed(run, v), sent)


def _format(run: Run, v: Any, spec: str = "") -> Any:
    return operations.operate(run, "format", (v, None, spec), {})


def pure(fn: Any) -> Callable[..., Any]:
    """A function of texts and whole numbers that gives the same for the same."""

    def apply(run: Run, *args: Any, **keywords: Any) -> Any:
        for v in (*args, *keywords.values()):
            if type(v) not in (*INERT, re.Pattern, re.RegexFlag):
                run.recording.refuse(f"{name_of(fn)} of a {type(v).__name__}")
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
    expect_inert(run, collections.namedtuple, name, *keywords.values())
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
        expect_inert(run, fn, *args)
        return fn(*args)

    return apply


_BY_FUNCTION: dict[Any, Callable[..., Any]] = {
    abs: _abs, max: _extreme(max), min: _extreme(min), round: _rounded, divmod: _divmod,
    pow: _pow, len: operations.length, isinstance: _isinstance, issubclass: _issubclass,
    setattr: attributes.store, hasattr: _hasattr, vars: _vars, getattr: attributes.attribute,
    next: _next, iter: _iter, sum: _sum, any: equivalent(any), all: equivalent(all),
    sorted: sort_items, callable: _callable, ord: _of_inert(ord), chr: _of_inert(chr),
    operator.index: _of_inert(operator.index), repr: repr_of, format: _format,
    hash: _of_inert(hash), id: _id, copy.copy: copies.copied, copy.deepcopy: copies.deeply_copied,
    sys.getrecursionlimit: _recursion_limit,
    **{fn: pure(fn) for fn in (
        re.compile, re.search, re.match, re.fullmatch, re.findall, re.finditer, re.split, re.escape,
        json.loads)},
    functools.reduce: equivalent(functools.reduce),
    heapq.heappush: equivalent(heapq.heappush), heapq.heappop: equivalent(heapq.heappop),
    heapq.heapify: equivalent(heapq.heapify),
    **{fn: equivalent(fn) for fn in (
        heapq.heapreplace, heapq.heappushpop, bisect.bisect_left, bisect.bisect_right,
        bisect.insort_left, bisect.insort_right, COUNT_ELEMENTS)},
    np.random.default_rng: draws.seeded(np.random.default_rng),
    object.__setattr__: attributes.put, object.__new__: _bare,
    object.__init__: lambda run, o, *args: None,
    tuple.__new__: lambda run, cls, *args: made_by_new(run, cls, tuple.__new__, args),
    scattered: lambda run, *args: leaf(run, scattered, args, {}),
    expect_quiet: _expect_quiet,
    added_at: lambda run, *args: leaf(run, added_at, args, {}),
    is_not_written: lambda run, what: run.recording.refuse(what),
    is_of_floats: lambda run, y: is_of_floats(y),  # the text is for these kinds
    **{fn: equivalent(fn) for fn in IN_PYTHON},
    at_kink: lambda run, *args: leaf(run, at_kink, args, {}),
    along_kink: lambda run, *args: leaf(run, along_kink, args, {}),
    along_point: lambda run, *args: leaf(run, along_point, args, {}),
    bar_along_point: lambda run, *args: run.recording.refuse(
        "the slope at a single point says nothing of how it changes"
    ),
    lost_at_kink: lambda run: run.recording.refuse(
        "the slope of an absolute value or a norm where it is 0 says nothing of how it changes"
    ),
    is_same: operations.same, math.dist: equivalent(math.dist), math.prod: _multiplied,
    np.linalg.multi_dot: _multi_dot,
    collections.namedtuple: _named_tuple,
    **{fn: functools.partial(_signature, asked=fn) for fn in (
        inspect.signature, inspect.getfullargspec)},
    put_pair: lambda run, d, pair: update_dict(run, d, [pair]),
    count_one: lambda run, counts, item: run.method(counts, "update", [[item]], {}),
    np.concatenate: joining(np.concatenate), np.hstack: joining(np.hstack),
    np.place: _place, np.putmask: _place, resume: _resume,
    sliding_window_view: views.windows, as_strided: views.strided,
    sys.exc_info: _exc_info, sys.exception: _exception,
    normalize_axis_index: _of_inert(normalize_axis_index),
    **{fn: views.of_counts(fn) for fn in (np.triu_indices, np.tril_indices, np.diag_indices)},
    np.broadcast_shapes: _broadcast_shapes,
    np.shape: _of_shape(np.shape), np.ndim: _of_shape(np.ndim), np.size: _of_shape(np.size),
    warnings.simplefilter: filter_warnings, warnings.filterwarnings: filter_warnings,
}  # fmt: skip


FUNCTIONS = {id(fn): known for fn, known in _BY_FUNCTION.items()}


for _name in (*operations.SIGNS, *operations.COMPARE, *operations.UNARY, "not_", "truth", "is_",
              "is_not", "getitem", "setitem", "delitem", "contains",
              *[f"i{name.rstrip('_')}" for name in operations.SIGNS]):  # fmt: skip
    FUNCTIONS[id(getattr(operator, _name))] = functools.partial(
        lambda run, *args, name: operations.operate(run, name, args, {}), name=_name
    )
