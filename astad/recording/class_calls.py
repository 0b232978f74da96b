"""Calls of classes: of the program's, and of compiled ones that are known."""

from __future__ import annotations

import abc
import collections
import enum
import functools
import itertools
import operator
import random
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from astad.recording import attributes, draws, operations
from astad.recording.method_calls import equivalent, items_for_set, of_fixed, update_dict
from astad.recording.outside import FIXED
from astad.recording.recording import (
    INERT,
    NUMBERS,
    Told,
    Whole,
    is_array,
    without_wholes,
)
from astad.recording.ruled_calls import expect_inert, expect_plain
from astad.recording.run import Args, Keywords, Run

__all__ = [
    "SETTINGS", "construct", "enter_or_leave", "filled_by_base", "filter_warnings", "made_by_new",
    "repr_of",
]  # fmt: skip


def construct(run: Run, cls: Any, args: Args, keywords: Keywords) -> Any:
    recording = run.recording
    known = _CLASSES.get(cls)
    if known is not None:
        return known(run, *args, **keywords)
    if cls in FIXED:
        return of_fixed(run, cls, args, keywords)
    if cls is type and len(args) == 1:
        return str if type(args[0]) is Told else type(without_wholes(args[0]))
    if issubclass(cls, enum.Enum) and len(args) == 1 and type(args[0]) is cls:
        return args[0]
    if issubclass(cls, enum.Enum):
        return _member(run, cls, args)
    meta = type(cls)
    if meta is not type and meta is not abc.ABCMeta:
        made = attributes.in_class(run, meta, "__call__")
        if made is not type.__call__:
            recording.refuse(f"a class with a metaclass ({meta.__name__})")
    new, init = attributes.in_class(run, cls, "__new__"), attributes.in_class(run, cls, "__init__")
    new = new.__func__ if type(new) is staticmethod else new
    if isinstance(new, types.FunctionType):
        made = run.call(new, cls, *args, **keywords)
        if not isinstance(made, cls):
            return made
    elif new is object.__new__:
        made = recording.fresh(object.__new__(cls))
    elif issubclass(cls, BaseException) or new in _PLAIN_NEW:
        made = made_by_new(run, cls, new, args)
    else:
        recording.refuse(f"{cls.__name__} is made in compiled code")
    if isinstance(init, types.FunctionType):
        run.call(init, made, *args, **keywords)
    elif init is object.__init__:
        if (args or keywords) and new is object.__new__:
            cls(*args, **keywords)  # Python's own error
    elif issubclass(cls, BaseException) or init in _FILLING:
        filled_by_base(run, made, args, keywords)
    else:
        recording.refuse(f"{cls.__name__} is filled in compiled code")
    return made


def filled_by_base(run: Run, o: Any, args: Args, keywords: Keywords) -> None:
    """``__init__`` of the compiled class that the class of ``o`` is derived from."""
    if isinstance(o, BaseException):
        if keywords:
            run.recording.refuse("an exception with keywords")
        BaseException.__init__(o, *args)
    elif isinstance(o, collections.defaultdict):
        collections.defaultdict.__init__(o, *args[:1])
        update_dict(run, o, *args[1:], **keywords)
    elif isinstance(o, dict):
        update_dict(run, o, *args, **keywords)
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


def _member(run: Run, cls: Any, args: Args) -> Any:
    """A member by its value."""
    if run.recording.holds_followed(list(args)) or not all(type(a) in INERT for a in args):
        run.recording.refuse("an Enum is looked up")
    is_missing = len(args) == 1 and args[0] not in cls._value2member_map_
    if is_missing and attributes.in_class(run, cls, "_missing_") not in _MISSING:
        run.recording.refuse("an Enum that finds members by a _missing_ of its own")
    return cls(*args)


_MISSING = [vars(cls)["_missing_"] for cls in (enum.Enum, enum.Flag)]


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


def made_by_new(run: Run, cls: Any, new: Any, args: Args) -> Any:
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
            expect_plain(run, kind, args)
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
    items = operations.held(run, v) if type(v) is dict else items_for_set(run, v)
    operations.check_key(run, tuple(items))
    return operations.with_order(run, kind(items), items)


def _deque(run: Run, v: Any = (), maxlen: Any = None) -> Any:
    expect_inert(run, collections.deque, maxlen)
    return run.recording.fresh(collections.deque(operations.iterate(run, v), maxlen))


def _dict(kind: Any) -> Callable[..., Any]:
    def apply(run: Run, *args: Any, **keywords: Any) -> Any:
        if kind is collections.defaultdict:
            made = run.recording.fresh(kind(args[0] if args else None))
            args = args[1:]
        else:
            made = run.recording.fresh(kind())
        update_dict(run, made, *args, **keywords)
        return made

    return apply


def _zip(run: Run, *args: Any, **keywords: Any) -> Any:
    drawn = [operations.iterate(run, arg) for arg in args]
    strict = bool(keywords.get("strict", False))
    return run.recording.fresh(zip(*drawn, strict=strict))


def _enumerate(run: Run, v: Any, start: int = 0) -> Any:
    expect_inert(run, enumerate, start)
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
        return repr_of(run, v)
    if found is BaseException.__str__ and len(v.args) < 2:
        return _str(run, *v.args)
    run.recording.refuse(f"the text of a {type(v).__name__}")


def repr_of(run: Run, v: Any) -> Any:
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
    expect_inert(run, range, *args)
    return range(*args)


def _drawn(fn: Any) -> Callable[..., Any]:
    """An iterator over the items of its first argument, which asks for counts besides."""

    def apply(run: Run, v: Any, *counts: Any) -> Any:
        expect_inert(run, fn, *counts)
        return run.recording.fresh(fn(operations.iterate(run, v), *counts))

    return apply


def _count(run: Run, *args: Any) -> Any:
    expect_inert(run, itertools.count, *args)
    return run.recording.fresh(itertools.count(*args))


def _repeat(run: Run, v: Any, *times: Any) -> Any:
    expect_inert(run, itertools.repeat, *times)
    return run.recording.fresh(itertools.repeat(v, *times))


def _integer(cls: Any) -> Callable[..., Any]:
    """An integer of NumPy's, of a whole number."""

    def make(run: Run, v: Any = 0) -> Any:
        expect_inert(run, cls, v)
        return cls(v)

    return make


def _product(run: Run, *args: Any, repeat: Any = 1) -> Any:
    expect_inert(run, itertools.product, repeat)
    drawn = [operations.iterate(run, arg) for arg in args]
    return run.recording.fresh(itertools.product(*drawn, repeat=repeat))


def _getter(kind: Any) -> Callable[..., Any]:
    def apply(run: Run, *asked: Any) -> Any:
        expect_inert(run, kind, *asked)
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


def filter_warnings(run: Run, action: str, *args: Any, **keywords: Any) -> None:
    """A filter of warnings, which is undone: where a warning is an error, NumPy raises too."""
    if not run.catching:
        run.recording.refuse("a filter of warnings that stays")
    if action not in ("ignore", "default", "always", "once", "module"):
        _strict(run)


def _strict(run: Run) -> None:
    run.recording.strict = True
    np.seterr(divide="raise", over="raise", invalid="raise")  # undone after the run


def enter_or_leave(run: Run, fn: Any, args: Args) -> Any:
    if type(fn.__self__) is np.errstate:
        return fn(*args)
    run.catching += 1 if fn.__name__ == "__enter__" else -1
    return run.recording.fresh([]) if fn.__self__._record else None


SETTINGS = (np.errstate, warnings.catch_warnings)


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
    itertools.groupby: equivalent(itertools.groupby),
    np.ndindex: equivalent(np.ndindex), np.ndenumerate: equivalent(np.ndenumerate),
    map: equivalent(map), filter: equivalent(filter),
    itertools.accumulate: equivalent(itertools.accumulate),
    itertools.chain: equivalent(itertools.chain),
    itertools.takewhile: equivalent(itertools.takewhile),
    itertools.dropwhile: equivalent(itertools.dropwhile),
    itertools.starmap: equivalent(itertools.starmap),
    itertools.pairwise: equivalent(itertools.pairwise),
    itertools.compress: equivalent(itertools.compress),
    itertools.cycle: equivalent(itertools.cycle),
    itertools.zip_longest: equivalent(itertools.zip_longest),
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
