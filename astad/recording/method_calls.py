"""Calls of methods of compiled classes: of containers, texts, arrays, ufuncs."""

from __future__ import annotations

import collections
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from astad.recording import by_value, operations
from astad.recording.equivalents import EQUIVALENTS
from astad.recording.numpy_in_python import (
    put_in_turn,
    vectorized,
)
from astad.recording.outside import FIXED
from astad.recording.recording import (
    INERT,
    NUMBERS,
    Told,
    is_array,
    is_number,
)
from astad.recording.ruled_calls import (
    SCALAR,
    as_count,
    expect_inert,
    expect_plain,
    expect_shape,
    is_put_somewhere,
    leaf,
    operand_of,
    scalar_reduction,
    spelled_function,
    squeezed,
    without_out,
    word_for,
)
from astad.recording.run import Args, Keywords, Run, Table, name_of
from astad.rules.in_force import CUSTOM
from astad.rules.numpy.scatter import added_at
from astad.rules.registry import lookup

__all__ = [
    "METHODS_OF", "TEXT_SEARCH", "call_vectorized", "equivalent", "items_for_set", "joining",
    "method_of_array", "method_of_iterator", "method_of_number", "of_fixed", "sort_items",
    "update_dict",
]  # fmt: skip


def method_of_number(run: Run, o: Any, name: str, args: Args, keywords: Keywords) -> Any:
    recording, kind = run.recording, type(o)
    if not hasattr(o, name):
        return getattr(o, name)
    if isinstance(o, np.ndarray):
        recording.refuse(f"{name} of an array of {o.dtype}")  # nobody tells what is in it
    if name == "as_integer_ratio" and recording.is_followed(o):
        o = recording.pinned(o, "whole numbers with a derivative")  # which may be zero here
    expect_plain(run, getattr(type(o), name), [*args, *keywords.values()])
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


def method_of_array(run: Run, o: Any, name: str, args: Args, keywords: Keywords) -> Any:
    recording = run.recording
    if name in ("__copy__", "__deepcopy__"):
        name, args = "copy", ()
    if name == "fill" and len(args) == 1 and not keywords:
        return operations.setitem(run, o, ..., args[0])
    is_few = o.dtype == np.float64 and 0 < o.size <= FEW and o.ndim > 0
    if name == "tolist" and is_few and recording.is_followed(o):
        expect_shape(run, o)
        return _listed(run, o, ())
    if name == "put":
        return run.call(np.put, o, *args, **keywords)
    if name == "sort" and all(type(v) is int for v in (*args, *keywords.values())):
        return operations.setitem(run, o, ..., run.call(np.sort, o, *args, **keywords))
    if name in _WRITING or name.startswith("__"):
        recording.refuse(f"ndarray.{name}")
    _, keywords = without_out(name, (), keywords)
    if is_put_somewhere(getattr(np.ndarray, name), keywords):
        recording.refuse(f"{name} with out= or where=")
    args = [operand_of(run, arg) for arg in args]
    if name in _COUNTING:
        args, keywords = [*map(as_count, args)], {k: as_count(v) for k, v in keywords.items()}
    expect_plain(run, getattr(np.ndarray, name), [*args, *keywords.values()])
    if is_number(o) and SCALAR.get(name) is scalar_reduction:
        y = scalar_reduction(run, getattr(np, name), o, *args, **keywords)
        if y is not NotImplemented:
            return y
    if name == "squeeze":
        return squeezed(run, o, *args, **keywords)
    y = operations.computed(run, getattr(np.ndarray, name), o, *args, **keywords)
    if name in ("item", "tolist") and o.dtype.kind in "iu" and recording.holds_moving(o):
        recording.settles_wholes = True  # of Python's ints nobody tells what becomes
    if name == "reshape" and o.ndim and not y.ndim:
        return squeezed(run, o)
    if name in ("ravel", "flatten", "reshape") and not o.ndim and y.ndim and y.dtype == np.float64:
        return recording.result(f"np.full({y.shape}, {recording.word(o)})", y)
    if o.ndim == 0 and name in ("item", "tolist") and not args:
        return recording.result(f"{type(y).__name__}({recording.word(o)})", y)
    parts = [recording.word(arg) for arg in args]
    parts += [f"{key}={recording.word(value)}" for key, value in keywords.items()]
    return recording.result(f"{recording.word(o)}.{name}({', '.join(parts)})", y)


FEW = 200
"""Numbers of an array that are written out one by one as a list of them."""


def _listed(run: Run, a: Any, at: tuple[int, ...]) -> Any:
    """``a.tolist()``, or of the part ``at`` a place: a list for each axis that is left."""
    if len(at) == a.ndim:
        place = ", ".join(map(str, at))
        return run.recording.result(f"float({run.recording.word(a)}[{place}])", float(a[at]))
    return run.recording.fresh([_listed(run, a, (*at, k)) for k in range(a.shape[len(at)])])


_OWN_VALUE = ("copy", "item", "tolist", "conjugate", "conj", "squeeze", "sum", "max", "min", "mean")
"""Methods of a number that give it."""


TEXT_SEARCH = (re.Pattern, re.Match)
"""Compiled types that never change, of which the methods give what lies in texts."""


_COUNTING = ("diagonal", "repeat", "reshape", "swapaxes", "take", "trace", "transpose")
"""Methods of arrays that are given counts, places and axes alone."""


_WRITING = ("sort", "fill", "resize", "itemset", "partition", "setflags", "setfield",
            "byteswap", "tofile", "dump", "dumps")  # fmt: skip


def of_fixed(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """A date and the like, or what its method gives: of what is known it is what it was."""
    for arg in (*args, *keywords.values()):
        if type(arg) not in operations.PLAIN or run.recording.is_followed(arg):
            run.recording.refuse(f"{name_of(fn)} of a {type(arg).__name__}")
    y = fn(*args, **keywords)
    if type(y) in (*INERT, *FIXED, float):
        return run.recording.keep(y)
    return run.recording.fresh(y)


def method_of_iterator(run: Run, o: Any, name: str, args: Args) -> Any:
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
            expect_inert(run, getattr(o, name), *args[:1])
        expect_inert(run, getattr(o, name), *keywords.values())
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


def equivalent(fn: Callable[..., Any]) -> Callable[..., Any]:
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


def call_vectorized(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """A call of what ``np.vectorize`` has made, if it is asked for nothing else."""
    others = ("otypes", "signature", "excluded", "cache")
    if keywords or any(getattr(fn, name) for name in others):
        run.recording.refuse("np.vectorize with such arguments")
    if run.outside.is_outside(fn):
        head, inner = run.outside.place(fn).head, run.recording.constant(fn.pyfunc)
        asked = " or ".join(f"{head}.{name}" for name in others)
        run.recording.require(f"{head}.pyfunc is {inner} and not ({asked})")
    return run.function(_VECTORIZED, [fn.pyfunc, *args], {})


def sort_items(run: Run, items: Any, **keywords: Any) -> Any:
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


def update_dict(run: Run, o: Any, *given: Any, **more: Any) -> None:
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
        held = [items_for_set(run, arg) if name in _WHOLE else arg for arg in args]
        for arg in held:
            operations.check_key(run, tuple(arg) if name in _WHOLE else arg)
        own = run.outside.as_items(o) if name in _QUESTIONS else operations.held(run, o)
        y = operations.of_base(own, name)(*held)
        if name in _CHANGING_SETS and any(isinstance(arg, (set, frozenset)) for arg in held):
            run.recording.exact.discard(id(o))
        return y if type(y) in INERT else operations.with_order(run, y, o, *held)

    return apply


def items_for_set(run: Run, v: Any) -> Any:
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
    "setdefault": _keyed("setdefault", writes=True), "update": update_dict,
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
        return run.call(found, a, axis=axis, **keywords)

    return apply


def _outer(run: Run, ufunc: Any, a: Any, b: Any, **keywords: Any) -> Any:
    """Of each entry of the one with each of the other, as broadcasting has it."""
    if keywords or not (is_array(a) and is_array(b)):
        return _of_ufunc("outer")(run, ufunc, a, b, **keywords)
    return run.call(ufunc, operations.getitem(run, a, (..., *[None] * b.ndim)), b)


def _of_ufunc(name: str) -> Callable[..., Any]:
    """A method of a ufunc of NumPy's or SciPy's as it stands."""

    def apply(run: Run, ufunc: Any, *args: Any, **keywords: Any) -> Any:
        _, keywords = without_out(ufunc, (), keywords)
        if {"out", "where"} & keywords.keys() or id(ufunc) in CUSTOM or lookup(ufunc) is None:
            run.recording.refuse(f"{ufunc.__name__}.{name} with such arguments")
        given = [operand_of(run, arg) for arg in args]
        expect_plain(run, ufunc, [*given, *keywords.values()])
        y = operations.computed(run, getattr(ufunc, name), *given, **keywords)
        if not run.recording.holds_followed(given):
            return run.recording.keep(y)
        parts = [word_for(run, ufunc, arg) for arg in given]
        parts += [f"{word}={run.recording.word(value)}" for word, value in keywords.items()]
        text = f"{spelled_function(run, ufunc)}.{name}({', '.join(parts)})"
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
    given = operand_of(run, indices)
    expect_plain(run, ufunc, given if type(given) is tuple else (given,))
    if type(b) in NUMBERS and run.recording.written_apart(a, given, b):
        return operations.computed(run, ufunc.at, a, given, b)  # type: ignore[no-any-return]
    fits = is_array(a) and a.dtype == np.float64 and type(b) in NUMBERS
    if fits and ufunc in (np.maximum, np.minimum) and _is_in_turn(a, given, b):
        run.call(put_in_turn, ufunc, a, given, b)
        return
    if ufunc not in (np.add, np.subtract) or not fits:
        run.recording.refuse(f"{ufunc.__name__}.at with such arguments")
    operations.expect_own(run, a)
    sign = "-" if ufunc is np.subtract else ""
    word, places = run.recording.word_of_written(a), run.recording.word(given)
    words = f"{word}, {places}, {sign}{run.recording.word(b)}"
    operations.computed(run, ufunc.at, a, given, b)
    by_value.put_whole(run.recording, a, f"{run.recording.constant(added_at)}({words})")


def joining(fn: Any) -> Callable[..., Any]:
    """Lists of numbers among what is joined are arrays first."""

    def apply(run: Run, parts: Any, *args: Any, **keywords: Any) -> Any:
        if type(parts) in (list, tuple):
            whole = [
                run.call(np.array, part) if type(part) in (list, tuple) and part else part
                for part in operations.iterate(run, parts)
            ]
            parts = run.recording.fresh(whole)
        return leaf(run, fn, (parts, *args), keywords)

    return apply


METHODS_OF: dict[Any, Table] = {
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
    METHODS_OF[_kind] = {**METHODS_OF[_kind], **_OF_ITEMS}


METHODS_OF[str]["format"] = _formatted


del METHODS_OF[str]["format_map"]
